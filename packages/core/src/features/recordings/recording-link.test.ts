import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { createRecordingLinks } from './recording-link.ts';

let nowMs = 1_790_000_000_000;
const links = createRecordingLinks({
  publicUrl: 'https://calls.example.com/phone',
  hmacs: (text) => [createHmac('sha256', 'key').update(text).digest('base64url')],
  now: () => nowMs,
});

it('holds for fifteen minutes, for one recording, and only as it was signed', () => {
  const url = new URL(links.urlOf('rec_1'));
  expect(url.origin + url.pathname).toBe('https://calls.example.com/phone/recordings/rec_1');
  const link = {
    expires: url.searchParams.get('expires') ?? '',
    signature: url.searchParams.get('signature') ?? '',
  };
  expect(links.check('rec_1', link)).toBe('valid');
  expect(links.check('rec_2', link)).toBe('forged');
  expect(links.check('rec_1', { ...link, expires: String(Number(link.expires) + 60) })).toBe('forged');
  expect(links.check('rec_1', { ...link, signature: '' })).toBe('forged');
  nowMs += 15 * 60_000 - 1_000;
  expect(links.check('rec_1', link)).toBe('valid');
  nowMs += 1_000;
  expect(links.check('rec_1', link)).toBe('expired');
});
