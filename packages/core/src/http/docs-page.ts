/** The documentation page: our own markup, style and script, so that it works offline and under a strict policy. */
export const docsMarkup = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Callkite API</title>
<link rel="stylesheet" href="docs/page.css">
<script src="docs/page.js" defer></script>
</head>
<body>
<a class="skip" href="#operations">Skip to the operations</a>
<header>
<h1>Callkite API</h1>
<p id="description"></p>
<label for="key">API key or operator token</label>
<input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="ck_test_…">
<p class="note">The key stays in this page. Requests are real: a live key dials real phones.
The <a href="openapi.json">OpenAPI document</a> describes the same for machines.</p>
</header>
<div class="columns">
<nav aria-label="Operations"><ul id="contents"></ul></nav>
<main id="operations" tabindex="-1"><p role="status">Loading…</p></main>
</div>
<noscript><p>This page needs JavaScript; the <a href="openapi.json">OpenAPI document</a> does not.</p></noscript>
</body>
</html>
`;

export const docsStyle = `
:root { color-scheme: light dark; --line: light-dark(#ccc, #444); --soft: light-dark(#f4f4f6, #1d1f24);
  --accent: light-dark(#0b57d0, #8ab4f8); --quiet: light-dark(#50555c, #a8adb5); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h2 { margin: 2rem 0 .5rem; } h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
a { color: var(--accent); }
.skip { position: absolute; left: -100rem; } .skip:focus { position: static; }
.note, .meaning { color: var(--quiet); }
label { display: block; font-weight: 600; margin-top: .75rem; }
input, textarea { width: 100%; padding: .5rem; font: .9rem/1.4 ui-monospace, monospace; color: inherit;
  background: Canvas; border: 1px solid var(--line); border-radius: .3rem; }
button { margin: .75rem 0; padding: .5rem 1rem; font: inherit; color: Canvas; background: var(--accent);
  border: 0; border-radius: .3rem; cursor: pointer; }
button:disabled { opacity: .6; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
pre { overflow: auto; padding: .75rem; background: var(--soft); border-radius: .3rem; font-size: .85rem; }
code { font-family: ui-monospace, monospace; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; }
summary { padding: .6rem .8rem; cursor: pointer; }
details > div { padding: 0 .8rem .8rem; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700; font-family: ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem; border-bottom: 1px solid var(--line); }
nav ul { list-style: none; padding: 0; }
@media (min-width: 60rem) { .columns { display: grid; grid-template-columns: 14rem 1fr; gap: 2rem; }
  nav { position: sticky; top: 1rem; align-self: start; } }
`;

export const docsScript = String.raw`
'use strict';

const methods = ['get', 'post', 'patch', 'delete'];
const byId = (id) => document.getElementById(id);

function element(name, properties, ...children) {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
}

function code(value) {
  return element('pre', { tabIndex: 0 }, element('code', {}, typeof value === 'string' ? value : JSON.stringify(value, null, 2)));
}

function resolve(api, schema) {
  if (!schema || !schema.$ref) return schema;
  return schema.$ref.slice(2).split('/').reduce((at, key) => at[key], api);
}

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').pop();
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.type === 'array') return typeOf(schema.items || {}) + '[]';
  return [schema.type, schema.format].filter(Boolean).join(', ') || 'any';
}

function fieldTable(caption, rows) {
  const head = element('tr', {}, ...['Name', 'Type', 'Required', 'Meaning'].map((text) => element('th', { scope: 'col' }, text)));
  const body = rows.map(([name, schema, required, meaning]) =>
    element('tr', {}, element('td', {}, element('code', {}, name)), element('td', {}, typeOf(schema)),
      element('td', {}, required ? 'yes' : 'no'), element('td', {}, meaning || schema.description || '')));
  return element('table', {}, element('caption', { className: 'note' }, caption), element('thead', {}, head), element('tbody', {}, ...body));
}

function schemaTable(api, caption, schema) {
  const resolved = resolve(api, schema);
  const required = resolved.required || [];
  return fieldTable(caption, Object.entries(resolved.properties || {})
    .map(([name, field]) => [name, field, required.includes(name), '']));
}

function input(id, label) {
  return [element('label', { htmlFor: id }, label), element('input', { id, autocomplete: 'off' })];
}

function tryForm(path, method, operation, example) {
  const form = element('form', {});
  const idOf = (name) => operation.operationId + '-' + name;
  for (const parameter of operation.parameters) form.append(...input(idOf(parameter.name), parameter.name));
  if (operation.requestBody) {
    form.append(element('label', { htmlFor: idOf('body') }, 'Body'),
      element('textarea', { id: idOf('body'), rows: 10, spellcheck: false, value: JSON.stringify(example || {}, null, 2) }));
  }
  const button = element('button', { type: 'submit' }, 'Send');
  const output = element('div', { ariaLive: 'polite' });
  form.append(button, output);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      output.replaceChildren(...await send(path, method, operation, idOf));
    } catch (error) {
      output.replaceChildren(element('p', {}, 'The request could not be sent: ' + error.message));
    } finally {
      button.disabled = false;
    }
  });
  return form;
}

