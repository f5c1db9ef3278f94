import { sendCallback } from '../calls/status-callbacks.ts';
import { callParameters } from '../calls/webhook-parameters.ts';
import type { ConnectNoun } from '../twiml/connect.ts';
import { RelaySession } from './relay-session.ts';
import { relaySettings } from './relay-settings.ts';

/** `<ConversationRelay>`: text to and from the application over a socket, speech to and from the callee. */
export const conversationRelay: ConnectNoun = async (noun, { emulation, call, signal }, action) => {
  const session = new RelaySession(emulation, call, relaySettings(noun));
  signal.throwIfAborted();
  const outcome = await session.run(signal);
  const parameters: Record<string, string> = {
    SessionId: session.sessionId,
    SessionStatus: outcome.status,
    SessionDuration: String(session.durationSeconds),
  };
  if (outcome.status === 'ended' && outcome.handoffData !== undefined) {
    parameters.HandoffData = outcome.handoffData;
  }
  if (outcome.status === 'failed') {
    parameters.ErrorCode = String(outcome.errorCode);
    parameters.ErrorMessage = outcome.errorMessage;
  }
  if (outcome.status === 'completed' && action) {
    const entry = { event: 'relay-action' };
    void sendCallback(emulation, call, action, { ...callParameters(call), ...parameters }, entry);
  }
  signal.throwIfAborted();
  return parameters;
};
