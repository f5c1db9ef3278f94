import { html, nothing, type TemplateResult } from 'lit';
import type { ErrorCode } from '../call-state.ts';
import { type CallbackState, noCallback } from '../callback.ts';
import { icon, icons } from '../icons.ts';
import { callingCodes, e164, likelyCountry, writtenNumber } from '../phone-number.ts';
import type { Strings } from '../strings/strings.ts';
import { callbackTime, timeText } from './callback-time.ts';
import { legal } from './consent-view.ts';
import { errorText, type View } from './view.ts';

const check = icon('M5.5 12.5l4.2 4.2 8.8-9.2');

/** Being called: the form, and where the call stands. */
export function callbackView(view: View): TemplateResult {
  const { callback, callbackCountries } = view;
  // A key that calls nobody back.
  if (callbackCountries?.length === 0)
    return html`<div class="scroll">${trouble(view, 'workflow_disabled')}</div>`;
  return html`<div class="scroll">${callback?.step === 'requested' ? progress(view, callback) : form(view, callback ?? noCallback)}</div>`;
}

const alert = (id: string, text: string) =>
  html`<p class="alert error" part="error" role="alert" id=${id}>${icons.alert} ${text}</p>`;

const trouble = (view: View, code: ErrorCode, until: Date | null = null) =>
  alert('callback-error', errorText(view, code, until));

const outcomes = { reached: 'completed', missed: 'missed', canceled: 'canceled', failed: 'failed' } as const;

function stepOf({ phoneCall, result, when }: CallbackState, nowMs: number): keyof Strings['callbackSteps'] {
  if (result !== null) return outcomes[result];
  const state = phoneCall ?? 'queued';
  return state === 'queued' && when && when.getTime() > nowMs ? 'scheduled' : state;
}

/** On one line, with spaces and hyphens that do not break. */
const unbroken = (number: string) => number.replace(/ /g, '\u00a0').replace(/-/g, '\u2011');

function progress({ strings, language, nowMs, actions }: View, callback: CallbackState): TemplateResult {
  const { phone, when } = callback;
  const step = stepOf(callback, nowMs);
  const sentence = strings.callbackSteps[step]
    .replace('{phone}', `\u2066${unbroken(writtenNumber(phone))}\u2069`)
    .replace('{time}', when ? timeText(when, language) : '');
  return html`<div class="welcome">
    <div class="mark ${step === 'completed' ? 'good' : ''}">${step === 'completed' ? check : icons.phone}</div>
    <p class="lead" role="status">${sentence}</p>
    <div class="actions">
      ${
        step === 'missed' || step === 'failed'
          ? html`<button class="button primary" part="button button-primary" @click=${actions.repeatCallback}>
              ${icons.phone} ${strings.callbackRepeat}
            </button>`
          : nothing
      }
      ${
        step === 'scheduled'
          ? html`<button class="button" part="button" @click=${actions.cancelCallback}>${strings.callbackCancel}</button>`
          : nothing
      }
      <button class="button" part="button" @click=${actions.resetCallback}>${strings.callbackAgain}</button>
    </div>
  </div>`;
}

const phoneFailures: readonly (ErrorCode | null)[] = ['phone_missing', 'phone_invalid', 'phone_not_allowed'];

function form(view: View, callback: CallbackState): TemplateResult {
  const { strings, callbackConsentMissing, actions } = view;
  const { failure, failureUntil, step } = callback;
  const isPhoneWrong = phoneFailures.includes(failure);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    const element = event.currentTarget as HTMLFormElement;
    const fields = new FormData(element);
    const text = (name: string) => String(fields.get(name) ?? '').trim();
    const time = text('time');
    if (step === 'sending') return;
    actions.requestCallback({
      phone: text('phone') === '' ? '' : e164(text('phone'), text('country')),
      name: text('name'),
      when: time === '' ? undefined : new Date(time),
      agreedTo: fields.has('agreed') ? strings.callbackConsent : null,
    });
  };
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
        value=${callback.phone && writtenNumber(callback.phone)}
        aria-invalid=${isPhoneWrong}
        aria-describedby=${isPhoneWrong ? 'phone-error' : nothing}
      />
      ${isPhoneWrong && failure ? alert('phone-error', strings.errors[failure]) : nothing}
    </div>
    <div class="field">
      <label for="name">${strings.name} <small>(${strings.optional})</small></label>
      <input id="name" name="name" autocomplete="name" maxlength="200" />
    </div>
    ${callbackTime(view, callback, alert)}
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
    ${callbackConsentMissing ? alert('agreed-missing', strings.consentMissing) : nothing}
    ${failure !== null && !isPhoneWrong && failure !== 'time_invalid' ? trouble(view, failure, failureUntil) : nothing}
    <button class="button primary" part="button button-primary" aria-disabled=${step === 'sending'}>
      ${icons.phone} ${step === 'sending' ? strings.connecting : strings.callMe}
    </button>
    ${legal(view)}
  </form>`;
}

const sorted = new Map<string, readonly { code: string; text: string }[]>();

function countries({ language, callbackCountries }: View): TemplateResult[] {
  let options = sorted.get(language);
  if (!options) {
    const names = new Intl.DisplayNames([language, 'en'], { type: 'region' });
    options = [...callingCodes]
      .map(([code, calling]) => ({ code, text: `${names.of(code) ?? code} (+${calling})` }))
      .sort((a, b) => a.text.localeCompare(b.text, language));
    sorted.set(language, options);
  }
  const offered = options.filter(({ code }) => callbackCountries?.includes(code) ?? true);
  const likely = likelyCountry(navigator.languages);
  const country = offered.some(({ code }) => code === likely) ? likely : offered[0]?.code;
  return offered.map(
    ({ code, text }) => html`<option value=${code} ?selected=${code === country}>${text}</option>`,
  );
}
