// Runs: all of them, and one of them live.
import { page, h, show, capital, complain, count, duration, percent, sentence } from './dom.js';
import { get, post, listen } from './api.js';
import { gamesTable } from './replay.js';
import { chart, spark } from './chart.js';
import { Live } from './live.js';

const progress = run => run.is_complete ? 'complete'
  : `generation ${run.generation}${run.generations ? ` of ${run.generations}` : ''}: ${run.phase}`;
const state = run => run.at_work ? 'At work' : run.is_complete ? 'Complete' : 'At rest';
const pill = (run, text) => h('span', { class: run.at_work ? 'pill live' : 'pill' }, text);

/** All runs. */
export async function runs() {
  const all = await get('/runs');
  const item = run => run.error ? h('li', {}, h('h2', {}, run.name), h('p', { class: 'error' }, sentence(run.error))) : h('li', {},
    h('div', {}, h('h2', {}, h('a', { href: `/runs/${encodeURIComponent(run.name)}` }, run.name)),
      h('p', { class: 'muted small' }, `${capital(run.game)}, ${run.size}`)),
    h('div', {}, h('p', {}, pill(run, capital(progress(run)))),
      h('p', { class: 'muted small' }, `${count(run.games)} games in ${duration(run.seconds)}; last change ${run.changed === null ? 'unknown' : `${duration(run.changed)} ago`}`)),
    h('p', {}, run.rating ? [h('b', {}, `${Math.round(run.rating.elo)} Elo`), run.rating.trend && h('span', { class: 'muted small' }, ` ${run.rating.trend.word}`)] : h('span', { class: 'muted' }, 'not rated yet')),
    spark(run.rating?.curve ?? []));
  page('Runs', h('h1', {}, 'Runs'), all.length ? h('ul', { class: 'run-list' }, all.map(item))
    : h('p', { class: 'lead' }, 'There are no runs in the data folder yet: alfil train begins one.'));
}

