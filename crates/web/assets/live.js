// What a run is doing at this moment: its phase in figures, and a few of its games on boards.
import { h, show, capital, count, duration, percent } from './dom.js';
import { Board } from './board.js';

const plain = value => value >= 100 ? count(value) : String(Number(value.toPrecision(3)));
const FIGURES = {
  positions_per_second: ['Positions per second', plain],
  evaluations_per_second: ['Evaluations per second', plain],
  evaluator_share: ['Time in the evaluator', percent],
  batch: ['Positions per batch', plain],
  cache_hits: ['From the cache', percent],
  length: ['Plies per game', plain],
  resigned: ['Resigned', count],
  elo: ['Elo of the candidate', value => String(Math.round(value))],
};

/** The part of a run's page that shows its process at work. `start` is a position of the game, for the shape of its board. */
export class Live {
  constructor({ start, sides }) {
    Object.assign(this, { start, sides, games: [] });
    this.title = h('h2', {});
    this.line = h('p', { class: 'muted' });
    this.bar = h('i', {});
    this.progress = h('div', { class: 'progress', role: 'progressbar', 'aria-label': 'Progress of the phase', 'aria-valuemin': 0, 'aria-valuemax': 100 }, this.bar);
    this.figures = h('dl', { class: 'facts small-facts' });
    this.boards = h('div', { class: 'watched' });
    this.fleet = h('div', {});
    this.element = h('section', { class: 'block live', 'aria-label': 'At this moment', hidden: true },
      this.title, this.line, this.progress, this.figures, this.fleet, this.boards);
  }

  /** Takes its place before anything is told: a process works on the run. */
  expect() {
    this.title.textContent = 'At work';
    this.line.textContent = 'It is about to tell what it is doing…';
    this.element.hidden = false;
  }

  /** `null` when no process works on the run. */
  show(now) {
    this.element.hidden = !now;
    if (!now) return;
    const { generation, phase, unit, done, of, per_second: speed, left, figures, games } = now;
    this.title.textContent = `${capital(phase)}, generation ${generation}`;
    this.line.textContent = of === 0 ? 'It has just begun.' : [`${count(done)} of ${count(of)} ${unit}`,
      speed !== null && `${plain(speed)} per second`, left !== null && `${duration(left)} left`].filter(Boolean).join(', ');
    const share = of ? Math.min(1, done / of) : 0;
    this.bar.style.width = `${100 * share}%`;
    this.progress.setAttribute('aria-valuenow', Math.round(100 * share));
    const fact = (term, value) => h('div', {}, h('dt', {}, term), h('dd', {}, value));
    const known = Object.entries(figures).filter(([name]) => !['won', 'drawn', 'lost', 'low', 'high'].includes(name));
    const { won, drawn, lost } = figures;
    show(this.figures,
      won !== undefined && fact('Won, drawn, lost', `${count(won)} / ${count(drawn)} / ${count(lost)}`),
      known.map(([name, value]) => {
        const [term, format] = FIGURES[name] ?? [`Loss: ${name}`, one => one.toFixed(3)];
        return fact(term, format(value));
      }));
    show(this.fleet, fleetTable(now.workers ?? []));
    games.forEach((game, index) => {
      if (this.games[index]?.number !== game.number) {
        const watched = new Watched(game.number, this.start, this.sides);
        this.games[index]?.element.remove();
        this.games[index] = watched;
        this.boards.insertBefore(watched.element, this.boards.children[index] ?? null);
      }
      this.games[index].show(game);
    });
    this.games.splice(games.length).forEach(watched => watched.element.remove());
  }
}

/** The workers of a run's fleet; nothing where it has none. */
function fleetTable(workers) {
  if (!workers.length) return null;
  const row = ({ name, games, positions, pairs, per_second: speed, quiet, refused, shut }) => h('tr', {},
    h('th', { scope: 'row' }, name), h('td', {}, count(games)), h('td', {}, count(positions)), h('td', {}, count(pairs)),
    h('td', {}, plain(speed)), h('td', {}, duration(quiet)), h('td', {}, shut ? 'shut out' : count(refused)));
  return h('table', { class: 'fleet' }, h('caption', {}, 'Workers'),
    h('thead', {}, h('tr', {}, ['worker', 'games', 'positions', 'pairs', 'positions/s', 'last result', 'refused'].map(name => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, workers.map(row)));
}

/** A game of self-play while it is played. */
class Watched {
  constructor(number, start, sides) {
    Object.assign(this, { number, sides });
    this.board = new Board({ label: `Game ${number + 1}`, small: true });
    this.board.update(start, { sides });
    this.head = h('p', { class: 'watched-head' });
    this.chances = h('div', { class: 'chances', role: 'img' });
    this.moves = h('p', { class: 'watched-moves' });
    this.thought = h('p', { class: 'muted small' });
    this.element = h('figure', { class: 'panel' }, this.board.element, h('figcaption', {}, this.head, this.chances, this.moves, this.thought));
  }

  show({ number, board, text, turn, last, plies, moves, search, result }) {
    if (board) this.board.update({ board, turn, last, legal: [], alarm: null }, { sides: this.sides });
    else show(this.board.element, h('pre', {}, text));
    const points = { 1: `${this.sides[0]} won`, 0: `${this.sides[1]} won`, 0.5: 'drawn' };
    const state = result === null ? `${this.sides[turn]} to move` : points[result] ?? `${result} points for ${this.sides[0]}`;
    show(this.head, h('b', {}, `Game ${count(number + 1)}`), h('span', { class: 'muted' }, `${count(plies)} plies, ${state}`));
    this.moves.textContent = moves.join(' ') || '\u00a0';
    this.chances.hidden = !search;
    if (search) {
      const [win, draw, loss] = search.wdl;
      const part = (kind, share) => {
        const span = h('span', { class: kind }, share > 0.18 ? percent(share) : '');
        span.style.width = `${100 * share}%`;
        return span;
      };
      show(this.chances, part('win', win), part('draw', draw), part('loss', loss));
      this.chances.setAttribute('aria-label', `${this.sides[0]} wins ${percent(win)}, draw ${percent(draw)}, ${this.sides[1]} wins ${percent(loss)}`);
    }
    const visits = search?.moves.reduce((sum, move) => sum + move.visits, 0) ?? 0;
    this.thought.textContent = visits ? `Searched: ${search.moves.map(move => `${move.name} ${count(move.visits)} (prior ${percent(move.prior)})`).join(', ')}` : '\u00a0';
    this.board.svg.setAttribute('aria-label', `Game ${number + 1} after ${plies} plies: ${state}`);
  }
}
