import type { Brief } from './brief.ts';
import { callTool, findTool, pressKeys, recordAnswer } from './call-tools.ts';
import { type CalleeIntent, calleeIntent } from './callee-intent.ts';
import type { ModelAnswer, ModelRequest } from './dialogue.ts';
import { findEntities } from './entities.ts';
import { answerFromFacts } from './fact-lookup.ts';
import { fillFromWords, missingQuestion, readBackQuestion } from './form-filling.ts';
import { languageChosen, switchLanguage } from './language-wish.ts';
import { takeMessage } from './message-taking.ts';
import type { Outcome } from './outcome.ts';
import { menuKey, sayResult, useOwnTool } from './own-tools.ts';
import {
  acknowledgement,
  alreadyAnswered,
  compose,
  type PlannedStep,
  type Progress,
  readProgress,
} from './progress.ts';
import { MAX_SPOKEN_WORDS, stepKind, wasSaid } from './spoken-step.ts';
import { helpsVisitor, visitorReply } from './visitor.ts';
import { withoutFinalStop, words } from './wording.ts';

/** After so many messages the agent takes its leave, whatever is left to do. */
const MAX_AGENT_MESSAGES = 12;
/** A visitor asks as long as they like, within reason. */
const MAX_MESSAGES_TO_VISITOR = 60;
const MAX_SILENCES = 2;

function say(text: string): ModelAnswer {
  return { text, toolCalls: [] };
}

function endCall(progress: Progress, text: string, outcome: Outcome): ModelAnswer {
  const tool = findTool(progress.tools, 'end_call');
  if (!tool) return say(text);
  return { text, toolCalls: [callTool(tool, { outcome, said: progress.heardInAll.join('\n') })] };
}

type Reaction = 'negative' | 'positive' | 'neutral';

function reaction(intent: CalleeIntent): Reaction {
  if (intent === 'negative' || intent === 'reschedule' || intent === 'decline') return 'negative';
  return intent === 'positive' ? 'positive' : 'neutral';
}

function conditionReaction(condition: string): Reaction {
  if (
    /\b(?:can'?t|cannot|can ?not|not|no|declin\w*|refus\w*|unable|unavailable|reschedul\w*|different|another|busy|doesn'?t|don'?t|won'?t|negative|nicht|ablehn\w*|puede|rechaz\w*|pas)\b/iu.test(
      condition,
    )
  ) {
    return 'negative';
  }
  return /\b(?:yes|agree\w*|confirm\w*|accept\w*|available|can|interested|happy|works|positive|sí|ja|oui)\b/iu.test(
    condition,
  )
    ? 'positive'
    : 'neutral';
}

/** A conditional step belongs to the last step before it that always applies. */
function conditionHolds(progress: Progress, planned: PlannedStep, condition: string): boolean {
  const wanted = reaction(progress.intent);
  if (!progress.current || wanted === 'neutral' || conditionReaction(condition) !== wanted) return false;
  if (progress.intent === 'reschedule') return true;
  const index = progress.steps.indexOf(planned);
  const anchor = progress.steps.slice(0, index).findLast(({ step }) => step.condition === undefined);
  return anchor === undefined || anchor === progress.current;
}

function nextStep(progress: Progress): PlannedStep | undefined {
  return progress.steps.find((planned) => {
    if (planned.asked || stepKind(planned.step) === 'greeting') return false;
    const { condition } = planned.step;
    if (condition !== undefined && !conditionHolds(progress, planned, condition)) return false;
    return !alreadyAnswered(planned, progress.heardInAll);
  });
}

function mentionsTime(text: string): boolean {
  return findEntities(text).some((entity) => entity.kind === 'date' || entity.kind === 'time');
}

/** Whether a proposed time was turned down and the brief does not say what to do then. */
function shouldOfferOtherTime(progress: Progress, next: PlannedStep | undefined): boolean {
  const { current, phrases } = progress;
  if (reaction(progress.intent) !== 'negative' || next?.step.condition !== undefined) return false;
  if (!current || !mentionsTime(current.line) || mentionsTime(progress.heard)) return false;
  return !wasSaid(phrases.otherTime, progress.said);
}

