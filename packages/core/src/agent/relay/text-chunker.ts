import { speakable } from '../languages/speakable.ts';
import { undivided } from '../languages/spoken-forms.ts';

/** Longest piece held back while no clause ends, in characters. */
const maximumPieceLength = 60;

/** Cuts a model's tokens into pieces that sound right alone: the first word at once, then clauses. */
export interface TextChunker {
  /** @returns pieces ready to be spoken, in order */
  push(token: string): readonly string[];
  /** The text broke off: of a word that may not be whole nothing is said. What comes next begins with a word. */
  breakOff(): void;
  /** @returns what is left at the end of the text */
  flush(): string;
}

// Works on pieces that end at white space, so a mark and the word it clings to are always seen together.
function withoutMarkup(piece: string, atLineStart: boolean): string {
  const lines = piece
    .split('\n')
    .map((line, index) =>
      index > 0 || atLineStart ? line.replace(/^\s*(?:[-•*+>]\s+|#{1,6}\s+|\d{1,2}[.)]\s+)+/, '') : line,
    );
  return speakable(lines.join(' '));
}

function endOfPiece(text: string, isFirst: boolean): number {
  if (isFirst) {
    // A list mark or heading is no word yet.
    const word = /^\s*(?:(?:[-•*+>]|#{1,6}|\d{1,2}[.)])\s+)*\S+\s+/.exec(text);
    return word?.[0].length ?? 0;
  }
  const clause = /^[\s\S]*[.,;:!?…。、！？]["'”»)]*\s+/.exec(text);
  if (clause) return clause[0].length;
  if (text.length < maximumPieceLength) return 0;
  return text.lastIndexOf(' ') + 1;
}

export function textChunker(): TextChunker {
  let held = '';
  let isFirst = true;
  let atLineStart = true;
  let endsInSpace = true;

  function release(length: number): string {
    const raw = held.slice(0, length);
    held = held.slice(length);
    let piece = withoutMarkup(raw, atLineStart);
    if (endsInSpace) piece = piece.trimStart();
    if (/\S/.test(raw)) atLineStart = false;
    if (/\n\s*$/.test(raw)) atLineStart = true;
    if (piece !== '') {
      endsInSpace = piece.endsWith(' ');
      isFirst = false;
    }
    return piece;
  }

  return {
    push(token) {
      held += token;
      const pieces: string[] = [];
      const ready = () => undivided(held, endOfPiece(held, isFirst));
      for (let length = ready(); length > 0; length = ready()) {
        const piece = release(length);
        if (piece !== '') pieces.push(piece);
      }
      return pieces;
    },
    breakOff() {
      held = held.slice(0, held.search(/\S*$/));
    },
    flush() {
      return release(held.length).trimEnd();
    },
  };
}
