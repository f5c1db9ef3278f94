import type { CallkiteEvent, JobKind, JobStore } from '@callkite/core';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** First path segments that get a label of their own; anything else is `other`, so that labels stay few. */
const knownRoutes = new Set([
  'call',
  'call-prompt',
  'calls',
  'workflows',
  'webhooks',
  'deliveries',
  'connections',
  'numbers',
  'api-keys',
  'organizations',
  'carriers',
  'publishable-keys',
  'widget',
  'docs',
  'openapi.json',
  'healthz',
  'readyz',
  'metrics',
]);

const jobKinds = Object.keys({
  generate_workflow: true,
  write_voicemail: true,
  watch_attempt: true,
  watch_web_call: true,
  finish_call: true,
  follow_recording: true,
  deliver: true,
} satisfies Record<JobKind, true>) as JobKind[];

/** A call is forgotten by the gauge after this: its end may have been seen by another process. */
const forgetCallAfterMs = 2 * 60 * 60 * 1000;

export interface Metrics {
  /** Counts what happens to calls. */
  observe(event: CallkiteEvent): void;
  /** @param path the request's path; ids in it do not become labels */
  observeRequest(request: { method: string; path: string; status: number; seconds: number }): void;
  /** The Prometheus text of everything, and its content type. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Metrics of this process; the figures of jobs are those of the whole store. */
export function createMetrics(jobs: Pick<JobStore, 'stats'>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const live = new Map<string, { state: string; seenAtMs: number }>();
  const accepted = new Counter({
    name: 'callkite_calls_accepted_total',
    help: 'Calls accepted by this process',
    registers,
  });
  const completed = new Counter({
    name: 'callkite_calls_completed_total',
    help: 'Calls completed, by result and reason',
    labelNames: ['call_status', 'provider_status', 'reason'],
    registers,
  });
  const deliveries = new Counter({
    name: 'callkite_delivery_attempts_total',
    help: 'Attempts to deliver callbacks and webhooks',
    labelNames: ['kind', 'delivered'],
    registers,
  });
  const withheld = new Counter({
    name: 'callkite_speech_withheld_total',
    help: 'Times that blocked model output, by why',
    labelNames: ['why'],
    registers,
  });
  const spending = new Counter({
    name: 'callkite_spending_alarms_total',
    help: 'Times that an organization came to 80 or 100 percent of its call minutes of a day',
    labelNames: ['percent'],
    registers,
  });
  const velocity = new Counter({
    name: 'callkite_velocity_alarms_total',
    help: 'Times that many calls of an organization went where it had never called before',
    registers,
  });
  const turnSeconds = new Histogram({
    name: 'callkite_turn_seconds',
    help: 'Time from the end of the callee’s words to the first word of the answer',
    buckets: [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10],
    registers,
  });
  const modelSeconds = new Histogram({
    name: 'callkite_turn_model_seconds',
    help: 'The language model’s share of callkite_turn_seconds',
    buckets: [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10],
    registers,
  });
  const requests = new Counter({
    name: 'callkite_http_requests_total',
    help: 'HTTP requests answered',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'callkite_http_request_seconds',
    help: 'Time to answer an HTTP request',
    labelNames: ['method', 'route'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  new Gauge({
    name: 'callkite_calls',
    help: 'Calls that are not over, by the state this process last saw',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset();
      const forgetBeforeMs = Date.now() - forgetCallAfterMs;
      for (const [callId, call] of live) {
        if (call.seenAtMs < forgetBeforeMs) live.delete(callId);
        else this.inc({ state: call.state });
      }
    },
  });
  const jobGauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['kind'], registers });
  const waiting = jobGauge('callkite_jobs_waiting', 'Jobs waiting in the store');
  const buried = jobGauge('callkite_jobs_buried', 'Jobs that failed for good and want an operator');
  const oldest = jobGauge('callkite_jobs_oldest_due_seconds', 'Age of the oldest job that is due');

  async function measureJobs(): Promise<void> {
    for (const gauge of [waiting, buried, oldest]) gauge.reset();
    const stats = new Map((await jobs.stats()).map((each) => [each.kind, each]));
    for (const kind of jobKinds) {
      waiting.set({ kind }, stats.get(kind)?.waiting ?? 0);
      buried.set({ kind }, stats.get(kind)?.buried ?? 0);
      oldest.set({ kind }, (stats.get(kind)?.oldestDueMs ?? 0) / 1000);
    }
  }

  return {
    observe(event) {
      switch (event.type) {
        case 'call.accepted':
          accepted.inc();
          live.set(event.callId, { state: 'queued', seenAtMs: Date.now() });
          break;
        case 'call.state':
          if (event.state === 'completed') live.delete(event.callId);
          else live.set(event.callId, { state: event.state, seenAtMs: Date.now() });
          break;
        case 'call.finished':
          live.delete(event.callId);
          completed.inc({
            call_status: event.outcome.callStatus,
            provider_status: event.outcome.providerStatus,
            reason: event.reason ?? 'none',
          });
          break;
        case 'delivery.attempted':
          deliveries.inc({ kind: event.kind, delivered: String(event.delivered) });
          break;
        case 'speech.withheld':
          withheld.inc({ why: event.why });
          break;
        case 'spending.reached':
          spending.inc({ percent: event.percent });
          break;
        case 'velocity.reached':
          velocity.inc();
          break;
        case 'turn.started':
          turnSeconds.observe(event.totalMs / 1000);
          modelSeconds.observe(event.modelMs / 1000);
          break;
      }
    },
    observeRequest({ method, path, status, seconds }) {
      const segment = path.split('/')[1] ?? '';
      const route = knownRoutes.has(segment) ? `/${segment}` : 'other';
      requests.inc({ method, route, status: String(status) });
      requestSeconds.observe({ method, route }, seconds);
    },
    async render() {
      // Without the store the rest is still worth reading.
      await measureJobs().catch(() => {});
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
