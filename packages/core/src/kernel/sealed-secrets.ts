import { CallkiteError } from './errors.ts';
import type { Logger } from './logger.ts';
import {
  callbackSecretContext,
  connectionSecretContext,
  type SecretBox,
  webhookSecretContext,
} from './secret-box.ts';
import type { SealedSecret, SecretStore } from './secret-store.ts';

/**
 * Makes sure that stored secrets can be opened, before anything depends on them, and seals those of a former key with the
 * current one.
 * @throws CallkiteError `validation_failed`, with `details.secretKey`, when a secret in use cannot be opened
 */
export async function checkSecrets(options: {
  store: SecretStore;
  secretBox: SecretBox;
  /** Whether secrets of a former key are sealed again. */
  reseal: boolean;
  logger: Logger;
}): Promise<void> {
  const { store, secretBox, reseal, logger } = options;
  let resealed = 0;
  for (const secret of await store.list()) {
    const context = contextOf(secret);
    if (secretBox.isSealedWithCurrentKey(secret.sealed, context)) continue;
    let text: string;
    try {
      text = secretBox.open(secret.sealed, context);
    } catch (cause) {
      // Nobody needs it now. It opens again with the key it was sealed with.
      if (secret.place === 'connection' && !secret.isInUse) continue;
      throw new CallkiteError(
        'validation_failed',
        'The stored credentials were sealed with another secretKey: use that one, or add it to formerSecretKeys.',
        { details: { secretKey: ['is not the one the stored credentials were sealed with'] }, cause },
      );
    }
    if (!reseal) continue;
    await store.replace(secret, secretBox.seal(text, context));
    resealed += 1;
  }
  if (resealed > 0) {
    logger.warn(
      { secrets: resealed },
      'stored secrets were sealed with the new key; remove the former key when calls placed before have ended',
    );
  }
}

function contextOf(secret: SealedSecret): string {
  switch (secret.place) {
    case 'connection':
      return connectionSecretContext(secret);
    case 'webhook':
    case 'former_webhook':
      return webhookSecretContext(secret.id);
    case 'call':
      return callbackSecretContext(secret.id);
    case 'delivery':
      return callbackSecretContext(secret.callId);
  }
}
