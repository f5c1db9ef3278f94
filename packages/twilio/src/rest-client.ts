import { CallkiteError, type CarrierAccount } from '@callkite/core';
import twilio from 'twilio';
import type RequestClient from 'twilio/lib/base/RequestClient.js';

export type RestClient = InstanceType<typeof twilio.Twilio>;

const TIMEOUT_MS = 10_000;
const MAXIMUM_SOCKETS = 50;

/** Makes REST clients with the credentials of one account each. */
export interface RestClients {
  /** For requests that may safely be lost: over connections shared by all accounts. */
  shared(account: CarrierAccount): RestClient;
  over(connection: RequestClient, account: CarrierAccount): RestClient;
}

/** @throws TypeError when `apiBaseUrl` is no URL */
export function restClients(apiBaseUrl: string | undefined): RestClients {
  if (apiBaseUrl !== undefined && !URL.canParse(apiBaseUrl)) {
    throw new TypeError('apiBaseUrl must be an absolute URL');
  }
  const sharedConnections = new twilio.RequestClient({ timeout: TIMEOUT_MS, maxSockets: MAXIMUM_SOCKETS });

  function over(httpClient: RequestClient, account: CarrierAccount): RestClient {
    if (!/^AC[0-9a-f]{32}$/i.test(account.accountId) || account.secret === '') {
      throw new CallkiteError(
        'provider_rejected',
        'connect Twilio with an Account SID (AC and 32 hex digits) and the primary Auth Token',
      );
    }
    // Empty rather than absent: the SDK would fall back to environment variables that rewrite every host name.
    const client = new twilio.Twilio(account.accountId, account.secret, { httpClient, edge: '', region: '' });
    if (apiBaseUrl !== undefined) {
      client.api.baseUrl = apiBaseUrl;
      client.trusthub.baseUrl = apiBaseUrl;
    }
    return client;
  }

  return { over, shared: (account) => over(sharedConnections, account) };
}
