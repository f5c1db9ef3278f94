import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import type { Callkite, CallkiteOptions } from '@callkite/core';
import {
  CALLKITE,
  CALLS,
  ORGANIZATIONS,
  registerCallkite,
  WEBHOOKS,
  WORKFLOWS,
} from '@callkite/core/tsyringe';
import { openAi } from '@callkite/openai';
import { twilio } from '@callkite/twilio';
import { container } from 'tsyringe';
import { expect, it } from 'vitest';
import { testStorage } from '../test-storage.ts';

const options = (): CallkiteOptions => ({
  storage: testStorage(),
  telephony: twilio({ publicUrl: 'https://callkite.example.com' }),
  languageModel: openAi({ apiKey: 'unused' }),
  publicUrl: 'https://callkite.example.com',
  secretKey: randomBytes(32).toString('base64'),
});

it('resolves one Callkite and its services', () => {
  const child = container.createChildContainer();
  registerCallkite(child, options());
  const callkite = child.resolve<Callkite>(CALLKITE);
  expect(child.resolve(CALLKITE)).toBe(callkite);
  expect(child.resolve(CALLS)).toBe(callkite.calls);
  expect(child.resolve(ORGANIZATIONS)).toBe(callkite.organizations);
  expect(child.resolve(WORKFLOWS)).toBe(callkite.workflows);
  expect(child.resolve(WEBHOOKS)).toBe(callkite.webhooks);
  expect(container.isRegistered(CALLKITE)).toBe(false);
});

it('keeps containers apart', () => {
  const [one, other] = [container.createChildContainer(), container.createChildContainer()];
  registerCallkite(one, options());
  registerCallkite(other, options());
  expect(one.resolve(CALLKITE)).not.toBe(other.resolve(CALLKITE));
});
