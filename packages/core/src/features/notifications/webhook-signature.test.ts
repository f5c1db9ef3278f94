import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createSigningSecret, signatureHeaders } from './webhook-signature.ts';

const body = '{"call_summary":"späß"}';

describe('webhook signatures', () => {
  it('use secrets of 24 bytes, all different', () => {
    const secret = createSigningSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(createSigningSecret()).not.toBe(secret);
  });

  it('are HMAC-SHA-256 over id, seconds and body', () => {
    const secret = createSigningSecret();
    const at = new Date('2026-01-02T03:04:05.678Z');
    const digest = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(`dlv_1.1767323045.${body}`)
      .digest('base64');
    expect(signatureHeaders([secret], 'dlv_1', body, at)).toEqual({
      'webhook-id': 'dlv_1',
      'webhook-timestamp': '1767323045',
      'webhook-signature': `v1,${digest}`,
    });
  });

  it('are accepted by the library receivers use, and only for these bytes', () => {
    const secret = createSigningSecret();
    const headers = signatureHeaders([secret], 'dlv_1', body, new Date());
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    expect(() => new Webhook(createSigningSecret()).verify(body, headers)).toThrow();
  });

  it('are one for each secret, in order, and each secret verifies them', () => {
    const secrets = [createSigningSecret(), createSigningSecret()];
    const at = new Date();
    const headers = signatureHeaders(secrets, 'dlv_1', body, at);
    expect(headers['webhook-signature']).toBe(
      secrets.map((secret) => new Webhook(secret).sign('dlv_1', at, body)).join(' '),
    );
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  });
});
