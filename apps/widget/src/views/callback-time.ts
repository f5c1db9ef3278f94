import { html, nothing, type TemplateResult } from 'lit';
import { type CallbackState, longestWaitMs } from '../callback.ts';
import type { View } from './view.ts';

const stepMs = 15 * 60_000;
const days = 7;

const startOfDay = (nowMs: number, day: number) => {
  const now = new Date(nowMs);
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + day).getTime();
};

/** The times of a day at which a call can be asked for, every quarter of an hour, in the visitor's time zone. */
function timesOf(day: number, nowMs: number): Date[] {
  const times: Date[] = [];
  const end = Math.min(startOfDay(nowMs, day + 1), nowMs + longestWaitMs);
  for (let at = startOfDay(nowMs, day); at < end; at += stepMs) {
    if (at > nowMs + 60_000) times.push(new Date(at));
  }
  return times;
}

function dayText(day: number, nowMs: number, language: string): string {
  const date = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' });
  const text = date.format(startOfDay(nowMs, day));
  if (day > 1) return text;
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(day, 'day');
  return `${relative.charAt(0).toLocaleUpperCase(language)}${relative.slice(1)}, ${text}`;
}

/** A day and a time as people say them, with the time zone: where a call was promised, it must be clear when. */
export function timeText(when: Date, language: string): string {
  return new Intl.DateTimeFormat(language, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(when);
}

/** When the visitor wants to be called: two lists, which every browser, keyboard and screen reader knows. */
export function callbackTime(
  { strings, language, nowMs, actions }: View,
  { day, failure }: CallbackState,
  error: (id: string, text: string) => TemplateResult,
): TemplateResult {
  const isWrong = failure === 'time_invalid';
  const clock = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' });
  const zone = new Intl.DateTimeFormat(language, { timeZoneName: 'short' })
    .formatToParts(nowMs)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const times = day === null ? [] : timesOf(day, nowMs);
  const usual = times.find((time) => time.getHours() >= 9) ?? times[0];
  const onDay = ({ target }: Event) => {
    const { value } = target as HTMLSelectElement;
    actions.pickDay(value === '' ? null : Number(value));
  };
  return html`<div class="field">
      <label for="day">${strings.callbackTime}</label>
      <select id="day" @change=${onDay}>
        <option value="" ?selected=${day === null}>${strings.callbackNow}</option>
        ${[...Array(days).keys()]
          .filter((each) => timesOf(each, nowMs).length > 0)
          .map(
            (each) =>
              html`<option value=${each} ?selected=${each === day}>${dayText(each, nowMs, language)}</option>`,
          )}
      </select>
    </div>
    ${
      day === null
        ? nothing
        : html`<div class="field">
            <label for="time">${strings.callbackClock} <small>(${zone})</small></label>
            <select
              id="time"
              name="time"
              aria-invalid=${isWrong}
              aria-describedby=${isWrong ? 'time-error' : nothing}
            >
              ${times.map(
                (time) =>
                  html`<option value=${time.toISOString()} ?selected=${time === usual}>${clock.format(time)}</option>`,
              )}
            </select>
          </div>`
    }
    ${isWrong ? error('time-error', strings.errors.time_invalid) : nothing}`;
}
