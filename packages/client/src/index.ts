export type {
  CallbackPayload,
  CallDetail,
  CallListQuery,
  CallResource,
  CreatedWebhook,
  CreateWebhookRequest,
  CreateWorkflowRequest,
  DeliveryDetail,
  DeliveryResource,
  PromptCallRequest,
  PromptCallResponse,
  TriggerCallRequest,
  TriggerCallResponse,
  UpdateWorkflowRequest,
  WebhookPayload,
  WebhookResource,
  WorkflowResource,
} from '@callkite/core/contract';
export { WebhookVerificationError } from 'standardwebhooks';
export { CallkiteApiError, CallkiteTimeoutError } from './api-error.ts';
export { type CallkiteClient, callkite, type TriggeredCall } from './client.ts';
export type { CallkiteClientOptions } from './transport.ts';
export { verifyWebhook } from './verify-webhook.ts';
