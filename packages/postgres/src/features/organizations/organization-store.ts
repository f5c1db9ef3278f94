import type { OrganizationStore } from '@callkite/core';
import type { Database } from '../../kernel/database.ts';
import { createCarrierLines } from './carrier-lines.ts';
import { createNetworks } from './networks.ts';
import { createOrganizations } from './organizations.ts';

export function createOrganizationStore(database: Database): OrganizationStore {
  return {
    ...createOrganizations(database),
    ...createCarrierLines(database),
    ...createNetworks(database),
  };
}
