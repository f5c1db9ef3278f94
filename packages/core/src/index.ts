export { classifyUtterance, type HeardUtterance } from './agent/answer-detection/utterance.ts';
export {
  type FallbackLanguageModelOptions,
  withFallbackLanguageModel,
} from './agent/failover/fallback-language-model.ts';
export {
  type FallbackSpeechModelOptions,
  withFallbackSpeechModel,
} from './agent/failover/fallback-speech-model.ts';
export type {
  LanguageModel,
  ModelMessage,
  ModelTool,
  ModelToolCall,
  ObjectRequest,
  TurnPart,
  TurnRequest,
} from './agent/ports/language-model.ts';
export type {
  SpeechModel,
  SpeechModelEvent,
  SpeechSession,
  SpeechSessionRequest,
} from './agent/ports/speech-model.ts';
export { audioDurationMs } from './agent/realtime/audio.ts';
export { type AgentTool, type AgentToolUse, defineTool } from './agent/tools/agent-tool.ts';
export type { ToolCallRecord, ToolCallStore } from './agent/tools/tool-call-store.ts';
export type { Callkite, CallkiteOptions, Calls, PlacedCall, WebCallOptions } from './callkite.ts';
export {
  answeredByHeard,
  callOutcome,
  isTerminal,
  movesForward,
  type SealedCall,
  sealedEnd,
  stateOf,
} from './calls/call-status.ts';
export type {
  AcceptCall,
  AcceptResult,
  AttemptRecord,
  AttemptReport,
  AttemptState,
  CallRecord,
  CallStore,
  ClaimResult,
  DialClaim,
  HeardAnswer,
  ReportResult,
  StoredAnswer,
  TranscriptEntry,
  UsedKey,
} from './calls/call-store.ts';
export type {
  AnsweredBy,
  BusinessProfileStatus,
  CallInstruction,
  CarrierAccount,
  CarrierAccountFacts,
  CarrierAdapter,
  CarrierCall,
  CarrierCallStatus,
  CarrierEvent,
  CarrierNumber,
  CarrierRecording,
  DialResult,
  LegEvent,
  PlaceCallRequest,
  RecordingFile,
  VerifiedCarrierEvent,
  VoiceMode,
} from './calls/carrier-adapter.ts';
export { emulatedNetwork } from './calls/carrier-adapter.ts';
export type { CarrierConnection, ConnectedNumber } from './calls/carrier-connection.ts';
export type { Delivery, NewDelivery } from './calls/delivery.ts';
export type {
  AudioChannel,
  AudioEvent,
  BinarySocket,
  CallChannel,
  CalleeEvent,
  RelayChannel,
  TextSocket,
} from './calls/speech.ts';
export type { VelocityAlarm } from './calls/velocity-alarm.ts';
export type { PublishableKeyInput, PublishableKeys } from './channels/web/publishable-keys.ts';
export type {
  Admission,
  BeginWebCall,
  ConsentRecord,
  PublishableKey,
  PublishableKeySettings,
  VisitRecord,
  WebCallStore,
} from './channels/web/web-call-store.ts';
export type {
  RequestedCallback,
  VisitInput,
  Visitor,
  WebCallSession,
  WebCalls,
} from './channels/web/web-calls.ts';
export { createCallkite } from './create-callkite.ts';
export type { PromptCallInput, TriggerCallInput } from './features/calls/calls.ts';
export type { DoNotCall, DoNotCallImport } from './features/do-not-call/do-not-call.ts';
export type {
  DoNotCallEntry,
  DoNotCallStore,
  HashedNumber,
} from './features/do-not-call/do-not-call-store.ts';
export type { CallForm, FormAnswer, FormRecord, FormStore, FormValue } from './features/forms/form-store.ts';
export type { Forms } from './features/forms/forms.ts';
export type {
  DeliveryAttempt,
  DeliveryStore,
  WebhookIntegration,
} from './features/notifications/delivery-store.ts';
export type { Webhooks } from './features/notifications/webhooks.ts';
export { apiKeyPattern } from './features/organizations/api-keys.ts';
export type {
  ApiKeyRecord,
  Organization,
  OrganizationStore,
} from './features/organizations/organization-store.ts';
export type { OrganizationSettings, Organizations } from './features/organizations/organizations.ts';
export type { EmulatedAccount } from './features/organizations/test-lines.ts';
export type { RecordingRecord, RecordingStore } from './features/recordings/recording-store.ts';
export type { TransferIntegrations, TransferSettings } from './features/transfers/transfer-integrations.ts';
export type {
  NewTransfer,
  TransferIntegration,
  TransferLeg,
  TransferLegReport,
  TransferRecord,
  TransferStep,
  TransferStore,
} from './features/transfers/transfer-store.ts';
export type { DailyUsage, UsageAlarm, UsageStore } from './features/usage/usage-store.ts';
export type { WorkflowRecord, WorkflowStore } from './features/workflows/workflow-store.ts';
export type { Workflows } from './features/workflows/workflows.ts';
export type { ApiReference, ApiReferenceScript } from './http/api-reference.ts';
export { type Clock, systemClock } from './kernel/clock.ts';
export { CallkiteError, type CallkiteErrorOptions, type ErrorCode } from './kernel/errors.ts';
export type { CallkiteEvent } from './kernel/events.ts';
export type { HttpRequest, HttpResponse } from './kernel/http.ts';
export { createId } from './kernel/ids.ts';
export type { Job, JobKind, JobStore } from './kernel/jobs/job-store.ts';
export { type Logger, silentLogger } from './kernel/logger.ts';
export type { Mode, Principal, Scope } from './kernel/mode.ts';
export type { Page, PageRequest } from './kernel/page.ts';
export { type ErrorFields, errorFields, safeLogger } from './kernel/safe-logger.ts';
export type { SealedSecret, SecretStore } from './kernel/secret-store.ts';
export type { Storage } from './storage.ts';
