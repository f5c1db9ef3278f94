import assert from 'node:assert/strict';
import type { HttpProbe } from './http-probe.ts';
import { assertInvalid, assertProblem, list, record, text } from './http-probe.ts';

type Test = (probe: HttpProbe) => Promise<void>;

const definition = { objective: 'Remind the person of the appointment.' };

/** Workflows, webhooks, keys, connections and numbers. */
export const resources: Readonly<Record<string, Test>> = {
  async 'GET /workflows lists id and name of every workflow'(probe) {
    const { key } = await probe.createOrganization();
    assert.deepEqual((await probe.send('GET', '/workflows', { key })).json, { workflows: [] });
    const created = await probe.send('POST', '/workflows', { key, json: { name: 'Reminder', definition } });
    assert.equal(created.status, 201, created.text);
    const id = text(created.json, 'id');
    assert.deepEqual((await probe.send('GET', '/workflows', { key })).json, {
      workflows: [{ id, name: 'Reminder' }],
    });
    await probe.send('DELETE', `/workflows/${id}`, { key });
    assert.deepEqual((await probe.send('GET', '/workflows', { key })).json, { workflows: [] });
  },

  async 'GET /workflows leaves out those of prompt calls when asked to, and only then'(probe) {
    const { liveKey: key } = probe;
    const prompted = await probe.send('POST', '/call-prompt', {
      key,
      json: { recipient_phone: probe.callee, prompt: 'Ask whether they are open.' },
    });
    const id = text(prompted.json, 'workflow_id');
    const idsOf = async (query: string) =>
      list((await probe.send('GET', `/workflows${query}`, { key })).json, 'workflows').map((each) => each.id);
    const [all, made, generated] = await Promise.all(['', '?source=api', '?source=prompt'].map(idsOf));
    assert.ok(all?.includes(id) && all.includes(probe.workflowId));
    assert.ok(made?.includes(probe.workflowId) && !made.includes(id));
    assert.ok(generated?.includes(id) && !generated.includes(probe.workflowId));
    assert.deepEqual([...(made ?? []), ...(generated ?? [])].toSorted(), all?.toSorted());
    assertInvalid(await probe.send('GET', '/workflows?source=mine', { key }), ['source']);
  },

  async 'workflows are versioned'(probe) {
    const { key } = await probe.createOrganization();
    const created = await probe.send('POST', '/workflows', { key, json: { name: 'Reminder', definition } });
    const path = `/workflows/${text(created.json, 'id')}`;
    assert.equal(record(created.json).version, 1);
    const changed = await probe.send('PATCH', path, {
      key,
      json: { definition: { objective: 'Ask how it went.' }, expected_version: 1 },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(record(changed.json).version, 2);
    assert.equal(text(changed.json, 'name'), 'Reminder');
    const outdated = await probe.send('PATCH', path, { key, json: { name: 'Other', expected_version: 1 } });
    assertProblem(outdated, 409, 'conflict');
    const before = await probe.send('GET', `${path}?version=1`, { key });
    assert.equal(text(record(before.json).definition, 'objective'), definition.objective);
    assertProblem(await probe.send('GET', `${path}?version=9`, { key }), 404, 'not_found');
    assertInvalid(await probe.send('GET', `${path}?version=zero`, { key }), ['version']);
    const stranger = await probe.createOrganization();
    assertProblem(await probe.send('GET', path, { key: stranger.key }), 403, 'forbidden');
    assertProblem(await probe.send('DELETE', path, { key: stranger.key }), 403, 'forbidden');
    const gone = await probe.send('DELETE', path, { key });
    assert.equal(gone.status, 204);
    assert.equal(gone.text, '');
    assertProblem(await probe.send('GET', path, { key }), 404, 'not_found');
  },

  async 'unknown fields of workflows are named'(probe) {
    const { key } = await probe.createOrganization();
    const post = (json: unknown) => probe.send('POST', '/workflows', { key, json });
    assertInvalid(await post({ name: 'Typo', definition, color: 'red' }), ['color']);
    assertInvalid(await post({ name: 'Typo', definition: { ...definition, step: [] } }), ['definition.step']);
    assertInvalid(await post({ name: 'Typo', definition: { steps: [{ title: 'x' }] } }), [
      'definition.objective',
      'definition.steps.0.instruction',
    ]);
    assertInvalid(await probe.send('PATCH', '/workflows/wf_x', { key, json: {} }), ['body']);
  },

  async 'forms are versioned, belong to one organization and attach to workflows'(probe) {
    const { key } = await probe.createOrganization();
    const fields = [
      { name: 'Full name', type: 'text', required: true },
      { name: 'Drink', type: 'select', options: ['Tea', 'Coffee'] },
    ];
    const created = await probe.send('POST', '/forms', { key, json: { title: 'Visit', fields } });
    assert.equal(created.status, 201, created.text);
    const id = text(created.json, 'id');
    assert.deepEqual(record(created.json).fields, [fields[0], { ...fields[1], required: false }]);
    const path = `/forms/${id}`;
    const changed = await probe.send('PATCH', path, { key, json: { title: 'Stay', expected_version: 1 } });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(record(changed.json).version, 2);
    const outdated = await probe.send('PATCH', path, { key, json: { title: 'x', expected_version: 1 } });
    assertProblem(outdated, 409, 'conflict');
    assert.equal(text((await probe.send('GET', `${path}?version=1`, { key })).json, 'title'), 'Visit');
    assertProblem(await probe.send('GET', `${path}?version=9`, { key }), 404, 'not_found');
    assert.deepEqual(
      list((await probe.send('GET', '/forms', { key })).json, 'forms').map((form) => form.title),
      ['Stay'],
    );
    const attach = (forms: string[], by = key) =>
      probe.send('POST', '/workflows', {
        key: by,
        json: { name: 'With form', definition: { ...definition, forms } },
      });
    assert.equal((await attach([id])).status, 201);
    assertProblem(await attach([id, 'form_unknown']), 400, 'validation_failed');
    const stranger = await probe.createOrganization();
    assertProblem(await attach([id], stranger.key), 400, 'validation_failed');
    assert.deepEqual(list((await probe.send('GET', '/forms', { key: stranger.key })).json, 'forms'), []);
    for (const [method, json] of [
      ['GET', undefined],
      ['PATCH', { title: 'Mine' }],
      ['DELETE', undefined],
    ] as const) {
      assertProblem(await probe.send(method, path, { key: stranger.key, json }), 403, 'forbidden');
    }
    assert.equal((await probe.send('DELETE', path, { key })).status, 204);
    assertProblem(await probe.send('GET', path, { key }), 404, 'not_found');
    assertProblem(await probe.send('GET', path, { key: stranger.key }), 404, 'not_found');
  },

  async 'options belong to fields that are a choice'(probe) {
    const { key } = await probe.createOrganization();
    const post = (...fields: object[]) =>
      probe.send('POST', '/forms', { key, json: { title: 'Visit', fields } });
    assertInvalid(await post({ name: 'Drink', type: 'select' }), ['fields.0.options']);
    assertInvalid(await post({ name: 'Drinks', type: 'multi-select', options: [] }), ['fields.0.options']);
    assertInvalid(await post({ name: 'Name', type: 'text', options: ['Jordan'] }), ['fields.0.options']);
    assertInvalid(await post({ name: 'When', type: 'date' }), ['fields.0.type']);
    assertInvalid(await post({ name: '__proto__', type: 'text' }), ['fields.0.name']);
    assertInvalid(await post({ name: 'Drink', type: 'select', options: ['Tea', 'tea'] }), [
      'fields.0.options.1',
    ]);
    assertInvalid(await post({ name: 'Name', type: 'text' }, { name: 'name', type: 'email' }), [
      'fields.1.name',
    ]);
    assertInvalid(await post(), ['fields']);
  },

  async 'transfer integrations belong to one organization and attach to workflows'(probe) {
    const { liveKey: key } = probe;
    const settings = { name: 'Front desk', phone_number: '+12025550160' };
    const post = (json: object, by = key) => probe.send('POST', '/transfer-integrations', { key: by, json });
    const created = await post(settings);
    assert.equal(created.status, 201, created.text);
    const { id, created_at: _, ...rest } = record(created.json);
    assert.deepEqual(rest, {
      ...settings,
      mode: 'warm',
      transfer_url: null,
      fallback_numbers: [],
      ring_seconds: 25,
      take_messages: true,
      available: true,
    });
    const path = `/transfer-integrations/${String(id)}`;
    assert.deepEqual((await probe.send('GET', path, { key })).json, created.json);
    const changed = await probe.send('PATCH', path, {
      key,
      json: { mode: 'cold', fallback_numbers: ['+12025550161'] },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.json, {
      ...record(created.json),
      mode: 'cold',
      fallback_numbers: ['+12025550161'],
    });
    const listed = list(
      (await probe.send('GET', '/transfer-integrations', { key })).json,
      'transfer_integrations',
    );
    assert.ok(listed.some((each) => each.id === id));
    assertInvalid(await post({ ...settings, phone_number: '+19005550199' }), ['phone_number']);
    assertInvalid(await post({ ...settings, phone_number: '112' }), ['phone_number']);
    assertInvalid(await post({ ...settings, fallback_numbers: ['+12025550160'] }), ['fallback_numbers.0']);
    assertInvalid(await post({ ...settings, transfer_url: 'ftp://example.com/' }), ['transfer_url']);
    assertInvalid(await post({ ...settings, mode: 'hot' }), ['mode']);
    assertInvalid(await post({ ...settings, ring_seconds: 4 }), ['ring_seconds']);
    assertInvalid(await probe.send('PATCH', path, { key, json: {} }), ['body']);
    assertInvalid(await probe.send('PATCH', path, { key, json: { phone_number: '+12025550161' } }), [
      'fallback_numbers.0',
    ]);
    const attach = (transfer: string[]) =>
      probe.send('POST', '/workflows', {
        key,
        json: { name: 'With transfer', definition: { ...definition, abilities: { transfer } } },
      });
    assert.equal((await attach([String(id)])).status, 201);
    assertProblem(await attach(['tri_unknown']), 400, 'validation_failed');
    const stranger = await probe.createOrganization();
    assertProblem(await post(settings, stranger.key), 403, 'business_profile_required');
    for (const method of ['GET', 'DELETE'] as const) {
      assertProblem(await probe.send(method, path, { key: stranger.key }), 404, 'not_found');
    }
    assert.equal((await probe.send('DELETE', path, { key })).status, 204);
    assertProblem(await probe.send('GET', path, { key }), 404, 'not_found');
  },

  async 'webhooks are created with a secret that is shown once, tested, and deleted'(probe) {
    const { key } = await probe.createOrganization();
    const created = await probe.send('POST', '/webhooks', {
      key,
      json: { name: 'CRM', url: 'http://127.0.0.1:9/webhooks' },
    });
    assert.equal(created.status, 201, created.text);
    assert.match(text(created.json, 'secret'), /^whsec_/);
    const id = text(created.json, 'id');
    const listed = await probe.send('GET', '/webhooks', { key });
    assert.deepEqual(Object.keys(list(listed.json, 'webhooks')[0] ?? {}).sort(), [
      'created_at',
      'former_secret_expires_at',
      'id',
      'name',
      'url',
    ]);
    const rotated = await probe.send('POST', `/webhooks/${id}/rotate-secret`, { key });
    assert.equal(rotated.status, 200, rotated.text);
    assert.match(text(rotated.json, 'secret'), /^whsec_/);
    assert.notEqual(text(rotated.json, 'secret'), text(created.json, 'secret'));
    const relisted = await probe.send('GET', '/webhooks', { key });
    assert.deepEqual(
      list(relisted.json, 'webhooks').map((webhook) => webhook.former_secret_expires_at),
      [text(rotated.json, 'former_secret_expires_at')],
    );
    const patch = (json: object) => probe.send('PATCH', `/webhooks/${id}`, { key, json });
    const changed = await patch({ name: 'New CRM', url: 'http://127.0.0.1:9/moved' });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.json, {
      ...list(relisted.json, 'webhooks')[0],
      name: 'New CRM',
      url: 'http://127.0.0.1:9/moved',
    });
    assert.deepEqual(list((await probe.send('GET', '/webhooks', { key })).json, 'webhooks'), [changed.json]);
    assertInvalid(await patch({}), ['body']);
    assertInvalid(await patch({ url: 'ftp://example.com/' }), ['url']);
    assertInvalid(await patch({ name: '' }), ['name']);
    assertInvalid(await patch({ name: 'CRM', secret: 'mine' }), ['secret']);
    const sent = await probe.send('POST', `/webhooks/${id}/test`, { key });
    assert.equal(text(sent.json, 'url'), 'http://127.0.0.1:9/moved');
    assert.equal(sent.status, 202, sent.text);
    const deliveryId = text(sent.json, 'id');
    const deliveries = await probe.send('GET', `/webhooks/${id}/deliveries`, { key });
    assert.deepEqual(
      list(deliveries.json, 'deliveries').map((delivery) => delivery.id),
      [deliveryId],
    );
    const one = await probe.send('GET', `/deliveries/${deliveryId}`, { key });
    assert.equal(text(one.json, 'webhook_id'), id);
    assert.ok(Array.isArray(record(one.json).attempts));
    const stranger = await probe.createOrganization();
    for (const [method, path] of [
      ['DELETE', `/webhooks/${id}`],
      ['PATCH', `/webhooks/${id}`],
      ['POST', `/webhooks/${id}/rotate-secret`],
      ['POST', `/webhooks/${id}/test`],
      ['GET', `/webhooks/${id}/deliveries`],
      ['GET', `/deliveries/${deliveryId}`],
      ['POST', `/deliveries/${deliveryId}/resend`],
    ] as const) {
      const json = method === 'PATCH' ? { name: 'Mine' } : undefined;
      assertProblem(await probe.send(method, path, { key: stranger.key, json }), 404, 'not_found');
    }
    assert.equal((await probe.send('DELETE', `/webhooks/${id}`, { key })).status, 204);
    assertProblem(await probe.send('DELETE', `/webhooks/${id}`, { key }), 404, 'not_found');
    assertProblem(await probe.send('GET', `/webhooks/${id}/deliveries`, { key }), 404, 'not_found');
  },

  async 'API keys are shown once, listed by their beginning, and revoked at once'(probe) {
    const { key } = await probe.createOrganization();
    const created = await probe.send('POST', '/api-keys', { key, json: { name: 'Second', mode: 'live' } });
    assert.equal(created.status, 201, created.text);
    const second = text(created.json, 'key');
    assert.ok(second.startsWith(text(created.json, 'prefix')));
    assert.match(second, /^ck_live_/);
    const listed = await probe.send('GET', '/api-keys', { key });
    assert.equal(list(listed.json, 'api_keys').length, 2);
    assert.ok(!listed.text.includes(second));
    assert.equal((await probe.send('GET', '/workflows', { key: second })).status, 200);
    const revoked = await probe.send('DELETE', `/api-keys/${text(created.json, 'id')}`, { key });
    assert.equal(revoked.status, 200, revoked.text);
    assert.ok(text(revoked.json, 'revoked_at'));
    assertProblem(await probe.send('GET', '/workflows', { key: second }), 401, 'unauthenticated');
    assertProblem(await probe.send('GET', '/api-keys', { key: probe.testKey }), 403, 'forbidden');
  },

  async 'the operator lists and revokes the API keys of an organization'(probe) {
    const { operatorToken } = probe;
    const { id, key } = await probe.createOrganization();
    const path = `/organizations/${id}/api-keys`;
    const json = { name: 'Second', mode: 'test' };
    const created = record((await probe.send('POST', path, { key: operatorToken, json })).json);
    const { key: second, ...shown } = created;
    const listed = await probe.send('GET', path, { key: operatorToken });
    assert.deepEqual(list(listed.json, 'api_keys')[0], shown);
    assert.equal(list(listed.json, 'api_keys').length, 2);
    assert.ok(!listed.text.includes(key) && !listed.text.includes(String(second)));
    assert.equal((await probe.send('GET', '/workflows', { key: String(second) })).status, 200);
    const target = `${path}/${shown.id}`;
    for (const [method, at] of [
      ['GET', path],
      ['DELETE', target],
    ] as const) {
      assertProblem(await probe.send(method, at, { key }), 401, 'unauthenticated');
    }
    const other = await probe.createOrganization();
    const elsewhere = `/organizations/${other.id}/api-keys/${shown.id}`;
    assertProblem(await probe.send('DELETE', elsewhere, { key: operatorToken }), 404, 'not_found');
    assertProblem(
      await probe.send('GET', '/organizations/org_x/api-keys', { key: operatorToken }),
      404,
      'not_found',
    );
    const revoked = await probe.send('DELETE', target, { key: operatorToken });
    assert.equal(revoked.status, 200, revoked.text);
    assert.ok(text(revoked.json, 'revoked_at'));
    assertProblem(await probe.send('GET', '/workflows', { key: String(second) }), 401, 'unauthenticated');
    assert.equal((await probe.send('GET', '/workflows', { key })).status, 200);
    assert.deepEqual((await probe.send('DELETE', target, { key: operatorToken })).json, revoked.json);
    const relisted = await probe.send('GET', path, { key: operatorToken });
    assert.deepEqual(list(relisted.json, 'api_keys')[0], revoked.json);
  },

  async 'lists are paged'(probe) {
    const { key } = await probe.createOrganization();
    for (const name of ['a', 'b'])
      await probe.send('POST', '/api-keys', { key, json: { name, mode: 'live' } });
    const seen: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await probe.send(
        'GET',
        `/api-keys?limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
        {
          key,
        },
      );
      assert.equal(page.status, 200, page.text);
      seen.push(...list(page.json, 'api_keys').map(({ name }) => name));
      const next = record(page.json).next_cursor;
      assert.ok(next === null || typeof next === 'string');
      cursor = next;
    }
    assert.deepEqual(seen, ['b', 'a', 'Conformance']);
  },

  async 'an organization has a limit of call minutes that the operator sets'(probe) {
    const key = probe.operatorToken;
    const post = (json: object) =>
      probe.send('POST', '/organizations', { key, json: { name: 'Limited', ...json } });
    const created = await post({ daily_call_minutes: 7 });
    assert.equal(created.status, 201, created.text);
    assert.equal(record(created.json).daily_call_minutes, 7);
    const path = `/organizations/${text(created.json, 'id')}`;
    const detail = async () => (await probe.send('GET', path, { key })).json;
    assert.deepEqual(await detail(), { ...record(created.json), call_minutes_today: 0 });
    const changed = await probe.send('PATCH', path, {
      key,
      json: { name: 'Free', allowed_countries: ['GB'], daily_call_minutes: null },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.json, {
      ...record(created.json),
      name: 'Free',
      allowed_countries: ['GB'],
      daily_call_minutes: null,
    });
    assert.deepEqual(await detail(), { ...record(changed.json), call_minutes_today: 0 });
    const usual = record((await post({})).json).daily_call_minutes;
    assert.ok(usual === null || typeof usual === 'number', 'the limit of the server');
    for (const daily_call_minutes of [0, 1.5, '7']) {
      assertInvalid(await post({ daily_call_minutes }), ['daily_call_minutes']);
      assertInvalid(await probe.send('PATCH', path, { key, json: { daily_call_minutes } }), [
        'daily_call_minutes',
      ]);
    }
    assertInvalid(await probe.send('PATCH', path, { key, json: {} }), ['body']);
    assertProblem(
      await probe.send('PATCH', path, { key, json: { allowed_countries: ['XX'] } }),
      400,
      'validation_failed',
    );
    for (const method of ['GET', 'PATCH']) {
      const json = method === 'GET' ? undefined : { name: 'x' };
      assertProblem(await probe.send(method, '/organizations/org_x', { key, json }), 404, 'not_found');
      assertProblem(await probe.send(method, path, { key: probe.liveKey, json }), 401, 'unauthenticated');
    }
  },

  async 'connections and numbers are those of the key’s mode, and never tell a secret'(probe) {
    const connections = list(
      (await probe.send('GET', '/connections', { key: probe.liveKey })).json,
      'connections',
    );
    const [connection] = connections;
    assert.ok(connection, 'the organization under test has a live connection');
    assert.ok(connections.every(({ mode }) => mode === 'live'));
    assert.ok(!Object.keys(connection).some((name) => /secret/.test(name)));
    const path = `/connections/${connection.id}`;
    assert.deepEqual((await probe.send('GET', path, { key: probe.liveKey })).json, connection);
    const owned = await probe.send('GET', `${path}/numbers`, { key: probe.liveKey });
    assert.ok(
      list(owned.json, 'numbers').some(({ connected }) => connected === true),
      owned.text,
    );
    const numbers = list((await probe.send('GET', '/numbers', { key: probe.liveKey })).json, 'numbers');
    assert.equal(numbers.filter(({ is_default }) => is_default === true).length, 1);
    const [number] = numbers;
    const { key: stranger } = await probe.createOrganization();
    for (const key of [probe.testKey, stranger]) {
      for (const [method, target] of [
        ['GET', path],
        ['DELETE', path],
        ['POST', `${path}/refresh`],
        ['GET', `${path}/numbers`],
        ['DELETE', `/numbers/${number?.id}`],
      ] as const) {
        assertProblem(await probe.send(method, target, { key }), 404, 'not_found');
      }
    }
  },
};
