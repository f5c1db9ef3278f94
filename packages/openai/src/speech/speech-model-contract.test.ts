import { withFallbackSpeechModel } from '@callkite/core';
import { speechModelContract } from '@callkite/core/testing';
import { describe, it } from 'vitest';
import { type CreateModel, speechModelFixture } from '../testing/speech-model-fixture.ts';
import { openAiLive } from './live.ts';
import { openAiRealtime } from './realtime.ts';

describe('the Realtime API', () => {
  const createFixture = () => speechModelFixture(openAiRealtime, { canBeCut: true });
  speechModelContract({ it, createFixture });
});

describe('the Live API', () => {
  const createFixture = () => speechModelFixture(openAiLive, { canBeCut: false });
  speechModelContract({ it, createFixture });
});

describe('a model that stands in for one that refuses', () => {
  const withSecond: CreateModel = (options) =>
    withFallbackSpeechModel(openAiRealtime({ ...options, apiKey: 'wrong' }), openAiRealtime(options));
  const createFixture = () => speechModelFixture(withSecond, { canBeCut: true });
  speechModelContract({ it, createFixture });
});
