import type { EventEmitter } from 'node:events';
import type { CallkiteEvent } from '@callkite/core';

/** Carries what happens to calls in this process to the metrics and the demonstration. */
export type CallEvents = EventEmitter<{ event: [CallkiteEvent] }>;
