import { html, nothing, type TemplateResult } from 'lit';
import { icons } from '../icons.ts';
import { closedView, landmark, launcher } from './closed-view.ts';
import { talkView } from './talk-view.ts';
import { elapsed, isOpenCall, type Tab, type View } from './view.ts';

/** The whole widget: the button, or the panel it opens. */
export function widgetView(view: View): TemplateResult {
  const { inline, open, strings, call } = view;
  if (inline || open) return landmark(view, inline ? 'inline' : 'floating', panel(view));
  if (!isOpenCall(view)) return closedView(view);
  const status = call.status === 'live' ? strings.live : strings.connecting;
  return landmark(view, 'floating', launcher(view, status, elapsed(view)));
}

function panel(view: View): TemplateResult {
  const { inline, actions, tab, tabs } = view;
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing || inline) return;
    event.stopPropagation();
    actions.close();
  };
  const hasTabs = tabs.length > 1 && !isOpenCall(view);
  return html`<div
    class="panel ${view.call.status}"
    part="panel"
    role=${inline ? 'group' : 'dialog'}
    aria-labelledby="title"
    tabindex="-1"
    @keydown=${onKey}
  >
    ${header(view)}
    ${hasTabs ? tabList(view) : nothing}
    <div
      class="view"
      id="view"
      role=${hasTabs ? 'tabpanel' : nothing}
      aria-labelledby=${hasTabs ? `tab-${tab}` : nothing}
    >
      ${tab === 'talk' ? talkView(view) : view.callbackView?.(view)}
    </div>
    <slot name="footer"></slot>
  </div>`;
}

function header(view: View): TemplateResult {
  const { strings, call, avatar, actions } = view;
  const hide = ({ target }: Event) => (target as HTMLElement).remove();
  return html`<header part="header">
    <slot name="header">
      <span class="avatar">${avatar ? html`<img src=${avatar} alt="" @error=${hide} />` : icons.voice}</span>
    </slot>
    <div class="who">
      <p class="title" id="title">${view.heading}</p>
      <p class="state" part="status">
        <span class="dot"></span>
        <span role="status">${statusText(view)}</span>
        ${call.startedAtMs === null || call.status === 'ready' ? nothing : html`<span class="time">${elapsed(view)}</span>`}
      </p>
    </div>
    ${
      view.inline
        ? nothing
        : html`<button class="icon" part="button" aria-label=${strings.close} title=${strings.close} @click=${actions.close}>
            ${icons.close}
          </button>`
    }
  </header>`;
}

function statusText({ strings, call }: View): string {
  switch (call.status) {
    case 'ready':
      return strings.ready;
    case 'connecting':
      return call.asking ? strings.allowMicrophone : strings.connecting;
    case 'live':
      return call.agentName === null ? strings.ready : `${call.agentName} · ${strings.ready}`;
    case 'reconnecting':
      return strings.reconnecting;
    case 'ended':
      return strings.ended;
  }
}

function tabList({ strings, tab, tabs, direction, actions }: View): TemplateResult {
  const names: Record<Tab, string> = { talk: strings.talk, callback: strings.callback };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.indexOf(tab) + (direction === 'rtl' ? -step : step);
    const next = tabs[(at + tabs.length) % tabs.length] ?? tab;
    actions.showTab(next);
    const list = event.currentTarget as HTMLElement;
    list.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return html`<div class="tabs" role="tablist" @keydown=${onKey}>
    ${tabs.map(
      (each) => html`<button
        class="tab"
        role="tab"
        id="tab-${each}"
        aria-selected=${each === tab}
        aria-controls=${each === tab ? 'view' : nothing}
        tabindex=${each === tab ? 0 : -1}
        @click=${() => actions.showTab(each)}
      >
        ${names[each]}
      </button>`,
    )}
  </div>`;
}
