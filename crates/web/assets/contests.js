// Matches and ladders.
import { page, h, s, show, complain, capital, count, duration, percent, sentence } from './dom.js';
import { get, listen } from './api.js';
import { gamesTable } from './replay.js';

const elo = value => value === null ? '∞' : `${value > 0 ? '+' : ''}${value.toFixed(Math.abs(value) < 100 ? 1 : 0)}`;
const ago = changed => changed === null ? '' : `last game ${duration(changed)} ago`;
/** Endings of files mean nothing to people. */
const called = id => id.replace(/\.(jsonl|journal)$/, '').replace(/\.pgn$/, '');

/** All matches and ladders. */
export async function contests() {
  const all = await get('/contests');
  const link = one => h('a', { href: `/contests/${encodeURIComponent(one.id)}` }, called(one.id));
  const item = one => one.kind === 'unreadable'
    ? h('li', {}, h('h2', {}, called(one.id)), h('p', { class: 'error' }, sentence(one.error)))
    : h('li', {},
      h('div', {}, h('h2', {}, link(one)), h('p', { class: 'muted small' }, `${capital(one.game)}, ${one.kind}`)),
      h('div', {}, one.kind === 'match'
        ? [h('p', {}, one.players.join(' – ')), h('p', { class: 'muted small' }, one.brief)]
        : [h('p', {}, one.first ?? 'no players yet'), h('p', { class: 'muted small' }, 'the strongest so far')]),
      h('p', {}, `${count(one.games)} games`), h('p', { class: 'muted small' }, ago(one.changed)));
  page('Matches', h('h1', {}, 'Matches and ladders'), all.length ? h('ul', { class: 'run-list' }, all.map(item))
    : [h('p', { class: 'lead' }, 'There is nothing here yet.'),
      h('p', {}, 'A match or a ladder appears here while it is played if its results are kept in the folder data/contests:'),
      h('pre', {}, 'alfil match trained alphabeta:depth=3 --pgn data/contests/first.pgn\nalfil ladder trained uct alphabeta:depth=2 --state data/contests/ladder.jsonl')]);
}

