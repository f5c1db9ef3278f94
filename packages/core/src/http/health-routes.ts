import * as z from 'zod';
import type { Readiness } from '../kernel/route.ts';
import { jsonResponse, routesOf } from '../kernel/route.ts';

const { rawRoute, route } = routesOf<{ readiness(): Promise<Readiness> }>();

const readinessAnswer = z.object({
  ok: z.boolean().describe('Whether every check passed'),
  checks: z.record(z.string(), z.string()).describe('What was found, by the name of the check'),
});

export const healthRoutes = [
  route(
    {
      method: 'GET',
      path: '/healthz',
      auth: 'none',
      tag: 'Health',
      operationId: 'health',
      summary: 'Whether the process is running',
      status: 200,
      answer: z.object({ ok: z.literal(true).describe('Always `true`') }),
    },
    async () => ({ ok: true as const }),
  ),
  rawRoute(
    {
      method: 'GET',
      path: '/readyz',
      auth: 'none',
      tag: 'Health',
      operationId: 'readiness',
      summary: 'Whether the process should get requests',
      status: 200,
      answer: readinessAnswer,
      otherAnswers: { 503: { meaning: 'The process should not get requests', answer: readinessAnswer } },
    },
    async ({ readiness }) => {
      const state = await readiness();
      return jsonResponse(state.ok ? 200 : 503, state);
    },
  ),
];