function askNext(progress: Progress, lead: string | undefined): ModelAnswer {
  const { phrases } = progress;
  if (progress.said.length >= MAX_AGENT_MESSAGES - 1) return endCall(progress, phrases.goodbye, 'incomplete');
  const readBack = readBackQuestion(progress.forms, progress.said);
  if (readBack) return say(readBack);
  const next = nextStep(progress);
  if (shouldOfferOtherTime(progress, next)) return say(compose(lead, phrases.otherTime));
  const { opening } = progress.brief;
  const introduction =
    progress.said.length === 1 && opening && !wasSaid(opening, progress.said) ? opening : lead;
  if (next?.tool) return useOwnTool(next.tool, progress.heard);
  if (next && stepKind(next.step) !== 'closing') return say(compose(introduction, next.line));
  const missing = missingQuestion(progress.forms, progress);
  if (missing) return say(compose(introduction, missing));
  return endCall(progress, compose(lead, phrases.completed), 'completed');
}

function openCall(progress: Progress): ModelAnswer {
  const { brief, phrases } = progress;
  const opening = brief.opening ?? phrases.introduction(brief.agentName, brief.onBehalfOf);
  if (opening.includes('?')) return say(opening);
  const next = nextStep(progress);
  if (!next || stepKind(next.step) === 'closing') return say(opening);
  const both = `${opening} ${next.line}`;
  return say(words(both).length <= MAX_SPOKEN_WORDS + 8 ? both : opening);
}

/** Asks again what was asked last. */
function askAgain(progress: Progress, lead: string): ModelAnswer {
  const last = progress.current?.line ?? progress.said.at(-1);
  return last === undefined ? openCall(progress) : say(compose(lead, withoutLead(last, lead)));
}

function withoutLead(line: string, lead: string): string {
  return line.startsWith(lead) ? line.slice(lead.length).trim() : line;
}

function onSilence(progress: Progress, request: ModelRequest): ModelAnswer {
  let silences = 0;
  for (const turn of request.turns.toReversed()) {
    if (turn.role !== 'user') continue;
    if (calleeIntent(turn.text) !== 'silence') break;
    silences += 1;
  }
  const { phrases } = progress;
  if (silences > MAX_SILENCES) return endCall(progress, phrases.inaudible, 'silence');
  return askAgain(progress, phrases.stillThere);
}

/** Answers, then comes back to the open question if both fit into one turn. */
function answerAndReturn(progress: Progress, text: string): ModelAnswer {
  const { current } = progress;
  if (progress.said.length >= MAX_AGENT_MESSAGES - 1)
    return endCall(progress, progress.phrases.goodbye, 'incomplete');
  if (!current?.line.endsWith('?')) return askNext(progress, text);
  const both = `${text} ${current.line}`;
  return say(words(both).length <= MAX_SPOKEN_WORDS + 4 ? both : text);
}

function purposeOf({ objective }: Brief): string {
  const sentence = withoutFinalStop(objective.split(/(?<=[.!?])\s/)[0] ?? objective);
  const purpose = /\b(?:calls?|calling|phones?) .*?\b(to .+)$/i.exec(sentence)?.[1] ?? sentence;
  return /^to /i.test(purpose) ? purpose : `about this: ${purpose}`;
}

