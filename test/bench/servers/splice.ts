import { createServer } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';
import { freePort } from '../../embedded.ts';
import { answerQuestions, spent, usage } from '../server-process.ts';

/**
 * What a bridge costs that does nothing but bridge: media to a Realtime session and back, a mark after every piece, and
 * playback cut when the model hears the callee. No signatures, no calls, no transcript, no tools, no limits.
 */
const modelUrl = `${(process.env.OPENAI_URL ?? '').replace('http', 'ws')}/realtime?model=gpt-realtime`;
const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });

sockets.on('connection', (line) => {
  const model = new WebSocket(modelUrl, { perMessageDeflate: false });
  let streamSid = '';
  let itemId = '';
  let sentMs = 0;
  let playedMs = 0;
  const tell = (event: object) => {
    if (model.readyState === WebSocket.OPEN) model.send(JSON.stringify(event));
  };

  line.on('message', (data) => {
    const message = JSON.parse(data.toString());
    if (message.event === 'start') {
      streamSid = message.streamSid;
    } else if (message.event === 'media') {
      tell({ type: 'input_audio_buffer.append', audio: message.media.payload });
    } else if (message.event === 'mark') {
      const [markedItem, ms] = message.mark.name.split(' ');
      if (markedItem === itemId) playedMs = Number(ms);
    }
  });
  model.on('message', (data) => {
    const event = JSON.parse(data.toString());
    if (event.type === 'session.created') {
      tell({ type: 'session.update', session: { type: 'realtime' } });
      tell({ type: 'response.create', response: { instructions: 'Say: "Hello."' } });
      setTimeout(() => tell({ type: 'response.create' }), 1000);
    } else if (event.type === 'response.output_audio.delta') {
      if (event.item_id !== itemId) {
        itemId = event.item_id;
        sentMs = 0;
        playedMs = 0;
      }
      sentMs += Buffer.byteLength(event.delta, 'base64') / 8;
      line.send(JSON.stringify({ event: 'media', streamSid, media: { payload: event.delta } }));
      line.send(JSON.stringify({ event: 'mark', streamSid, mark: { name: `${itemId} ${sentMs}` } }));
    } else if (event.type === 'input_audio_buffer.speech_started') {
      line.send(JSON.stringify({ event: 'clear', streamSid }));
      tell({
        type: 'conversation.item.truncate',
        item_id: itemId,
        content_index: 0,
        audio_end_ms: Math.min(sentMs, playedMs + 50),
      });
    }
  });
  line.on('close', () => model.close());
  model.on('close', () => line.close());
  for (const socket of [line, model]) socket.on('error', () => undefined);
});

const port = await freePort();
await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
answerQuestions(`http://127.0.0.1:${port}`, { spent, usage });
