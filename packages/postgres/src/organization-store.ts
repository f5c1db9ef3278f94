import type { OrganizationStore } from '@callkite/core';
import { createCarrierLines } from './carrier-lines.ts';
import type { Database } from './database.ts';
import { createNetworks } from './networks.ts';
import { createOrganizations } from './organizations.ts';

export function createOrganizationStore(database: Database): OrganizationStore {
  return {
    ...createOrganizations(database),
    ...createCarrierLines(database),
    ...createNetworks(database),
  };
}
