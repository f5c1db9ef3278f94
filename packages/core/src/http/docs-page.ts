import type { Route } from '../kernel/route.ts';

const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Callkite API</title>
<link rel="icon" href="data:,">`;

/** The page whose content is made by the script of an `ApiReference`. */
export function referencePage(version: string): string {
  return `${head}
</head>
<body>
<div id="reference"></div>
<script src="docs/reference.js?v=${version}" defer></script>
<noscript><p>This page needs JavaScript; the <a href="openapi.json">OpenAPI document</a> does not.</p></noscript>
</body>
</html>
`;
}

/** The page of hosts that lend no `ApiReference`: what there is, without a script. */
export function plainPage(routes: readonly Route[]): string {
  const rows = routes.map(
    ({ method, path, summary }) =>
      `<tr><td>${method}</td><td><code>${escaped(path)}</code></td><td>${escaped(summary)}</td></tr>`,
  );
  return `${head}
<link rel="stylesheet" href="docs/page.css">
</head>
<body>
<h1>Callkite API</h1>
<p>The <a href="openapi.json">OpenAPI document</a> describes every operation, with examples: open it in the API tool of your
choice. To read and try the API on this page, install <code>@callkite/api-reference</code> and give
<code>apiReference: apiReference()</code> to <code>createCallkite</code>.</p>
<table>
<thead><tr><th scope="col">Method</th><th scope="col">Path</th><th scope="col">What it does</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export const plainPageStyle = `
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid light-dark(#ddd, #444); }
`;
