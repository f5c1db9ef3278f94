import { html, nothing, type TemplateResult } from 'lit';
import { type CallbackState, longestWaitMs, noCallback } from '../callback.ts';
import { icon, icons } from '../icons.ts';
import { callingCodes, e164, likelyCountry } from '../phone-number.ts';
import { legal } from './consent-view.ts';
import type { View } from './view.ts';

const check = icon('M5.5 12.5l4.2 4.2 8.8-9.2');

/** Being called: the form, and where the call stands. */
export function callbackView(view: View): TemplateResult {
  return html`<div class="scroll">${view.callback?.step === 'requested' ? progress(view, view.callback) : form(view)}</div>`;
}

function progress({ strings, language, nowMs, actions }: View, callback: CallbackState): TemplateResult {
  const { phone, when } = callback;
  const phoneCall = callback.phoneCall ?? 'queued';
  const step = phoneCall === 'queued' && when && when.getTime() > nowMs ? 'scheduled' : phoneCall;
  const time =
    when && new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short' }).format(when);
  const sentence = strings.callbackSteps[step]
    .replace('{phone}', `\u2066${phone}\u2069`)
    .replace('{time}', time ?? '');
  return html`<div class="welcome">
    <div class="mark ${step === 'completed' ? 'good' : ''}">${step === 'completed' ? check : icons.phone}</div>
    <p class="lead" role="status">${sentence}</p>
    <button class="button" part="button" @click=${actions.resetCallback}>${strings.callbackAgain}</button>
  </div>`;
}

function form(view: View): TemplateResult {
  const { strings, callbackConsentMissing, nowMs, actions } = view;
  const { failure, step } = view.callback ?? noCallback;
  const isTimeWrong = failure === 'time_invalid';
  const isPhoneWrong = failure === 'phone_invalid' || failure === 'phone_not_allowed';
  const onSubmit = (event: Event) => {
    event.preventDefault();
    const element = event.currentTarget as HTMLFormElement;
    const fields = new FormData(element);
    const time = element.elements.namedItem('when') as HTMLInputElement;
    const text = (name: string) => String(fields.get(name) ?? '');
    if (step === 'sending') return;
    actions.requestCallback({
      phone: e164(text('phone'), text('country')),
      name: text('name').trim(),
      // Half a time counts as none in the form's data, and must not be taken for now.
      when: time.validity.badInput ? 'half a time' : time.value || undefined,
      agreedTo: fields.has('agreed') ? strings.callbackConsent : null,
    });
  };
  const error = (id: string, text: string) =>
    html`<p class="alert error" part="error" role="alert" id=${id}>${icons.alert} ${text}</p>`;
  return html`<form class="fields" novalidate @submit=${onSubmit}>
    <p>${strings.callbackIntro}</p>
    <div class="field">
      <label for="country">${strings.country}</label>
      <select id="country" name="country" autocomplete="country">
        ${countries(view)}
      </select>
    </div>
    <div class="field">
      <label for="phone">${strings.phone}</label>
      <input
        id="phone"
        name="phone"
        type="tel"
        dir="ltr"
        autocomplete="tel-national"
        inputmode="tel"
        required
        maxlength="30"
        aria-invalid=${isPhoneWrong}
        aria-describedby=${isPhoneWrong ? 'phone-error' : nothing}
      />
      ${isPhoneWrong ? error('phone-error', strings.errors[failure]) : nothing}
    </div>
    <div class="field">
      <label for="name">${strings.name} <small>(${strings.optional})</small></label>
      <input id="name" name="name" autocomplete="name" maxlength="200" />
    </div>
    <div class="field">
      <label for="when">${strings.callbackTime} <small>(${strings.callbackTimeHint})</small></label>
      <input
        id="when"
        name="when"
        type="datetime-local"
        min=${localMinute(nowMs)}
        max=${localMinute(nowMs + longestWaitMs)}
        aria-invalid=${isTimeWrong}
        aria-describedby=${isTimeWrong ? 'when-error' : nothing}
      />
      ${isTimeWrong ? error('when-error', strings.errors.time_invalid) : nothing}
    </div>
    <label class="consent ${callbackConsentMissing ? 'missing' : ''}" part="consent">
      <input
        id="agreed"
        type="checkbox"
        name="agreed"
        required
        aria-invalid=${callbackConsentMissing}
        aria-describedby=${callbackConsentMissing ? 'agreed-missing' : nothing}
      />
      <span>${strings.callbackConsent}</span>
    </label>
    ${callbackConsentMissing ? error('agreed-missing', strings.consentMissing) : nothing}
    ${failure !== null && !isPhoneWrong && !isTimeWrong ? error('callback-error', strings.errors[failure]) : nothing}
    <button class="button primary" part="button button-primary" aria-disabled=${step === 'sending'}>
      ${icons.phone} ${step === 'sending' ? strings.connecting : strings.callMe}
    </button>
    ${legal(view)}
  </form>`;
}

/** As fields for a time have it: without a zone. */
function localMinute(ms: number): string {
  const zoneMs = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - zoneMs).toISOString().slice(0, 16);
}

const sorted = new Map<string, readonly { code: string; text: string }[]>();

function countries({ language }: View): TemplateResult[] {
  let options = sorted.get(language);
  if (!options) {
    const names = new Intl.DisplayNames([language, 'en'], { type: 'region' });
    options = [...callingCodes]
      .map(([code, calling]) => ({ code, text: `${names.of(code) ?? code} (+${calling})` }))
      .sort((a, b) => a.text.localeCompare(b.text, language));
    sorted.set(language, options);
  }
  const country = likelyCountry(navigator.languages);
  return options.map(
    ({ code, text }) => html`<option value=${code} ?selected=${code === country}>${text}</option>`,
  );
}
