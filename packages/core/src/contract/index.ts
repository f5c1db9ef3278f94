export {
  type CallOutcome,
  type CallReason,
  type CallState,
  type CallStatus,
  callReason,
  callState,
  callStatus,
  type ProviderStatus,
  providerStatus,
} from './call-status.ts';
export {
  type WorkflowDefinition,
  type WorkflowDefinitionInput,
  workflowDefinition,
  workflowStep,
} from './workflow-definition.ts';
