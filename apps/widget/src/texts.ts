import { languageFor, loadPack, stringsOf } from './strings/languages.ts';
import type { LanguagePack, StringOverrides, Strings } from './strings/strings.ts';

/** The texts of a widget, in the language it has just now. */
export class Texts {
  readonly #needed: () => Promise<unknown>;
  readonly #loaded: () => void;
  #pack: {
    readonly tag: string;
    readonly loading: Promise<LanguagePack>;
    texts: LanguagePack | null;
  } | null = null;

  /** @param needed loads what else has to be there before the texts are shown */
  constructor(needed: () => Promise<unknown>, loaded: () => void) {
    this.#needed = needed;
    this.#loaded = loaded;
  }

  /** `null` until the language is loaded. */
  get(tag: string, overrides: StringOverrides): Strings | null {
    const texts = this.#pack?.tag === tag ? this.#pack.texts : null;
    return texts && stringsOf(languageFor(tag), texts, overrides);
  }

  /** Rejects when it cannot be loaded; the next time it is tried again. */
  async load(tag: string, overrides: StringOverrides): Promise<Strings> {
    if (this.#pack?.tag !== tag) this.#pack = { tag, loading: loadPack(languageFor(tag)), texts: null };
    const pack = this.#pack;
    try {
      [pack.texts] = await Promise.all([pack.loading, this.#needed()]);
    } catch (error) {
      if (this.#pack === pack) this.#pack = null;
      throw error;
    }
    this.#loaded();
    return stringsOf(languageFor(tag), pack.texts, overrides);
  }
}
