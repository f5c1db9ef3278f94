import * as z from 'zod';
import { ApiError } from './api-error.ts';
import { type Exchange, readJson, sendJson } from './exchange.ts';
import { type FaultPlan, faultSettings } from './faults.ts';
import type { RequestLog } from './request-log.ts';
import { type Script, scriptedReply } from './script.ts';
import type { ConnectionLog } from './speech/connection-log.ts';

export interface ControlContext {
  faults: FaultPlan;
  script: Script;
  log: RequestLog;
  connections: ConnectionLog;
}

async function readControl<Schema extends z.ZodType>(
  exchange: Exchange,
  schema: Schema,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(await readJson(exchange));
  if (!parsed.success) throw new ApiError(`${exchange.path}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Answers the paths under `/_emulator/`, which steer a running emulator. Returns false for an unknown one. */
export async function steer(exchange: Exchange, context: ControlContext): Promise<boolean> {
  switch (`${exchange.request.method} ${exchange.path}`) {
    case 'GET /_emulator/requests':
      sendJson(exchange, 200, { requests: context.log.list() });
      return true;
    case 'GET /_emulator/connections':
      sendJson(exchange, 200, { connections: context.connections.list() });
      return true;
    case 'GET /_emulator/faults':
      sendJson(exchange, 200, context.faults.settings());
      return true;
    case 'POST /_emulator/faults':
      context.faults.configure(await readControl(exchange, faultSettings));
      sendJson(exchange, 200, context.faults.settings());
      return true;
    case 'GET /_emulator/script':
      sendJson(exchange, 200, context.script.report());
      return true;
    case 'POST /_emulator/script':
      context.script.load((await readControl(exchange, z.array(scriptedReply).nullable())) ?? undefined);
      sendJson(exchange, 200, context.script.report());
      return true;
    default:
      return false;
  }
}
