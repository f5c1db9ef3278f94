import { ApiError } from '../api-error.ts';
import type { SpeechContext } from '../speech/connection.ts';
import type { SpeechEndpoint } from '../speech/sockets.ts';
import { LiveSession } from './session.ts';

/** `/v1/live/sessions`: one session of the Live API on each socket, which the client starts with an event. */
export function liveEndpoint(context: SpeechContext): SpeechEndpoint {
  return {
    readModel(query) {
      if (query.size === 0) return null;
      throw new ApiError("This URL takes no query: name the model in 'session.start'.", {
        code: 'invalid_value',
      });
    },
    open: (connection) => new LiveSession(connection, context),
  };
}
