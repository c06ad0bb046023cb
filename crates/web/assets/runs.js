// Runs: all of them, and one of them live.
import { page, h, show, capital, complain, count, duration, percent, sentence } from './dom.js';
import { get, post, listen } from './api.js';
import { gamesTable } from './replay.js';
import { calibration, chart, spark } from './chart.js';
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
  const [now, { games: all }, files] = await Promise.all([get(at('')), get('/catalogue'), get(at('/games'))]);
  const { game } = now.run;
  const live = new Live(all.find(one => one.name === game));
  const control = h('button', { type: 'button', class: 'quiet order', hidden: true, onclick: () => order() });
  let atWork = false;
  // All that is known is there at once: nothing moves when the first event comes.
  take(now);
  if (atWork) live.expect();
  page(name, h('h1', {}, name), status, control, error, facts, live.element, sections, games,
    h('details', { class: 'block', ontoggle: async event => { if (event.target.open) config.textContent = await get(at('/config')); } },
      h('summary', {}, 'Configuration'), config));
  showGames(games, name, game, files);
  listen(at('/events'), {
    live: now => live.show(now),
    run: take,
    failure: ({ error: why }) => complain(error, why),
    gone: why => complain(error, why),
  });

  function take(update) {
    atWork = update.run.at_work;
    control.hidden = !update.can_control || update.run.is_complete;
    control.disabled = false;
    control.textContent = atWork ? 'Stop' : 'Resume';
    complain(error, update.run.failure);
    // The server tells all generations again after it was away.
    const first = update.metrics[0]?.generation;
    const known = metrics.findIndex(one => one.generation >= first);
    if (known >= 0) metrics.splice(known);
    // A generation that learnt from folders alone has no games of its own.
    metrics.push(...update.metrics.map(one => ({ ...one, selfplay: one.selfplay ?? {} })));
    draw(update.run);
  }

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
    const exam = metrics.findLast(one => one.rating?.exam)?.rating.exam;
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
      exam && fact('Exam', percent(exam.search), `${percent(exam.policy)} by the policy alone, ${count(exam.positions)} positions`),
      fact('Time', duration(run.seconds), run.changed === null ? '' : `last change ${duration(run.changed)} ago`),
      run.cpu_seconds !== null && fact('CPU time', duration(run.cpu_seconds), 'of all cores'));
    // The line of the last half, by the clock of the run, at the generations that were rated.
    const trend = ({ trend: found, curve }) => !found ? [] : curve.map(([network]) => {
      const measured = metrics.find(one => one.generation === network);
      const hours = measured && Math.min(measured.seconds / 3600, found.hours[1]);
      return [network, hours >= found.hours[0] ? found.start + found.per_hour * (hours - found.hours[0]) : null];
    });
    const line = (label, pick) => ({ name: label, points: metrics.map(one => [one.generation, ...[pick(one)].flat().map(value => value ?? null)]) });
    const losses = key => [['training', 'training'], ['held out', 'held_out']].map(([label, kind]) => line(label, one => one.learning[kind]?.[key]));
    const known = pick => metrics.some(one => pick(one) !== undefined && pick(one) !== null);
    const whole = value => String(Math.round(value));
    const share = (title, note, series) => chart({ title, note, range: [0, 1], format: percent, series });
    const rates = (title, note, series) => chart({ title, note, format: percent, series });
    const measured = ([title, note, pick]) => known(pick) && chart({ title, note,
      series: [line('measured', one => { const found = pick(one); return found ? [found.value, found.low, found.high] : null; })] });
    // The terms of the loss that the network has, the usual ones first.
    const terms = Object.keys(metrics.findLast(one => one.learning.training)?.learning.training ?? {})
      .filter(term => !MEASURES.includes(term) && metrics.some(one => one.learning.training?.[term]));
    const newest = metrics.findLast(one => one.learning.calibration?.length);
    const probes = Object.keys(metrics.findLast(one => Object.keys(one.learning.probes ?? {}).length)?.learning.probes ?? {});
    const floor = one => one.learning.training?.policy_entropy;
    const played = pick => one => one.selfplay.games ? pick(one.selfplay) : null;
    const phases = metrics[0]?.phases.map(([phase]) => phase) ?? [];
    const groups = [
      ['Strength', [
        rating && chart({ title: 'Elo', note: 'of promoted networks, 95 % intervals', format: whole,
          series: [{ name: 'Elo', points: rating.curve }, { name: 'trend', points: trend(rating) }] }),
        known(one => one.rating?.exam) && rates('Exam', 'moves that keep the value of the game, by an exact solver', [
          line('with search', one => one.rating?.exam?.search), line('by the policy alone', one => one.rating?.exam?.policy)]),
        known(one => one.gate) && chart({ title: 'Gate', note: 'the candidate against the champion, Elo', series: [line('candidate', one => one.gate ? [one.gate.elo, one.gate.low, one.gate.high] : null)], format: whole }),
      ]],
      ['Instruments', [
        ...[
          ['Blind to hanging pieces', 'change of the value when one is captured', one => one.probe?.gap],
          ['Correlation with material', 'of the value, after captures', one => one.probe?.correlation],
          ['Blunders of the search', 'share of its moves that lose much by alpha-beta', one => one.probe?.blunders],
          ['The search against the prior', 'KL of the policy targets, nats', one => one.selfplay.policy_divergence],
        ].map(measured),
        known(one => one.learning.held_out) && terms.length > 0 && chart({ title: 'Held out minus training', note: 'losses: what is memorised',
          series: terms.map(term => line(TERMS[term] ?? term, one => one.learning.held_out && one.learning.training
            ? one.learning.held_out[term] - one.learning.training[term] : null)) }),
      ]],
      ['Learning', [
        ...terms.map(term => chart({ title: `${TERMS[term] ?? term} loss`, series: [...losses(term),
          // Games of people have one move to learn per position: no floor.
          ...(term === 'policy' && metrics.some(one => floor(one) > 1e-6) ? [line('entropy of what is learnt: the floor', floor)] : [])] })),
        known(one => one.learning.training) && rates('Agreement', 'how often the best move is that of the policy to learn', losses('agreement')),
        newest && calibration({ title: 'Calibration', note: `results against what the network of generation ${newest.generation} expected, on held-out games`,
          points: newest.learning.calibration }),
        probes.length > 0 && chart({ title: 'Probes', note: 'the value in positions where it is obvious', range: [-1, 1],
          series: probes.map(probe => line(probe, one => one.learning.probes?.[probe])) }),
        metrics.length > 0 && chart({ title: 'Learning rate', series: [line('rate', one => one.learning.rate)] }),
      ]],
      plays && ['Self-play', [
        share('Results', 'shares of the games', ['first wins', 'drawn', 'second wins'].map((label, index) =>
          line(label, played(games => games.results[index] / games.games)))),
        share('Ends', 'of the games', ['won by the rules', 'drawn by the rules', 'resigned', 'adjudicated'].map((label, index) =>
          line(label, one => one.selfplay.games ? one.ends[index] : null))),
        chart({ title: 'Length', note: 'mean plies per game', series: [line('plies', played(games => games.length))] }),
        chart({ title: 'Entropy of the policy targets', note: 'nats', series: [line('entropy', played(games => games.policy_entropy))] }),
        known(one => one.selfplay.played_through || null) && rates('False resignations', 'of the games that were played through to find out',
          [line('false', one => one.selfplay.played_through ? one.selfplay.false_resignations / one.selfplay.played_through : null)]),
      ]],
      metrics.length > 0 && ['Speed', [
        plays && chart({ title: 'Evaluations', note: 'per second, in self-play', series: [line('evaluations/s', played(games => games.evaluations_per_second))] }),
        plays && chart({ title: 'Positions', note: 'per second, in self-play', series: [line('positions/s', played(games => games.positions_per_second))] }),
        known(one => one.positions_per_hour) && chart({ title: 'Positions per hour', note: 'of the run, with all its phases', series: [line('positions/h', one => one.positions_per_hour)] }),
        chart({ title: 'Samples', note: 'per second, in training', series: [line('samples/s', one => one.learning.samples_per_second || null)] }),
        share('Shares', 'of time and of evaluations', [
          ...(plays ? [line('self-play in the evaluator', played(games => games.evaluator_share)), line('evaluations from the cache', played(games => games.cache_hits))] : []),
          line('training waits for batches', one => one.learning.waiting)]),
        share('Time by phase', 'shares of each generation', phases.map((phase, index) => line(phase, one => {
          const all = one.phases.reduce((sum, [, seconds]) => sum + seconds, 0);
          return all > 0 ? one.phases[index][1] / all : null;
        })).filter(one => one.points.some(([, value]) => value > 0))),
        known(one => one.cpu_seconds) && chart({ title: 'Cores at work', note: 'CPU time per time, since the generation before', series: [{ name: 'cores', points: cores(metrics) }] }),
      ]],
    ];
    show(sections, groups.filter(group => group && group[1].some(Boolean)).map(([title, charts]) => h('section', { class: 'block' }, h('h2', {}, title), h('div', { class: 'charts' }, charts))));
  }
}

