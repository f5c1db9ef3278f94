import { defineCallee } from './callee.ts';

/** Numbers at which nobody ever picks up. */
export const unreachableCallees = [
  defineCallee({
    name: 'no answer',
    description: 'Rings until the timeout of the call',
    numbers: ['+12025550110'],
    pickUp: 'no-answer',
  }),
  defineCallee({
    name: 'busy',
    description: 'Is on the phone already',
    numbers: ['+12025550111'],
    pickUp: 'busy',
  }),
  defineCallee({
    name: 'not in service',
    description: 'Fails with SIP 404: the number does not exist',
    numbers: ['+12025550112'],
    pickUp: 'failed',
    sipResponseCode: 404,
  }),
  defineCallee({
    name: 'carrier trouble',
    description: 'Fails with SIP 503: the network of the callee is down',
    numbers: ['+12025550113'],
    pickUp: 'failed',
    sipResponseCode: 503,
  }),
];
