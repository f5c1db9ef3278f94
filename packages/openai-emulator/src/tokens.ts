/** Splits text into word-like tokens that join back to exactly the same text. */
export function splitIntoTokens(text: string): string[] {
  return text.match(/\s*\S{1,12}|\s+$/gu) ?? [];
}

/** Splits the JSON of tool-call arguments into the fragments that a stream carries. */
export function splitArguments(json: string): string[] {
  return json.match(/[\s\S]{1,12}/gu) ?? [];
}

/** A rough count for text of any length: four characters a token. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** Padding that evens out the size of frames, as the API sends it. */
export function obfuscation(text: string): string {
  return 'o8Kq2ZxW5vTnRj7b'.slice(text.length % 16);
}
