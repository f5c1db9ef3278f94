export { servesPath } from './http/handler.ts';
export { type HttpMount, type MountOptions, namesSeveralHosts, nodeHandler } from './http/node-handler.ts';
export { callkiteMiddleware, type NodeMiddleware } from './http/node-middleware.ts';
export { attachSockets, type SocketMount } from './http/node-sockets.ts';
export { idleConnectionMs, limitSlowRequests, type Served, serve } from './http/serve.ts';
export {
  createOutboundFetch,
  type OutboundAnswer,
  type OutboundFailure,
  type OutboundFetch,
  type OutboundFetchOptions,
  type OutboundRequest,
} from './kernel/outbound/outbound-fetch.ts';
export { isNetwork } from './kernel/outbound/public-addresses.ts';
