import type { CallkiteWidget as CallkiteWidgetElement } from '@callkite/widget';
import { CallkiteWidget } from '@callkite/widget/react';
import { type ComponentProps, createElement, createRef } from 'react';
import { createRoot } from 'react-dom/client';

/** What the test reaches of the page. */
interface ReactPage {
  /** Renders the widget, again with other properties. */
  show(props: ComponentProps<typeof CallkiteWidget>): void;
  readonly element: CallkiteWidgetElement | null;
  readonly told: string[];
}

const ref = createRef<CallkiteWidgetElement>();
const root = createRoot(document.body.appendChild(document.createElement('main')));
const told: string[] = [];

const page: ReactPage = {
  show: (props) =>
    root.render(
      createElement(CallkiteWidget, {
        ...props,
        ref,
        onOpen: () => told.push('open'),
        onBeforeCall: (event) => {
          event.detail.variables.plan = 'gold';
          told.push('before-call');
        },
        onCallStart: ({ detail }) => told.push(`call-start ${detail.id}`),
        onCallEnd: ({ detail }) => told.push(`call-end ${detail.reason}`),
      }),
    ),
  get element() {
    return ref.current;
  },
  told,
};
Object.assign(window, { page });
