/** How much the agent says in one turn before it ends with the sentence, and at the latest, in characters: about 50 s. */
const longestTurn = 600;
const longestAtAll = 900;

/** Bounds what is said in one turn, whatever the model writes: it ends with a sentence, if there is one to end with. */
export interface Monologue {
  /** Takes the next piece. @returns what of it is said, and whether that was the last of the turn */
  take(piece: string): { readonly piece: string; readonly isOver: boolean };
}

export function monologue(): Monologue {
  let said = 0;

  return {
    take(piece) {
      const before = said;
      said += piece.length;
      if (said <= longestTurn) return { piece, isOver: false };
      const ends = [...piece.matchAll(/[.!?…。！？]["'”»)]*(?=\s|$)/gu)].map(
        (end) => end.index + end[0].length,
      );
      const fitting = ends.filter((end) => before + end <= longestAtAll);
      // The first sentence that ends beyond the length of a turn, else the last one that ends at all.
      const end = fitting.find((each) => before + each >= longestTurn) ?? fitting.at(-1);
      if (end !== undefined && (before + end >= longestTurn || said > longestAtAll)) {
        return { piece: piece.slice(0, end), isOver: true };
      }
      if (said <= longestAtAll) return { piece, isOver: false };
      const cut = piece.slice(0, Math.max(0, longestAtAll - before));
      return { piece: cut.slice(0, cut.search(/\s\S*$/) + 1), isOver: true };
    },
  };
}
