import type {
  CallReason,
  CallState,
  CallStatus,
  FormField,
  ProviderStatus,
  TransferLegSource,
  TransferMode,
  TransferOutcome,
  WorkflowDefinition,
} from '@callkite/contract';
import type {
  AnsweredBy,
  AttemptState,
  CarrierConnection,
  ConsentRecord,
  Delivery,
  DoNotCallEntry,
  HeardAnswer,
  JobKind,
  Mode,
  RecordingRecord,
  ToolCallRecord,
  VisitRecord,
  WorkflowRecord,
} from '@callkite/core';
import type { ColumnType, Generated } from 'kysely';

/** Written by the database (`default now()`), never by us. */
type Stamp = ColumnType<Date, never, never>;
/** Set by expressions on the database's clock. */
type Moment = ColumnType<Date | null, never, Date | null>;
type Json<T> = ColumnType<T, string, string>;

export interface OrganizationRow {
  id: string;
  name: string;
  allowed_countries: ColumnType<string[], readonly string[], readonly string[]>;
  /** `Infinity`: unlimited. `null`: what the server says. */
  daily_call_minutes: number | null;
  created_at: Stamp;
}

export interface ApiKeyRow {
  id: string;
  organization_id: string;
  mode: Mode;
  name: string;
  lookup_id: string;
  hash: string;
  created_at: Stamp;
  revoked_at: Moment;
}

export interface ConnectionRow {
  id: string;
  organization_id: string;
  mode: Mode;
  account_id: string;
  network: string | null;
  sealed_secret: string;
  account_name: string;
  account_type: CarrierConnection['accountType'];
  business_profile: CarrierConnection['businessProfile'];
  calls_per_second: number;
  maximum_concurrent_calls: number | null;
  status: Generated<CarrierConnection['status']>;
  down_until: Moment;
  /** No dial may start earlier: keeps starts apart so that calls per second hold. */
  next_start_at: Moment;
  /** Concurrency in use at `reduced_at` after the carrier refused; grows by one a minute. */
  reduced_limit: Generated<number | null>;
  reduced_at: Moment;
  created_at: Stamp;
}

export interface NumberRow {
  id: string;
  organization_id: string;
  connection_id: string;
  mode: Mode;
  phone_number: string;
  provider_number_id: string;
  is_default: boolean;
  created_at: Stamp;
}

export interface DoNotCallRow {
  id: Generated<string>;
  organization_id: string;
  mode: Mode;
  /** `null`: erased. */
  phone_number: string | null;
  /** Keyed hash of a number that was erased. */
  number_key: string | null;
  source: DoNotCallEntry['source'];
  reason: string | null;
  call_id: string | null;
  added_by: string | null;
  created_at: Stamp;
  lifted_at: Moment;
  lifted_by: string | null;
  lift_reason: string | null;
}

interface DataKeyRow {
  name: string;
  sealed: string;
}

export interface WorkflowRow {
  id: string;
  organization_id: string;
  mode: Mode;
  source: WorkflowRecord['source'];
  name: string;
  current_version: number;
  created_at: Stamp;
  deleted_at: Moment;
}

export interface WorkflowVersionRow {
  workflow_id: string;
  version: number;
  name: string;
  definition: Json<WorkflowDefinition>;
  created_at: Stamp;
}

export interface FormRow {
  id: string;
  organization_id: string;
  mode: Mode;
  current_version: number;
  created_at: Stamp;
  deleted_at: Moment;
}

export interface FormVersionRow {
  form_id: string;
  version: number;
  title: string;
  fields: Json<FormField[]>;
  created_at: Stamp;
}

interface CallFormRow {
  call_id: string;
  form_id: string;
  version: number;
  position: number;
}

interface FormAnswerRow {
  call_id: string;
  form_id: string;
  field: string;
  value: Json<string | number | string[]>;
  confirmed: boolean;
  quote: string;
  at: Stamp;
}

interface ToolCallRow {
  call_id: string;
  turn: number;
  index: number;
  name: string;
  input: string;
  status: ToolCallRecord['status'];
  result: string | null;
  at: Stamp;
  finished_at: Moment;
}

