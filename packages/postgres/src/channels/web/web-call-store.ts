import type { WebCallStore } from '@callkite/core';
import type { Database } from '../../kernel/database.ts';
import { createWebCallLiving } from './living.ts';
import { createPublishableKeys } from './publishable-keys.ts';
import { createVisits } from './visits.ts';

export function createWebCallStore(database: Database): WebCallStore {
  return {
    ...createPublishableKeys(database),
    ...createVisits(database),
    ...createWebCallLiving(database),
  };
}
