import { html, nothing, type TemplateResult } from 'lit';
import type { ErrorCode } from '../call-state.ts';
import { icons } from '../icons.ts';
import { consent, legal } from './consent-view.ts';
import { errorText, type View } from './view.ts';

/** Talking and typing: the way in, then the conversation, which comes with the first call. */
export function talkView(view: View): TemplateResult {
  const { call, conversationView } = view;
  const isIn = call.status === 'ready' || (call.status === 'connecting' && !conversationView);
  // One template for all states: the field keeps its focus and what is typed in it.
  return html`${isIn ? welcome(view) : conversationView?.(view)}
  ${call.status === 'ended' ? nothing : composer(view)}`;
}

function welcome(view: View): TemplateResult {
  const { strings, voice, call, actions } = view;
  return html`<div class="scroll">
    <div class="welcome">
      <div class="mark">${icons.voice}</div>
      <p class="lead">${voice ? strings.intro : strings.introText}</p>
      ${view.failure === null ? nothing : failure(view, view.failure)} ${consent(view)}
      <div class="actions">
        <button
          class="button primary"
          part="button button-primary"
          aria-disabled=${call.status === 'connecting'}
          @click=${actions.start}
        >
          ${voice ? icons.microphone : nothing} ${startText(view)}
        </button>
      </div>
      ${voice ? html`<p class="hint">${strings.microphoneHint}</p>` : nothing} ${legal(view)}
    </div>
  </div>`;
}

function startText({ strings, voice, call }: View): string {
  if (call.status === 'connecting') return strings.connecting;
  if (call.failure !== null) return strings.tryAgain;
  return voice ? strings.start : strings.startText;
}

function failure(view: View, code: ErrorCode): TemplateResult {
  const { strings, call, tabs, actions } = view;
  return html`<div class="alert error" part="error" role="alert">
    ${icons.alert}
    <p>
      ${errorText(view, code, call.failureUntil)}
      ${
        tabs.includes('callback')
          ? html`<button class="dismiss" @click=${() => actions.showTab('callback')}>${strings.callback}</button>`
          : nothing
      }
    </p>
  </div>`;
}

function composer({ strings, actions }: View): TemplateResult {
  const submit = (form: HTMLFormElement) => {
    const field = form.elements.namedItem('message') as HTMLTextAreaElement;
    const text = field.value.trim();
    if (text !== '' && actions.send(text)) form.reset();
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    submit(event.currentTarget as HTMLFormElement);
  };
  const onKey = (event: KeyboardEvent) => {
    // While a word is being composed, Enter takes the word and does not send it.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit((event.currentTarget as HTMLTextAreaElement).form as HTMLFormElement);
  };
  return html`<form class="composer" part="composer" @submit=${onSubmit}>
    <textarea
      name="message"
      rows="1"
      maxlength="2000"
      autocomplete="off"
      enterkeyhint="send"
      aria-label=${strings.message}
      placeholder=${strings.message}
      @keydown=${onKey}
    ></textarea>
    <button type="submit" part="button" aria-label=${strings.send} title=${strings.send}>${icons.send}</button>
  </form>`;
}
