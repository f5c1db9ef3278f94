import { connectStream } from '../media/connect-stream.ts';
import { conversationRelay } from '../relay/conversation-relay.ts';
import type { TwimlElement } from './document.ts';
import { TwimlError, targetOf, type Verb, type VerbContext } from './verb.ts';

/** What a session that `<Connect>` ran reports to `action`. */
type SessionParameters = Record<string, string>;

/** Runs a session until it is over. Rejects when the call is over or its instructions are replaced. */
export type ConnectNoun = (
  noun: TwimlElement,
  context: VerbContext,
  action: ReturnType<typeof targetOf>,
) => Promise<SessionParameters>;

const nouns: Readonly<Record<string, ConnectNoun>> = {
  ConversationRelay: conversationRelay,
  Stream: connectStream,
};

/** Hands the call to a session, and goes on with the document that `action` returns, or with the next verb. */
export const connect: Verb = async (element, context) => {
  const action = targetOf(element, context);
  const [first, ...others] = element.children;
  if (!first) throw new TwimlError(12100, '<Connect> needs a noun such as <ConversationRelay>');
  for (const other of others)
    context.call.notify(12200, `<Connect> runs one noun: <${other.name}> is dropped`);
  const noun = nouns[first.name];
  if (!noun) {
    throw new TwimlError(
      12100,
      `<Connect><${first.name}> is not emulated; use <ConversationRelay> or <Stream>`,
    );
  }
  const parameters = await noun(first, context, action);
  return action ? { ...action, parameters } : 'next';
};
