import { CallkiteError, type SpeechModel, type SpeechModelEvent, type SpeechSession } from '@callkite/core';
import { BrokenOnPurpose } from '@callkite/core/testing';

type Tell = (event: SpeechModelEvent) => void;

/** What a session does otherwise. */
type Break = (good: SpeechSession) => Partial<SpeechSession>;

/** What an adapter must not do, and the test of the contract that is there to notice. */
export type Mistake = readonly [what: string, caughtBy: string, breakIt: (good: SpeechModel) => SpeechModel];

const inSession =
  (breakIt: Break) =>
  (good: SpeechModel): SpeechModel => ({
    open(request) {
      const session = good.open(request);
      const own: SpeechSession = {
        listen: (to) => session.listen(to),
        hear: (audio) => session.hear(audio),
        say: (text) => session.say(text),
        respond: () => session.respond(),
        stop: () => session.stop(),
        tell: (message) => session.tell(message),
        answerTool: (id, output) => session.answerTool(id, output),
        heardOnly: (id, heardMs) => session.heardOnly(id, heardMs),
        instruct: (instructions) => session.instruct(instructions),
        close: (error) => session.close(error),
      };
      return { ...own, ...breakIt(own) };
    },
  });

/** An adapter whose events come out otherwise. */
const inEvents = (change: (event: SpeechModelEvent, tell: Tell) => void) =>
  inSession((good) => ({ listen: (to) => good.listen((event) => change(event, to)) }));

const atOpening =
  (change: (request: Parameters<SpeechModel['open']>[0]) => Partial<Parameters<SpeechModel['open']>[0]>) =>
  (good: SpeechModel): SpeechModel => ({ open: (request) => good.open({ ...request, ...change(request) }) });

const without = (isLost: (event: SpeechModelEvent) => boolean) =>
  inEvents((event, tell) => {
    if (!isLost(event)) tell(event);
  });
const twice = (type: SpeechModelEvent['type']) =>
  inEvents((event, tell) => {
    tell(event);
    if (event.type === type) tell(event);
  });
/** Events of the type come after the next one of the other type. */
const late = (type: SpeechModelEvent['type'], after: SpeechModelEvent['type']) =>
  inSession((good) => ({
    listen(to) {
      const held: SpeechModelEvent[] = [];
      good.listen((event) => {
        if (event.type === type) held.push(event);
        else to(event);
        if (event.type === after) for (const each of held.splice(0)) to(each);
      });
    },
  }));
const ended = (code: 'provider_rejected' | 'provider_unavailable') =>
  inEvents((event, tell) => {
    if (event.type !== 'closed' || event.error === null) tell(event);
    else {
      const retryable = code === 'provider_unavailable';
      tell({ type: 'closed', error: new CallkiteError(code, event.error.message, { retryable }) });
    }
  });

const first = 'is ready before anything else, and closed after everything';
const known = 'shows the model all that it is to know';
const spoken = 'says the words it is given, in order, also those given before it was ready';
const answers = 'hears what is said, and answers';
const stopped = 'falls silent when it is stopped, and may be told what was heard';
const tools = 'uses tools, and goes on from what they give';
const unreachable = 'tells of a model that cannot be reached that it may be tried again';
const refusedKey = 'tells of a key that is refused that there is no use in trying';
const commands = 'takes commands at any time, and has no use for them after the end';

export const speechMistakes: readonly Mistake[] = [
  ['goes on speaking after it was stopped', stopped, inSession(() => ({ stop() {} }))],
  [
    'says what waited when it was stopped',
    'drops what waits when it is stopped, and says what it is given afterwards',
    inSession(() => ({ stop() {} })),
  ],
  ['does not tell the model what was heard', stopped, inSession(() => ({ heardOnly() {} }))],
  ['loses tool calls', tools, without(({ type }) => type === 'tool-call')],
  ['tells of tool calls when the response is over', tools, late('tool-call', 'response-ended')],
  ['does not pass on what tools gave', tools, inSession(() => ({ answerTool() {} }))],
  ['calls tools twice', tools, twice('tool-call')],
  ['tells twice that a response ended', spoken, twice('response-ended')],
  ['tells twice that an answer ended', answers, twice('response-ended')],
  ['never tells that a response ended', spoken, without(({ type }) => type === 'response-ended')],
  ['never tells that it is closed', first, without(({ type }) => type === 'closed')],
  [
    'does not tell that it is closed before it was ready',
    'may be closed before it is ready',
    inSession((good) => ({
      listen(to) {
        let isReady = false;
        good.listen((event) => {
          isReady ||= event.type === 'ready';
          if (isReady || event.type !== 'closed') to(event);
        });
      },
    })),
  ],
  ['tells twice that it is closed', first, twice('closed')],
  [
    'speaks after it was closed',
    first,
    inEvents((event, tell) => {
      tell(event);
      const speech = { type: 'speech', utteranceId: 'late', audio: '/w==' } as const;
      if (event.type === 'closed') setTimeout(() => tell(speech), 5);
    }),
  ],
  ['is silent for ever when the model is', 'gives up a model that never answers', without(isGivenUp)],
  ['takes a refused key for an outage', refusedKey, ended('provider_unavailable')],
  ['takes an outage for a refusal', unreachable, ended('provider_rejected')],
  [
    'says of a session that was given up that nothing is wrong',
    'tells why it was given up',
    inSession((good) => ({ close: () => good.close() })),
  ],
  [
    'loses what happens before somebody listens',
    'keeps what it tells until somebody listens',
    inSession((good) => {
      let listener: Tell = () => {};
      good.listen((event) => listener(event));
      return {
        listen(to) {
          listener = to;
        },
      };
    }),
  ],
  ['tells late that it is ready', spoken, late('ready', 'speech')],
  [
    'forgets what it is given before it is ready',
    spoken,
    inSession((good) => {
      let isReady = false;
      return {
        listen: (to) =>
          good.listen((event) => {
            isReady ||= event.type === 'ready';
            to(event);
          }),
        say(text) {
          if (isReady) good.say(text);
        },
      };
    }),
  ],
  ['forgets what was said before', known, atOpening(() => ({ history: [] }))],
  ['offers the model no tools', known, atOpening(() => ({ tools: [] }))],
  ['gives the model no instructions', known, atOpening(() => ({ instructions: 'None.' }))],
  ['does not tell the model what it is told', known, inSession(() => ({ tell() {} }))],
  ['does not pass on new instructions', known, inSession(() => ({ instruct() {} }))],
  [
    'does not speak first',
    'knows what was said before, and speaks first when it is asked to',
    inSession(() => ({ respond() {} })),
  ],
  ['tells twice what the callee said', answers, twice('said')],
  ['does not tell what the callee said', answers, without(({ type }) => type === 'said')],
  ['loses the words of what it says', answers, without(({ type }) => type === 'speech-text')],
  ['ends an utterance before its words', answers, late('speech-text', 'speech-ended')],
  ['ends a response before its speech', answers, late('speech-ended', 'response-ended')],
  [
    'gives all utterances one id',
    spoken,
    inEvents((event, tell) => tell('utteranceId' in event ? { ...event, utteranceId: 'one' } : event)),
  ],
  [
    'throws after the end',
    commands,
    inSession((good) => {
      let isClosed = false;
      return {
        close(error) {
          isClosed = true;
          good.close(error);
        },
        stop() {
          if (isClosed) throw new BrokenOnPurpose();
          good.stop();
        },
      };
    }),
  ],
];

function isGivenUp(event: SpeechModelEvent): boolean {
  return event.type === 'closed' && event.error !== null;
}
