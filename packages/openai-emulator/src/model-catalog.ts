import { ApiError } from './api-error.ts';

/** What a model is spoken to through: the text endpoints, or a socket. */
export type ModelUse = 'text' | 'realtime' | 'live';

const KNOWN_MODELS: Record<ModelUse, string[]> = {
  text: [
    'gpt-6-astra',
    'gpt-6.1-sol',
    'gpt-6.1-terra',
    'gpt-6-sol',
    'gpt-6-luna',
    'gpt-5.6-sol',
    'gpt-5.6-terra',
    'gpt-5.6-luna',
    'gpt-5.5',
    'gpt-5.4',
    'gpt-5.4-mini',
  ],
  realtime: [
    'gpt-realtime-2.1',
    'gpt-realtime-2.1-mini',
    'gpt-realtime-2',
    'gpt-realtime-1.5',
    'gpt-realtime',
    'gpt-realtime-mini',
  ],
  live: ['gpt-live-1'],
};

/** The fixed creation time that every listed model carries: 2026-01-01, in seconds. */
const MODEL_CREATED_SECONDS = 1_767_225_600;

interface ModelEntry {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
}

export interface ModelCatalog {
  list(): { object: 'list'; data: ModelEntry[] };
  /** @throws ApiError 404 `model_not_found` */
  get(id: string): ModelEntry;
  /** Extra models are known for every use. @throws ApiError 404 `model_not_found` */
  assertKnown(id: string, use: ModelUse): void;
}

export function modelCatalog(extraModels: string[]): ModelCatalog {
  const entries = new Map<string, ModelEntry>();
  for (const id of [...Object.values(KNOWN_MODELS).flat(), ...extraModels]) {
    entries.set(id, { id, object: 'model', created: MODEL_CREATED_SECONDS, owned_by: 'openai-emulator' });
  }
  return {
    list: () => ({ object: 'list', data: [...entries.values()] }),
    get(id) {
      const entry = entries.get(id);
      if (!entry) {
        throw new ApiError(`The model '${id}' does not exist`, {
          status: 404,
          param: 'model',
          code: 'model_not_found',
        });
      }
      return entry;
    },
    assertKnown(id, use) {
      if (!KNOWN_MODELS[use].includes(id) && !extraModels.includes(id)) {
        throw new ApiError(`The model \`${id}\` does not exist or you do not have access to it.`, {
          status: 404,
          code: 'model_not_found',
        });
      }
    },
  };
}
