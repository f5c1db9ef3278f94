import * as z from 'zod';
import { jsonResponse, rawRoute, route } from '../route.ts';

const readinessAnswer = z.object({ ok: z.boolean(), checks: z.record(z.string(), z.string()) });

export const healthRoutes = [
  route(
    {
      method: 'GET',
      path: '/healthz',
      auth: 'none',
      tag: 'Health',
      operationId: 'health',
      summary: 'Whether the process runs',
      status: 200,
      answer: z.object({ ok: z.literal(true) }),
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
      summary: 'Whether the process should get requests; 503 with the same body when not',
      status: 200,
      answer: readinessAnswer,
    },
    async ({ readiness }) => {
      const state = await readiness();
      return jsonResponse(state.ok ? 200 : 503, state);
    },
  ),
];
