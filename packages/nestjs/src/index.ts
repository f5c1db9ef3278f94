export {
  CALLKITE,
  type CallkiteAsyncOptions,
  CallkiteModule,
  type CallkiteModuleOptions,
} from './callkite-module.ts';
