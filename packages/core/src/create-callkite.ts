import type { WorkflowDefinition } from '@callkite/contract';
import { Keyv } from 'keyv';
import { phrasesFor } from './agent/languages/phrases.ts';
import type { LanguageModel } from './agent/ports/language-model.ts';
import { createAgentSessions } from './agent/session/agent-sessions.ts';
import { carrierApology, voicemailMessage } from './agent/session/disclosure.ts';
import { checkAgentTools } from './agent/tools/agent-tool.ts';
import type { Callkite, CallkiteOptions } from './callkite.ts';
import type { CallRecord, ReportResult } from './calls/call-store.ts';
import type { CarrierAdapter, VoiceMode } from './calls/carrier-adapter.ts';
import type { CarrierConnection } from './calls/carrier-connection.ts';
import { createDrainBarrier } from './calls/drain-barrier.ts';
import type { VelocityAlarm } from './calls/velocity-alarm.ts';
import { createAttemptTokens } from './channels/phone/attempt-token.ts';
import { createCarrierBreaker } from './channels/phone/carrier-breaker.ts';
import { createCarrierWebhooks } from './channels/phone/carrier-webhooks.ts';
import { createDispatcher } from './channels/phone/dispatcher.ts';
import { createReconciliation } from './channels/phone/reconciliation.ts';
import { createPublishableKeys } from './channels/web/publishable-keys.ts';
import { createVisitLimits } from './channels/web/visit-limits.ts';
import { createWebCallSockets } from './channels/web/web-call-sockets.ts';
import { createWebCallWatch } from './channels/web/web-call-watch.ts';
import { createWebCalls } from './channels/web/web-calls.ts';
import { checkOptions } from './check-options.ts';
import { createFacade } from './facade.ts';
import {
  createFinishWork,
  createVoicemailWork,
  createWorkflowGenerationWork,
} from './features/calls/call-work.ts';
import { createCalls } from './features/calls/calls.ts';
import { createIdempotency } from './features/calls/idempotency.ts';
import { createDoNotCall, createOptOuts } from './features/do-not-call/do-not-call.ts';
import { createKeyedHashes } from './features/do-not-call/keyed-hashes.ts';
import { createForms } from './features/forms/forms.ts';
import { createNotifier } from './features/notifications/notifier.ts';
import { createWebhooks } from './features/notifications/webhooks.ts';
import { checkNetwork, enterNetworks } from './features/organizations/networks.ts';
import type { Organization } from './features/organizations/organization-store.ts';
import { createOrganizations } from './features/organizations/organizations.ts';
import { createTestLines } from './features/organizations/test-lines.ts';
import { createRecordingLinks } from './features/recordings/recording-link.ts';
import { createRecordingWork } from './features/recordings/recording-work.ts';
import { createRecordings } from './features/recordings/recordings.ts';
import { createTransferController } from './features/transfers/transfer-controller.ts';
import { createTransferIntegrations, mayTransfer } from './features/transfers/transfer-integrations.ts';
import { createTransferNumbers } from './features/transfers/transfer-numbers.ts';
import { createUsageWatch } from './features/usage/usage-watch.ts';
import { createWorkflows } from './features/workflows/workflows.ts';
import { toFetch } from './http/fetch.ts';
import { withoutGuessing } from './http/guessed-tokens.ts';
import { createHttpHandler } from './http/handler.ts';
import { BoundedMap } from './kernel/bounded-map.ts';
import { createCache } from './kernel/cache.ts';
import { systemClock } from './kernel/clock.ts';
import { CallkiteError } from './kernel/errors.ts';
import type { EmitEvent } from './kernel/events.ts';
import { createJobRunner } from './kernel/jobs/job-runner.ts';
import { silentLogger } from './kernel/logger.ts';
import type { Mode } from './kernel/mode.ts';
import { createOutboundFetch } from './kernel/outbound/outbound-fetch.ts';
import { createRateLimits } from './kernel/rate-limit.ts';
import { safeLogger } from './kernel/safe-logger.ts';
import { checkSecrets } from './kernel/sealed-secrets.ts';
import { connectionSecretContext, createSecretBox } from './kernel/secret-box.ts';
import { createLifecycle } from './lifecycle.ts';

type OrganizationSettings = Pick<Organization, 'name' | 'allowedCountries'>;

/** The callee waits for the dynamic address of a transfer. */
const transferLookupMs = 5_000;
const cacheEntries = 50_000;
const organizationCacheMs = 5_000;

/**
 * Wires the library. Nothing runs before `start()`, except that requests are answered. Throws `validation_failed` for
 * options that cannot work, with all that is wrong in its message.
 */
