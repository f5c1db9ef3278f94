import type { SpeechSession } from '../ports/speech-model.ts';

/** Ten seconds of µ-law, 8 bytes a millisecond, as base64. */
const mostSound = (10_000 * 8 * 4) / 3;

type Command = (session: SpeechSession) => void;

/** What a session is to be told once there is one. */
export interface CommandBuffer {
  add(command: Command): void;
  /** The same for a command that asks for speech, which is dropped when it is stopped before. */
  request(command: Command): void;
  /** Drops what asks for speech. */
  stop(): void;
  /** Of sound only the last ten seconds are kept. */
  hear(audio: string): void;
  /** Gives a session the commands, in order, and then the sound. */
  giveTo(session: SpeechSession): void;
  /** Drops all of it and takes no more. */
  drop(): void;
}

export function commandBuffer(): CommandBuffer {
  let commands: { readonly give: Command; readonly asksForSpeech: boolean }[] = [];
  let sound: string[] = [];
  let soundLength = 0;
  let isOpen = true;

  function drop(): void {
    isOpen = false;
    commands = [];
    sound = [];
  }

  return {
    add(give) {
      if (isOpen) commands.push({ give, asksForSpeech: false });
    },
    request(give) {
      if (isOpen) commands.push({ give, asksForSpeech: true });
    },
    stop() {
      commands = commands.filter(({ asksForSpeech }) => !asksForSpeech);
    },
    hear(audio) {
      if (!isOpen) return;
      sound.push(audio);
      soundLength += audio.length;
      while (soundLength > mostSound) soundLength -= sound.shift()?.length ?? soundLength;
    },
    giveTo(session) {
      const [held, heard] = [commands, sound];
      drop();
      for (const { give } of held) give(session);
      for (const audio of heard) session.hear(audio);
    },
    drop,
  };
}
