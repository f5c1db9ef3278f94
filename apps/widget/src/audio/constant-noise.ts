/** Frames of 20 ms by which a sound is judged: three seconds. */
const judgedFrames = 150;
/** Quieter than this, it is a room and not a noise. */
const loudLevel = 0.45;
/** Voices rise and fall by more than this within a second or two, on the scale of `loudness`. */
const steadySpread = 0.08;

/** Tells a loud tone or hum that stands still from a voice: it would count as somebody who never stops speaking. */
export function constantNoise() {
  const levels: number[] = [];
  let isHeard = false;
  return {
    get isHeard(): boolean {
      return isHeard;
    },
    /** @param level of the next frame, as `loudness` has it @returns whether it began or ended with this frame */
    hear(level: number): boolean {
      levels.push(level);
      if (levels.length > judgedFrames) levels.shift();
      const least = Math.min(...levels);
      const isSteady = least >= loudLevel && Math.max(...levels) - least <= steadySpread;
      const was = isHeard;
      // A voice over the noise is let through at once, and the noise found again when the voice has ended.
      isHeard = isSteady && levels.length === judgedFrames;
      return isHeard !== was;
    },
  };
}
