export { type OpenAiOptions, openAi, type ReasoningEffort } from './open-ai.ts';
