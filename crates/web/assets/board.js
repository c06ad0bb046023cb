// One board for all games: the cells of a diagram, what stands on them, and moves that are made by touching them.
import { h, s, capital } from './dom.js';
import { draw, called, icon } from './pieces.js';

const CELL = 100;
// A hexagon of height 100 with a horizontal edge at its top.
const HEXAGON = [[57.7, 0], [28.9, -50], [-28.9, -50], [-57.7, 0], [-28.9, 50], [28.9, 50]];
const SQUARE = [[-50, -50], [50, -50], [50, 50], [-50, 50]];
const points = corners => corners.map(corner => corner.join(',')).join(' ');
// In pixels: the pointer has to go this far before a piece is dragged, and a board is small below this width.
const DRAG = 5;
const SMALL = 480;

export class Board {
  /** `play(move)` is called with a move that was made, `changed()` when a part of one was. */
  constructor({ play, label = 'Board', small = false } = {}) {
    this.play = play;
    this.flipped = false;
    this.legal = [];
    this.made = [];
    this.shown = null;
    // A picture: nothing on it can be reached.
    this.small = small;
    this.pieces = new Map();
    this.svg = s('svg', { class: 'board', role: small ? 'img' : 'group', 'aria-label': label });
    this.menu = h('div', { class: 'menu', role: 'menu', hidden: true });
    this.element = h('div', { class: 'board-frame' }, this.svg, this.menu);
    this.actions = h('div', { class: 'actions' });
    if (!small) this.listen();
  }

  /** Shows a position. With `legal` moves it can be played on. */
  update(position, { sides, legal = [], flipped = this.flipped } = {}) {
    if (!position.board) return;
    const redraw = !this.shown || flipped !== this.flipped || !sameCells(this.shown.board, position.board);
    const falls = position.legal.length ? position.legal.some(move => move.steps[0]?.touch?.length > 2) : Boolean(this.falls);
    Object.assign(this, { shown: position, sides: sides ?? this.sides ?? ['first', 'second'], legal, flipped, falls });
    this.cells = new Map(position.board.cells.map(cell => [cell.name, cell]));
    if (redraw) this.redraw();
    this.movePieces();
    this.reset();
    this.marks();
  }

  /** Draws the cells, which stay as they are from move to move. */
  redraw() {
    const { shape, cells, labels } = this.shown.board;
    const half = shape === 'hexagon' ? 57.7 : 50;
    const turn = this.flipped ? -1 : 1;
    const all = [...cells, ...labels.map(label => ({ ...label, label: true }))];
    const place = ({ x, y }) => [turn * x * CELL, -turn * y * CELL];
    this.places = new Map(cells.map(cell => [cell.name, place(cell)]));
    const xs = all.map(one => place(one)[0]);
    const ys = all.map(one => place(one)[1]);
    const reach = (index, size) => (all[index].label ? 22 : size);
    const low = (values, size) => Math.min(...values.map((value, index) => value - reach(index, size)));
    const high = (values, size) => Math.max(...values.map((value, index) => value + reach(index, size)));
    const [left, right, top, bottom] = [low(xs, half), high(xs, half), low(ys, 50), high(ys, 50)];
    const width = right - left + 8, height = bottom - top + 8;
    this.svg.setAttribute('viewBox', `${left - 4} ${top - 4} ${width} ${height}`);
    this.element.style.setProperty('--ratio', (width / height).toFixed(4));
    this.svg.setAttribute('class', `board ${shape}${this.falls ? ' falls' : ''}`);
    const corners = points(shape === 'hexagon' ? HEXAGON : SQUARE);
    this.layers = Object.fromEntries(['grounds', 'marks', 'pieces', 'dots', 'arrows', 'labels', 'touch']
      .map(name => [name, s('g', { class: name })]));
    this.targets = new Map();
    for (const cell of cells) {
      const [x, y] = this.places.get(cell.name);
      const at = { transform: `translate(${x} ${y})` };
      this.layers.grounds.append(s('g', { class: `cell ${cell.ground}`, ...at }, s('polygon', { points: corners }),
        s('circle', { r: 41, class: 'hole' }),
        cell.ground.startsWith('home') && s('path', { class: 'house', d: 'M-34 8V-14L0-40L34-14V8Z' }),
        cell.ground === 'obstacle' && s('path', { class: 'hill', d: 'M-40 30L-12-26L6 6L18-12L42 30Z' })));
      const target = s('g', { class: 'target', ...at, 'data-cell': cell.name }, s('polygon', { points: corners }));
      this.targets.set(cell.name, target);
      this.layers.touch.append(target);
    }
    for (const label of labels) {
      const [x, y] = place(label);
      this.layers.labels.append(s('text', { x, y: y + 8 }, label.text));
    }
    this.corners = corners;
    this.pieces.clear();
    this.svg.replaceChildren(...Object.values(this.layers));
  }