export function createCallkite(options: CallkiteOptions): Callkite {
  checkOptions(options);
  const { storage, test, tools = [] } = options;
  const logger = safeLogger(options.logger ?? silentLogger);
  const { dailyCallMinutes: defaultDailyMinutes = 3000 } = options;
  checkAgentTools(tools);
  const unfinished = createDrainBarrier();
  const emit: EmitEvent = (event) => {
    if (event.type === 'call.finished' || event.type === 'call.erased') unfinished.finished(event.callId);
    else if (event.type === 'call.spoken') webCallSockets.spoken(event.callId, event.role, event.content);
    else if (event.type === 'call.tool') webCallSockets.usesTool(event.callId, event);
    try {
      options.onEvent?.(event);
    } catch (error) {
      logger.error({ err: error, type: event.type }, 'onEvent threw');
    }
  };
  const vendors = { live: options, test };
  const telephonyFor = (mode: Mode) => vendorsOf(mode).telephony;
  const languageModelFor = (mode: Mode) => vendorsOf(mode).languageModel;
  const speechModelFor = (mode: Mode) => vendors[mode]?.speechModel ?? null;
  const secretBox = createSecretBox(options.secretKey, options.formerSecretKeys);
  const cache = createCache(options.cache ?? new Keyv({ store: new BoundedMap(cacheEntries) }), logger);
  const allowPrivate = options.allowPrivateCallbacks ?? false;
  const { allowNetworks = [], refuseNetworks = [], trustedProxies = 0 } = options;
  const guard = { allowPrivate, allowRanges: allowNetworks, refuseRanges: refuseNetworks };
  const outbound = createOutboundFetch(guard);
  const rateLimits = createRateLimits({
    storage,
    requestsPerMinute: options.requestsPerMinute ?? 60,
    logger,
  });
  const tokens = createAttemptTokens((text) => secretBox.hmacs('attempt', text));
  const accountOf = (connection: CarrierConnection) => {
    const { mode, network, accountId, sealedSecret } = connection;
    checkNetwork(network, vendors[mode]?.telephony);
    return { accountId, secret: secretBox.open(sealedSecret, connectionSecretContext(connection)) };
  };

  const organizations = createOrganizations({
    storage,
    telephonyFor: (mode) => vendors[mode]?.telephony ?? null,
    defaultDailyMinutes,
    secretBox,
    cache,
    onCreated: (organizationId) => testLines.provide(organizationId),
  });
  const testLines = createTestLines({ organizations, account: test?.account ?? null, logger });
  // Spares the store a look-up per call and turn.
  const knownOrganizations = new Keyv<OrganizationSettings>({
    store: new BoundedMap(cacheEntries),
    ttl: organizationCacheMs,
  });
  async function settingsOf(organizationId: string): Promise<OrganizationSettings> {
    const known = await knownOrganizations.get(organizationId);
    if (known) return known;
    const { name, allowedCountries } = await organizations.get(organizationId);
    await knownOrganizations.set(organizationId, { name, allowedCountries });
    return { name, allowedCountries };
  }
  const organizationName = async (id: string) => (await settingsOf(id)).name;
  const allowedCountries = async (id: string) => (await settingsOf(id)).allowedCountries;
  const keyedHashes = createKeyedHashes({
    store: storage.doNotCall,
    secretBox,
    reseal: options.resealSecrets ?? true,
  });
  const doNotCall = createDoNotCall({ store: storage.doNotCall, keyedHashes });
  const usage = createUsageWatch({ usage: storage.usage, defaultDailyMinutes, emit, logger });
  const notifier = createNotifier({ storage, secretBox, outbound, logger, emit });
  const forms = createForms({ storage });
  const transferIntegrations = createTransferIntegrations({ storage, allowedCountries, outbound });
  const transferNumbers = createTransferNumbers({
    allowedCountries,
    outbound: createOutboundFetch({ ...guard, timeoutMs: transferLookupMs }),
    logger,
  });
  const workflows = createWorkflows({
    storage,
    toolNames: tools.map(({ name }) => name),
    hasSpeechModel: [options, test].some((vendor) => vendor?.speechModel !== undefined),
    isTransferAvailable: transferIntegrations.isAvailable,
  });
  const recordings = createRecordings({
    storage,
    telephonyFor,
    accountOf,
    links: createRecordingLinks({
      publicUrl: options.publicUrl,
      hmacs: (text) => secretBox.hmacs('recording', text),
      now: systemClock.now,
    }),
    onDue: () => runner.wake('follow_recording'),
  });
  const conversations = createAgentSessions({
    storage: { ...storage, organizations: createOptOuts({ store: storage.doNotCall, keyedHashes }) },
    recordings,
    languageModelFor,
    speechModelFor,
    tools,
    async transfersOffered(call, { abilities }) {
      const { connectionId } = call;
      // A visitor of a web page has no line that could be put through.
      if (connectionId === null) return [];
      const connection = await storage.organizations.getConnection(call, connectionId);
      if (!connection || !mayTransfer(connection)) return [];
      const found = await Promise.all(
        abilities.transfer.map((id) => storage.transfers.getIntegration(call, id)),
      );
      return found.filter((integration) => integration !== null);
    },
    transferNumbers,
    organizationName,
    emit,
    logger,
    clock: systemClock,
  });

  function voiceModeOf({ voice }: WorkflowDefinition, mode: Mode): VoiceMode {
    const wanted = voice.mode ?? options.voiceMode ?? 'relay';
    return wanted === 'realtime' && speechModelFor(mode) !== null ? 'realtime' : 'relay';
  }

  function vendorsOf(mode: Mode): { telephony: CarrierAdapter; languageModel: LanguageModel } {
    const found = vendors[mode];
    if (!found) throw new CallkiteError('internal', `this server has no carrier and model for ${mode} calls`);
    return found;
  }

  function lookAtUsage({ mode, connectionId, organizationId }: CallRecord): void {
    if (mode === 'live' && connectionId !== null) usage.look(organizationId);
  }

  function onDialed(call: CallRecord, velocityAlarm: VelocityAlarm | null): void {
    lookAtUsage(call);
    if (velocityAlarm !== null) usage.surged(call.organizationId, velocityAlarm);
  }

  function onEnded(call: CallRecord): void {
    if (!call.outcome) return;
    emit({ type: 'call.completed', callId: call.id, outcome: call.outcome, reason: call.reason });
    runner.wake('finish_call');
    lookAtUsage(call);
    if (call.connectionId !== null) dispatcher.wake(call.connectionId);
  }

  function onWebCallEnded(call: CallRecord): void {
    emit({ type: 'call.state', callId: call.id, state: call.state, to: call.to });
    onEnded(call);
  }

  function onReport(result: ReportResult): void {
    if (result.result !== 'applied' || !result.changed) return;
    const { call } = result;
    emit({ type: 'call.state', callId: call.id, state: call.state, to: call.to });
    onEnded(call);
  }

  const work = {
    storage,
    languageModelFor,
    organizationName,
    buildDeliveries: notifier.buildDeliveries,
    onDue: (connectionId: string) => dispatcher.wake(connectionId),
    onDeliveries: () => runner.wake('deliver'),
    emit,
  };
  const runner = createJobRunner({
    jobs: storage.jobs,
    logger,
    handlers: {
      generate_workflow: createWorkflowGenerationWork(work),
      write_voicemail: createVoicemailWork(work),
      finish_call: createFinishWork(work),
      follow_recording: createRecordingWork({ storage, recordings, telephonyFor, accountOf, tokens, logger }),
      watch_web_call: createWebCallWatch({ store: storage.webCalls, onEnded: onWebCallEnded }),
      deliver: { concurrency: 50, perOrganization: 4, run: notifier.deliver, giveUp: notifier.giveUp },
      watch_attempt: createReconciliation({
        calls: storage.calls,
        async carrierOf(attemptId) {
          const connection = await storage.calls.connectionOfAttempt(attemptId);
          return connection && { telephony: telephonyFor(connection.mode), account: accountOf(connection) };
        },
        isTalking: conversations.isLive,
        onReport,
        confirmationWindowMs: options.confirmationWindowMs ?? 120_000,
        logger,
      }),
    },
  });
  const breaker = createCarrierBreaker({
    calls: storage.calls,
    telephonyFor,
    accountOf,
    onRecovered: (connectionId) => dispatcher.wake(connectionId),
    logger,
  });
  const dispatcher = createDispatcher({
    calls: storage.calls,
    telephonyFor,
    accountOf,
    tokens,
    breaker,
    onDialing({ call, velocityAlarm }) {
      emit({ type: 'call.state', callId: call.id, state: 'dialing', to: call.to });
      onDialed(call, velocityAlarm);
    },
    onSpent(organizationId) {
      usage.look(organizationId);
      runner.wake('finish_call');
    },
    defaultDailyMinutes,
    logger,
  });
  const calls = createCalls({
    storage,
    telephonyFor,
    accountOf,
    allowedCountries,
    outbound,
    secretBox,
    keyedHashes,
    idempotency: createIdempotency({ cache, store: storage.calls, hashes: keyedHashes }),
    defaultDailyMinutes,
    provideTestLine: testLines.provide,
    onDue: dispatcher.wake,
    onSpent: usage.look,
    onPrompt: () => runner.wake('generate_workflow'),
    onReport,
    onWebCallCanceled: (callId) => webCallSockets.canceled(callId),
    onErased: () => runner.wake('follow_recording'),
    emit,
    logger,
  });
  const webhooks = createWebhooks({ storage, secretBox, outbound, onDeliveries: work.onDeliveries });
  const carriers = createCarrierWebhooks({
    calls: storage.calls,
    forms: storage.forms,
    carriers: new Map(
      [options.telephony, ...(test ? [test.telephony] : [])].map((adapter) => [adapter.name, adapter]),
    ),
    tokens,
    transfers: createTransferController({
      transfers: storage.transfers,
      defaultDailyMinutes,
      onDial: onDialed,
      async keysFor(call) {
        const [mayRing, keyOf] = await Promise.all([
          transferNumbers.rulesFor(call),
          keyedHashes.of(call.organizationId),
        ]);
        return (phone) => (mayRing(phone) ? keyOf(phone) : null);
      },
      organizationName,
    }),
    accountOf,
    beginConversation(callId, channel, line) {
      unfinished.began(callId);
      conversations.begin(callId, channel, line);
    },
    recordings,
    voiceModeOf,
    voicemailMessage: async (definition, call) =>
      voicemailMessage(definition, await organizationName(call.organizationId), call),
    lastApology: {
      type: 'say',
      text: `This is an AI assistant. ${phrasesFor('en').apology}`,
      language: 'en-US',
      voice: null,
    },
    apology: async (definition, organizationId) =>
      carrierApology(definition, await organizationName(organizationId)),
    onReport,
    logger,
  });

  const { resumeWindowMs = 30_000, maximumLive = 1000, ...visitRates } = options.webCalls ?? {};
  const hasSound = (mode: Mode) => speechModelFor(mode) !== null;
  const webCallSockets = createWebCallSockets({
    storage,
    hasSound,
    converse(callId, channel, line) {
      unfinished.began(callId);
      return conversations.begin(callId, channel, line);
    },
    note: conversations.note,
    pause: conversations.pause,
    onEnded: onWebCallEnded,
    resumeWindowMs,
    maximumLive,
    emit,
    logger,
  });
  const publishableKeys = createPublishableKeys({ storage, secretBox });
  const webCalls = createWebCalls({
    storage,
    keys: publishableKeys,
    calls,
    limits: createVisitLimits({
      storage,
      rates: visitRates,
      hmac: (text) => secretBox.hmac('visit-limits', text),
    }),
    secretBox,
    allowedCountries,
    hasSound,
    sockets: webCallSockets,
    publicUrl: options.publicUrl,
  });

  const lifecycle = createLifecycle({
    storage,
    prepare: keyedHashes.hashErased,
    runner,
    dispatcher,
    breaker,
    conversations,
    webCallSockets,
    unfinished,
    usage,
    checkSecrets: () =>
      checkSecrets({
        store: storage.secrets,
        secretBox,
        reseal: options.resealSecrets ?? true,
        logger,
      }),
    enterNetworks: () =>
      enterNetworks({
        store: storage.organizations,
        networks: {
          live: options.telephony.network,
          ...(test && { test: test.telephony.network }),
        },
        logger,
      }),
    cache: options.cache === undefined ? null : cache,
    runWorkers: options.runWorkers ?? true,
    logger,
  });
  const handle = createHttpHandler({
    organizations,
    workflows,
    forms,
    doNotCall,
    calls,
    recordings,
    webhooks,
    transferIntegrations,
    publishableKeys,
    webCalls,
    carriers,
    trustedProxies,
    operatorToken: options.operatorToken,
    rateLimits,
    apiReference: options.apiReference,
    readiness: lifecycle.readiness,
    logger,
  });

  return {
    ...createFacade({
      organizations,
      workflows,
      forms,
      doNotCall,
      calls,
      webhooks,
      transferIntegrations,
      publishableKeys,
      webCalls: { ...webCalls, upgrade: withoutGuessing(webCalls.upgrade, { rateLimits, trustedProxies }) },
    }),
    carriers,
    handle,
    fetch: toFetch(handle),
    start: lifecycle.start,
    stop: lifecycle.stop,
  };
}
