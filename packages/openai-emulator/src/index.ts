export type { EmulatorConfiguration, OpenAiEmulator, OpenAiEmulatorOptions } from './emulator.ts';
export { startOpenAiEmulator } from './emulator.ts';
export type { FaultName, FaultSettings } from './faults.ts';
export type { RequestRecord } from './request-log.ts';
export type { ScriptedReply, ScriptReport } from './script.ts';
export type { ConnectionRecord, ReceivedEvent } from './speech/connection-log.ts';
export type { SpeechPace } from './speech/pace.ts';
