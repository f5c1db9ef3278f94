import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { type Callkite, createCallkite } from '@callkite/core';
import { CALLKITE, CallkiteModule } from '@callkite/nestjs';
import { openAi } from '@callkite/openai';
import { startOpenAiEmulator } from '@callkite/openai-emulator';
import { pglite } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import { builtInAccounts, startTwilioEmulator } from '@callkite/twilio-emulator';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const port = Number(process.argv[2] ?? 3000);

// Stand-ins for Twilio (at five times the speed of life) and OpenAI inside this process: no real phone can ring.
const phones = await startTwilioEmulator({ allowInsecureLoopback: true, speed: 5 });
const model = await startOpenAiEmulator();

/** A service of the application that has calls placed. */
@Injectable()
class Reminders {
  readonly #callkite: Callkite;

  constructor(@Inject(CALLKITE) callkite: Callkite) {
    this.#callkite = callkite;
  }

  /** Once, when a customer signs up: an organization and a number of its carrier account. */
  async signUp(name: string): Promise<string> {
    const { organizations } = this.#callkite;
    const { id } = await organizations.create({ name });
    const { sid: accountId, authToken: secret } = builtInAccounts.approved;
    const live = { organizationId: id, mode: 'live' } as const;
    const connection = await organizations.connectCarrier(live, { accountId, secret });
    await organizations.connectNumber(live, connection.id, '+12025550183');
    return id;
  }

  /** @returns the id of the call */
  async remind(organizationId: string, recipientPhone: string): Promise<string> {
    const caller = { organizationId, mode: 'live', keyId: 'reminders' } as const;
    const { callId } = await this.#callkite.calls.prompt(caller, {
      prompt: 'Remind Jordan Avery of the appointment tomorrow at 10 am and ask whether they will come.',
      recipientPhone,
    });
    return callId;
  }

  /** Waits for the summary, which is written last. */
  async result(organizationId: string, callId: string) {
    for (;;) {
      const { call, transcript } = await this.#callkite.calls.get({ organizationId, mode: 'live' }, callId);
      if (call.summary !== null) return { outcome: call.outcome, summary: call.summary, transcript };
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

@Module({
  imports: [
    CallkiteModule.forRootAsync({
      useFactory: () => {
        const publicUrl = `http://127.0.0.1:${port}`;
        return {
          callkite: createCallkite({
            storage: pglite({ dataDir: 'memory' }),
            telephony: twilio({ publicUrl, apiBaseUrl: phones.url, allowInsecure: true }),
            languageModel: openAi({ apiKey: 'emulated', baseURL: model.url }),
            publicUrl,
            secretKey: randomBytes(32).toString('base64'),
          }),
        };
      },
    }),
  ],
  providers: [Reminders],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
await app.listen(port, '127.0.0.1');

const reminders = app.get(Reminders);
const organizationId = await reminders.signUp('Example Dental');
const callId = await reminders.remind(organizationId, '+12025550102');
console.log(await reminders.result(organizationId, callId));

// Ends live conversations first.
await app.close();
await Promise.all([phones.close(), model.close()]);