  /** Puts the pieces where they are. Those that have moved glide there. */
  movePieces() {
    const wanted = new Map(this.shown.board.cells.filter(cell => cell.piece).map(cell => [cell.name, cell.piece]));
    const key = piece => JSON.stringify([piece.side, piece.figure]);
    const exact = piece => JSON.stringify(piece);
    const first = this.pieces.size === 0;
    const free = [];
    for (const [name, drawn] of this.pieces) {
      const piece = wanted.get(name);
      if (piece && exact(piece) === exact(drawn.piece)) continue;
      this.pieces.delete(name);
      free.push([name, drawn]);
    }
    const last = this.shown.last ?? [];
    for (const [name, piece] of wanted) {
      if (this.pieces.has(name)) continue;
      let index = free.findIndex(([from, drawn]) => key(drawn.piece) === key(piece) && last.includes(from) && from !== name);
      if (index < 0) index = free.findIndex(([from, drawn]) => key(drawn.piece) === key(piece) && (from === name || piece.figure !== 'stone'));
      const [x, y] = this.places.get(name);
      if (index >= 0) {
        const [[, drawn]] = free.splice(index, 1);
        if (exact(drawn.piece) !== exact(piece)) {
          const fresh = s('g', { class: drawn.element.getAttribute('class') }, draw(piece));
          fresh.style.transform = drawn.element.style.transform;
          drawn.element.replaceWith(fresh);
          drawn.element = fresh;
          fresh.getBoundingClientRect();
        }
        drawn.element.style.transform = `translate(${x}px, ${y}px)`;
        this.pieces.set(name, { piece, element: drawn.element });
        continue;
      }
      const element = s('g', { class: 'placed' }, draw(piece));
      this.layers.pieces.append(element);
      if (this.falls && !first) {
        const top = Math.min(...[...this.places.values()].map(([, y]) => y));
        element.style.transform = `translate(${x}px, ${top - CELL}px)`;
        element.getBoundingClientRect();
      }
      element.style.transform = `translate(${x}px, ${y}px)`;
      this.pieces.set(name, { piece, element });
    }
    for (const [, drawn] of free) drawn.element.remove();
  }

  /** The moves that go on as the steps that were made. */
  going() {
    return this.legal.filter(move => this.made.every((step, index) => matches(move.steps[index], step)));
  }

  /** What can be done next: cells, and things to choose. */
  options() {
    const cells = new Map();
    const choices = new Map();
    for (const move of this.going()) {
      const step = move.steps[this.made.length];
      if (!step) continue;
      if (step.touch) step.touch.forEach((cell, index) => cells.set(cell, (cells.get(cell) ?? false) || index === 0));
      else choices.set(step.choose, step.figure);
    }
    return { cells, choices };
  }

  /** Takes back the steps of a move that is not complete. */
  reset() {
    this.made = [];
    this.offer();
  }

