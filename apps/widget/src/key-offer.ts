import type { ErrorCode } from './call-state.ts';
import { type ServerApi, WidgetError } from './server-api.ts';

/** The panel is shown without an answer that takes longer. */
const patienceMs = 1500;
/** What is wrong with the page itself: visitors are told before they try. */
const hopeless: readonly ErrorCode[] = ['key_invalid', 'origin_not_allowed'];

/** What the key of a widget offers. It is asked for when the panel opens. */
export class KeyOffer {
  readonly #changed: () => void;
  #key: string | null = null;
  #isKnown = false;
  #countries: readonly string[] | null = null;
  #failure: ErrorCode | null = null;
  #known: Promise<void> = Promise.resolve();

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** The answer came, or was waited for long enough. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Settles when it is. */
  get known(): Promise<void> {
    return this.#known;
  }

  /** Countries in which visitors may be called back; `null` when it is not known. */
  get countries(): readonly string[] | null {
    return this.#countries;
  }

  /** Why nothing will work on this page. */
  get failure(): ErrorCode | null {
    return this.#failure;
  }

  /** Asks once for each key. @param failed is told why nothing will work, for the owner of the page */
  ask(key: string, api: ServerApi, failed: (error: WidgetError) => void): void {
    if (this.#key === key) return;
    this.#key = key;
    this.#isKnown = false;
    this.#countries = null;
    this.#failure = null;
    const late = new Promise((resolve) => setTimeout(resolve, patienceMs));
    const asked = api.settings().then(
      ({ callback_countries }) => {
        if (this.#key === key) this.#countries = callback_countries;
      },
      (error: unknown) => {
        if (this.#key !== key || !(error instanceof WidgetError) || !hopeless.includes(error.code)) return;
        this.#failure = error.code;
        failed(error);
      },
    );
    const known = () => {
      if (this.#key !== key) return;
      this.#isKnown = true;
      this.#changed();
    };
    this.#known = Promise.race([asked, late]).then(known);
    // What comes late is shown late.
    void asked.then(known);
  }

  /** Asks again the next time, unless everything is well. */
  forget(): void {
    if (this.#countries === null) this.#key = null;
  }
}
