import { createHash } from 'node:crypto';
import { widgetCloseCodes, widgetProtocol } from '@callkite/contract';
import type { CarrierAnnouncer } from '../../agent/session/carrier-announcer.ts';
import type { CallRecord, CallStore } from '../../calls/call-store.ts';
import type { BinarySocket, CallChannel } from '../../calls/speech.ts';
import type { EmitEvent } from '../../kernel/events.ts';
import type { HttpRequest, HttpResponse } from '../../kernel/http.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Mode } from '../../kernel/mode.ts';
import { type LiveWebCall, liveWebCall, type ToolUsed } from './live-web-call.ts';
import { parseClientEvent } from './resumable-socket.ts';
import { browserFacts } from './visitor-facts.ts';
import type { Admission, WebCallStore } from './web-call-store.ts';

/** What to do with a socket that wants to be opened. */
export type SocketDecision =
  /** `wasUnknown`: the token is nobody's, and the socket is closed at once. */
  | { readonly accept: (socket: BinarySocket) => void; readonly wasUnknown?: boolean }
  | { readonly refuse: HttpResponse };

/** The sockets of web calls, and the calls they belong to, in this process. */
export interface WebCallSockets {
  /** Decides about a socket. Most refusals are told by a close code: browsers hide the others from pages. */
  upgrade(request: HttpRequest): Promise<SocketDecision>;
  /** Something was said, as the conversation understood it. */
  spoken(callId: string, role: 'assistant' | 'user', content: string): void;
  usesTool(callId: string, use: ToolUsed): void;
  /** The organization wants the call to end. */
  canceled(callId: string): void;
  /** Nothing begins in this process from now on. */
  stopping(): void;
}

export interface WebCallSocketsDeps {
  storage: {
    readonly webCalls: WebCallStore;
    readonly calls: CallStore;
  };
  /** Whether calls of this mode can be talked on; otherwise they are in writing. */
  hasSound(mode: Mode): boolean;
  /** Resolves when the conversation is over and on record. */
  converse(callId: string, channel: CallChannel, line: CarrierAnnouncer | null): Promise<void>;
  note(callId: string, text: string): void;
  pause(callId: string, on: boolean): void;
  onEnded(call: CallRecord): void;
  /** How long a visitor whose socket was lost is waited for. */
  resumeWindowMs: number;
  /** Web calls at once in this process. */
  maximumLive: number;
  emit: EmitEvent;
  logger: Logger;
}

type Start = Extract<ReturnType<typeof parseClientEvent>, { type: 'start' }>;

const startWithinMs = 10_000;
/** The process counts as alive for longer than a visitor is waited for: he may come back to another one. */
const aliveFactor = 1.5;
/** WebSocket close codes: 1011 internal error, 1012 service restart. After both, clients try again. */
const internalError = 1011;
const restarting = 1012;

