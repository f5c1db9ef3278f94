import 'reflect-metadata';
import { apiReference } from '@callkite/api-reference';
import {
  type Callkite,
  type CarrierAdapter,
  emulatedNetwork,
  type LanguageModel,
  type SpeechModel,
  type Storage,
  withFallbackLanguageModel,
  withFallbackSpeechModel,
} from '@callkite/core';
import { CALLKITE, registerCallkite } from '@callkite/core/tsyringe';
import { openAi, openAiLive, openAiRealtime } from '@callkite/openai';
import { pglite, postgres } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import { createKeyvNonBlocking, type default as KeyvRedis } from '@keyv/redis';
import type { Keyv } from 'keyv';
import { type DependencyContainer, container as global, instanceCachingFactory } from 'tsyringe';
import type { CallEvents } from './call-events.ts';
import type { EmbeddedNetwork } from './embedded.ts';
import type { ModelSettings, Settings } from './env.ts';
import { createLogger, type Logger } from './logging.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import type { SecretKeys } from './secret-key.ts';

export interface Composition {
  readonly callkite: Callkite;
  readonly storage: Storage;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Lets go of what was opened besides the store. */
  disconnect(): Promise<void>;
}

const LOGGER = Symbol('logger');
const STORAGE = Symbol('storage');
const CACHE = Symbol('cache');
const METRICS = Symbol('metrics');
const LIVE_CARRIER = Symbol('carrier of live calls');
const TEST_CARRIER = Symbol('carrier of test calls');
const LIVE_MODEL = Symbol('model of live calls');
const TEST_MODEL = Symbol('model of test calls');
const LIVE_SPEECH_MODEL = Symbol('speech model of live calls');
const TEST_SPEECH_MODEL = Symbol('speech model of test calls');
const COMPOSITION = Symbol('composition');

