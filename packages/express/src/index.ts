export {
  attachSockets,
  callkiteMiddleware,
  type MountOptions,
  type NodeMiddleware,
} from '@callkite/core/node';
