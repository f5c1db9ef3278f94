import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { callReason } from '@callkite/contract';
import { describe, expect, it } from 'vitest';
import { statusOf } from '../../packages/core/src/http/problem.ts';
import { answerTables } from '../bench/answer.ts';

const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');

describe('the architecture page', () => {
  const page = read('packages/core/README.md');
  const section = (title: string) =>
    new RegExp(`^#+ ${title}\n([\\s\\S]*?)(?=^#|(?![\\s\\S]))`, 'm').exec(page)?.[1] ?? '';

  it('leads to places that exist', () => {
    const rows = [...section('The rooms').matchAll(/^\| [^|]+ \| ([^|]+) \|$/gm)].slice(1);
    const places = rows.flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([\w./-]+)`/g)].map(([, place = '']) => place),
    );
    expect(places.length).toBeGreaterThanOrEqual(10);
    const find = (place: string) => (place.startsWith('packages/') ? place : `packages/core/src/${place}`);
    const missing = places.filter((place) => !existsSync(new URL(`../../${find(place)}`, import.meta.url)));
    expect(missing).toEqual([]);
  });

  it('lists every error code with its status', () => {
    const rows = [...section('Errors').matchAll(/^\| `(\w+)` *\| (\d+) *\|/gm)];
    expect(Object.fromEntries(rows.map((row) => [row[1], Number(row[2])]))).toEqual(statusOf);
  });

  it('explains every reason', () => {
    const rows = [...section('Reasons').matchAll(/^\| `(\w+)` *\|/gm)];
    expect(rows.map((row) => row[1]).sort()).toEqual([...callReason.options].sort());
  });

  it('tells how often words mistake who answered, as `pnpm bench answer` finds', () => {
    const rows = section('Who answered')
      .split('\n')
      .map((line) =>
        line
          .split('|')
          .map((cell) => cell.trim())
          .filter(Boolean)
          .join(' | '),
      );
    const { confusion, errorRates } = answerTables('held-out');
    for (const row of [...confusion, ...errorRates]) expect(rows).toContain(Object.values(row).join(' | '));
  });
});

describe('README.md', () => {
  it('links to what is there', () => {
    const links = [...read('README.md').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(new URL(`../../${link}`, import.meta.url)))).toEqual([]);
  });

  const snippets = [...read('README.md').matchAll(/<!-- from (\S+) -->\n+```ts\n([\s\S]*?)```/g)];

  it('shows code that the tests run', () => {
    expect(snippets.length).toBeGreaterThan(0);
    for (const [, file = '', code] of snippets) expect(read(file), file).toContain(code);
  });
});