  touch(cell) {
    const { cells } = this.options();
    if (cells.has(cell)) return this.step({ cell });
    const again = this.made.length > 0 && this.made.at(-1).cell !== cell;
    this.made = [];
    if (again && this.options().cells.has(cell)) return this.step({ cell });
    this.offer();
  }

  step(step) {
    this.made.push(step);
    const done = this.going().find(move => move.steps.length === this.made.length);
    if (done) {
      this.made = [];
      this.offer();
      this.play?.(done);
    } else {
      this.offer();
    }
  }

  /** Shows what can be done next. */
  offer() {
    const { cells, choices } = this.options();
    const begun = this.made.length > 0;
    const single = !begun && this.legal.some(move => move.steps.length === 1 && move.steps[0].touch);
    this.layers.dots.replaceChildren();
    for (const [name, marked] of cells) {
      if (!marked || !(begun || single)) continue;
      const [x, y] = this.places.get(name);
      const taken = this.cells.get(name)?.piece && this.cells.get(name).piece.figure !== 'number';
      if (single && taken) continue;
      this.layers.dots.append(taken
        ? s('circle', { class: 'ring', r: 44, cx: x, cy: y })
        : s('circle', { class: `dot${single ? ' faint' : ''}`, r: 15, cx: x, cy: y }));
    }
    if (this.small) return this.marks();
    this.element.classList.toggle('playable', this.legal.length > 0);
    // Where pieces go from cell to cell, a finger drags them and not the page.
    this.element.classList.toggle('drags', this.legal.some(move => move.steps[0]?.touch && move.steps[1]?.touch));
    for (const [name, target] of this.targets) {
      const can = cells.has(name);
      target.classList.toggle('can', can);
      const piece = this.cells.get(name)?.piece;
      const words = [name, piece && called(piece, this.sides), can && (begun ? 'can be chosen' : 'can be played')];
      target.setAttribute('aria-label', words.filter(Boolean).join(', '));
      target.setAttribute('role', 'button');
      target.setAttribute('aria-disabled', can ? 'false' : 'true');
    }
    const focused = this.focused && this.targets.has(this.focused) ? this.focused : this.shown.board.cells[0].name;
    this.focusable(focused);
    this.marks();
    this.choose(choices, begun);
  }

  /** The menu of a move that has begun, and buttons for moves that begin with a choice. */
  choose(choices, begun) {
    const button = (name, figure) => h('button', { type: 'button', role: begun ? 'menuitem' : undefined,
      onclick: () => this.step({ choice: name }) },
      figure ? icon({ side: this.shown.turn, figure }) : null, figure ? h('span', {}, capital(name)) : capital(name));
    const buttons = [...choices].map(([name, figure]) => button(name, figure));
    this.menu.hidden = !(begun && buttons.length);
    this.actions.replaceChildren(...(begun ? [] : buttons));
    if (this.menu.hidden) return this.menu.replaceChildren();
    // On a small screen a menu over the board would hide what it is about.
    const small = this.element.clientWidth < SMALL;
    this.menu.classList.toggle('below', small);
    (small ? this.actions : this.element).append(this.menu);
    const cancel = h('button', { type: 'button', role: 'menuitem', class: 'quiet', onclick: () => this.cancel() }, 'Cancel');
    this.menu.replaceChildren(...buttons, cancel);
    const target = this.targets.get(this.made.findLast(step => step.cell)?.cell);
    if (target && !small) {
      const frame = this.element.getBoundingClientRect();
      const cell = target.getBoundingClientRect();
      const width = this.menu.offsetWidth, height = this.menu.offsetHeight;
      const clamp = (value, most) => Math.max(4, Math.min(value, most - 4));
      this.menu.style.left = `${clamp(cell.left - frame.left + cell.width / 2 - width / 2, frame.width - width)}px`;
      const below = cell.bottom - frame.top + 6;
      const above = cell.top - frame.top - height - 6;
      this.menu.style.top = `${below + height < frame.height ? below : Math.max(above, 4)}px`;
    }
    buttons[0].focus();
  }

