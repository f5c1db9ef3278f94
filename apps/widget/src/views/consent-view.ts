import { html, nothing, type TemplateResult } from 'lit';
import type { View } from './view.ts';

/** What the visitor agrees to before a call, as the page asks for it. */
export function consent({
  strings,
  consent: { mode, agreed, missing },
  actions,
}: View): TemplateResult | typeof nothing {
  if (mode === 'off') return nothing;
  if (mode === 'notice') return html`<p class="consent" part="consent">${strings.consentNotice}</p>`;
  const onChange = ({ target }: Event) => actions.agree((target as HTMLInputElement).checked);
  return html`<label class="consent ${missing ? 'missing' : ''}" part="consent">
      <input
        id="consent"
        type="checkbox"
        .checked=${agreed}
        aria-invalid=${missing}
        aria-describedby=${missing ? 'consent-missing' : nothing}
        @change=${onChange}
      />
      <span>${strings.consent}</span>
    </label>
    ${missing ? html`<p class="alert error" part="error" role="alert" id="consent-missing">${strings.consentMissing}</p>` : nothing}`;
}

/** The links to terms and privacy, where the page gives them. */
export function legal({ strings, consent: { termsUrl, privacyUrl } }: View): TemplateResult | typeof nothing {
  if (!termsUrl && !privacyUrl) return nothing;
  const link = (url: string, text: string) =>
    url ? html`<a href=${url} target="_blank" rel="noopener">${text}</a>` : nothing;
  return html`<p class="legal">${link(termsUrl, strings.terms)} ${link(privacyUrl, strings.privacy)}</p>`;
}
