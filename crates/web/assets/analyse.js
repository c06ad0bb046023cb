// Looking into a search.
import { page, h, show, announce, complain, capital, count, short, percent } from './dom.js';
import { get, post, listen } from './api.js';
import { Board } from './board.js';
import { chart } from './chart.js';
import { MoveList, canFlip, colours, forgotten, rulesFields, textOf } from './game.js';

/** Visits per position when a whole game is gone through. */
const QUICK = 200;

/** How much of the expected points a move has to lose to be marked. */
const MARKS = [[0.3, '??'], [0.18, '?'], [0.1, '?!']];

/** A position to look into: a new one, or that of a game. */
export async function analyse(name = 'chess', id) {
  if (!id) {
    const { id: made } = await post('/games', { game: name, side: 'both' });
    history.replaceState(null, '', `/analyse/${name}/${made}`);
    id = made;
  }
  let [state, { games, cores }] = await Promise.all([get(`/games/${id}`), get('/catalogue')]);
  const game = games.find(one => one.name === name);
  let shown = state.shown;
  let flipped = false;
  let following = true;
  let values = new Map();
  let review = null;
  // The line that the pointer or the focus is on: reports do not take its place on the board.
  let previewed = null;

  const board = new Board({ label: `${capital(name)} board`, play: move => send(move.move) });
  const list = new MoveList(goTo);
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  const graph = h('div', {});
  const input = h('input', { name: 'move', autocomplete: 'off', spellcheck: 'false', 'aria-label': 'Type a move', placeholder: 'Type a move' });
  const heat = h('input', { type: 'checkbox', onchange: () => engines[0].paint() });
  const arrows = h('input', { type: 'checkbox', checked: true, onchange: () => engines[0].paint() });
  const second = h('input', { type: 'checkbox', onchange: () => { engines[1].element.hidden = !second.checked; search(); } });
  const whole = h('button', { type: 'button', class: 'quiet', onclick: goThrough }, 'Go through the game');
  const context = { game, cores, board, heat, arrows, id, complain: why => complain(error, why), preview, isPreviewing: () => previewed !== null };
  const engines = [new Engine(context, game.strongest), new Engine(context, game.evaluators.at(0).id === game.strongest ? 'handcrafted' : game.evaluators[0].id)];
  engines[0].heard = report => note(shown.ply, report);
  engines[1].element.hidden = true;

  const text = h('textarea', { name: 'text', rows: 4, 'aria-label': 'A position or a game as PGN', placeholder: 'A position in the game’s notation, or a game as PGN' });
  const rules = rulesFields(game);
  const load = h('form', { class: 'set-up', onsubmit: event => { event.preventDefault(); open(); } }, text, rules.element, h('div', { class: 'row' }, h('button', {}, 'Load'), textOf(text)));

  const others = h('select', { 'aria-label': 'Game', onchange: event => location.assign(`/analyse/${event.target.value}`) },
    games.map(one => h('option', { value: one.name, selected: one.name === name }, capital(one.name))));
  page(`Analyse ${name}`, h('h1', { class: 'unseen' }, `Analysis of ${name}`), h('div', { class: 'table wide' },
    h('div', { class: 'board-side' }, board.element, board.actions),
    h('div', { class: 'panel-side' },
      h('div', { class: 'analysis-head' }, h('label', { class: 'field' }, h('span', {}, 'Game'), others),
        h('a', { class: 'button quiet', href: `/analyse/${name}` }, 'New')),
      error,
      engines.map(engine => engine.element),
      h('div', { class: 'switches' },
        h('label', {}, arrows, 'Candidates on the board'), h('label', {}, heat, 'Policy as a heat map'), h('label', {}, second, 'Compare with a second evaluator')),
      list.element,
      graph,
      h('form', { class: 'typed', onsubmit: event => { event.preventDefault(); if (input.value.trim()) send(input.value.trim()); } },
        input, h('button', { class: 'quiet' }, 'Play')),
      h('div', { class: 'controls' }, whole,
        h('button', { type: 'button', class: 'quiet', hidden: !canFlip(shown.board), onclick: () => { flipped = !flipped; draw(); } }, 'Flip'),
        h('a', { class: 'button quiet', href: `/api/v1/games/${id}/pgn`, download: `${name}.pgn` }, 'Save PGN')),
      h('details', { class: 'panel' }, h('summary', {}, 'Load a position or a game'), load))));

  function draw() {
    board.update(shown, { sides: state.sides, legal: shown.legal, flipped });
    colours(shown.board);
    marks();
    list.update(state.moves, shown.ply);
    whole.disabled = !state.moves.length;
    drawGraph();
    engines[0].paint();
  }

  function drawGraph() {
    const known = [...values].sort((a, b) => a[0] - b[0]);
    const line = (name, pick) => ({ name, points: known.map(([ply, wdl]) => [ply, pick(wdl)]) });
    show(graph, state.moves.length > 0 && chart({ title: 'Chances', note: 'by ply',
      series: [line(`${state.sides[0]} wins`, wdl => wdl[0]), line('draw', wdl => wdl[1]), line(`${state.sides[1]} wins`, wdl => wdl[2])],
      xName: 'ply', range: [0, 1], format: percent, height: 150, pick: ply => list.step(ply) }));
  }

  /** Marks moves after which the mover expects much less. */
  function marks() {
    list.marks.clear();
    state.moves.forEach((move, index) => {
      if (!values.has(index) || !values.has(index + 1)) return;
      const loss = (points(values.get(index)) - points(values.get(index + 1))) * (move.side === 0 ? 1 : -1);
      const mark = MARKS.find(([least]) => loss >= least);
      if (mark) list.marks.set(index + 1, mark[1]);
    });
  }

  function note(ply, report) {
    if (!report.wdl) return;
    const before = values.get(ply);
    values.set(ply, report.wdl);
    if (before === undefined || Math.abs(points(before) - points(report.wdl)) > 0.02) {
      marks();
      drawGraph();
      list.update(state.moves, shown.ply);
    }
  }

  function preview(line) {
    previewed = line;
    if (!line) return engines[0].paint();
    board.arrows(line.slice(0, 7).map((step, index) => ({ cells: step.cells, weight: Math.max(0.2, 1 - index * 0.14),
      kind: index % 2 ? 'enemy' : 'best', text: String(index + 1) })));
  }

  function search() {
    previewed = null;
    const over = Boolean(shown.result);
    engines.forEach((engine, index) => engine.go(shown.ply, over ? shown.result.words : null, index === 0 || second.checked));
  }

  async function goTo(ply) {
    review?.();
    following = ply === state.moves.length;
    try {
      const next = following ? state.shown : (await get(`/games/${id}?ply=${ply}`)).shown;
      if (list.ply !== ply) return;
      shown = next;
      draw();
      search();
      announce(ply ? `After ${state.moves[ply - 1].name}` : 'The start position');
    } catch (why) {
      complain(error, why);
    }
  }

  async function send(move) {
    complain(error, null);
    review?.();
    try {
      const ply = shown.ply;
      state = await post(`/games/${id}/moves`, { move, ply });
      input.value = '';
      const known = state.moves[ply];
      if (state.moves.length > ply + 1) {
        list.update(state.moves, ply);
        return list.step(ply + 1);
      }
      values = new Map([...values].filter(([at]) => at <= ply));
      shown = state.shown;
      following = true;
      draw();
      search();
      announce(`${state.sides[known.side]} plays ${known.name}`);
    } catch (why) {
      complain(error, why);
      draw();
    }
  }

  async function open() {
    complain(error, null);
    const value = text.value.trim();
    const isGame = value.includes('[') || /(^|\s)1\./.test(value);
    try {
      const made = await post('/games', { game: name, side: 'both', rules: rules.value(), [isGame ? 'pgn' : 'position']: value || undefined });
      location.assign(`/analyse/${name}/${made.id}`);
    } catch (why) {
      complain(error, why);
    }
  }

  /** Searches every position of the game for a moment. */
  async function goThrough() {
    if (review) return review();
    let stopped = false;
    let stop = null;
    whole.textContent = 'Stop';
    review = () => {
      stopped = true;
      stop?.();
      whole.textContent = 'Go through the game';
      review = null;
    };
    engines.forEach(engine => engine.stop());
    complain(error, null);
    try {
      await lookAtAll(() => stopped, ending => { stop = ending; });
    } catch (why) {
      complain(error, why);
    }
    if (!stopped) {
      review();
      draw();
      search();
    }
  }

  /** The same until `stopped()`; `ends(ending)` is told how the search under way is ended. */
  async function lookAtAll(stopped, ends) {
    for (let ply = 0; ply <= state.moves.length && !stopped(); ply++) {
      const at = (await get(`/games/${id}?ply=${ply}`)).shown;
      if (stopped()) return;
      shown = at;
      draw();
      if (at.result) {
        values.set(ply, certain(at.result.score));
        continue;
      }
      let leave;
      try {
        await new Promise((done, failed) => {
          leave = listen(`/games/${id}/search?ply=${ply}&visits=${QUICK}&evaluator=${encodeURIComponent(engines[0].evaluator.value)}`, {
            report: report => {
              engines[0].take(report);
              if (report.ended) { note(ply, report); done(); }
            },
            failure: ({ error: why }) => failed(new Error(why)),
            gone: failed,
          }, { quiet: true });
          ends(() => { leave(); done(); });
        });
      } finally {
        leave();
      }
    }
  }

  draw();
  search();
  listen(`/games/${id}/events`, {
    state: next => {
      const grown = next.moves.map(move => move.move).join() !== state.moves.map(move => move.move).join();
      if (!grown || review || next.version < state.version) return;
      state = next;
      if (following) shown = state.shown;
      draw();
      search();
    },
    gone: () => error.replaceWith(forgotten(state, async request => {
      const next = await post('/games', request);
      location.assign(`/analyse/${name}/${next.id}`);
    })),
  });
}

