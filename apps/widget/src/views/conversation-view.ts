import { html, nothing, type TemplateResult } from 'lit';
import type { Line } from '../call-state.ts';
import { icon, icons } from '../icons.ts';
import { consent } from './consent-view.ts';
import { elapsed, type View } from './view.ts';

const microphoneOff = icon(
  'M9 9v2a3 3 0 0 0 4.6 2.5M15 10.5V6a3 3 0 0 0-5.8-1M5.5 11a6.5 6.5 0 0 0 10 5.5M18.5 11a6.4 6.4 0 0 1-.6 2.7M12 17.5V21M3.5 3.5l17 17',
);
const hangUp = icon(
  'M3.2 15.2a2 2 0 0 1 0-2.9 12.6 12.6 0 0 1 17.6 0 2 2 0 0 1 0 2.9l-1 1a1 1 0 0 1-1.3.1l-2.6-1.8a1 1 0 0 1-.4-1l.3-1.9a11 11 0 0 0-7.6 0l.3 1.9a1 1 0 0 1-.4 1l-2.6 1.8a1 1 0 0 1-1.3-.1Z',
);

const hold = icon('M9 6v12M15 6v12');

/** The conversation while it lasts, and how it ended. */
export function conversationView(view: View): TemplateResult {
  return html`${transcript(view)}
  ${view.call.status === 'ended' ? outcome(view) : [notice(view), controls(view)]}`;
}

function transcript(view: View): TemplateResult {
  const { strings, call, showTranscript } = view;
  return html`<div
    class=${showTranscript ? 'scroll log' : 'sr'}
    part="transcript"
    role="log"
    aria-label=${strings.transcript}
    tabindex="0"
  >
    <p class="disclosure">${strings.disclosure}</p>
    ${call.lines.map((line) => message(view, line))}
  </div>
  ${showTranscript ? nothing : html`<div class="scroll"><div class="welcome"><div class="mark">${icons.voice}</div><p class="lead">${strings.disclosure}</p></div></div>`}`;
}

/** What is still being said is shown, but told to screen readers only when it is final: as a new element. */
function message({ strings }: View, { role, text, final, delivery }: Line): TemplateResult {
  const kind = role === 'user' ? 'message-user' : 'message-agent';
  if (!final) {
    return html`<div class="message ${role} interim" part="message ${kind}" aria-hidden="true">${text}</div>`;
  }
  return html`<div class="message ${role} ${delivery}" part="message ${kind}"
      ><span class="sr">${role === 'user' ? strings.you : strings.assistant}: </span><span dir="auto">${text}</span></div
    >${delivery === 'refused' ? html`<p class="refusal">${strings.notSent}</p>` : nothing}`;
}

function outcome(view: View): TemplateResult {
  const { strings, call, tabs, actions } = view;
  return html`<div class="outcome">
    <p role="status">
      <strong>${strings.endReasons[call.endReason ?? 'agent']}</strong>
      <span class="time">${elapsed(view)}</span>
    </p>
    ${consent(view)}
    <div class="actions">
      <button class="button primary" part="button button-primary" @click=${actions.start}>${strings.startAgain}</button>
      ${
        tabs.includes('callback')
          ? html`<button class="button" part="button" @click=${() => actions.showTab('callback')}>
              ${icons.phone} ${strings.callback}
            </button>`
          : nothing
      }
    </div>
  </div>`;
}

function notice({ strings, call, actions }: View): TemplateResult | typeof nothing {
  if (call.notice === null) return nothing;
  return html`<div class="alert notice" part="error" role="alert">
    ${icons.alert}
    <p>${strings.errors[call.notice]}</p>
    <button class="dismiss" @click=${actions.dismiss}>${strings.dismiss}</button>
  </div>`;
}

function controls(view: View): TemplateResult {
  const { strings, call, actions } = view;
  const canHaveSound = call.status === 'live' && call.media === 'audio' && !call.hasVoice && !call.asking;
  return html`<div class="controls">
    ${activity(view)}
    ${
      canHaveSound
        ? html`<button class="button small" part="button" @click=${actions.soundOn}>
            ${icons.microphone} ${strings.soundOn}
          </button>`
        : nothing
    }
    ${
      call.paused
        ? html`<button class="button small" part="button" @click=${actions.resume}>${strings.resume}</button>`
        : call.hasVoice
          ? html`<button
                class="button small"
                part="button"
                aria-pressed=${call.muted}
                @click=${() => actions.mute(!call.muted)}
              >
                ${call.muted ? microphoneOff : icons.microphone} ${strings.mute}
              </button>
              <button class="button small" part="button" @click=${actions.hold}>${hold} ${strings.hold}</button>`
          : nothing
    }
    <button class="button small end" part="button button-end" @click=${actions.end}>
      ${hangUp} ${strings.end}
    </button>
  </div>`;
}

function activity({ strings, call }: View): TemplateResult {
  const { status, hasVoice, muted, paused } = call;
  const isLive = status === 'live';
  const doing = call.activity === 'ending' ? 'speaking' : call.activity;
  const text = !isLive
    ? status === 'connecting'
      ? strings.connecting
      : ''
    : paused
      ? strings.paused
      : muted && doing === 'listening'
        ? strings.muted
        : doing === 'listening' && !hasVoice
          ? strings.live
          : strings[doing];
  const motion = !isLive ? 'thinking' : paused || (muted && doing === 'listening') ? 'off' : doing;
  return html`<div class="activity">
    <span class="meter ${motion}" aria-hidden="true"><i></i><i></i><i></i><i></i><i></i></span>
    <span>${text}</span>
  </div>`;
}
