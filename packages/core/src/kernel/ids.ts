import { randomBytes } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A new id such as `call_01k9…`: ten characters of time and sixteen of chance (80 bits), so that ids of one kind
 * sort by creation to the millisecond.
 */
export function createId(
  kind:
    | 'org'
    | 'key'
    | 'pub'
    | 'con'
    | 'num'
    | 'wf'
    | 'form'
    | 'call'
    | 'conv'
    | 'att'
    | 'whk'
    | 'dlv'
    | 'tri'
    | 'trf'
    | 'leg'
    | 'rec',
): string {
  let time = Date.now();
  let id = '';
  for (let index = 0; index < 10; index += 1) {
    id = alphabet[time % 32] + id;
    time = Math.floor(time / 32);
  }
  for (const byte of randomBytes(16)) id += alphabet[byte % 32];
  return `${kind}_${id}`;
}
