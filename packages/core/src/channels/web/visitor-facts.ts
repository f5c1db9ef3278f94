import { createHmac } from 'node:crypto';
import { isOneOf } from '../../kernel/digests.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import type { VisitRecord } from './web-call-store.ts';

/** What a page says of its visitor. */
export interface VisitorInput {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly user?: { readonly id: string; readonly hash?: string | undefined } | undefined;
}

/**
 * Whether the organization's server vouches for the user's id; without a hash it does not.
 * @throws CallkiteError `forbidden` for a wrong hash
 */
export function userOf(user: VisitorInput['user'], identitySecrets: readonly string[]): VisitRecord['user'] {
  if (user === undefined) return null;
  if (user.hash === undefined) return { id: user.id, verified: false };
  const { id, hash } = user;
  const hashes = identitySecrets.map((secret) => createHmac('sha256', secret).update(id).digest('hex'));
  if (!isOneOf(hash.toLowerCase(), hashes)) {
    throw new CallkiteError(
      'forbidden',
      'The hash of the user id is wrong: it is HMAC-SHA256 of the id with the identity secret of this key',
    );
  }
  return { id: user.id, verified: true };
}

/** What the agent is told besides name and address; `null` for nothing. Variables the workflow does not list are left out. */
export function contextOf(
  input: VisitorInput,
  user: VisitRecord['user'],
  variables: readonly string[],
): string | null {
  const lines = [
    ...(user ? [`User id, ${user.verified ? 'verified' : 'not verified'}: ${oneLine(user.id)}`] : []),
    ...Object.entries(input.variables ?? {})
      .filter(([name]) => variables.includes(name))
      .map(([name, value]) => `${name}: ${oneLine(value)}`),
  ];
  return lines.length === 0 ? null : ['The page says of the visitor:', ...lines].join('\n');
}

/** What a browser says of itself; `null` for nothing. */
export function browserFacts(start: {
  readonly lang?: string | null | undefined;
  readonly tz?: string | null | undefined;
}): string | null {
  const facts = [
    ...(start.lang ? [`language ${oneLine(start.lang)}`] : []),
    ...(start.tz ? [`time zone ${oneLine(start.tz)}`] : []),
  ];
  return facts.length === 0 ? null : `The visitor's browser says: ${facts.join(', ')}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
