import { telephonyContract } from '@callkite/core/testing';
import { it } from 'vitest';
import { twilioFixture } from './testing/telephony-fixture.ts';

telephonyContract({ it, createFixture: twilioFixture });
