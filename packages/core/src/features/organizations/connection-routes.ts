import {
  type ConnectionResource,
  carrierNumberList,
  connectionList,
  connectionResource,
  connectNumberRequest,
  createConnectionRequest,
  type NumberResource,
  numberList,
  numberResource,
} from '@callkite/contract';
import type { CarrierConnection, ConnectedNumber } from '../../calls/carrier-connection.ts';
import { routesOf } from '../../kernel/route.ts';
import type { Organizations } from './organizations.ts';

const { route } = routesOf<{ organizations: Organizations }>();

export const connectionRoutes = [
  route(
    {
      method: 'POST',
      path: '/connections',
      auth: 'key',
      tag: 'Numbers',
      operationId: 'createConnection',
      summary: 'Connect an account at the carrier',
      description:
        'The credentials are verified with the carrier. Connecting the same account again updates it.',
      body: createConnectionRequest,
      status: 201,
      answer: connectionResource,
      refusals: ['provider_rejected', 'provider_unavailable'],
    },
    async ({ organizations }, { caller, body }) =>
      toConnection(
        await organizations.connectCarrier(caller, {
          accountId: body.account_id,
          secret: body.secret,
          ...(body.calls_per_second !== undefined && { callsPerSecond: body.calls_per_second }),
          ...(body.maximum_concurrent_calls !== undefined && {
            maximumConcurrentCalls: body.maximum_concurrent_calls,
          }),
        }),
      ),
  ),
  route(
    {
      method: 'GET',
      path: '/connections',
      auth: 'key',
      tag: 'Numbers',
      operationId: 'listConnections',
      summary: 'Connected carrier accounts',
      status: 200,
      answer: connectionList,
    },
    async ({ organizations }, { caller }) => ({
      connections: (await organizations.listConnections(caller)).map(toConnection),
    }),
  ),
  route(
    {
      method: 'GET',
      path: '/connections/{id}',
      auth: 'key',
      tag: 'Numbers',
      operationId: 'getConnection',
      summary: 'A connected carrier account',
      status: 200,
      answer: connectionResource,
      refusals: ['not_found'],
    },
    async ({ organizations }, { caller, parameters }) =>
      toConnection(await organizations.getConnection(caller, parameters.id)),
  ),
  route(
    {
      method: 'POST',
      path: '/connections/{id}/refresh',
      auth: 'key',
      tag: 'Numbers',
      operationId: 'refreshConnection',
      summary: 'Verify a carrier account again, and resume dialing on it',
      status: 200,
      answer: connectionResource,
      refusals: ['not_found', 'provider_rejected', 'provider_unavailable'],
    },
    async ({ organizations }, { caller, parameters }) =>
      toConnection(await organizations.refreshConnection(caller, parameters.id)),
  ),
  route(
    {
      method: 'DELETE',
      path: '/connections/{id}',
      auth: 'key',
      tag: 'Numbers',
      operationId: 'deleteConnection',
      summary: 'Disconnect a carrier account and its numbers',
      description:
        'Its queued calls end as `carrier_unavailable`. A conflict while calls are open on it, or recordings of its calls are still at the carrier.',
      status: 204,
      refusals: ['not_found', 'conflict'],
    },
    ({ organizations }, { caller, parameters }) => organizations.deleteConnection(caller, parameters.id),
  ),
  route(
    {
      method: 'GET',
      path: '/connections/{id}/numbers',
      auth: 'key',
      tag: 'Numbers',
      operationId: 'listCarrierNumbers',
      summary: 'Phone numbers the carrier account owns',
      status: 200,
      answer: carrierNumberList,
      refusals: ['not_found', 'provider_rejected', 'provider_unavailable'],
    },
    async ({ organizations }, { caller, parameters }) => {
      const numbers = await organizations.listCarrierNumbers(caller, parameters.id);
      return {
        numbers: numbers.map((number) => ({
          provider_number_id: number.providerNumberId,
          phone_number: number.phoneNumber,
          can_call: number.canCall,
          can_text: number.canText,
          connected: number.connected,
        })),
      };
    },
  ),
  route(
    {
      method: 'POST',
      path: '/connections/{id}/numbers',
      auth: 'key',
      tag: 'Numbers',
      operationId: 'connectNumber',
      summary: 'Connect a phone number of the carrier account',
      body: connectNumberRequest,
      status: 201,
      answer: numberResource,
      refusals: ['not_found', 'provider_rejected', 'provider_unavailable'],
    },
    async ({ organizations }, { caller, parameters, body }) =>
      toNumber(await organizations.connectNumber(caller, parameters.id, body.phone_number)),
  ),
  route(
    {
      method: 'GET',
      path: '/numbers',
      auth: 'key',
      tag: 'Numbers',
      operationId: 'listNumbers',
      summary: 'Connected phone numbers',
      status: 200,
      answer: numberList,
    },
    async ({ organizations }, { caller }) => ({
      numbers: (await organizations.listNumbers(caller)).map(toNumber),
    }),
  ),
  route(
    {
      method: 'DELETE',
      path: '/numbers/{id}',
      auth: 'key',
      tag: 'Numbers',
      operationId: 'disconnectNumber',
      summary: 'Disconnect a phone number',
      status: 204,
      refusals: ['not_found'],
    },
    ({ organizations }, { caller, parameters }) => organizations.disconnectNumber(caller, parameters.id),
  ),
];

function toConnection(connection: CarrierConnection): ConnectionResource {
  return {
    id: connection.id,
    mode: connection.mode,
    account_id: connection.accountId,
    account_name: connection.accountName,
    account_type: connection.accountType,
    business_profile: connection.businessProfile,
    calls_per_second: connection.callsPerSecond,
    maximum_concurrent_calls: connection.maximumConcurrentCalls,
    status: connection.status,
    down_until: connection.downUntil?.toISOString() ?? null,
    created_at: connection.createdAt.toISOString(),
  };
}

function toNumber(number: ConnectedNumber): NumberResource {
  return {
    id: number.id,
    connection_id: number.connectionId,
    mode: number.mode,
    phone_number: number.phoneNumber,
    is_default: number.isDefault,
    created_at: number.createdAt.toISOString(),
  };
}
