import type { CarrierAdapter, HttpRequest } from '@callkite/core';
import { BrokenOnPurpose, type CarrierFault } from '@callkite/core/testing';
import type { TwilioFixture } from '../telephony-fixture.ts';

/** The good adapter, and what it is surrounded by. */
export interface Good extends CarrierAdapter {
  readonly fixture: TwilioFixture;
  /** What is wrong with the carrier right now. */
  fault(): CarrierFault;
}

export type Break = (good: Good) => Partial<CarrierAdapter>;

/** What an adapter must not do, and the test of the contract that is there to notice. */
export type Mistake = readonly [what: string, caughtBy: string, breakIt: Break];

export const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export const surprise = async (): Promise<never> => {
  throw new BrokenOnPurpose();
};
/** The request with the signature that it should have had. */
export async function resigned(request: HttpRequest, { fixture }: Good): Promise<HttpRequest> {
  const { method, target } = request;
  const body = Buffer.from(await request.readBody(65_536)).toString();
  const { headers } = fixture.sign({ path: '', method, target, headers: {}, body }, fixture.account.secret);
  return { ...request, headers: { ...request.headers, ...headers } };
}
