import { randomBytes } from 'node:crypto';
import { isSupportedCountry } from 'libphonenumber-js/max';
import type { WorkflowStore } from '../../features/workflows/workflow-store.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { createId } from '../../kernel/ids.ts';
import type { Mode, Scope } from '../../kernel/mode.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';
import type { SecretBox } from '../../kernel/secret-box.ts';
import { isAllowedOrigin, normalizedOrigin } from './origins.ts';
import type { PublishableKey, PublishableKeySettings, WebCallStore } from './web-call-store.ts';

export type PublishableKeyInput = Pick<PublishableKeySettings, 'name' | 'allowedOrigins' | 'workflowIds'> &
  Partial<PublishableKeySettings>;

/** Keys for web pages: they stand there for everybody to read, and what they are good for is bound to origins. */
export interface PublishableKeys {
  /**
   * `identitySecret` makes `user.hash` on the organization's server. Throws `validation_failed` for workflows of
   * somebody else and unknown countries.
   * @param input `dailyCalls` @default 200, `callbackCountries` @default none
   */
  create(
    organizationId: string,
    input: PublishableKeyInput & { readonly mode: Mode },
  ): Promise<{ readonly key: PublishableKey; readonly identitySecret: string }>;
  list(organizationId: string, page: PageRequest): Promise<Page<PublishableKey>>;
  /** Throws `not_found`, and `validation_failed` as `create`. */
  update(
    organizationId: string,
    id: string,
    change: Partial<PublishableKeySettings>,
  ): Promise<PublishableKey>;
  /** Nothing begins with it from now on; what is going on goes on. Throws `not_found`. */
  revoke(organizationId: string, id: string): Promise<PublishableKey>;
  /** The key behind its text, for a page of this origin. Throws `unauthenticated` and `origin_not_allowed`. */
  authenticate(text: string, origin: string): Promise<PublishableKey>;
  /** Check `user.hash`: HMAC-SHA256 of the user's id with one of these texts, hex. The first one is current. */
  identitySecretsOf(keyId: string): readonly string[];
}

const defaultDailyCalls = 200;

export function createPublishableKeys(deps: {
  storage: {
    readonly webCalls: WebCallStore;
    readonly workflows: WorkflowStore;
  };
  secretBox: Pick<SecretBox, 'hmac' | 'hmacs'>;
}): PublishableKeys {
  const { webCalls: store, workflows } = deps.storage;

  async function check(scope: Scope, change: Partial<PublishableKeySettings>): Promise<void> {
    const unknownCountry = change.callbackCountries?.find((country) => !isSupportedCountry(country));
    if (unknownCountry !== undefined)
      invalid('callback_countries', `${unknownCountry} is not a country code`);
    for (const id of change.workflowIds ?? []) {
      if (!(await workflows.get(scope, id))) invalid('workflow_ids', 'name workflows of yours');
    }
  }

  const identitySecret = (digest: string) => `ck_idn_${digest}`;

  return {
    async create(organizationId, { mode, ...settings }) {
      await check({ organizationId, mode }, settings);
      const key = await store.createKey({
        dailyCalls: defaultDailyCalls,
        callbackCountries: [],
        ...settings,
        id: createId('pub'),
        organizationId,
        mode,
        key: `ck_pub_${randomBytes(18).toString('base64url')}`,
        allowedOrigins: settings.allowedOrigins.map(normalizedOrigin),
      });
      return { key, identitySecret: identitySecret(deps.secretBox.hmac('visitor-identity', key.id)) };
    },
    list: (organizationId, page) => store.listKeys(organizationId, page),
    async update(organizationId, id, change) {
      if (change.workflowIds !== undefined || change.callbackCountries !== undefined) {
        await check((await store.getKey(organizationId, id)) ?? missing(), change);
      }
      const { allowedOrigins, ...others } = change;
      const updated = await store.updateKey(organizationId, id, {
        ...others,
        ...(allowedOrigins && { allowedOrigins: allowedOrigins.map(normalizedOrigin) }),
      });
      return updated ?? missing();
    },
    async revoke(organizationId, id) {
      return (await store.revokeKey(organizationId, id)) ?? missing();
    },
    async authenticate(text, origin) {
      const key = /^ck_pub_[\w-]{24}$/.test(text) ? await store.findKey(text) : null;
      if (!key || key.revokedAt !== null) {
        throw new CallkiteError('unauthenticated', 'The publishable key is unknown or was revoked');
      }
      if (!isAllowedOrigin(origin, key.allowedOrigins)) {
        throw new CallkiteError(
          'origin_not_allowed',
          'This key is not for pages of this origin: add the origin to the key',
        );
      }
      return key;
    },
    identitySecretsOf: (keyId) => deps.secretBox.hmacs('visitor-identity', keyId).map(identitySecret),
  };
}

function missing(): never {
  throw new CallkiteError('not_found', 'Publishable key not found');
}

function invalid(field: string, issue: string): never {
  throw new CallkiteError('validation_failed', 'Validation failed', { details: { [field]: [issue] } });
}
