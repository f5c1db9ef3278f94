/** What the document says before its operations, in Markdown. */
export const introduction = `Callkite places phone calls, and holds calls on web pages, in which an AI voice agent talks to a person.

Place a call with a workflow (\`POST /call\`) or with a task in plain words (\`POST /call-prompt\`). When the call is over,
its outcome, summary, transcript and filled-in forms come by callback, by webhook, or by asking \`GET /calls/{call_id}\`.

## Authentication

Send an API key with every request: \`Authorization: Bearer ck_test_…\`. It belongs to one organization. Calls made with a
\`ck_live_\` key ring real phones; calls made with a \`ck_test_\` key stay on an emulated phone network. **This holds for
requests you send from this page, too.**

## Errors

Every error is JSON: \`{"error": "…"}\`, with \`details\` by field when validation failed. \`Callkite-Error-Code\` carries a
stable code for programs, and \`Request-Id\` is what to quote when you report a problem.

## Safe retries

Give \`POST /call\` and \`POST /call-prompt\` an \`idempotency_key\`. A request with the same key within 5 minutes gets the
first answer again, with \`Idempotent-Replayed: true\`, and nobody is rung twice.

## Rate limit

An organization may send 60 requests a minute, unless the operator of the server says otherwise. Beyond that the answer is
429, and \`Retry-After\` says how many seconds to wait.

## Lists

Lists come in pages, newest first. Pass \`next_cursor\` of one page as \`cursor\` to get the next, until it is null.
`;

/** What each section of the document is about, by its tag. */
export const sections: Readonly<Record<string, string>> = {
  Calls: 'Place calls, follow them, and read what came of them.',
  Workflows: 'What an agent does on a call: its objective, its steps, and its limits.',
  Forms: 'Typed fields that an agent fills in during a call. The values come with the result.',
  Transfers: 'The people an agent may hand a call over to.',
  Webhooks: 'Signed notifications of finished calls, and the record of everything that was sent to you.',
  'Do not call': 'The numbers that are not called. The list of a test key is one of its own.',
  Numbers: 'Your account at the phone carrier, and the numbers your calls go out from.',
  'API keys': 'Keys for your servers. Managed with live keys only.',
  'Web calls': 'Keys for web pages that show the widget. Managed with live keys only.',
  Widget: 'What the widget on a web page uses, with a publishable key.',
  Operator: 'Organizations, their limits and their first keys. With the token of the operator only.',
  Health: 'For load balancers and monitoring.',
};