interface RecordingRow {
  id: string;
  call_id: string;
  organization_id: string;
  consent: RecordingRecord['consent'];
  status: RecordingRecord['status'];
  provider_recording_id: string | null;
  duration_seconds: number | null;
  created_at: Stamp;
  expires_at: Moment;
  deleted_at: Moment;
}

export interface TransferIntegrationRow {
  id: string;
  organization_id: string;
  /** Of the keys that see it; `mode` is how calls are put through. */
  key_mode: Mode;
  name: string;
  mode: TransferMode;
  phone_number: string;
  transfer_url: string | null;
  fallback_numbers: ColumnType<string[], readonly string[], readonly string[]>;
  ring_seconds: number;
  take_messages: boolean;
  created_at: Stamp;
}

export interface TransferRow {
  id: string;
  call_id: string;
  integration_id: string;
  name: string;
  mode: TransferMode;
  ring_seconds: number;
  take_messages: boolean;
  reason: string;
  summary: string;
  outcome: TransferOutcome | null;
  message: string | null;
  requested_at: Stamp;
  ended_at: Moment;
  /** When the callee was back with the agent, after nobody took the call. */
  returned_at: Moment;
}

export interface TransferLegRow {
  id: string;
  transfer_id: string;
  call_id: string;
  /** Of the call: an open leg takes a place of its line. */
  connection_id: string;
  position: number;
  to_number: string;
  source: TransferLegSource;
  outcome: TransferOutcome | null;
  provider_call_id: string | null;
  dialed_at: Moment;
  answered_at: Moment;
  ended_at: Moment;
  seconds: number | null;
  /** Added to the day in which the leg was dialed. */
  minutes: Generated<number>;
}

export interface CallRow {
  id: string;
  organization_id: string;
  mode: Mode;
  origin: 'workflow' | 'prompt';
  workflow_id: string;
  workflow_version: number;
  workflow_name: string;
  /** `null`: a web call. */
  connection_id: string | null;
  from_number: string;
  to_number: string;
  /** Keyed hash of it. */
  to_key: string | null;
  recipient_name: string | null;
  recipient_email: string | null;
  recipient_context: string | null;
  prompt: string | null;
  callback_url: string | null;
  sealed_callback_secret: string | null;
  state: CallState;
  call_status: CallStatus | null;
  provider_status: ProviderStatus | null;
  reason: CallReason | null;
  /** What the carrier detected. */
  answered_by: AnsweredBy | null;
  heard: HeardAnswer | null;
  voicemail_message: string | null;
  /** The callee refused to be recorded. */
  off_the_record: Generated<boolean>;
  cancel_requested: boolean;
  conversation_over: boolean;
  /** Before what the call was for was reached. */
  agent_failed: Generated<boolean>;
  summary: string | null;
  lost_channels: number;
  transcript_length: number;
  created_at: Stamp;
  /** `null` while the workflow of a prompt call is being generated. */
  dialable_at: Moment;
  deadline_at: Moment;
  answered_at: Moment;
  ended_at: Moment;
  duration_seconds: number | null;
  erased_at: Moment;
  /** From then on nothing is added to what was said. */
  sealed_at: Moment;
}

/** Who holds the last conversation of a call. */
interface ConversationRow {
  call_id: string;
  holder: string;
  /** `null` once its end is on record. */
  held_until: Moment;
}

export interface AttemptRow {
  id: string;
  call_id: string;
  organization_id: string;
  connection_id: string;
  from_number: string;
  to_number: string;
  state: AttemptState;
  provider_call_id: string | null;
  fruitless_looks: number;
  intent_at: Stamp;
  /** Added to the day of the intent. */
  minutes: Generated<number>;
}

/** Minutes of an organization's legs that ended, by the UTC day in which they began. */
interface CallMinutesRow {
  organization_id: string;
  day: string;
  minutes: Generated<number>;
  /** Percent of the limit that somebody was told of. */
  alarm: Generated<number>;
}

