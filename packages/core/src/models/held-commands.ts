import type { SpeechSession } from '../ports/speech-model.ts';

/** Ten seconds of µ-law, 8 bytes a millisecond, as base64. */
const mostSound = (10_000 * 8 * 4) / 3;

type Command = (session: SpeechSession) => void;

/** What a session is to be told once there is one. */
export interface HeldCommands {
  add(command: Command): void;
  /** Of sound only the last ten seconds are kept. */
  hear(audio: string): void;
  /** Gives a session the commands, in order, and then the sound. */
  giveTo(session: SpeechSession): void;
  /** Drops all of it and takes no more. */
  drop(): void;
}

export function heldCommands(): HeldCommands {
  let commands: Command[] = [];
  let sound: string[] = [];
  let soundLength = 0;
  let isOpen = true;

  function drop(): void {
    isOpen = false;
    commands = [];
    sound = [];
  }

  return {
    add(command) {
      if (isOpen) commands.push(command);
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
      for (const command of held) command(session);
      for (const audio of heard) session.hear(audio);
    },
    drop,
  };
}
