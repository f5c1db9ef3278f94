import path from 'node:path';
import type { Callkite } from '@callkite/core';
import type { RequestHandler } from 'express';
import { demoSpeech } from './demo-speech.ts';
import { type VisitorDemo, visitorDemo } from './visitor-demo.ts';
import type { WidgetFiles } from './widget-files.ts';

/**
 * Serves a page that shows the widget, below `/demo`. Its calls are test calls: whatever a visitor asks for, only the
 * emulated network rings.
 * @param options.urls addresses of this server under which the page is opened
 */
export function widgetDemo(options: {
  callkite: Pick<Callkite, 'organizations' | 'publishableKeys' | 'workflows'>;
  files: WidgetFiles;
  urls: readonly string[];
}): RequestHandler {
  const { callkite, files } = options;
  const origins = [...new Set(options.urls.map((url) => new URL(url).origin))];
  const sockets = origins.map((origin) => origin.replace(/^http/, 'ws'));
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${sockets.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  let found: Promise<VisitorDemo | null> | undefined;

  return async (request, response, next) => {
    if (request.method !== 'GET') return next();
    const asset = assets[request.path];
    if (asset !== undefined) {
      response.type(path.extname(request.path)).setHeader('cache-control', 'no-cache').send(asset);
      return;
    }
    if (request.path !== '/demo') return next();
    try {
      found ??= visitorDemo(callkite, options.urls);
      const shown = await found;
      if (!shown) found = undefined;
      const integrity = await files.integrity('widget.js');
      response
        .status(shown && integrity ? 200 : 503)
        .setHeader('content-security-policy', policy)
        .setHeader('cache-control', 'no-store')
        .type('html')
        .send(
          shown && integrity
            ? markup(shown, { url: options.urls[0] ?? '', version: files.version, integrity })
            : 'The widget has not been built yet, or the server has no organization yet. Start it with `npx -y pnpm@10 start`.',
        );
    } catch (error) {
      found = undefined;
      next(error);
    }
  };
}

function markup(
  { key, workflowId }: VisitorDemo,
  script: { url: string; version: string; integrity: string },
): string {
  const attributes = `public-key="${key}" workflow="${workflowId}"`;
  const element = `<callkite-widget ${attributes}></callkite-widget>`;
  const snippet = `<script type="module" src="${script.url}/widget/v1/widget.js"></script>\n${element}`;
  const pinned = `<script type="module" crossorigin="anonymous"\n  src="${script.url}/widget/${script.version}/widget.js"\n  integrity="${script.integrity}"></script>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Callkite widget</title>
<link rel="stylesheet" href="demo.css">
<link rel="icon" href="demo.svg">
<script type="module" src="v1/widget.js"></script>
<script type="module" src="demo.js"></script>
</head>
<body>
<main>
<p class="brand">Callkite</p>
<h1>The widget, as your visitors see it</h1>
<p class="lead">Press the button in the corner and ask the assistant of a fictional dental practice something, or have it
call you. It all runs on this machine, and no real phone rings.</p>
<h2>What this demo understands</h2>
<p>The AI model behind this page is a built-in stand-in that follows rules. It reads what you type, but it cannot
understand a human voice. <span id="hearing">To speak, use a browser with speech recognition, such as Chrome, Edge or
Safari.</span></p>
<h2>Try</h2>
<ul>
<li>Ask “When are you open?”, “How much is a check-up?” or “Can I make an appointment?”</li>
<li>Reload this page in the middle of a conversation.</li>
<li>Have a fictional person called: +1 202 555 0102 in the United States.</li>
</ul>
<h2>Put it on a page</h2>
<pre tabindex="0"><code>${escaped(snippet)}</code></pre>
<p>The key is public. It works on pages of the origins it lists, and starts the workflows it lists. A site with a
content security policy needs <code>script-src</code> and <code>connect-src</code> with this server, and nothing else.</p>
<h2>Pin a release</h2>
<pre tabindex="0"><code>${escaped(pinned)}</code></pre>
<p>This address works as long as the server runs this release.</p>
</main>
<callkite-widget ${attributes} voice="off"><div slot="footer" class="speech" id="speech" hidden>
<button type="button" aria-pressed="false">Speak</button> <span role="status"></span></div></callkite-widget>
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character] ?? character);

const style = `
:root { color-scheme: light dark; --text: light-dark(#16181f, #eef0f4); --muted: light-dark(#5a6170, #a4acba);
  --soft: light-dark(#f3f4f6, #1d2026); --page: light-dark(#fff, #111317); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 17px/1.6 system-ui, sans-serif; }
main { max-width: 44rem; padding: clamp(2rem, 8vw, 6rem) 1.5rem 8rem; margin-inline: clamp(0rem, 8vw, 8rem) auto; }
.brand { margin: 0 0 2rem; font-weight: 650; letter-spacing: -.01em; }
h1 { margin: 0 0 1rem; font-size: clamp(1.9rem, 5vw, 2.9rem); line-height: 1.12; letter-spacing: -.03em; text-wrap: balance; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.05rem; letter-spacing: -.01em; }
.lead { color: var(--muted); font-size: 1.15rem; }
ul { padding-inline-start: 1.2rem; }
li { margin-block: .35rem; }
pre { padding: 1rem 1.2rem; overflow-x: auto; border-radius: 12px; background: var(--soft); font-size: .82rem; line-height: 1.6; }
code { font-family: ui-monospace, monospace; }
p code { font-size: .9em; }
.speech { display: flex; gap: .7rem; align-items: center; padding: .6rem .8rem; border-block-start: 1px solid light-dark(#e2e5ea, #30353f);
  color: var(--muted); font-size: 14px; line-height: 1.4; }
.speech[hidden] { display: none; }
.speech button { flex: none; min-block-size: 40px; padding: 6px 14px; border: 1px solid light-dark(#e2e5ea, #30353f); border-radius: 12px;
  background: none; color: var(--text); font: inherit; font-weight: 600; cursor: pointer; }
.speech button[aria-pressed="true"] { background: var(--text); color: var(--page); }
.speech span { overflow-wrap: anywhere; }
`;

const assets: Readonly<Record<string, string>> = {
  '/demo.css': style,
  '/demo.js': demoSpeech,
  '/demo.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2643c9" stroke-width="2.4" stroke-linecap="round"><path d="M4 10v4M8 6.5v11M12 3.5v17M16 7.5v9M20 10.5v3"/></svg>',
};
