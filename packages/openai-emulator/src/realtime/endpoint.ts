import { ApiError } from '../api-error.ts';
import type { SpeechContext } from '../speech/connection.ts';
import type { SpeechEndpoint } from '../speech/sockets.ts';
import { RealtimeSession } from './session.ts';

const SELECTORS = ['model', 'call_id', 'intent'];

/** `/v1/realtime`: one session of the Realtime API on each socket. */
export function realtimeEndpoint(context: SpeechContext): SpeechEndpoint {
  return {
    readModel(query) {
      const given = SELECTORS.filter((name) => query.has(name));
      const [selector] = given;
      const model = query.get('model');
      if (given.length !== 1 || query.getAll(selector ?? '').length !== 1) {
        throw new ApiError("Exactly one of 'model', 'call_id' and 'intent' must be given in the URL.", {
          param: 'model',
          code: given.length === 0 ? 'missing_required_parameter' : 'invalid_value',
        });
      }
      if (!model) {
        throw new ApiError(`The emulator only opens sessions by 'model', not by '${selector}'.`, {
          param: selector ?? null,
          code: 'emulator_unsupported',
        });
      }
      context.catalog.assertKnown(model, 'realtime');
      return model;
    },
    open: (connection) => new RealtimeSession(connection, connection.record.model ?? '', context),
  };
}
