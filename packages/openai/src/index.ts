export type { ReasoningEffort } from './chat-request.ts';
export { type OpenAiOptions, openAi } from './open-ai.ts';
export { type OpenAiLiveOptions, openAiLive } from './speech/live.ts';
export { type OpenAiRealtimeOptions, openAiRealtime, type TurnDetection } from './speech/realtime.ts';