async function send(path, method, operation, idOf) {
  const headers = new Headers();
  const query = new URLSearchParams();
  let target = path.slice(1);
  for (const { name, in: place } of operation.parameters) {
    const value = byId(idOf(name)).value;
    if (place === 'path') target = target.replace('{' + name + '}', encodeURIComponent(value));
    else if (value && place === 'query') query.set(name, value);
    else if (value) headers.set(name, value);
  }
  const key = byId('key').value.trim();
  if (key && operation.security.length > 0) headers.set('Authorization', 'Bearer ' + key);
  const body = operation.requestBody ? byId(idOf('body')).value : undefined;
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  const answer = await fetch(query.size ? target + '?' + query : target, { method: method.toUpperCase(), headers, body, cache: 'no-store' });
  const text = await answer.text();
  let shown = text;
  try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* shown as it is */ }
  return [element('h3', {}, answer.status + ' ' + answer.statusText),
    code([...answer.headers].map(([name, value]) => name + ': ' + value).join('\n')), code(shown)];
}

function describeOperation(api, path, method, operation) {
  const content = element('div', {}, element('p', {}, operation.description || ''));
  if (operation.parameters.length > 0) {
    content.append(fieldTable('Parameters', operation.parameters
      .map(({ name, schema, required, description, in: place }) => [name, schema, required, description || schema.description || 'in the ' + place])));
  }
  const request = operation.requestBody && operation.requestBody.content['application/json'];
  if (request) content.append(schemaTable(api, 'Body', request.schema));
  content.append(element('h3', {}, 'Answers'));
  const answers = Object.entries(operation.responses).map(([status, { description, content: body }]) => {
    const schema = body && body['application/json'].schema;
    return element('tr', {}, element('td', {}, status), element('td', {}, schema ? typeOf(schema) : ''), element('td', {}, description.replaceAll(String.fromCharCode(96), '')));
  });
  content.append(element('table', {}, element('tbody', {}, ...answers)));
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'));
  const answer = success && success[1].content && success[1].content['application/json'];
  if (answer) {
    content.append(schemaTable(api, 'Fields of a ' + success[0], answer.schema));
    if (answer.example) content.append(code(answer.example));
  }
  content.append(element('h3', {}, 'Try it'), tryForm(path, method, operation, request && request.example));
  return element('details', { id: operation.operationId },
    element('summary', {}, element('span', { className: 'method' }, method.toUpperCase()),
      element('code', {}, path), ' ', element('span', { className: 'meaning' }, operation.summary)), content);
}

function describeSchemas(api) {
  return Object.entries(api.components.schemas).map(([name, schema]) =>
    element('details', { id: 'schema-' + name }, element('summary', {}, element('code', {}, name)), element('div', {}, code(schema))));
}

async function show() {
  const api = await (await fetch('openapi.json')).json();
  byId('description').textContent = api.info.description + ' Version ' + api.info.version + '.';
  const sections = api.tags.map(({ name }) => {
    const operations = Object.entries(api.paths).flatMap(([path, item]) => methods
      .filter((method) => item[method] && item[method].tags.includes(name))
      .map((method) => describeOperation(api, path, method, item[method])));
    return [name, element('section', {}, element('h2', { id: 'tag-' + name }, name), ...operations)];
  });
  sections.push(['Schemas', element('section', {}, element('h2', { id: 'tag-Schemas' }, 'Schemas'), ...describeSchemas(api))]);
  byId('operations').replaceChildren(...sections.map(([, section]) => section));
  byId('contents').replaceChildren(...sections.map(([name]) =>
    element('li', {}, element('a', { href: '#' + encodeURIComponent('tag-' + name) }, name))));
}

show().catch((error) => {
  byId('operations').replaceChildren(element('p', { role: 'alert' }, 'The API description could not be loaded: ' + error.message));
});
`;
