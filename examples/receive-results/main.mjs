// Receives results of calls and prints them. Plain Node, nothing to install: node examples/receive-results/main.mjs
// A Callkite on this machine posts here when it runs with CALLKITE_ALLOW_PRIVATE_CALLBACKS=1; without that setting,
// results go to public https addresses only.
import { createServer } from 'node:http';

const port = Number(process.argv[2] ?? 4000);

createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  // Answer first: Callkite waits 30 seconds, and a callback is sent once.
  response.writeHead(204).end();
  console.log(`${request.method} ${request.url}  Authorization: ${request.headers.authorization ?? 'none'}`);
  console.log(body.startsWith('{') ? JSON.stringify(JSON.parse(body), null, 2) : body);
}).listen(port, '127.0.0.1', () => console.log(`Waiting for results on http://127.0.0.1:${port}`));