/** Puts the server together. Nothing runs and nothing is opened before `callkite.start()`. */
export function compose(parts: {
  settings: Settings;
  keys: SecretKeys;
  network: Pick<EmbeddedNetwork, 'carrierUrl' | 'modelUrl'> & Partial<Pick<EmbeddedNetwork, 'accounts'>>;
  events: CallEvents;
}): Composition {
  const { settings, network } = parts;
  const container = global.createChildContainer();
  const provide = <T>(token: symbol, make: (from: DependencyContainer) => T) =>
    container.register<T>(token, { useFactory: instanceCachingFactory(make) });
  const logger = (from: DependencyContainer) => from.resolve<Logger>(LOGGER);

  provide(LOGGER, () => createLogger(settings));
  provide(
    STORAGE,
    (from): Storage =>
      settings.databaseUrl === null
        ? pglite({ dataDir: settings.dataDirectory, logger: logger(from) })
        : postgres({ connectionString: settings.databaseUrl, logger: logger(from) }),
  );
  provide(CACHE, () => (settings.redisUrl === null ? null : redisCache(settings.redisUrl)));
  provide(METRICS, (from) => createMetrics(from.resolve<Storage>(STORAGE).jobs));
  provide(TEST_CARRIER, (from) =>
    settings.testCarrierUrl === null
      ? emulatedCarrier('twilio-test', from)
      : twilio({
          name: 'twilio-test',
          network: emulatedNetwork,
          publicUrl: settings.publicUrl,
          apiBaseUrl: settings.testCarrierUrl,
          allowInsecure: true,
          logger: logger(from),
        }),
  );
  provide(
    LIVE_CARRIER,
    (from): CarrierAdapter =>
      settings.twilio === null
        ? emulatedCarrier('twilio', from)
        : twilio({
            publicUrl: settings.publicUrl,
            apiBaseUrl: settings.twilio.apiBaseUrl ?? undefined,
            // An emulator in another process, on this machine. The settings refuse such a public URL in production.
            allowInsecure: true,
            logger: logger(from),
          }),
  );
  provide(TEST_MODEL, () => emulatedModel());
  provide(LIVE_MODEL, (from): LanguageModel => {
    const { openai, secondOpenai } = settings;
    if (openai === null) return emulatedModel();
    if (secondOpenai === null) return languageModel(openai);
    // A failed turn is asked for elsewhere, and not in the same place before.
    const once = { turnRetries: 0 };
    return withFallbackLanguageModel(languageModel(openai, once), languageModel(secondOpenai, once), {
      logger: logger(from),
    });
  });
  provide(TEST_SPEECH_MODEL, (from) => emulatedSpeechModel(from));
  provide(LIVE_SPEECH_MODEL, (from): SpeechModel => {
    const { openai, secondOpenai } = settings;
    if (openai === null) return emulatedSpeechModel(from);
    const first = speechModel(openai, from);
    if (secondOpenai === null) return first;
    return withFallbackSpeechModel(first, speechModel(secondOpenai, from), { logger: logger(from) });
  });
  registerCallkite(container, (from) => {
    const cache = from.resolve<Keyv | null>(CACHE);
    return {
      storage: from.resolve<Storage>(STORAGE),
      telephony: from.resolve<CarrierAdapter>(LIVE_CARRIER),
      languageModel: from.resolve<LanguageModel>(LIVE_MODEL),
      speechModel: from.resolve<SpeechModel>(LIVE_SPEECH_MODEL),
      voiceMode: settings.voiceMode,
      test: {
        telephony: from.resolve<CarrierAdapter>(TEST_CARRIER),
        languageModel: from.resolve<LanguageModel>(TEST_MODEL),
        speechModel: from.resolve<SpeechModel>(TEST_SPEECH_MODEL),
        ...(network.accounts && { account: network.accounts.test }),
      },
      publicUrl: settings.publicUrl,
      apiReference: apiReference(),
      secretKey: parts.keys.current,
      formerSecretKeys: parts.keys.former,
      resealSecrets: settings.formerSecretKey !== null,
      ...(settings.operatorToken !== null && { operatorToken: settings.operatorToken }),
      ...(cache && { cache }),
      allowPrivateCallbacks: settings.allowPrivateCallbacks,
      allowNetworks: settings.allowNetworks,
      refuseNetworks: settings.refuseNetworks,
      requestsPerMinute: settings.requestsPerMinute,
      dailyCallMinutes: settings.dailyCallMinutes,
      confirmationWindowMs: settings.confirmationWindowMs,
      trustedProxies: settings.trustedProxies,
      webCalls: { resumeWindowMs: settings.resumeWindowMs },
      runWorkers: settings.runWorkers,
      logger: logger(from),
      onEvent: (event) => parts.events.emit('event', event),
    };
  });
  provide(
    COMPOSITION,
    (from): Composition => ({
      callkite: from.resolve<Callkite>(CALLKITE),
      storage: from.resolve<Storage>(STORAGE),
      logger: logger(from),
      metrics: from.resolve<Metrics>(METRICS),
      async disconnect() {
        const cache = from.resolve<Keyv | null>(CACHE);
        // Without a goodbye, which one that is frozen would not answer.
        if (cache !== null) await redisOf(cache).disconnect(true);
      },
    }),
  );
  return container.resolve<Composition>(COMPOSITION);

  function emulatedCarrier(name: string, from: DependencyContainer): CarrierAdapter {
    return twilio({
      name,
      network: emulatedNetwork,
      publicUrl: settings.loopbackUrl,
      apiBaseUrl: network.carrierUrl,
      allowInsecure: true,
      logger: logger(from),
    });
  }

  function languageModel(model: ModelSettings, options: { turnRetries?: number } = {}): LanguageModel {
    return openAi({ ...serverOf(model), model: model.model ?? undefined, ...options });
  }

  function speechModel(model: ModelSettings, from: DependencyContainer): SpeechModel {
    const { api, voice } = settings.speech;
    const options = {
      ...serverOf(model),
      model: model.speechModel ?? undefined,
      voice: voice ?? undefined,
      logger: logger(from),
    };
    return api === 'live' ? openAiLive(options) : openAiRealtime(options);
  }

  function emulatedSpeechModel(from: DependencyContainer): SpeechModel {
    return openAiRealtime({ apiKey: 'emulated', baseURL: network.modelUrl, logger: logger(from) });
  }

  function emulatedModel(): LanguageModel {
    return openAi({ apiKey: 'emulated', baseURL: network.modelUrl });
  }
}

function serverOf({ apiKey, baseUrl }: ModelSettings): { apiKey: string; baseURL: string | undefined } {
  return { apiKey: apiKey ?? 'none', baseURL: baseUrl ?? undefined };
}

/** Every failure is an error, which tells core to do without it for a while. */
function redisCache(url: string): Keyv {
  const cache = createKeyvNonBlocking(url, { namespace: 'callkite' });
  const store = redisOf(cache);
  cache.throwOnErrors = true;
  store.throwOnErrors = true;
  store.throwOnConnectError = true;
  // Emitted besides being thrown; without a listener it would end the process.
  cache.on('error', () => undefined);
  return cache;
}

function redisOf(cache: Keyv): KeyvRedis<unknown> {
  return cache.store as KeyvRedis<unknown>;
}
