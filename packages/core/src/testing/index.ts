export type { HttpUnderTest } from './http/http-probe.ts';
export { type HttpConformanceOptions, httpConformance } from './http-conformance.ts';
export { type ScriptedAnswer, ScriptedModel, type ScriptedPart } from './scripted-model.ts';
export {
  type ModelReply,
  type SpeechModelFixture,
  speechModelContract,
} from './speech-model-contract.ts';
export { createTenant, type Tenant, type TenantOptions } from './storage/tenant.ts';
export { type StorageContractOptions, storageContract } from './storage-contract.ts';
export type {
  AudioCommand,
  CarrierFault,
  CarrierRequest,
  SignedCall,
  TelephonyFixture,
} from './telephony/fixture.ts';
export { type TestFunction, telephonyContract } from './telephony-contract.ts';
export { assertCaught, BrokenOnPurpose, type ContractTests, testsOf } from './tests-of.ts';
