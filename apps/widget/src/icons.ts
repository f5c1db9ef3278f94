import { html, type TemplateResult } from 'lit';

/** One stroked path on a square of 24. */
export const icon = (path: string): TemplateResult =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;

/** Those that are needed from the beginning; the others lie where they are used. */
export const icons = {
  voice: icon('M4 10v4M8 6.5v11M12 3.5v17M16 7.5v9M20 10.5v3'),
  microphone: icon(
    'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3ZM5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21',
  ),
  phone: icon(
    'M6.6 3.5 9 4.2l1 4-2 1.7a12.5 12.5 0 0 0 6.1 6.1l1.7-2 4 1 .7 2.4a2 2 0 0 1-2 2.6A15.5 15.5 0 0 1 4 5.5a2 2 0 0 1 2.6-2Z',
  ),
  send: icon('M12 19.5v-15M5.5 11 12 4.5l6.5 6.5'),
  close: icon('M6 9.5l6 6 6-6'),
  alert: icon('M12 8v5M12 16.2v.3M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z'),
};
