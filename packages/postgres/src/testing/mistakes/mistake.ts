import type { Scope, Storage } from '@callkite/core';

export type Break = (good: Storage) => Storage;

/** What a store must not do, and the test of the contract that is there to notice. */
export type Mistake = readonly [what: string, caughtBy: string, breakIt: Break];

type StoreName = {
  [Name in keyof Storage]: Storage[Name] extends (...parameters: never[]) => unknown ? never : Name;
}[keyof Storage];

/** A storage with one store that is different. */
export const part =
  <Name extends StoreName>(
    name: Name,
    change: (good: Storage[Name], storage: Storage) => Partial<Storage[Name]>,
  ): Break =>
  (good) => ({ ...good, [name]: { ...good[name], ...change(good[name], good) } });

type CallsChange = Parameters<typeof part<'calls'>>[1];

export const inCalls = (change: CallsChange): Break => part('calls', change);

/** Does what is asked, and says that it was done whatever came of it. */
export const saysDone =
  <Parameters extends readonly unknown[]>(method: (...parameters: Parameters) => Promise<boolean>) =>
  async (...parameters: Parameters): Promise<boolean> => {
    await method(...parameters);
    return true;
  };

/** Swallows what goes wrong. */
export const orNothing = async <Result>(work: Promise<Result>, nothing: Result): Promise<Result> =>
  work.catch(() => nothing);

type Scoped<Rest extends readonly unknown[], Result> = (scope: Scope, ...rest: Rest) => Promise<Result>;

const otherMode = ({ organizationId, mode }: Scope): Scope => ({
  organizationId,
  mode: mode === 'live' ? 'test' : 'live',
});

/** A method that goes on to look in the other mode when there is nothing in its own. */
export const inEitherMode =
  <Rest extends readonly unknown[], Result>(method: Scoped<Rest, Result>): Scoped<Rest, Result> =>
  async (scope, ...rest) =>
    (await method(scope, ...rest)) || method(otherMode(scope), ...rest);

/** The same of a method that lists. */
export const ofEitherMode =
  <Rest extends readonly unknown[], Result extends { readonly items: readonly unknown[] }>(
    method: Scoped<Rest, Result>,
  ): Scoped<Rest, Result> =>
  async (scope, ...rest) => {
    const own = await method(scope, ...rest);
    return own.items.length > 0 ? own : method(otherMode(scope), ...rest);
  };