/** What is stored of the token of a session. */
export function sessionTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function createWebCallSockets(deps: WebCallSocketsDeps): WebCallSockets {
  const { storage, emit, logger, resumeWindowMs } = deps;
  const store = storage.webCalls;
  const aliveMs = resumeWindowMs * aliveFactor;
  const live = new Map<string, LiveWebCall>();
  let isStopping = false;

  function hold(
    callId: string,
    part: Pick<Parameters<typeof liveWebCall>[0], 'epoch' | 'media' | 'ageMs' | 'beginsAt'>,
  ): LiveWebCall {
    const call: LiveWebCall = liveWebCall({
      ...part,
      callId,
      resumeWindowMs,
      aliveMs,
      store,
      converse: (channel, line) => deps.converse(callId, channel, line),
      note: (text) => deps.note(callId, text),
      pause: (on) => deps.pause(callId, on),
      onEnded: deps.onEnded,
      onGone() {
        if (live.get(callId) === call) live.delete(callId);
      },
      logger,
    });
    live.set(callId, call);
    return call;
  }

  const cannotBeNoted = (callId: string) => (error: unknown) =>
    logger.warn({ callId, err: error }, 'failed to store facts about a visitor');

  /** @returns the close code of a refusal */
  async function beginCall(
    socket: BinarySocket,
    { visit, mode, state }: Admission,
    start: Start,
  ): Promise<LiveWebCall | number> {
    if (state !== 'new') return widgetCloseCodes.unauthenticated;
    if (isStopping) return restarting;
    if (live.size >= deps.maximumLive) return widgetCloseCodes.busy;
    const { callId, organizationId } = visit;
    const hears = start.media === 'audio' && start.codecs.includes('mulaw/8000');
    const media = hears && deps.hasSound(mode) ? 'audio' : 'text';
    const begun = await store.begin(callId, { media, aliveMs });
    switch (begun.result) {
      case 'stale':
        return widgetCloseCodes.unauthenticated;
      case 'workflow-not-found':
        return widgetCloseCodes.gone;
      case 'budget-spent':
        return widgetCloseCodes.busy;
    }
    emit({ type: 'call.accepted', callId, organizationId, to: begun.call.to });
    emit({ type: 'call.state', callId, state: begun.call.state, to: begun.call.to });
    const facts = browserFacts(start);
    // The token is used: what cannot be noted now is not worth the call.
    if (facts !== null) await store.addContext(callId, facts).catch(cannotBeNoted(callId));
    const call = hold(callId, { epoch: begun.epoch, media, ageMs: 0, beginsAt: 0 });
    call.begin(socket, null);
    return call;
  }

  /** @returns the close code of a refusal */
  async function resumeCall(
    socket: BinarySocket,
    { visit, mode, state, media }: Admission,
    position: number,
  ): Promise<LiveWebCall | number> {
    const { callId, organizationId } = visit;
    const here = live.get(callId);
    if (here) return here.line.attach(socket, position) ? here : widgetCloseCodes.gone;
    if (state !== 'live') return widgetCloseCodes.gone;
    if (isStopping) return restarting;
    const epoch = await store.takeOver(callId, aliveMs);
    const call = await storage.calls.get({ organizationId, mode }, callId);
    if (epoch === null || !call?.answeredAt) return widgetCloseCodes.gone;
    const ageMs = Math.max(0, Date.now() - call.answeredAt.getTime());
    const taken = hold(callId, { epoch, media: media ?? 'text', ageMs, beginsAt: position });
    taken.begin(socket, position);
    return taken;
  }

  function admit(socket: BinarySocket, admission: Admission): void {
    let phase: 'waiting' | 'opening' | 'closed' = 'waiting';
    let call: LiveWebCall | null = null;
    const idle = setTimeout(() => socket.close(widgetCloseCodes.idle, 'no start in time'), startWithinMs);

    async function open(start: Start): Promise<void> {
      const opened =
        start.resume === null
          ? await beginCall(socket, admission, start)
          : await resumeCall(socket, admission, start.resume);
      if (typeof opened === 'number') {
        socket.close(opened, 'refused');
        return;
      }
      call = opened;
      if (isClosed()) call.line.detached(socket);
    }

    const isClosed = () => phase === 'closed';

    socket.onMessage((text) => {
      if (call) call.line.receive(socket, text);
      // What comes between `start` and `ready` was not taken, as `ready` tells.
      if (call || phase !== 'waiting') return;
      phase = 'opening';
      clearTimeout(idle);
      const start = parseClientEvent(text);
      if (start?.type !== 'start') {
        socket.close(widgetCloseCodes.protocol, 'the first message is start');
        return;
      }
      open(start).catch((error: unknown) => {
        logger.error({ callId: admission.visit.callId, err: error }, 'failed to open a web call');
        socket.close(internalError, 'try again');
      });
    });
    socket.onBytes((bytes) => call?.line.receiveSound(socket, bytes));
    socket.onClose(() => {
      phase = 'closed';
      clearTimeout(idle);
      call?.line.detached(socket);
    });
  }

  return {
    async upgrade({ headers }) {
      const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((text) => text.trim());
      if (!protocols.includes(widgetProtocol))
        return { refuse: refusal(400, `Ask for the sub-protocol ${widgetProtocol}`) };
      const token = protocols.find((text) => text.startsWith('token.'))?.slice('token.'.length);
      const admission = token === undefined ? null : await store.admissionOf(sessionTokenHash(token));
      if (!admission) return { ...closing(widgetCloseCodes.unauthenticated), wasUnknown: true };
      if (admission.state === 'stale') return closing(widgetCloseCodes.unauthenticated);
      if (admission.visit.origin !== headers.origin) return closing(widgetCloseCodes.origin);
      if (admission.state === 'over') return closing(widgetCloseCodes.gone);
      return { accept: (socket) => admit(socket, admission) };
    },

    spoken: (callId, role, content) => live.get(callId)?.spoken(role, content),
    usesTool: (callId, use) => live.get(callId)?.usesTool(use),
    canceled: (callId) => live.get(callId)?.cancel(),
    stopping() {
      isStopping = true;
    },
  };
}

function closing(code: number): Extract<SocketDecision, { accept: unknown }> {
  return { accept: (socket) => socket.close(code, 'refused') };
}

function refusal(status: number, error: string): HttpResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error }) };
}
