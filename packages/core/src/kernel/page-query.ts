import type { pageQuery } from '@callkite/contract';
import type * as z from 'zod';
import type { PageRequest } from './page.ts';

/** The page that a query asks for. */
export function pageOf({ limit, cursor }: z.output<typeof pageQuery>): PageRequest {
  return { limit, cursor: cursor ?? null };
}
