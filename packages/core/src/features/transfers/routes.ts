import {
  createTransferIntegrationRequest,
  pageQuery,
  type TransferIntegrationResource,
  transferIntegrationList,
  transferIntegrationResource,
  updateTransferIntegrationRequest,
} from '@callkite/contract';
import type * as z from 'zod';
import type { Principal } from '../../kernel/mode.ts';
import { pageOf } from '../../kernel/page-query.ts';
import { routesOf } from '../../kernel/route.ts';
import type { TransferIntegrations, TransferSettings } from './transfer-integrations.ts';
import type { TransferIntegration } from './transfer-store.ts';

interface Services {
  transferIntegrations: TransferIntegrations;
}

const { route } = routesOf<Services>();

const path = '/transfer-integrations';

export const transferIntegrationRoutes = [
  route(
    {
      method: 'GET',
      path,
      auth: 'key',
      tag: 'Transfers',
      operationId: 'listTransferIntegrations',
      summary: 'List transfer integrations, newest first',
      query: pageQuery,
      status: 200,
      answer: transferIntegrationList,
    },
    async (services, { caller, query }) => {
      const page = await services.transferIntegrations.list(caller, pageOf(query));
      const available = await isAvailable(services, caller);
      return {
        transfer_integrations: page.items.map((each) => toResource(each, available)),
        next_cursor: page.nextCursor,
      };
    },
  ),
  route(
    {
      method: 'POST',
      path,
      auth: 'key',
      tag: 'Transfers',
      operationId: 'createTransferIntegration',
      summary: 'Configure people that agents may transfer calls to',
      description:
        'Put its id into `definition.abilities.transfer` of the workflows whose agents may use it. Needs an approved business profile. The numbers are held to the rules of calls; nothing said on a call changes them.',
      body: createTransferIntegrationRequest,
      status: 201,
      answer: transferIntegrationResource,
      refusals: ['business_profile_required'],
    },
    async (services, { caller, body }) =>
      toResource(await services.transferIntegrations.create(caller, toSettings(body)), true),
  ),
  route(
    {
      method: 'GET',
      path: `${path}/{id}`,
      auth: 'key',
      tag: 'Transfers',
      operationId: 'getTransferIntegration',
      summary: 'A transfer integration',
      status: 200,
      answer: transferIntegrationResource,
      refusals: ['not_found'],
    },
    async (services, { caller, parameters }) =>
      toResource(
        await services.transferIntegrations.get(caller, parameters.id),
        await isAvailable(services, caller),
      ),
  ),
  route(
    {
      method: 'PATCH',
      path: `${path}/{id}`,
      auth: 'key',
      tag: 'Transfers',
      operationId: 'updateTransferIntegration',
      summary: 'Change a transfer integration',
      description: 'Holds for transfers asked for from now on. Lists are replaced as a whole.',
      body: updateTransferIntegrationRequest,
      status: 200,
      answer: transferIntegrationResource,
      refusals: ['not_found'],
    },
    async (services, { caller, parameters, body }) =>
      toResource(
        await services.transferIntegrations.update(caller, parameters.id, toSettings(body)),
        await isAvailable(services, caller),
      ),
  ),
  route(
    {
      method: 'DELETE',
      path: `${path}/{id}`,
      auth: 'key',
      tag: 'Transfers',
      operationId: 'deleteTransferIntegration',
      summary: 'Delete a transfer integration',
      description: 'Agents are not offered it any more, also where a workflow still names it.',
      status: 204,
      refusals: ['not_found'],
    },
    ({ transferIntegrations }, { caller, parameters }) => transferIntegrations.delete(caller, parameters.id),
  ),
];

function isAvailable({ transferIntegrations }: Services, caller: Principal): Promise<boolean> {
  return transferIntegrations.isAvailable(caller);
}

type Body = z.output<typeof createTransferIntegrationRequest>;

/** What a request sets; fields it leaves out stay left out. */
function toSettings(body: Body): TransferSettings;
function toSettings(body: z.output<typeof updateTransferIntegrationRequest>): Partial<TransferSettings>;
function toSettings(body: z.output<typeof updateTransferIntegrationRequest>): Partial<TransferSettings> {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.mode !== undefined && { mode: body.mode }),
    ...(body.phone_number !== undefined && { phoneNumber: body.phone_number }),
    ...(body.transfer_url !== undefined && { transferUrl: body.transfer_url }),
    ...(body.fallback_numbers !== undefined && { fallbackNumbers: body.fallback_numbers }),
    ...(body.ring_seconds !== undefined && { ringSeconds: body.ring_seconds }),
    ...(body.take_messages !== undefined && { takeMessages: body.take_messages }),
  };
}

function toResource(integration: TransferIntegration, available: boolean): TransferIntegrationResource {
  return {
    id: integration.id,
    name: integration.name,
    mode: integration.mode,
    phone_number: integration.phoneNumber,
    transfer_url: integration.transferUrl,
    fallback_numbers: [...integration.fallbackNumbers],
    ring_seconds: integration.ringSeconds,
    take_messages: integration.takeMessages,
    available,
    created_at: integration.createdAt.toISOString(),
  };
}
