import * as z from 'zod';
import { routesOf } from '../../kernel/route.ts';
import type { Recordings } from './recordings.ts';

const { rawRoute } = routesOf<{ recordings: Recordings }>();

const link = z.object({
  expires: z
    .string()
    .regex(/^\d{1,12}$/)
    .describe('When the address expires, in seconds since 1970'),
  signature: z.string().max(100).describe('Vouches for the rest of the address'),
});

export const recordingRoutes = [
  rawRoute(
    {
      method: 'GET',
      path: '/recordings/{recording_id}',
      auth: 'none',
      tag: 'Calls',
      operationId: 'getRecording',
      summary: 'The sound of a call, as an audio file',
      description:
        'Take the whole address from `recording_url` of a call: it is signed and holds for 15 minutes.',
      query: link,
      status: 200,
      mediaType: 'audio/*',
      refusals: ['forbidden', 'not_found', 'provider_unavailable', 'provider_rejected'],
    },
    async ({ recordings }, { parameters, query }) => {
      const { contentType, bytes } = await recordings.fetch(parameters.recording_id, query);
      return {
        status: 200,
        headers: { 'content-type': contentType, 'cache-control': 'no-store' },
        body: bytes,
      };
    },
  ),
];
