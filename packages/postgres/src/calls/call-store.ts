import type { CallStore } from '@callkite/core';
import type { Database } from '../kernel/database.ts';
import { createAccept } from './accept.ts';
import { createAttempts } from './attempts.ts';
import { createDialing } from './dialing.ts';
import { createErase } from './erasing.ts';
import { createLiving } from './living.ts';
import { createReading } from './reading.ts';
import { createReport } from './report.ts';
import { createSealing } from './sealing.ts';
import { createUpkeep } from './upkeep.ts';

export function createCallStore(database: Database): CallStore {
  return {
    accept: createAccept(database),
    report: createReport(database),
    erase: createErase(database),
    ...createReading(database),
    ...createDialing(database),
    ...createAttempts(database),
    ...createLiving(database),
    ...createSealing(database),
    ...createUpkeep(database),
  };
}
