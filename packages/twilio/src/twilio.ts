import { type CallChannel, type CarrierAdapter, type Logger, safeLogger, silentLogger } from '@callkite/core';
import { describeAccount, listNumbers } from './account.ts';
import { endCall, fetchCall, findCalls, redirectCall } from './calls.ts';
import { hearsAllLanguages, instructionRenderer, type RelayOptions } from './instructions.ts';
import { MediaChannel } from './media-channel.ts';
import { placeCall } from './placement.ts';
import { lastResort, publicAddress } from './public-address.ts';
import {
  deleteRecording,
  fetchRecording,
  findRecordings,
  startRecording,
  stopRecording,
} from './recordings.ts';
import { ConversationRelayChannel } from './relay-channel.ts';
import { restClients } from './rest-client.ts';
import { receiveUpgrade, receiveWebhook } from './webhooks.ts';

export type { RelayOptions };

export interface TwilioOptions {
  /**
   * Base URL under which Twilio reaches this server, such as `https://calls.example.com`: the very URL that
   * requests are sent to, path prefix of the mount included. Signatures are computed over it.
   */
  publicUrl: string;
  /** Path segment under `/carriers/`. @default 'twilio' */
  name?: string | undefined;
  /** See `CarrierAdapter.network`. Name another one for an emulator, so that its connections are never used on Twilio. @default 'twilio' */
  network?: string | undefined;
  /** Origin that answers in place of `api.twilio.com` and `trusthub.twilio.com`: an emulator or a proxy. */
  apiBaseUrl?: string | undefined;
  /** How the carrier listens and speaks in a conversation. */
  relay?: RelayOptions | undefined;
  /** Accepts a `publicUrl` with `http:` on this machine, for an emulator. Twilio itself refuses it. @default false */
  allowInsecure?: boolean | undefined;
  /** Told about placements whose outcome is unknown and about relay messages that made no sense. @default silent */
  logger?: Logger | undefined;
}

/**
 * Twilio Programmable Voice: calls over REST, conversations over ConversationRelay or Media Streams.
 *
 * An account's `accountId` is its Account SID (`AC…`), its `secret` the primary Auth Token: Twilio signs
 * webhooks with that token, so API keys are not enough.
 *
 * @throws TypeError when `publicUrl` or `apiBaseUrl` cannot be used
 */
export function twilio(options: TwilioOptions): CarrierAdapter {
  const name = options.name ?? 'twilio';
  const logger = safeLogger(options.logger ?? silentLogger);
  const address = publicAddress(options.publicUrl, name, options.allowInsecure ?? false);
  const clients = restClients(options.apiBaseUrl);
  const relay = options.relay ?? {};
  const instructions = instructionRenderer(address, relay);
  const hearsAll = hearsAllLanguages(relay);

  return {
    name,
    network: options.network ?? 'twilio',
    placeCall: (account, request) => placeCall({ clients, address, logger }, account, request),
    endCall: async (account, providerCallId) => endCall(clients.shared(account), providerCallId),
    async redirectCall(account, providerCallId, instruction) {
      await redirectCall(clients.shared(account), providerCallId, instructions.twiml(instruction));
    },
    fetchCall: async (account, providerCallId) => fetchCall(clients.shared(account), providerCallId),
    findCalls: async (account, query) => findCalls(clients.shared(account), query),
    async startRecording(account, providerCallId, attemptToken) {
      const callback = address.webhook('recording', attemptToken);
      await startRecording(clients.shared(account), providerCallId, callback);
    },
    findRecordings: async (account, providerCallId) =>
      findRecordings(clients.shared(account), providerCallId),
    stopRecording: async (account, providerCallId, providerRecordingId) =>
      stopRecording(clients.shared(account), providerCallId, providerRecordingId),
    deleteRecording: async (account, providerCallId, providerRecordingId) =>
      deleteRecording(clients.shared(account), providerCallId, providerRecordingId),
    fetchRecording: (account, providerRecordingId) =>
      fetchRecording(options.apiBaseUrl ?? 'https://api.twilio.com', account, providerRecordingId),
    describeAccount: async (account) => describeAccount(clients.shared(account), account.accountId),
    listNumbers: async (account) => listNumbers(clients.shared(account)),
    receiveWebhook: (path, request, secretOf) => receiveWebhook(address, path, request, secretOf),
    isLastResort: (path) => path === lastResort,
    renderInstruction: (instruction) => instructions.response(instruction),
    acknowledge: () => ({ status: 204, headers: {}, body: null }),
    async receiveUpgrade(path, request, secretOf) {
      const upgrade = await receiveUpgrade(address, path, request, secretOf);
      if (upgrade === null) return null;
      const { attemptToken, kind } = upgrade;
      return {
        attemptToken,
        open: (socket): CallChannel =>
          kind === 'relay'
            ? { kind: 'words', channel: new ConversationRelayChannel(socket, logger, hearsAll) }
            : { kind: 'audio', channel: new MediaChannel(socket, logger) },
      };
    },
  };
}