/** What chances are worth to the first player. */
const points = wdl => wdl[0] + wdl[1] / 2;
/** The chances of a game that is over. */
const certain = score => score === 0.5 ? [0, 1, 0] : [score, 0, 1 - score];

/** What a move is worth to the mover, as a share of a point. */
const valueOf = ({ wdl }, turn) => wdl ? percent((turn === 0 ? wdl[0] : wdl[2]) + wdl[1] / 2) : '–';

/** The best moves as arrows, the best one on top, each with its value, visits and prior. */
function candidates({ lines, turn }) {
  const most = Math.max(1, ...lines.map(line => line.visits));
  const told = new Set();
  return lines.filter((line, index) => !index || line.visits > most * 0.08).map((line, index) => {
    // Of two moves to one cell, the better one has its figures there.
    const end = line.cells.at(-1);
    const figures = !told.has(end) && [valueOf(line, turn), short(line.visits), `p ${percent(line.prior)}`];
    told.add(end);
    return { cells: line.cells, weight: Math.sqrt(line.visits / most), kind: index ? '' : 'best', figures };
  }).toReversed();
}

/** One search with what it finds. */
class Engine {
  constructor(context, evaluator) {
    Object.assign(this, context);
    this.report = null;
    this.running = true;
    this.evaluator = h('select', { onchange: () => this.again() }, this.game.evaluators.map(one =>
      h('option', { value: one.id, selected: one.id === evaluator }, capital(one.name))));
    const setting = (label, values, chosen) => h('select', { 'aria-label': label, title: label, onchange: () => this.again() },
      values.map(value => h('option', { value, selected: value === chosen }, `${value} ${value === 1 ? label.slice(0, -1).toLowerCase() : label.toLowerCase()}`)));
    this.lines = setting('Moves', [3, 5, 10, 20], 5);
    this.threads = setting('Threads', [...Array(this.cores).keys()].map(index => index + 1), 1);
    this.toggle = h('button', { type: 'button', class: 'quiet', onclick: () => { this.running = !this.running; this.again(); } });
    this.bar = h('div', { class: 'chances', role: 'img' });
    this.facts = h('p', { class: 'facts-line' });
    this.table = h('table', { class: 'candidates' }, h('thead', {}, h('tr', {}, ['Move', 'Visits', 'Value', 'Prior'].map(text => h('th', { scope: 'col' }, text)))));
    this.tree = h('div', { class: 'tree' });
    this.explorer = h('details', { ontoggle: () => this.explore() }, h('summary', {}, 'Search tree'), this.tree);
    this.element = h('section', { class: 'panel analysis', 'aria-label': 'Search' },
      h('div', { class: 'analysis-head' }, h('label', { class: 'field' }, h('span', {}, 'Evaluated by'), this.evaluator), this.toggle),
      h('div', { class: 'switches' }, this.lines, this.threads), this.bar, this.facts,
      this.frame = h('div', { class: 'candidates-frame' }, this.table), this.explorer);
  }

