import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import * as z from 'zod';
import { answerQuestions } from '../server-process.ts';

// What a careful team would write by hand: a key check, validation, and two inserts in one transaction.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
await pool.query('create schema if not exists baseline');
await pool.query(
  'create table if not exists baseline.keys (hash text primary key, organization_id text not null)',
);
await pool.query(`create table if not exists baseline.calls (
  id text primary key, organization_id text not null, workflow_id text not null, recipient_phone text not null,
  recipient_name text, recipient_email text, recipient_context text, status text not null,
  created_at timestamptz not null default now())`);
await pool.query(`create table if not exists baseline.jobs (
  id text primary key, call_id text not null references baseline.calls (id), due_at timestamptz not null default now())`);

const key = `ck_live_${randomBytes(24).toString('hex')}`;
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
await pool.query('insert into baseline.keys values ($1, $2)', [hashOf(key), 'org_1']);

const body = z.object({
  recipient_phone: z.string().regex(/^\+[1-9]\d{6,14}$/),
  workflow_id: z.string().min(1),
  recipient_name: z.string().optional(),
  recipient_email: z.email().optional(),
  recipient_context: z.string().optional(),
});

const app = express();
app.use(express.json());
app.post('/call', async (request, response) => {
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  const found = await pool.query({
    name: 'key',
    text: 'select organization_id from baseline.keys where hash = $1',
    values: [hashOf(token)],
  });
  const organizationId = found.rows[0]?.organization_id;
  if (!organizationId) {
    response.status(401).json({ error: 'Invalid API key' });
    return;
  }
  const parsed = body.safeParse(request.body);
  if (!parsed.success) {
    response.status(400).json({ error: 'Validation failed' });
    return;
  }
  const call = parsed.data;
  const id = randomUUID();
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query({
      name: 'call',
      text: `insert into baseline.calls (id, organization_id, workflow_id, recipient_phone, recipient_name,
        recipient_email, recipient_context, status) values ($1, $2, $3, $4, $5, $6, $7, 'queued')`,
      values: [
        id,
        organizationId,
        call.workflow_id,
        call.recipient_phone,
        call.recipient_name ?? null,
        call.recipient_email ?? null,
        call.recipient_context ?? null,
      ],
    });
    await client.query({
      name: 'job',
      text: 'insert into baseline.jobs (id, call_id) values ($1, $2)',
      values: [randomUUID(), id],
    });
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
  response.json({ success: true, message: 'The agent will call shortly.' });
});

const server = app.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  answerQuestions(url, { access: () => ({ key, workflowId: 'wf_1' }) });
});
