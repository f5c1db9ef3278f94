import {
  type AudioCodec,
  widgetCallback,
  widgetCallbackRequest,
  widgetCallbackState,
  widgetSession,
  widgetSessionRequest,
  widgetSettings,
} from '@callkite/contract';
import type * as z from 'zod';
import { routesOf } from '../../kernel/route.ts';
import type { Visitor, WebCalls } from './web-calls.ts';

const { route } = routesOf<{ webCalls: WebCalls }, Visitor>();

const tag = 'Widget';

/** What pages of other origins use, with a publishable key. */
export const widgetRoutes = [
  route(
    {
      method: 'POST',
      path: '/widget/sessions',
      auth: 'publishable',
      tag,
      operationId: 'openWidgetSession',
      summary: 'Admit a visitor to a web call',
      description: 'The call begins with the WebSocket that the token opens.',
      body: widgetSessionRequest,
      status: 201,
      answer: widgetSession,
      refusals: ['workflow_disabled', 'forbidden'],
    },
    async ({ webCalls }, { visitor, body }) => {
      const session = await webCalls.openSession(visitor, {
        ...visitOf(body),
        media: body.media,
        consent: body.consent,
      });
      const codecs: AudioCodec[] = session.transport === 'audio' ? ['mulaw/8000'] : [];
      return {
        call_id: session.callId,
        token: session.token,
        expires_in_seconds: session.expiresInSeconds,
        url: session.url,
        transport: session.transport,
        codecs,
        language: session.language,
        agent_name: session.agentName,
      };
    },
  ),
  route(
    {
      method: 'POST',
      path: '/widget/settings',
      auth: 'publishable',
      tag,
      operationId: 'getWidgetSettings',
      summary: 'What a publishable key offers',
      description:
        'A POST, because browsers name the page they ask from only then. It has no body and changes nothing.',
      status: 200,
      answer: widgetSettings,
    },
    async ({ webCalls }, { visitor }) => ({ callback_countries: await webCalls.callbackCountries(visitor) }),
  ),
  route(
    {
      method: 'POST',
      path: '/widget/callbacks',
      auth: 'publishable',
      tag,
      operationId: 'requestWidgetCallback',
      summary: 'Call a visitor back',
      description:
        'The number is called at once, or at the time in `when`, after the same checks as for any call. The consent is kept.',
      body: widgetCallbackRequest,
      status: 202,
      answer: widgetCallback,
      refusals: [
        'workflow_disabled',
        'forbidden',
        'invalid_phone_number',
        'destination_not_allowed',
        'number_opted_out',
        'spending_limit',
        'no_usable_number',
        'carrier_unavailable',
      ],
    },
    async ({ webCalls }, { visitor, body }) => {
      const { callId, token } = await webCalls.requestCallback(visitor, {
        ...visitOf(body),
        phone: body.phone,
        when: body.when === undefined ? undefined : new Date(body.when),
        consent: body.consent,
      });
      return { call_id: callId, token };
    },
  ),
  route(
    {
      method: 'GET',
      path: '/widget/callbacks/{call_id}',
      auth: 'visit',
      tag,
      operationId: 'getWidgetCallback',
      summary: 'How a call-back stands',
      status: 200,
      answer: widgetCallbackState,
    },
    async ({ webCalls }, { token, parameters }) => ({
      call_id: parameters.call_id,
      ...(await webCalls.callbackState(parameters.call_id, token)),
    }),
  ),
  route(
    {
      method: 'DELETE',
      path: '/widget/callbacks/{call_id}',
      auth: 'visit',
      tag,
      operationId: 'cancelWidgetCallback',
      summary: 'Cancel a call-back',
      description: 'The call is not placed, or ends if it has been. Repeating it changes nothing.',
      status: 200,
      answer: widgetCallbackState,
      refusals: ['conflict'],
    },
    async ({ webCalls }, { token, parameters }) => ({
      call_id: parameters.call_id,
      ...(await webCalls.cancelCallback(parameters.call_id, token)),
    }),
  ),
];

type Visit = z.output<typeof widgetSessionRequest> | z.output<typeof widgetCallbackRequest>;

function visitOf({ workflow_id: workflowId, name, email, variables, user, page }: Visit) {
  return { workflowId, name, email, variables, user, page };
}
