/** A voice as both speech APIs take it: by name, or by id where it is a custom one. */
export function voiceOf(voice = 'marin'): string | { id: string } {
  return voice.startsWith('voice_') ? { id: voice } : voice;
}
