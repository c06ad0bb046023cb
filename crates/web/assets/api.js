// Talking to the server.

const BASE = '/api/v1';
const connection = document.getElementById('connection');

function say(text) {
  connection.hidden = !text;
  connection.textContent = text;
}

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(BASE + path, options);
  } catch {
    throw new ApiError('the server does not answer: is alfil web still running?', 0);
  }
  const text = await answer.text();
  let value = text;
  try { value = JSON.parse(text); } catch { /* Plain text. */ }
  if (!answer.ok) throw new ApiError(value?.error ?? `the server answered with ${answer.status}`, answer.status);
  return value;
}

export const get = path => ask(path);
export const post = (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body ?? {}) });

/**
 * Listens to a stream of events, and again after the connection was lost. `listeners` has a function by each event's name.
 * Returns a function that stops it. A stream that is not `kept` ends while nobody sees the page: browsers have only six
 * connections for all pages of a server, and a search that nobody sees is work for nothing.
 */
export function listen(path, listeners, { quiet = false, kept = false } = {}) {
  let source;
  let timer;
  let ended = false;
  const open = () => {
    source = new EventSource(BASE + path);
    source.onopen = () => { if (!quiet) say(''); };
    for (const [name, heard] of Object.entries(listeners)) {
      if (name === 'gone') continue;
      source.addEventListener(name, event => heard(JSON.parse(event.data)));
    }
    source.onerror = async () => {
      if (ended) return;
      source.close();
      try {
        // Why: the server may have forgotten what is asked for, or be away.
        await ask(path.replace(/\/(events|search).*$/, ''));
        if (!quiet) say('');
      } catch (error) {
        if (ended) return;
        if (error.status === 404 && listeners.gone) return listeners.gone(error);
        say('The server does not answer. Trying again…');
      }
      if (!ended) timer = setTimeout(open, 1500);
    };
  };
  const rest = () => {
    clearTimeout(timer);
    source.close();
  };
  const wake = () => {
    rest();
    open();
  };
  const seen = () => { if (!kept) document.hidden ? rest() : wake(); };
  // A page that was left may be kept by the browser, for the way back.
  const back = event => { if (event.persisted) wake(); };
  document.addEventListener('visibilitychange', seen);
  addEventListener('pagehide', rest);
  addEventListener('pageshow', back);
  open();
  return () => {
    ended = true;
    rest();
    document.removeEventListener('visibilitychange', seen);
    removeEventListener('pagehide', rest);
    removeEventListener('pageshow', back);
  };
}