/** One of them. */
export async function contest(id) {
  const at = `/contests/${encodeURIComponent(id)}`;
  const status = h('p', { class: 'lead', role: 'status' });
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  const body = h('div', {});
  const games = h('div', {});
  const { report: found } = await get(at);
  const own = found?.sprt ?? null;
  const bounds = { elo0: own?.elo0 ?? 0, elo1: own?.elo1 ?? 10 };
  // What the page asks for: nothing while the bounds are those of the match itself.
  const query = () => own && bounds.elo0 === own.elo0 && bounds.elo1 === own.elo1 ? '' : `?elo0=${bounds.elo0}&elo1=${bounds.elo1}`;
  const note = h('p', { class: 'muted small' });
  let stop = null;
  let shown = -1;
  const bound = name => h('label', { class: 'field' }, h('span', {}, name === 'elo0' ? 'At most (Elo)' : 'At least (Elo)'),
    h('input', { type: 'number', name, step: 'any', value: bounds[name], onchange: event => {
      const value = event.target.valueAsNumber;
      if (Number.isFinite(value)) bounds[name] = value;
      follow();
    } }));
  const test = h('div', { class: 'panel sprt' });
  const section = h('section', { class: 'block', hidden: true }, h('h2', {}, 'Sequential test'),
    note,
    h('div', { class: 'files' }, bound('elo0'), bound('elo1')), test);
  page(called(id), h('h1', {}, called(id)), status, error, body, section, games);
  follow();

  function follow() {
    stop?.();
    complain(error, null);
    if (bounds.elo0 >= bounds.elo1) return complain(error, 'the first figure has to be less than the second');
    stop = listen(`${at}/events${query()}`, {
      contest: view => view.kind === 'match' ? drawMatch(view) : drawLadder(view),
      failure: ({ error: why }) => complain(error, why),
      gone: why => complain(error, why),
    });
  }

  async function drawMatch({ changed, report }) {
    const { wins, draws, losses, parts, games: played, score, faults, sprt } = report;
    status.textContent = `A match of ${report.game}: ${count(played)} games, ${ago(changed)}.`;
    const fact = (term, value, more) => h('div', {}, h('dt', {}, term), h('dd', {}, value, more && h('small', {}, more)));
    const part = (kind, number) => {
      const span = h('span', { class: kind }, played && number / played > 0.08 ? count(number) : '');
      span.style.width = `${played ? 100 * number / played : 0}%`;
      return span;
    };
    const rest = played - wins - losses;
    show(body, h('p', {}, h('b', {}, 'A '), report.a, h('br'), h('b', {}, 'B '), report.b),
      h('div', { class: 'chances', role: 'img', 'aria-label': `A won ${wins}, ${rest} shared, B won ${losses}` }, part('win', wins), part('draw', rest), part('loss', losses)),
      h('dl', { class: 'facts' },
        fact('Won, drawn, lost', `${count(wins)} / ${count(draws)} / ${count(losses)}`, parts ? `${count(parts)} with part points` : 'by A'),
        fact('Score of A', played ? percent(score) : '–'),
        fact('Elo of A over B', played ? elo(report.elo) : '–', played ? `95 %: ${elo(report.elo_low ?? null)} to ${elo(report.elo_high ?? null)}` : ''),
        fact('A is stronger', played ? percent(report.superiority) : '–', 'likelihood of superiority'),
        fact('Pairs of games', report.pairs.map(count).join(' '), '0, ½, 1, 1½, 2 points of A')),
      faults.length > 0 && h('details', {}, h('summary', {}, `${count(faults.length)} games lost by crashing, stalling or an illegal move`),
        h('ul', {}, faults.slice(0, 50).map(fault => h('li', {}, `Game ${fault.game}, ${fault.by.toUpperCase()}: ${fault.what}`)))));
    section.hidden = !sprt;
    if (sprt) {
      const { llr, lower, upper, decision } = sprt;
      const place = Math.max(0, Math.min(1, (llr - lower) / (upper - lower)));
      const words = { H0: `decided: A is not ${elo(sprt.elo1)} stronger`, H1: `decided: A is more than ${elo(sprt.elo0)} stronger` }[decision] ?? 'undecided';
      const needle = h('i', {});
      needle.style.left = `${100 * place}%`;
      const errors = `Errors of ${percent(sprt.alpha)} and ${percent(sprt.beta)}.`;
      note.textContent = `Is A stronger by at most the first figure, or by at least the second? ${errors} ${query() ? own
        ? 'Not the test of the match: it stops by other bounds.' : 'The match itself has no test.' : 'The match stops when this is decided.'}`;
      show(test, h('p', {}, h('b', {}, capital(words)), `: log-likelihood ratio ${llr.toFixed(2)} between ${lower.toFixed(2)} and ${upper.toFixed(2)}`),
        h('div', { class: 'needle', role: 'img', 'aria-label': `log-likelihood ratio ${llr.toFixed(2)}` }, needle));
    }
    if (played === shown) return;
    shown = played;
    try {
      const latest = await get(`${at}/games`);
      show(games, h('section', { class: 'block' }, h('h2', {}, 'Games, the newest first'), gamesTable(report.game, latest, why => complain(error, why))));
    } catch (why) {
      complain(error, why);
    }
  }

  function drawLadder({ changed, game, games: played, players }) {
    status.textContent = `A ladder of ${game}: ${count(played)} games, ${ago(changed)}.`;
    const ends = players.filter(one => one.elo).flatMap(one => one.elo);
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const across = value => 4 + 192 * (high > low ? (value - low) / (high - low) : 0.5);
    const whisker = one => one.elo && s('svg', { class: 'whisker', viewBox: '0 0 200 20', 'aria-hidden': 'true' },
      s('line', { x1: across(one.elo[1]), x2: across(one.elo[2]), y1: 10, y2: 10 }),
      s('circle', { cx: across(one.elo[0]), cy: 10, r: 5, class: one.anchor ? 'hollow' : null }));
    const row = (one, index) => h('tr', {}, h('td', {}, String(index + 1)), h('td', { class: 'name' }, one.name),
      h('td', {}, one.elo ? String(Math.round(one.elo[0])) : '–'),
      h('td', {}, one.anchor ? 'anchor' : one.elo ? `${Math.round(one.elo[1])} to ${Math.round(one.elo[2])}` : 'unknown'),
      h('td', {}, whisker(one)), h('td', {}, count(one.games)), h('td', {}, one.games ? percent(one.points / one.games) : '–'));
    show(body, h('div', { class: 'scrolls' }, h('table', { class: 'ladder' },
      h('thead', {}, h('tr', {}, ['', 'Player', 'Elo', '95 %', '', 'Games', 'Score'].map(text => text ? h('th', { scope: 'col' }, text) : h('td', {})))),
      h('tbody', {}, players.map(row)))));
  }
}
