import { Script } from 'node:vm';
import { expect, it } from 'vitest';
import { docsMarkup, docsScript, docsStyle } from './docs-page.ts';

it('is a script that parses, and finds the elements it fills', () => {
  expect(() => new Script(docsScript)).not.toThrow();
  const wanted = [...docsScript.matchAll(/byId\('([\w-]+)'\)/g)].map(([, id]) => id);
  expect(wanted.length).toBeGreaterThan(3);
  for (const id of wanted) expect(docsMarkup).toContain(`id="${id}"`);
});

it('never turns text of the API into markup', () => {
  expect(docsScript).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|eval\(/);
});

it('loads nothing from elsewhere', () => {
  for (const part of [docsMarkup, docsScript, docsStyle]) expect(part).not.toMatch(/https?:|\/\//);
});
