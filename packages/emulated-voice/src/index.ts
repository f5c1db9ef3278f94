export { dtmf, dtmfListener, type KeyListener, tone } from './dtmf.ts';
export { type HeardWord, type Listener, listener } from './listener.ts';
export { encodeMuLaw, isLoud, pcmOf, silence } from './mu-law.ts';
export { type SpeakOptions, type SpokenAudio, type SpokenWord, speak } from './speak.ts';
export { toWav } from './wav.ts';
