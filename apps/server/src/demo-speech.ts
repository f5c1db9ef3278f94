/**
 * Script of the demonstration page, for browsers that recognize speech: what the visitor says becomes what they write,
 * and answers are read out where the browser has a voice. It listens and speaks in turns, so as not to hear itself.
 */
export const demoSpeech = `
const widget = document.querySelector('callkite-widget');
const footer = document.querySelector('#speech');
const button = footer.querySelector('button');
const status = footer.querySelector('[role=status]');
const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
const language = 'en-US';
const problems = {
  'not-allowed': 'The browser was not allowed to listen. You can type instead.',
  'service-not-allowed': 'This browser does not offer its speech recognition here. You can type instead.',
  'audio-capture': 'No microphone was found. You can type instead.',
  network: 'The speech recognition of your browser cannot be reached. You can type instead.',
};
let isOn = false;
let recognition = null;
let unspoken = 0;

function listen() {
  if (!isOn || recognition || unspoken > 0) return;
  const own = new Recognition();
  recognition = own;
  own.lang = language;
  own.continuous = true;
  own.interimResults = true;
  status.textContent = 'Listening…';
  own.onresult = ({ results, resultIndex }) => {
    if (recognition !== own) return;
    let unfinished = '';
    for (const result of [...results].slice(resultIndex)) {
      const text = result[0].transcript.trim();
      if (!result.isFinal) unfinished += ' ' + text;
      else if (text !== '') widget.sendText(text);
    }
    status.textContent = unfinished.trim() || 'Listening…';
  };
  own.onerror = ({ error }) => {
    if (recognition !== own || error === 'no-speech' || error === 'aborted') return;
    stop(problems[error] ?? 'Speech recognition failed (' + error + '). You can type instead.');
  };
  own.onend = () => {
    if (recognition !== own) return;
    recognition = null;
    listen();
  };
  own.start();
}

function pauseListening() {
  const own = recognition;
  recognition = null;
  own?.abort();
}

function stop(reason = '') {
  isOn = false;
  pauseListening();
  globalThis.speechSynthesis?.cancel();
  unspoken = 0;
  button.setAttribute('aria-pressed', 'false');
  button.textContent = 'Speak';
  status.textContent = reason;
}

function readOut(text) {
  const voice = globalThis.speechSynthesis?.getVoices().find(({ lang }) => lang.startsWith('en'));
  if (!isOn || !voice) return;
  unspoken += 1;
  pauseListening();
  status.textContent = '';
  const utterance = new SpeechSynthesisUtterance(text);
  utterance.voice = voice;
  utterance.lang = language;
  let isOver = false;
  const over = () => {
    if (isOver) return;
    isOver = true;
    unspoken = Math.max(0, unspoken - 1);
    listen();
  };
  utterance.onend = over;
  utterance.onerror = over;
  // Some browsers never report the end.
  setTimeout(over, 4000 + text.length * 120);
  speechSynthesis.speak(utterance);
}

async function start() {
  const hasCall = ['connecting', 'live', 'reconnecting'].includes(widget.status);
  // The widget shows what is missing, such as the consent.
  if (!hasCall && (await widget.startCall({ media: 'text' })) === null) return;
  isOn = true;
  button.setAttribute('aria-pressed', 'true');
  button.textContent = 'Stop listening';
  listen();
}

if (Recognition) {
  footer.hidden = false;
  document.querySelector('#hearing').textContent =
    'Press “Speak” in the widget, and your browser turns what you say into text. Some browsers send your voice to their maker for that.';
  button.addEventListener('click', () => (isOn ? stop() : start()));
  widget.addEventListener('callkite:call-end', () => stop());
  widget.addEventListener('callkite:transcript', ({ detail }) => {
    if (detail.role === 'assistant' && detail.final) readOut(detail.text);
  });
}
`;
