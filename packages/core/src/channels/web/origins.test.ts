import { expect, it } from 'vitest';
import { isAllowedOrigin, normalizedOrigin } from './origins.ts';

it.each([
  ['https://www.example.com', 'https://www.example.com', true],
  ['https://www.example.com', 'http://www.example.com', false],
  ['https://www.example.com', 'https://www.example.com:8443', false],
  ['https://*.example.com', 'https://a.example.com', true],
  ['https://*.example.com', 'https://a.b-c.example.com', true],
  ['https://*.example.com', 'https://example.com', false],
  ['https://*.example.com', 'https://.example.com', false],
  ['https://*.example.com', 'https://evil.example/.example.com', false],
  ['https://*.example.com', 'https://user@a.example.com', false],
  ['https://*.example.com', 'https://aexample.com', false],
  ['https://*.example.com:8443', 'https://a.example.com:8443', true],
  ['https://*.example.com:8443', 'https://a.example.com', false],
  ['https://www.example.com', 'null', false],
  ['https://www.example.com', '', false],
])('%s lets %s in: %s', (pattern, origin, isAllowed) => {
  expect(isAllowedOrigin(origin, ['http://localhost:3000', pattern])).toBe(isAllowed);
});

it('leaves out the port that goes without saying, as browsers do', () => {
  expect(normalizedOrigin('https://example.com:443')).toBe('https://example.com');
  expect(normalizedOrigin('http://*.example.com:80')).toBe('http://*.example.com');
  expect(normalizedOrigin('https://example.com:80')).toBe('https://example.com:80');
});
