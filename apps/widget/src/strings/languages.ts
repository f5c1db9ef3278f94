import type { LanguagePack, StringOverrides, Strings } from './strings.ts';

/** The words on the button, so that a page needs no more than one file until it is pressed. */
const greetings = {
  en: 'Talk to us',
  de: 'Sprechen Sie mit uns',
  es: 'Hable con nosotros',
  fr: 'Parlez-nous',
  pt: 'Fale conosco',
  ar: 'تحدّث إلينا',
};

/** What is said when the rest of the texts cannot be loaded. */
const offline: Record<Language, string> = {
  en: "We couldn't connect. Please check your internet connection.",
  de: 'Keine Verbindung. Bitte prüfen Sie Ihre Internetverbindung.',
  es: 'No hay conexión. Compruebe su conexión a internet.',
  fr: 'Connexion impossible. Vérifiez votre accès à internet.',
  pt: 'Sem conexão. Verifique sua internet.',
  ar: 'لا يوجد اتصال. تحقق من اتصالك بالإنترنت.',
};

/** A language the widget speaks by itself. */
export type Language = keyof typeof greetings;

const packs: Record<Language, () => Promise<LanguagePack>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  es: async () => (await import('./es.ts')).es,
  fr: async () => (await import('./fr.ts')).fr,
  pt: async () => (await import('./pt.ts')).pt,
  ar: async () => (await import('./ar.ts')).ar,
};

const rightToLeft = ['ar', 'dv', 'fa', 'he', 'ps', 'ur', 'yi'];
const primary = (tag: string) => tag.toLowerCase().split('-')[0] ?? '';

/** The language of the texts, for the first of the wanted tags; English for what the widget does not speak. */
export function languageFor(tag: string): Language {
  const language = primary(tag);
  return Object.hasOwn(greetings, language) ? (language as Language) : 'en';
}

/** What stands on the button, and above the panel, where the page has no words of its own. */
export const greetingOf = (language: Language): string => greetings[language];

export const offlineText = (language: Language): string => offline[language];

/** `rtl` for languages written from the right, known to the widget or brought by the page. */
export const directionOf = (tag: string): 'ltr' | 'rtl' =>
  rightToLeft.includes(primary(tag)) ? 'rtl' : 'ltr';

/** The texts of a language. A pack that cannot be loaded is stood in for by English. */
export function loadPack(language: Language): Promise<LanguagePack> {
  return packs[language]().catch(packs.en);
}

/** What is shown: the page's own texts over the language's. */
export function stringsOf(language: Language, pack: LanguagePack, overrides: StringOverrides): Strings {
  const greeting = greetingOf(language);
  const own = overrides as Partial<Strings>;
  return {
    launcher: greeting,
    heading: greeting,
    ...pack,
    ...own,
    // That a machine speaks is always said, whatever the words.
    disclosure: own.disclosure?.trim() || pack.disclosure,
    endReasons: { ...pack.endReasons, ...own.endReasons },
    callbackSteps: { ...pack.callbackSteps, ...own.callbackSteps },
    errors: { ...pack.errors, ...own.errors },
  };
}