  again() {
    this.go(this.ply, this.over, true);
  }

  stop() {
    this.end?.();
    this.end = null;
  }

  go(ply, over, wanted) {
    this.stop();
    Object.assign(this, { ply, over, report: null, searched: null });
    this.toggle.textContent = this.running ? 'Pause' : 'Search';
    // What comes below does not move when the first report comes.
    this.frame.style.setProperty('--lines', this.lines.value);
    this.tree.replaceChildren();
    this.explorer.open = false;
    show(this.facts, over ?? (this.running ? 'Searching…' : 'Paused'));
    if (over) this.table.querySelectorAll('tbody').forEach(body => body.remove());
    if (!wanted || over || !this.running) return;
    this.end = listen(`/games/${this.id}/search?ply=${ply}&lines=${this.lines.value}&threads=${this.threads.value}&evaluator=${encodeURIComponent(this.evaluator.value)}`, {
      search: ({ id }) => { this.searched = id; },
      report: report => this.take(report),
      failure: ({ error }) => { this.complain(error); this.stop(); },
    }, { quiet: true });
  }

  take(report) {
    this.report = report;
    const { wdl, lines, visits, visits_per_second: speed, depth, longest, ended } = report;
    if (wdl) {
      const [win, draw, loss] = wdl;
      const part = (kind, share) => {
        const span = h('span', { class: kind }, share > 0.1 ? percent(share) : '');
        span.style.width = `${100 * share}%`;
        return span;
      };
      show(this.bar, part('win', win), part('draw', draw), part('loss', loss));
      const [first, second] = this.game.sides;
      this.bar.setAttribute('aria-label', `${first} wins ${percent(win)}, draw ${percent(draw)}, ${second} wins ${percent(loss)}`);
    }
    const why = { proven: 'proven', full: 'the tree is full', limit: '' }[ended] ?? '';
    show(this.facts, [`${count(visits)} visits`, `${short(speed)}/s`, `depth ${depth} to ${longest}`, why].filter(Boolean).map(text => h('span', {}, text)));
    // What the pointer is on stays until it leaves: rows that move away under it cannot be read.
    if (!this.table.matches(':hover')) this.fill(lines, report.turn);
    this.paint();
    this.heard?.(report);
  }

