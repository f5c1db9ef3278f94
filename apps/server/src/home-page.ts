import { createHash } from 'node:crypto';
import type { CallRecord } from '@callkite/core';
import { maskedNumber } from './masked-number.ts';

/** What the page at `/` shows. */
export interface HomeView {
  readonly state: 'starting' | 'ready' | 'not ready';
  /** Why it is not ready, in a few words; empty otherwise. */
  readonly problems: readonly string[];
  readonly links: readonly { readonly href: string; readonly name: string; readonly meaning: string }[];
  /** What the server runs on, for whoever may know. */
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** Newest first. `null`: not for this visitor. */
  readonly calls: readonly ShownCall[] | null;
}

export type ShownCall = Pick<
  CallRecord,
  'mode' | 'to' | 'state' | 'outcome' | 'workflowName' | 'createdAt' | 'durationSeconds'
>;

const titles: Record<HomeView['state'], string> = {
  starting: 'Callkite is starting',
  ready: 'Callkite is running',
  'not ready': 'Callkite is not ready',
};

const style = `
:root { color-scheme: light dark; --text: light-dark(#16181f, #eef0f4); --muted: light-dark(#565d6b, #a9b1bf);
  --line: light-dark(#dcdfe5, #343944); --page: light-dark(#fff, #111317); --accent: light-dark(#2643c9, #9db0ff);
  --good: light-dark(#12703c, #63d597); --bad: light-dark(#a3380f, #ffab7d); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; }
main { max-width: 48rem; margin: 0 auto; padding: clamp(1.5rem, 6vw, 4rem) 1.25rem 4rem; overflow-wrap: anywhere; }
.brand { margin: 0 0 1.5rem; font-weight: 650; }
h1 { margin: 0; font-size: clamp(1.7rem, 5vw, 2.5rem); line-height: 1.15; letter-spacing: -.02em; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.05rem; }
a { color: var(--accent); text-underline-offset: .2em; }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: 2px; }
.state { margin: .75rem 0 0; color: var(--good); } .state.bad { color: var(--bad); }
ul { list-style: none; margin: 0; padding: 0; }
li, dl > div { padding: .65rem 0; border-top: 1px solid var(--line); }
dl { margin: 0; } dl > div { display: grid; grid-template-columns: 9rem 1fr; gap: .25rem 1rem; } dd { margin: 0; }
dt, .quiet { color: var(--muted); }
.call { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; }
.call .quiet { font-size: .9rem; } .call > :nth-child(even) { text-align: end; }
.number { font-variant-numeric: tabular-nums; }
@media (max-width: 30rem) { dl > div { grid-template-columns: 1fr; } }
`;

/** The policy of the page: its own style, and nothing else. */
export const homePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const icon =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 24 24%22 fill=%22none%22 stroke=%22%232643c9%22 stroke-width=%222.4%22 stroke-linecap=%22round%22%3E%3Cpath d=%22M4 10v4M8 6.5v11M12 3.5v17M16 7.5v9M20 10.5v3%22/%3E%3C/svg%3E';

/** The page at `/`: what this is, how it is, and where to go on. Without a script. */
export function homeMarkup({ state, problems, links, facts, calls }: HomeView): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titles[state]}</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<main>
<p class="brand">Callkite</p>
<h1>${titles[state]}</h1>
${stateLine(state, problems)}
<h2 id="links">Go to</h2>
<ul aria-labelledby="links">
${links.map(({ href, name, meaning }) => `<li><a href="${escaped(href)}">${escaped(name)}</a> <span class="quiet">${escaped(meaning)}</span></li>`).join('\n')}
</ul>
${facts.length === 0 ? '' : factList(facts)}
${calls === null ? '' : callList(calls)}
</main>
</body>
</html>
`;
}

function stateLine(state: HomeView['state'], problems: readonly string[]): string {
  switch (state) {
    case 'ready':
      return '<p class="state">Ready to take calls.</p>';
    case 'starting':
      return '<p class="state bad">Reload this page in a moment.</p>';
    case 'not ready':
      return `<p class="state bad">${escaped(problems.join('; ') || 'Look at the log.')}</p>`;
  }
}

function factList(facts: HomeView['facts']): string {
  const rows = facts.map(
    ({ name, value }) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`,
  );
  return `<h2>Runs on</h2>\n<dl>\n${rows.join('\n')}\n</dl>`;
}

function callList(calls: readonly ShownCall[]): string {
  if (calls.length === 0) return '<h2>Last calls</h2>\n<p class="quiet">No calls yet.</p>';
  const rows = calls.map(
    (
      call,
    ) => `<li class="call"><span class="number">${escaped(maskedNumber(call.to))}</span><span>${resultOf(call)}</span>
<span class="quiet">${escaped(call.workflowName)}${call.mode === 'test' ? ', test call' : ''}</span><time class="quiet" datetime="${call.createdAt.toISOString()}">${call.createdAt.toISOString().slice(0, 16).replace('T', ' ')} UTC</time></li>`,
  );
  return `<h2 id="calls">Last calls</h2>\n<ul aria-labelledby="calls">\n${rows.join('\n')}\n</ul>
<p class="quiet">Shown only on this machine, and only on the emulated phone network. Reload to see what is new.</p>`;
}

function resultOf({ state, outcome, durationSeconds }: ShownCall): string {
  const result = outcome === null ? state : `${outcome.callStatus}, ${outcome.providerStatus}`;
  const words = result.replaceAll('_', ' ');
  return escaped(durationSeconds ? `${words} (${durationSeconds} s)` : words);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