  cancel() {
    const cell = this.made.find(step => step.cell)?.cell;
    this.reset();
    if (cell) this.focus(cell);
  }

  /** Marks: the last move, danger, what has been touched, a hint. */
  marks() {
    const mark = (name, kind) => {
      const place = this.places.get(name);
      return place && s('polygon', { class: `mark ${kind}`, points: this.corners, transform: `translate(${place.join(' ')})` });
    };
    const marks = [
      ...(this.shown.last ?? []).map(name => mark(name, 'last')),
      this.shown.alarm && mark(this.shown.alarm, 'alarm'),
      ...this.made.filter(step => step.cell).map(step => mark(step.cell, 'chosen')),
      ...(this.hinted ?? []).map(name => mark(name, 'hint')),
      ...(this.heat ?? []).map(([name, share]) => {
        const element = mark(name, 'heat');
        element?.setAttribute('opacity', Math.min(0.85, 0.1 + share).toFixed(2));
        return element;
      }),
    ];
    this.layers.marks.replaceChildren(...marks.filter(Boolean));
  }

  hint(cells) {
    this.hinted = cells;
    this.marks();
  }

  /** How likely moves to each cell are, from 0 to 1. */
  showHeat(shares) {
    this.heat = shares;
    if (this.shown) this.marks();
  }

  /** Arrows from cell to cell, or rings around one: `{ cells, weight, kind, text }`. With `figures`, up to three lines at the end. */
  arrows(arrows) {
    if (!this.layers) return;
    const drawn = arrows.map(({ cells, weight = 1, kind = '', text, figures }) => {
      const places = cells.map(cell => this.places.get(cell)).filter(Boolean);
      if (!places.length) return null;
      const [from, to] = [places[0], places.at(-1)];
      const still = from[0] === to[0] && from[1] === to[1];
      const width = 6 + 14 * weight;
      const group = s('g', { class: `arrow ${kind}`, opacity: (0.35 + 0.55 * weight).toFixed(2) });
      let badge = to;
      if (still) {
        group.append(s('circle', { cx: to[0], cy: to[1], r: 40, 'stroke-width': width / 1.6 }));
      } else {
        const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        const length = Math.hypot(dx, dy);
        const [ux, uy] = [dx / length, dy / length];
        const head = 20 + width;
        const tip = [to[0] - ux * 8, to[1] - uy * 8];
        const neck = [tip[0] - ux * head, tip[1] - uy * head];
        const side = 0.62 * head;
        group.append(s('line', { x1: from[0] + ux * 22, y1: from[1] + uy * 22, x2: neck[0], y2: neck[1], 'stroke-width': width }));
        group.append(s('polygon', { points: points([tip, [neck[0] - uy * side, neck[1] + ux * side], [neck[0] + uy * side, neck[1] - ux * side]]) }));
        badge = [to[0] - ux * 4, to[1] - uy * 4];
      }
      if (text) group.append(s('g', { class: 'badge', transform: `translate(${badge[0]} ${badge[1]})` },
        s('circle', { r: 19 }), s('text', { y: 8 }, text)));
      // Not part of the arrow, whose strength they would share.
      const plate = figures && s('g', { class: `figures ${kind}`, transform: `translate(${to[0]} ${to[1]})` },
        s('rect', { x: -44, y: -39, width: 88, height: 78, rx: 9 }),
        figures.map((line, index) => s('text', { y: [-12, 11, 32][index], class: `figure${index}` }, line)));
      return [group, plate];
    });
    this.layers.arrows.replaceChildren(...drawn.flat().filter(Boolean));
  }

  focusable(name) {
    this.targets.get(this.focused)?.setAttribute('tabindex', '-1');
    this.focused = name;
    this.targets.get(name)?.setAttribute('tabindex', '0');
  }