/** The agent's next turn in a call that the brief describes. */
export function converse(given: Brief, request: ModelRequest): ModelAnswer {
  const brief = { ...given, language: languageChosen(request) ?? given.language };
  const progress = readProgress(brief, request);
  const { phrases, intent, heard } = progress;
  const last = request.turns.at(-1);
  const called =
    last?.role === 'tool' ? request.turns.findLast((turn) => turn.role === 'assistant') : undefined;
  const calledNames = called?.role === 'assistant' ? called.toolCalls.map((call) => call.name) : [];
  const wasCalled = (purpose: Parameters<typeof findTool>[1]) => {
    const tool = findTool(request.tools, purpose);
    return tool !== undefined && calledNames.includes(tool.name);
  };

  if (wasCalled('end_call')) return say('');
  if (wasCalled('opt_out')) {
    const goesOn = /go on|not noted|did not/i.test(last?.text ?? '');
    return goesOn ? askNext(progress, phrases.acknowledge) : endCall(progress, phrases.optedOut, 'opted_out');
  }
  if (wasCalled('transfer')) {
    const failed = /fail|error|unavailable|not |no |nothing|nobody/i.test(last?.text ?? '');
    return failed ? answerAndReturn(progress, phrases.cannotTransfer) : say('');
  }
  if (wasCalled('take_message')) return endCall(progress, phrases.messageTaken, 'transferred');
  if (wasCalled('keypad')) return say('');
  if (last?.role === 'tool' && progress.steps.some(({ tool }) => tool && calledNames.includes(tool.name))) {
    return say(sayResult(last.text));
  }
  const isHelping = helpsVisitor(brief);
  const mostMessages = isHelping ? MAX_MESSAGES_TO_VISITOR : MAX_AGENT_MESSAGES;
  if (progress.said.length >= mostMessages) return endCall(progress, phrases.goodbye, 'incomplete');

  const languages = last?.role === 'user' ? findTool(request.tools, 'language') : undefined;
  const change = languages && switchLanguage(languages, heard, brief.language);
  if (change) return change;
  if (wasCalled('language')) return askNext(progress, phrases.acknowledge);

  const message = takeMessage(request, progress);
  if (message) return message;
  const keypad = last?.role === 'user' ? findTool(request.tools, 'keypad') : undefined;
  const key = keypad && menuKey(heard, brief);
  if (keypad && key) return { text: null, toolCalls: [pressKeys(keypad, key)] };
  const hasWords = !/^(?:voicemail|opt_out|silence|listening|wrong_number)$/.test(intent);
  if (last?.role === 'user' && hasWords) {
    const agrees = intent === 'positive';
    const filled = fillFromWords(progress.forms, heard, { ...progress, agrees });
    if (filled) return filled;
  }

  const reply = isHelping && last?.role === 'user' ? visitorReply(progress) : null;
  if (reply) return reply.isLast ? endCall(progress, reply.text, 'completed') : say(reply.text);

  switch (intent) {
    case 'voicemail':
      return endCall(
        progress,
        brief.voicemailMessage ??
          `${phrases.introduction(brief.agentName, brief.onBehalfOf)} ${phrases.callBack}`,
        'voicemail',
      );
    case 'opt_out': {
      const tool = findTool(request.tools, 'opt_out');
      if (!tool) return endCall(progress, phrases.optedOut, 'opted_out');
      return { text: null, toolCalls: [callTool(tool, { outcome: 'opted_out', said: heard })] };
    }
    case 'silence':
      if (progress.said.length === 0) return openCall(progress);
      return last?.role === 'user' ? onSilence(progress, request) : askNext(progress, undefined);
    case 'wrong_number':
      return endCall(progress, phrases.wrongNumber, 'wrong_number');
    case 'not_now':
      return endCall(progress, phrases.notNow, 'callback');
    case 'goodbye':
      return endCall(progress, phrases.goodbye, 'completed');
    case 'repeat_request':
      return askAgain(progress, phrases.sorry);
    case 'robot_question':
    case 'identity_question':
      return answerAndReturn(progress, phrases.identity(brief.agentName, brief.onBehalfOf));
    case 'purpose_question':
      return answerAndReturn(progress, phrases.purpose(purposeOf(brief)));
    case 'human_request': {
      const tool = findTool(request.tools, 'transfer');
      if (tool) return { text: null, toolCalls: [callTool(tool, { outcome: 'transferred', said: heard })] };
      return answerAndReturn(progress, phrases.cannotTransfer);
    }
    case 'listening':
    case 'greeting':
      if (progress.said.length === 0) return openCall(progress);
      return progress.current ? askAgain(progress, '') : askNext(progress, undefined);
    case 'question':
      if (progress.said.length === 0) return openCall(progress);
      return answerAndReturn(progress, answerFromFacts(heard, brief, phrases) ?? phrases.willPassOn);
    default:
  }
  if (progress.said.length === 0) return openCall(progress);
  if (intent === 'decline' && progress.said.length > 0)
    return endCall(progress, phrases.declined, 'declined');
  const recorder = last?.role === 'user' ? findTool(request.tools, 'record_field') : undefined;
  const record = recorder && progress.current && recordAnswer(recorder, progress.current.line, heard);
  if (record) return { text: null, toolCalls: [record] };
  return askNext(progress, acknowledgement(progress));
}
