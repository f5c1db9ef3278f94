import { callkiteRequest } from '../../shared/api';
import { type Operation, requiredText } from '../../shared/operation';

export const getCall: Operation = (context, itemIndex) => {
  const callId = requiredText(context, itemIndex, 'callId', 'Call ID');
  return callkiteRequest(context, { method: 'GET', path: `/calls/${encodeURIComponent(callId)}` });
};

export const cancelCall: Operation = (context, itemIndex) => {
  const callId = requiredText(context, itemIndex, 'callId', 'Call ID');
  return callkiteRequest(context, { method: 'POST', path: `/calls/${encodeURIComponent(callId)}/cancel` });
};