/** One run. */
export async function run(name) {
  const at = path => `/runs/${encodeURIComponent(name)}${path}`;
  const metrics = [];
  const status = h('p', { class: 'lead', role: 'status' });
  const facts = h('dl', { class: 'facts' });
  const sections = h('div', {});
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  const games = h('section', { class: 'block' });
  const config = h('pre', {});
  const [{ run: { game } }, { games: all }, files] = await Promise.all([get(at('')), get('/catalogue'), get(at('/games'))]);
  const live = new Live(all.find(one => one.name === game));
  const control = h('button', { type: 'button', class: 'quiet order', hidden: true, onclick: () => order() });
  let atWork = false;
  page(name, h('h1', {}, name), status, control, error, facts, live.element, sections, games,
    h('details', { class: 'block', ontoggle: async event => { if (event.target.open) config.textContent = await get(at('/config')); } },
      h('summary', {}, 'Configuration'), config));
  showGames(games, name, game, files);
  listen(at('/events'), {
    live: now => live.show(now),
    run: update => {
      atWork = update.run.at_work;
      control.hidden = !update.can_control || update.run.is_complete;
      control.disabled = false;
      control.textContent = atWork ? 'Stop' : 'Resume';
      complain(error, update.run.failure);
      // The server tells all generations again after it was away.
      const first = update.metrics[0]?.generation;
      if (first !== undefined) metrics.splice(metrics.findIndex(one => one.generation >= first) < 0 ? metrics.length : metrics.findIndex(one => one.generation >= first));
      // A generation that learnt from folders alone has no games of its own.
      metrics.push(...update.metrics.map(one => ({ ...one, selfplay: one.selfplay ?? {} })));
      draw(update.run);
    },
    failure: ({ error: why }) => complain(error, why),
    gone: why => complain(error, why),
  });

  /** Stops the run, or lets it go on. Its next event tells what has become of it. */
  async function order() {
    complain(error, null);
    control.disabled = true;
    control.textContent = atWork ? 'Stopping…' : 'Resuming…';
    try {
      await post(at(atWork ? '/stop' : '/resume'));
    } catch (why) {
      complain(error, why);
      control.disabled = false;
      control.textContent = atWork ? 'Stop' : 'Resume';
    }
  }

  function draw(run) {
    status.replaceChildren(pill(run, state(run)),
      ` ${sentence(`a run of ${run.game}, ${progress(run)}`)}`);
    const fact = (term, value, more) => h('div', {}, h('dt', {}, term), h('dd', {}, value, more && h('small', {}, more)));
    const rating = run.rating;
    const last = metrics.at(-1);
    const plays = !metrics.length || metrics.some(one => one.selfplay.games);
    show(facts,
      fact('Elo', rating ? String(Math.round(rating.elo)) : '–', rating ? `${Math.round(rating.low)} to ${Math.round(rating.high)}, generation ${rating.network}` : 'not rated yet'),
      rating?.trend && fact('Trend', capital(rating.trend.word), `${rating.trend.per_hour.toFixed(1)} Elo/h (${rating.trend.low.toFixed(1)} to ${rating.trend.high.toFixed(1)})`),
      fact('Network', run.size, run.encoding),
      fact('Champion', run.champion ? `generation ${run.champion}` : 'untrained', `${run.promoted} promoted`),
      plays && [fact('Games', count(run.games), `${count(run.positions)} positions`),
        fact('Under way', count(run.games_under_way), `finished games of generation ${run.generation}`)],
      last?.games && fact('Epochs', last.games.epochs.toFixed(2), `${count(last.games.games)} games in folders`),
      fact('Steps', count(run.steps), last && plays && `${count(last.learning.window)} positions in the window`),
      fact('Time', duration(run.seconds), run.changed === null ? '' : `last change ${duration(run.changed)} ago`));
    const line = (label, pick) => ({ name: label, points: metrics.map(one => [one.generation, ...[pick(one)].flat().map(value => value ?? null)]) });
    const losses = key => [['training', 'training'], ['held out', 'held_out']].map(([label, kind]) => line(label, one => one.learning[kind]?.[key]));
    const groups = [
      ['Strength', [
        rating && chart({ title: 'Elo', note: 'of promoted networks, 95 % intervals', series: [{ name: 'Elo', points: rating?.curve ?? [] }], format: value => String(Math.round(value)) }),
        metrics.some(one => one.gate) && chart({ title: 'Gate', note: 'the candidate against the champion, Elo', series: [line('candidate', one => one.gate ? [one.gate.elo, one.gate.low, one.gate.high] : null)], format: value => String(Math.round(value)) }),
      ]],
      ['Instruments', [
        ['Blind to hanging pieces', 'change of the value when one is captured', one => one.probe?.gap],
        ['Blunders of the search', 'share of its moves that lose much by alpha-beta', one => one.probe?.blunders],
        ['The search against the prior', 'KL of the policy targets, nats', one => one.selfplay.policy_divergence],
      ].filter(([, , pick]) => metrics.some(pick)).map(([title, note, pick]) =>
        chart({ title, note, series: [line('measured', one => { const found = pick(one); return found ? [found.value, found.low, found.high] : null; })] }))],
      ['Learning', [
        chart({ title: 'Value loss', series: losses('value') }),
        chart({ title: 'Policy loss', series: losses('policy') }),
        plays && chart({ title: 'Entropy of the policy targets', note: 'nats', series: [line('entropy', one => one.selfplay.policy_entropy)] }),
      ]],
      plays && ['Self-play', [
        chart({ title: 'Results', note: 'shares of the games', range: [0, 1], format: percent, series: ['first wins', 'drawn', 'second wins'].map((label, index) =>
          line(label, one => one.selfplay.games ? one.selfplay.results[index] / one.selfplay.games : null)) }),
        chart({ title: 'Length', note: 'mean plies per game', series: [line('plies', one => one.selfplay.length)] }),
        chart({ title: 'Speed', note: 'positions per second', series: [line('positions/s', one => one.selfplay.positions_per_second)] }),
      ]],
    ];
    show(sections, groups.filter(group => group && group[1].some(Boolean)).map(([title, charts]) => h('section', { class: 'block' }, h('h2', {}, title), h('div', { class: 'charts' }, charts))));
  }
}

/** Games of a run to replay. */
function showGames(section, name, kind, files) {
  const list = h('div', {});
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  if (!files.length) return show(section, h('h2', {}, 'Games'), h('p', { class: 'muted' }, 'No games have been written yet.'));
  const called = { selfplay: 'self-play', gate: 'gate' };
  const select = h('select', { onchange: () => load() }, files.map(file =>
    h('option', { value: file.id }, `Generation ${file.generation}: ${called[file.kind] ?? file.kind}`)));
  const order = h('select', { onchange: () => load() }, h('option', { value: 'file' }, 'As in the file'), h('option', { value: 'long' }, 'The longest first'));
  show(section, h('h2', {}, 'Games'), h('div', { class: 'files' },
    h('label', { class: 'field' }, h('span', {}, 'From'), select), h('label', { class: 'field' }, h('span', {}, 'Order'), order)), error, list);

  async function load() {
    complain(error, null);
    try {
      const games = await get(`/runs/${encodeURIComponent(name)}/games/${encodeURIComponent(select.value)}`);
      if (order.value === 'long') games.sort((a, b) => b.plies - a.plies);
      show(list, gamesTable(kind, games, why => complain(error, why)));
    } catch (why) {
      complain(error, why);
    }
  }
  load();
}