/** Where an organization's live calls and transfers went: numbers without their last four digits. */
interface DialedPrefixRow {
  organization_id: string;
  prefix: string;
  first_dialled_at: Stamp;
  /** In the first hour. */
  dials: Generated<number>;
}

export interface PublishableKeyRow {
  id: string;
  organization_id: string;
  mode: Mode;
  name: string;
  key: string;
  allowed_origins: ColumnType<string[], readonly string[], readonly string[]>;
  workflow_ids: ColumnType<string[], readonly string[], readonly string[]>;
  daily_calls: number;
  callback_countries: ColumnType<string[], readonly string[], readonly string[]>;
  created_at: Stamp;
  revoked_at: Moment;
}

export interface VisitRow {
  call_id: string;
  organization_id: string;
  key_id: string;
  kind: VisitRecord['kind'];
  workflow_id: string;
  origin: string;
  remote_address: string | null;
  page: string | null;
  name: string | null;
  email: string | null;
  context: string | null;
  user_id: string | null;
  user_verified: boolean | null;
  consent: ColumnType<ConsentRecord | null, string | null, string | null>;
  created_at: Stamp;
  token_hash: string | null;
  token_expires_at: Moment;
  counted_at: Moment;
  media: 'audio' | 'text' | null;
  epoch: Generated<number>;
  alive_until: Moment;
}

interface TranscriptRow {
  call_id: string;
  number: number;
  role: 'assistant' | 'user';
  content: string;
  interrupted: boolean;
  at: Stamp;
}

interface IdempotencyRow {
  organization_id: string;
  endpoint: string;
  key: string;
  key_hash: string | null;
  fingerprint: string;
  status: number;
  body: string;
  call_id: string | null;
  expires_at: Stamp;
}

interface JobRow {
  kind: JobKind;
  subject_id: string;
  organization_id: string;
  /** When it may be claimed; for a leased job the end of the lease. */
  due_at: Stamp;
  /** Held by whoever leased it last; `null` when nobody has since it was last given back. */
  lease_token: string | null;
  tries: number;
  buried_at: Moment;
  last_error: string | null;
}

export interface IntegrationRow {
  id: string;
  organization_id: string;
  mode: Mode;
  name: string;
  url: string;
  sealed_secret: string;
  former_sealed_secret: string | null;
  former_secret_expires_at: Moment;
  created_at: Stamp;
}

export interface DeliveryRow {
  id: string;
  organization_id: string;
  mode: Mode;
  call_id: string | null;
  kind: Delivery['kind'];
  integration_id: string | null;
  url: string;
  sealed_bearer: string | null;
  body: string;
  status: Generated<Delivery['status']>;
  attempts: Generated<number>;
  created_at: Stamp;
}

interface DeliveryAttemptRow {
  delivery_id: string;
  number: number;
  started_at: Stamp;
  finished_at: Moment;
  status_code: number | null;
  error: string | null;
}

export interface Tables {
  organizations: OrganizationRow;
  api_keys: ApiKeyRow;
  connections: ConnectionRow;
  numbers: NumberRow;
  do_not_call: DoNotCallRow;
  data_keys: DataKeyRow;
  workflows: WorkflowRow;
  workflow_versions: WorkflowVersionRow;
  forms: FormRow;
  form_versions: FormVersionRow;
  conversations: ConversationRow;
  call_forms: CallFormRow;
  form_answers: FormAnswerRow;
  tool_calls: ToolCallRow;
  recordings: RecordingRow;
  transfer_integrations: TransferIntegrationRow;
  transfers: TransferRow;
  transfer_legs: TransferLegRow;
  publishable_keys: PublishableKeyRow;
  visits: VisitRow;
  calls: CallRow;
  attempts: AttemptRow;
  call_minutes: CallMinutesRow;
  dialled_prefixes: DialedPrefixRow;
  transcript: TranscriptRow;
  idempotency: IdempotencyRow;
  jobs: JobRow;
  integrations: IntegrationRow;
  deliveries: DeliveryRow;
  delivery_attempts: DeliveryAttemptRow;
}
