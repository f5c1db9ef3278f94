import { beforeAll, describe, expect, it } from 'vitest';
import { type CampaignReport, runCampaign } from './campaign.ts';
import { lyingCarrier } from './lying-carrier.ts';

describe('servers killed at random, on a carrier that lies', () => {
  let report: CampaignReport;

  beforeAll(async () => {
    report = await runCampaign({
      calls: 90,
      nodes: 2,
      killEveryMs: 1_500,
      requestsPerSecond: 10,
      callsPerSecond: 20,
      faults: lyingCarrier,
      failingReceiver: 0.2,
      seed: 7,
      patienceMs: 150_000,
      log: () => undefined,
    });
    console.log('fault campaign:', JSON.stringify(report));
  }, 420_000);

  it('really went through it', () => {
    expect(report.kills).toBeGreaterThan(5);
    expect(report.ambiguousCreates).toBeGreaterThan(10);
  });

  it('ring nobody twice', () => expect(report.rangTwice).toEqual([]));
  it('lose no call they accepted', () => expect(report.neverEnded).toEqual([]));
  it('accept no request twice', () => expect(report.duplicatedAcceptance).toEqual([]));
  it('end every call with its true result', () => expect(report.wrongResult).toEqual([]));
  it('deliver a webhook for every call', () => expect(report.withoutWebhook).toEqual([]));
  it('send the same bytes whenever they send again', () => expect(report.differingCopies).toEqual([]));
  it('send a callback once at most', () => expect(report.callbackTwice).toEqual([]));
  it('never start more calls in a second than the line allows', () =>
    expect(report.mostStartsInASecond).toBeLessThanOrEqual(20));
});
