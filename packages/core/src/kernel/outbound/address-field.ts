import { CallkiteError } from '../errors.ts';
import type { OutboundFetch } from './outbound-fetch.ts';

/** Throws `validation_failed`, with the field in its details, for an address the guard refuses. */
export async function checkAddressField(
  outbound: Pick<OutboundFetch, 'checkResolved'>,
  field: string,
  url: string,
): Promise<void> {
  try {
    await outbound.checkResolved(url);
  } catch (error) {
    if (!CallkiteError.isInstance(error)) throw error;
    throw new CallkiteError('validation_failed', 'Validation failed', {
      details: { [field]: [error.message] },
      cause: error,
    });
  }
}
