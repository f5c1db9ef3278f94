import { html, nothing, type TemplateResult } from 'lit';
import { icons } from '../icons.ts';
import type { ClosedView } from './view.ts';

/** The button alone. */
export const closedView = (view: ClosedView): TemplateResult =>
  landmark(view, 'floating', html`${trouble(view)}${launcher(view, view.launcher)}`);

/** The widget as a part of the page that one can go to by name. */
export function landmark(
  { label, language, direction }: ClosedView,
  place: 'inline' | 'floating',
  content: TemplateResult,
): TemplateResult {
  return html`<section class=${place} aria-label=${label} lang=${language} dir=${direction}>${content}</section>`;
}

const trouble = ({ trouble: text }: ClosedView) =>
  text === null ? nothing : html`<p class="bubble" part="error" role="alert">${text}</p>`;

/** The button that opens the panel. @param time of the call that is open */
export function launcher({ actions }: ClosedView, text: string, time?: string): TemplateResult {
  return html`<button class="launcher" part="launcher" aria-expanded="false" @click=${actions.open}>
    <slot name="launcher">
      ${icons.voice}<span>${text}</span>${time === undefined ? nothing : html`<span class="time">${time}</span>`}
    </slot>
  </button>`;
}
