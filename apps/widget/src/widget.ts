import { CallkiteWidget } from './callkite-widget.ts';

export type { CallStatus, EndReason, ErrorCode } from './call-state.ts';
export type { CallkiteEvents } from './events.ts';
export type { CallbackOptions, GivenConsent, StartOptions } from './options.ts';
export type { StringOverrides, Strings } from './strings/strings.ts';
export { CallkiteWidget };

declare global {
  interface HTMLElementTagNameMap {
    'callkite-widget': CallkiteWidget;
  }
}

const tag = 'callkite-widget';

// A page may bring the script twice, through two tag managers.
if (!customElements.get(tag)) {
  customElements.define(tag, CallkiteWidget);
  addFromScriptTag();
}

/** For site builders that allow a script and no element: `<script type="module" src="…" data-public-key data-workflow>`. */
function addFromScriptTag(): void {
  const script = [...document.querySelectorAll<HTMLScriptElement>('script[data-public-key]')].find(
    ({ src }) => src === import.meta.url,
  );
  if (!script) return;
  const widget = document.createElement(tag);
  for (const { name, value } of script.attributes) {
    if (name.startsWith('data-')) widget.setAttribute(name.slice('data-'.length), value);
  }
  document.body.append(widget);
}