  fill(lines, turn) {
    this.table.querySelectorAll('tbody').forEach(body => body.remove());
    for (const line of lines) {
      const play = h('button', { type: 'button', onfocus: () => this.preview(line.line), onblur: () => this.preview(null),
        onclick: () => this.board.play({ move: line.move }) }, line.name);
      this.table.append(h('tbody', { onmouseenter: () => this.preview(line.line), onmouseleave: () => this.preview(null) },
        h('tr', {}, h('td', {}, play), h('td', {}, short(line.visits)), h('td', {}, valueOf(line, turn)), h('td', {}, percent(line.prior))),
        h('tr', { class: 'line' }, h('td', { colspan: 4 }, [line.proof, line.line.slice(1).map(step => step.name).join(' ')].filter(Boolean).join(': ') || '\u00a0'))));
    }
  }

  /** Draws what is known onto the board. */
  paint() {
    if (this.heard === undefined) return;
    const report = this.report;
    if (!this.isPreviewing()) this.board.arrows(report && this.arrows.checked ? candidates(report) : []);
    const shares = new Map();
    if (report && this.heat.checked) {
      for (const { cells, prior } of report.policy) if (cells.length) shares.set(cells.at(-1), (shares.get(cells.at(-1)) ?? 0) + prior);
    }
    this.board.showHeat([...shares].filter(([, share]) => share > 0.01));
  }

  /** The tree, which opens node by node. */
  async explore() {
    if (!this.explorer.open || !this.searched) return;
    show(this.tree, await this.branch([]));
  }

  async branch(line) {
    try {
      const node = await get(`/searches/${this.searched}/tree?line=${encodeURIComponent(line.join(','))}`);
      const rows = node.children.filter(child => child.visits || child.prior > 0.005).slice(0, 30);
      const row = child => {
        const next = [...line, child.move];
        const value = child.wdl && (node.turn === 0 ? child.wdl[0] - child.wdl[2] : child.wdl[2] - child.wdl[0]);
        const item = h('li', {});
        const button = h('button', { type: 'button', 'aria-expanded': 'false', disabled: child.visits < 2, onclick: async () => {
          const open = button.getAttribute('aria-expanded') === 'true';
          button.setAttribute('aria-expanded', String(!open));
          button.firstChild.textContent = open ? '▸' : '▾';
          if (open) item.lastChild.remove();
          else item.append(await this.branch(next));
        } }, h('span', {}, child.visits < 2 ? '' : '▸'), h('b', {}, child.name), h('span', {}, short(child.visits)),
          h('span', {}, percent(child.prior)), h('span', {}, value === null ? '–' : value.toFixed(2)),
          h('span', { class: 'muted' }, child.proof ?? (child.wdl ? child.wdl.map(share => Math.round(100 * share)).join(' / ') : '')));
        item.append(button);
        return item;
      };
      const head = line.length ? null : h('p', { class: 'muted small' }, 'Move, visits, prior, Q of the mover, win / draw / loss of the first player');
      return h('ul', {}, head && h('li', {}, head), rows.map(row));
    } catch (why) {
      return h('ul', {}, h('li', { class: 'muted' }, capital(why.message)));
    }
  }
}
