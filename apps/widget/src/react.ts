import { CallkiteWidget as CallkiteWidgetElement } from '@callkite/widget';
import { createComponent, type EventName } from '@lit/react';
import * as React from 'react';
import type { CallkiteEvents } from './events.ts';

const event = <Name extends keyof CallkiteEvents>(name: Name) =>
  `callkite:${name}` as EventName<CustomEvent<CallkiteEvents[Name]>>;

/**
 * The widget as a React component: properties as on the element, events as `on…`. For pages rendered on a server,
 * import it in the browser only, as the element needs one.
 *
 * ```tsx
 * <CallkiteWidget publicKey="ck_pub_…" workflow="wf_…" onCallEnd={({ detail }) => report(detail.reason)} />
 * ```
 */
export const CallkiteWidget = createComponent({
  react: React,
  tagName: 'callkite-widget',
  elementClass: CallkiteWidgetElement,
  displayName: 'CallkiteWidget',
  events: {
    onReady: event('ready'),
    onOpen: event('open'),
    onClose: event('close'),
    onConsent: event('consent'),
    onBeforeCall: event('before-call'),
    onCallStart: event('call-start'),
    onStatus: event('status'),
    onTranscript: event('transcript'),
    onTool: event('tool'),
    onMute: event('mute'),
    onError: event('error'),
    onCallEnd: event('call-end'),
    onCallbackRequested: event('callback-requested'),
  },
});
