export { type Embedded, type EmbeddedAccount, type EmbeddedOptions, startEmbedded } from './embedded.ts';
