/** Where the server prints what is meant for people. */
export interface Terminal {
  /** Prints a line as it is. */
  print(line: string): void;
  /** Prints a text, wrapped to the width. @param paint colors each line */
  printText(text: string, paint?: (line: string) => string): void;
  /** Columns to wrap text to. */
  readonly columns: number;
  readonly paint: Paint;
}

/** Colors, where the terminal has them and `NO_COLOR` is not set. */
export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  strong(text: string): string;
  quiet(text: string): string;
}

interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Node's: looks at `TERM`, `NO_COLOR` and `FORCE_COLOR`. */
  hasColors?(): boolean;
}

const defaultColumns = 100;
const narrowest = 20;

/** @param plainColumns width of output that is no terminal: a file or a pipe */
export function createTerminal(stream: Stream, plainColumns = defaultColumns): Terminal {
  const print = (line: string) => {
    stream.write(`${line}\n`);
  };
  const columns = () => Math.max(narrowest, (stream.isTTY ? stream.columns : undefined) ?? plainColumns);
  return {
    print,
    printText: (text, paint = asItIs) => {
      for (const line of wrap(text, columns())) print(paint(line));
    },
    get columns() {
      return columns();
    },
    paint: stream.isTTY && stream.hasColors?.() ? colors : plain,
  };
}

const colored = (code: number) => (text: string) => `\u001B[${code}m${text}\u001B[0m`;
const colors: Paint = { good: colored(32), bad: colored(31), strong: colored(1), quiet: colored(2) };
const asItIs = (text: string) => text;
const plain: Paint = { good: asItIs, bad: asItIs, strong: asItIs, quiet: asItIs };

/** Breaks a text into lines of at most so many columns, all of them indented as it is. A longer word stays whole. */
export function wrap(text: string, columns: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(/\s+/)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > columns) {
      lines.push(indent + line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, indent + line];
}
