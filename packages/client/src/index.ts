export type {
  CallbackPayload,
  CallDetail,
  CallListQuery,
  CallResource,
  CallTransfer,
  CreatedWebhook,
  CreateTransferIntegrationRequest,
  CreateWebhookRequest,
  CreateWorkflowRequest,
  DeliveryDetail,
  DeliveryResource,
  PromptCallRequest,
  PromptCallResponse,
  TransferIntegrationResource,
  TriggerCallRequest,
  TriggerCallResponse,
  UpdateTransferIntegrationRequest,
  UpdateWorkflowRequest,
  WebhookPayload,
  WebhookResource,
  WorkflowResource,
} from '@callkite/contract';
export { WebhookVerificationError } from 'standardwebhooks';
export { CallkiteApiError, CallkiteTimeoutError } from './api-error.ts';
export { type CallkiteClient, callkite, type TriggeredCall } from './client.ts';
export type { CallkiteClientOptions } from './transport.ts';
export { verifyWebhook } from './verify-webhook.ts';