  focus(name) {
    this.focusable(name);
    this.targets.get(name)?.focus();
  }

  listen() {
    const cellOf = event => event.target.closest?.('[data-cell]')?.getAttribute('data-cell');
    let down = null;
    this.svg.addEventListener('pointerdown', event => {
      const cell = cellOf(event);
      if (!cell || event.button !== 0 || !this.legal.length) return;
      down = { cell, x: event.clientX, y: event.clientY, moved: false, chosen: this.made.at(-1)?.cell === cell };
      this.focusable(cell);
      if (!down.chosen) this.touch(cell);
      const begun = this.made.at(-1)?.cell === cell;
      if (begun) this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener('pointermove', event => {
      if (!down) return;
      const begun = this.made.at(-1)?.cell === down.cell;
      if (!begun || !down.moved && Math.hypot(event.clientX - down.x, event.clientY - down.y) < DRAG) return;
      down.moved = true;
      const drawn = this.pieces.get(down.cell);
      if (!drawn) return;
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
      drawn.element.classList.add('dragged');
      drawn.element.style.transform = `translate(${at.x}px, ${at.y}px)`;
      this.layers.pieces.append(drawn.element);
    });
    const up = event => {
      if (!down) return;
      const cancelled = event.type === 'pointercancel';
      const { cell, moved, chosen } = down;
      down = null;
      const drawn = this.pieces.get(cell);
      if (moved) {
        drawn?.element.classList.remove('dragged');
        const over = document.elementsFromPoint(event.clientX, event.clientY).map(element => element.closest?.('[data-cell]'))
          .find(Boolean)?.getAttribute('data-cell');
        const [x, y] = this.places.get(cell);
        const legal = !cancelled && over && over !== cell && this.options().cells.has(over);
        if (drawn && !legal) drawn.element.style.transform = `translate(${x}px, ${y}px)`;
        if (legal) {
          if (drawn) drawn.element.style.transform = `translate(${this.places.get(over).map(value => `${value}px`).join(', ')})`;
          this.touch(over);
          if (this.made.length && drawn) drawn.element.style.transform = `translate(${x}px, ${y}px)`;
        }
      } else if (chosen && !cancelled) {
        this.touch(cell);
      }
    };
    this.svg.addEventListener('pointerup', up);
    this.svg.addEventListener('pointercancel', up);
    this.svg.addEventListener('keydown', event => {
      const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        if (this.focused) this.touch(this.focused);
      } else if (event.key === 'Escape') {
        this.cancel();
      } else if (ways[event.key]) {
        event.preventDefault();
        event.stopPropagation();
        this.focus(this.neighbour(this.focused, ways[event.key]));
      }
    });
    this.menu.addEventListener('keydown', event => {
      const buttons = [...this.menu.querySelectorAll('button')];
      const at = buttons.indexOf(document.activeElement);
      const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (event.key === 'Escape') this.cancel();
      else if (by) {
        event.preventDefault();
        event.stopPropagation();
        buttons[(at + by + buttons.length) % buttons.length].focus();
      }
    });
  }

  /** The nearest cell in a direction. */
  neighbour(name, [wayX, wayY]) {
    const [x, y] = this.places.get(name);
    let best = name, least = Infinity;
    for (const [other, [ox, oy]] of this.places) {
      const along = (ox - x) * wayX + (oy - y) * wayY;
      const aside = Math.abs((ox - x) * wayY) + Math.abs((oy - y) * wayX);
      const cost = along + 2 * aside;
      if (along > 10 && cost < least) [best, least] = [other, cost];
    }
    return best;
  }
}

const matches = (step, made) => step && (made.cell !== undefined ? step.touch?.includes(made.cell) : step.choose === made.choice);

const sameCells = (a, b) => a.cells.length === b.cells.length
  && a.cells.every((cell, index) => cell.name === b.cells[index].name && cell.ground === b.cells[index].ground);
