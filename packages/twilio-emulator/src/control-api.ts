import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import type { Account } from './accounts.ts';
import type { Emulation } from './emulation.ts';
import { faultsSchema } from './faults.ts';
import { readBody } from './rest/request.ts';
import { sendJson } from './rest/router.ts';

/** Answers `/_emulator`: the truth about calls, and the faults. It asks for no credentials. */
export async function handleControl(
  emulation: Emulation,
  accounts: Iterable<Account>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '').replace(/\?.*$/, '').replace(/^\/_emulator\/?/, '');
  const [collection = '', sid] = path.split('/');
  const { ledger, faults, recordings } = emulation;
  switch (`${request.method} ${collection}${sid === undefined ? '' : '/:sid'}`) {
    case 'GET ':
      sendJson(response, 200, {
        status: 'ok',
        accounts: [...accounts].map(describeAccount),
        faults: faults.current,
      });
      break;
    case 'GET calls':
      sendJson(response, 200, { calls: ledger.all() });
      break;
    case 'GET calls/:sid': {
      const record = ledger.find(sid ?? '');
      if (record) sendJson(response, 200, record);
      else sendJson(response, 404, { error: 'no such call' });
      break;
    }
    case 'GET recordings/:sid': {
      const wav = recordings?.wav(sid ?? '');
      if (wav)
        response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': wav.length }).end(wav);
      else sendJson(response, 404, { error: 'no such recording; start the emulator with recordAudio' });
      break;
    }
    case 'DELETE calls':
      ledger.clear();
      recordings?.clear();
      response.writeHead(204).end();
      break;
    case 'GET faults':
      sendJson(response, 200, faults.current);
      break;
    case 'POST faults':
      sendJson(response, ...(await changeFaults(emulation, request)));
      break;
    default:
      sendJson(response, 404, { error: 'not found; see the README of @callkite/twilio-emulator' });
  }
}

async function changeFaults(emulation: Emulation, request: IncomingMessage): Promise<[number, unknown]> {
  let value: unknown;
  try {
    value = JSON.parse((await readBody(request)) || '{}');
  } catch {
    return [400, { error: 'send a JSON object of faults' }];
  }
  const current = emulation.faults.current;
  const parsed = faultsSchema.safeParse({ ...current, ...(typeof value === 'object' ? value : { value }) });
  if (!parsed.success) return [400, { error: z.prettifyError(parsed.error) }];
  return [200, emulation.faults.configure(parsed.data)];
}

function describeAccount(account: Account): Record<string, unknown> {
  const { name, sid, authToken, type, status, businessProfile, callsPerSecond, concurrentCalls } = account;
  const { phoneNumbers, verifiedNumbers } = account;
  return {
    name,
    sid,
    authToken,
    type,
    status,
    businessProfile,
    callsPerSecond,
    concurrentCalls,
    phoneNumbers,
    verifiedNumbers,
  };
}
