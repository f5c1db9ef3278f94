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
export type { PromptCallInput, TriggerCallInput } from './calls/calls.ts';
export { type AgentTool, type AgentToolUse, defineTool } from './conversations/agent-tool.ts';
export { classifyUtterance, type HeardUtterance } from './conversations/answer/utterance.ts';
export { soundMs } from './conversations/sound.ts';
export { createCallkite } from './create-callkite.ts';
export { CallkiteError, type CallkiteErrorOptions, type ErrorCode } from './errors.ts';
export type { CallkiteEvent } from './events.ts';
export type { Forms } from './forms/forms.ts';
export { createId } from './ids.ts';
export {
  type SecondLanguageModelOptions,
  withSecondLanguageModel,
} from './models/language-model-with-second.ts';
export { type SecondSpeechModelOptions, withSecondSpeechModel } from './models/speech-model-with-second.ts';
export type { Webhooks } from './notifications/webhooks.ts';
export { apiKeyPattern } from './organizations/api-keys.ts';
export type { DoNotCall, DoNotCallImport } from './organizations/do-not-call.ts';
export type { Caller, OrganizationSettings, Organizations } from './organizations/organizations.ts';
export type { EmulatedAccount } from './organizations/test-lines.ts';
export type { ApiReference, ApiReferenceScript } from './ports/api-reference.ts';
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
} from './ports/call-store.ts';
export { type Clock, systemClock } from './ports/clock.ts';
export type {
  Delivery,
  DeliveryAttempt,
  DeliveryStore,
  NewDelivery,
  WebhookIntegration,
} from './ports/delivery-store.ts';
export type { DoNotCallEntry, DoNotCallStore, HashedNumber } from './ports/do-not-call-store.ts';
export type { CallForm, FormAnswer, FormRecord, FormStore, FormValue } from './ports/form-store.ts';
export type { HttpRequest, HttpResponse } from './ports/http.ts';
export type { Job, JobKind, JobStore } from './ports/job-store.ts';
export type {
  LanguageModel,
  ModelMessage,
  ModelTool,
  ModelToolCall,
  ObjectRequest,
  TurnPart,
  TurnRequest,
} from './ports/language-model.ts';
export { type Logger, silentLogger } from './ports/logger.ts';
export type { Mode, Scope } from './ports/mode.ts';
export type {
  ApiKeyRecord,
  CarrierConnection,
  ConnectedNumber,
  Organization,
  OrganizationStore,
} from './ports/organization-store.ts';
export type { Page, PageRequest } from './ports/page.ts';
export type { RecordingRecord, RecordingStore } from './ports/recording-store.ts';
export type { SealedSecret, SecretStore } from './ports/secret-store.ts';
export type {
  AudioChannel,
  AudioEvent,
  CallChannel,
  CalleeEvent,
  MixedSocket,
  SpeechChannel,
  TextSocket,
} from './ports/speech.ts';
export type {
  SpeechModel,
  SpeechModelEvent,
  SpeechSession,
  SpeechSessionRequest,
} from './ports/speech-model.ts';
export type { DaySpending, SpendingAlarm, SpendingStore, VelocityAlarm } from './ports/spending-store.ts';
export type { Storage } from './ports/storage.ts';
export type {
  AnsweredBy,
  BusinessProfileStatus,
  CallInstruction,
  CarrierAccount,
  CarrierAccountFacts,
  CarrierCall,
  CarrierCallStatus,
  CarrierEvent,
  CarrierNumber,
  CarrierRecording,
  LegEvent,
  PlaceCallRequest,
  Placement,
  RecordedSound,
  Telephony,
  VerifiedCarrierEvent,
  VoiceMode,
} from './ports/telephony.ts';
export { emulatedNetwork } from './ports/telephony.ts';
export type { ToolCallRecord, ToolCallStore } from './ports/tool-call-store.ts';
export type {
  NewTransfer,
  TransferIntegration,
  TransferLeg,
  TransferLegReport,
  TransferRecord,
  TransferStep,
  TransferStore,
} from './ports/transfer-store.ts';
export type {
  Admission,
  BeginWebCall,
  ConsentRecord,
  PublishableKey,
  PublishableKeySettings,
  VisitRecord,
  WebCallStore,
} from './ports/web-call-store.ts';
export type { WorkflowRecord, WorkflowStore } from './ports/workflow-store.ts';
export { type ErrorFields, errorFields, safeLogger } from './safe-logger.ts';
export type { TransferIntegrations, TransferSettings } from './transfers/transfer-integrations.ts';
export type { PublishableKeyInput, PublishableKeys } from './web-calls/publishable-keys.ts';
export type {
  RequestedCallback,
  VisitInput,
  Visitor,
  WebCallSession,
  WebCalls,
} from './web-calls/web-calls.ts';
export type { Workflows } from './workflows/workflows.ts';
