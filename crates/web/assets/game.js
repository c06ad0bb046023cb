// What playing and analysing have in common: a game of the server, its moves, and the keys to go through them.
import { h, show, capital } from './dom.js';

/** The list of moves. `go(ply)` is called when a move is chosen. */
export class MoveList {
  constructor(go) {
    this.go = go;
    this.marks = new Map();
    this.list = h('ol', { class: 'moves', 'aria-label': 'Moves' });
    const step = (text, label, to) => h('button', { type: 'button', class: 'quiet', 'aria-label': label, title: label,
      onclick: () => this.step(to()) }, text);
    this.steps = h('div', { class: 'steps' },
      step('«', 'First position', () => 0), step('‹', 'One move back', () => this.ply - 1),
      step('›', 'One move on', () => this.ply + 1), step('»', 'Last position', () => this.plies));
    this.element = h('section', { class: 'panel moves-panel', 'aria-label': 'Moves of the game' }, this.list, this.steps);
    addEventListener('keydown', event => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest('input, textarea, select, [role=menu]')) return;
      const to = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.plies }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.step(to);
    });
  }

  /** Keys may come faster than the positions that they ask for. */
  step(to) {
    this.ply = Math.max(0, Math.min(to, this.plies));
    this.go(this.ply);
  }

  update(moves, ply) {
    const same = this.plies === moves.length && this.names === moves.map(move => move.name).join(' ');
    Object.assign(this, { plies: moves.length, names: moves.map(move => move.name).join(' '), ply });
    if (!same) {
      const items = [];
      let item;
      moves.forEach((move, index) => {
        if (move.number || !item) {
          item = h('li', {}, h('span', { class: 'number' }, move.number ?? ''));
          items.push(item);
        }
        item.append(h('button', { type: 'button', class: `move side${move.side}`, 'data-ply': index + 1,
          onclick: () => this.step(index + 1) }, move.name));
      });
      show(this.list, items.length ? items : h('li', { class: 'muted' }, 'No moves yet'));
    }
    for (const button of this.list.querySelectorAll('button')) {
      const at = Number(button.dataset.ply);
      button.toggleAttribute('aria-current', at === ply);
      const mark = this.marks.get(at);
      button.dataset.mark = mark ?? '';
      button.title = { '?!': 'An inaccuracy', '?': 'A mistake', '??': 'A blunder' }[mark] ?? '';
    }
    const current = this.list.querySelector('[aria-current]');
    if (current) {
      // Only the list scrolls, never the page.
      const [top, bottom] = [current.offsetTop - this.list.offsetTop, current.offsetTop - this.list.offsetTop + current.offsetHeight];
      if (top < this.list.scrollTop) this.list.scrollTop = top - 8;
      else if (bottom > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = bottom - this.list.clientHeight + 8;
    }
  }
}

/** A button that puts the text of a file into a field: the file itself goes nowhere. */
export function textOf(field) {
  const input = h('input', { type: 'file', accept: '.pgn,.txt,.fen,.epd,text/plain', class: 'unseen', tabindex: '-1', onchange: async () => {
    const [file] = input.files;
    if (file) field.value = await file.text();
    field.focus();
  } });
  return h('span', {}, h('button', { type: 'button', class: 'quiet', onclick: () => input.click() }, 'From a file…'), input);
}

/** A side's name with its colour. */
export const sideName = (name, side) => h('span', { class: `side-name side${side}` }, h('i', { 'aria-hidden': 'true' }), capital(name));

/** Whether turning the board around makes sense: not where stones fall, or belong to nobody. */
export const canFlip = board => board?.cells.some(cell => cell.piece && cell.piece.figure !== 'stone');

/** The colours of the sides' names follow those of their pieces. */
export function colours(board) {
  const has = figure => board?.cells.some(cell => cell.piece?.figure === figure);
  document.body.dataset.colours = has('unit') ? 'units' : has('king') ? 'men' : 'stones';
}

/** What is said when the server has forgotten a game. It goes on from what this page remembers. */
export function forgotten(state, again) {
  return h('div', { class: 'panel', role: 'alert' }, h('p', {}, 'The server no longer has this game, perhaps because it was restarted.'),
    h('button', { type: 'button', onclick: () => again({ game: state.game, rules: state.rules, position: state.start,
      moves: state.moves.map(move => move.move).join(' '), opponent: state.opponent, clock: clockOf(state),
      side: state.people[0] ? (state.people[1] ? 'both' : state.sides[0]) : (state.people[1] ? state.sides[1] : 'none') }) },
      'Continue with its moves'));
}

/** The clock of a game, for another one. */
export const clockOf = ({ clock }) => clock ? { seconds: clock.seconds, increment: clock.increment } : undefined;

/** Fields for the rules of a game. `value()` is what was chosen, as `key=value,…` without what is usual. */
export function rulesFields({ rules }) {
  const words = { true: 'yes', false: 'no' };
  const field = ({ key, meaning, values, usual, low, high }) => h('label', { class: 'field' }, h('span', {}, meaning, ' ', h('code', {}, key)),
    values ? h('select', { name: `rule-${key}` }, values.map((value, index) => h('option', { value: index ? value : '' }, (words[value] ?? value) + (index ? '' : ' (usual)'))))
      : h('input', { name: `rule-${key}`, type: 'number', min: low, max: high, step: 1, placeholder: `${usual} (usual)` }));
  const element = h('fieldset', { class: 'rules' }, h('legend', {}, 'Rules'),
    rules.length ? rules.map(field) : h('p', { class: 'muted small' }, 'They are always the same.'));
  const value = () => rules.map(({ key }) => [key, element.querySelector(`[name="rule-${key}"]`).value.trim()])
    .filter(([, chosen]) => chosen).map(pair => pair.join('=')).join(',');
  return { element, value };
}
