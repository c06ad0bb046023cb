// The pieces, drawn in a square of 100 units around (0, 0).
import { s } from './dom.js';

const base = () => s('rect', { x: -25, y: 25, width: 50, height: 11, rx: 4 });
const path = (d, more) => s('path', { d, ...more });
const line = d => s('path', { d, class: 'line' });
const ball = (x, y, r) => s('circle', { cx: x, cy: y, r });

const MEN = {
  pawn: () => [
    path('M-8-7C-6 9-16 12-18 26H18C16 12 6 9 8-7Z'), ball(0, -17, 13),
    s('rect', { x: -13, y: -8, width: 26, height: 6, rx: 3 }), base(),
  ],
  knight: () => [
    path('M-21 26C-22 8-7 3-4-9C-10-3-15 1-20 3C-27 5-32-2-28-8C-24-15-20-21-15-27L-14-38L-4-31C16-29 26-9 23 26Z'),
    line('M5-26C15-18 18-2 16 20'), s('circle', { cx: -11, cy: -19, r: 3, class: 'detail' }), base(),
  ],
  bishop: () => [
    path('M0-31C-11-23-18-12-16-2C-14 6-9 9-9 16H9C9 9 14 6 16-2C18-12 11-23 0-31Z'), ball(0, -35, 5.5),
    line('M5-19L-4-5'), s('rect', { x: -14, y: 14, width: 28, height: 7, rx: 3.5 }), base(),
  ],
  rook: () => [
    path('M-23-34H-12V-26H-5.500V-34H5.500V-26H12V-34H23V-17L15-10V14L20 26H-20L-15 14V-10L-23-17Z'),
    line('M-15-10H15M-15 13H15'), base(),
  ],
  queen: () => [
    path('M-18 17L-28-19L-15-5L-12-29L0-8L12-29L15-5L28-19L18 17Z'),
    ball(-28, -22, 4.5), ball(-12, -33, 4.5), ball(12, -33, 4.5), ball(28, -22, 4.5),
    s('rect', { x: -20, y: 15, width: 40, height: 8, rx: 3 }), base(),
  ],
  king: () => [
    path('M-3.5-45H3.500V-38H10V-31.500H3.500V-20H-3.500V-31.500H-10V-38H-3.500Z'),
    path('M-18 17C-31 5-33-12-21-18C-11-23-2-17 0-8C2-17 11-23 21-18C33-12 31 5 18 17Z'), line('M0-8V15'),
    s('rect', { x: -20, y: 15, width: 40, height: 8, rx: 3 }), base(),
  ],
};

const number = (value, y) => s('text', { y, class: 'number' }, String(value));

/** A piece. Sides differ in more than their colour. */
export function draw({ side, figure, number: value, tired }) {
  const group = s('g', { class: `piece ${MEN[figure] ? 'man' : figure} side${side}${tired ? ' tired' : ''}` });
  if (MEN[figure]) {
    group.append(...MEN[figure]());
  } else if (figure === 'stone') {
    group.append(ball(0, 0, 37));
    group.append(side === 0 ? s('circle', { r: 23, class: 'line' }) : line('M-13-13L13 13M13-13L-13 13'));
  } else if (figure === 'unit') {
    group.append(path('M-30 38C-32 10-18-4 0-4C18-4 32 10 30 38Z'), ball(0, -20, 16));
    group.append(path(side === 0 ? 'M-19-20C-19-46 19-46 19-20Z' : 'M-20-20L0-47L20-20Z', { class: 'helmet' }));
    group.append(number(value, 32));
  } else if (figure === 'number') {
    group.append(number(value, 32));
  }
  return group;
}

/** What a piece is called. */
export function called({ side, figure, number: value, tired }, sides) {
  if (figure === 'number') return `headquarters of ${sides[side]}, ${value} points`;
  if (figure === 'unit') return `soldier of ${sides[side]}, ${value} points${tired ? ', has had its order' : ''}`;
  return `${sides[side]} ${figure}`;
}

/** A piece as a picture of its own, for buttons. */
export const icon = piece => s('svg', { viewBox: '-50 -50 100 100', class: 'icon', 'aria-hidden': 'true' }, draw(piece));