/** Parts of a loss that are no terms of it, and what the terms are called. */
const MEASURES = ['policy_entropy', 'agreement', 'gradient'];
const TERMS = { policy: 'Policy', value: 'Value', moves_left: 'Moves-left', reply: 'Reply' };

/** CPU time per time of each generation after the first. */
function cores(metrics) {
  return metrics.slice(1).map((one, index) => {
    const [before, seconds] = [metrics[index], one.seconds - metrics[index].seconds];
    const is_known = one.cpu_seconds && before.cpu_seconds && seconds > 0;
    return [one.generation, is_known ? (one.cpu_seconds - before.cpu_seconds) / seconds : null];
  });
}

/** Games of a run to replay. */
function showGames(section, name, kind, files) {
  const list = h('div', {});
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  if (!files.length) return show(section, h('h2', {}, 'Games'), h('p', { class: 'muted' }, 'No games have been written yet.'));
  const called = { selfplay: 'self-play', gate: 'gate' };
  const select = h('select', { onchange: () => load() }, h('option', { value: '' }, 'The longest games of all files'), files.map((file, index) =>
    h('option', { value: file.id, selected: !index }, `Generation ${file.generation}: ${called[file.kind] ?? file.kind}`)));
  show(section, h('h2', {}, 'Games'), h('div', { class: 'files' }, h('label', { class: 'field' }, h('span', {}, 'From'), select)), error, list);

  async function load() {
    complain(error, null);
    try {
      const asked = select.value;
      const games = await get(`/runs/${encodeURIComponent(name)}/${asked ? `games/${encodeURIComponent(asked)}` : 'longest'}`);
      // Somebody has chosen other ones meanwhile.
      if (asked !== select.value) return;
      show(list, gamesTable(kind, games, why => complain(error, why)));
    } catch (why) {
      complain(error, why);
    }
  }
  load();
}
