// Charts of lines, with a band where an interval is known.
import { h, s } from './dom.js';

const WIDTH = 480, HEIGHT = 190, LEFT = 46, BOTTOM = 22, TOP = 8, RIGHT = 10;

/** Round numbers that cover a range. */
function ticks(low, high, most) {
  const raw = (high - low) / most || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(one => one >= raw);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-6; value += step) found.push(Number(value.toPrecision(12)));
  return found;
}

const plain = value => Math.abs(value) >= 1000 ? new Intl.NumberFormat('en', { notation: 'compact' }).format(value) : String(Number(value.toPrecision(4)));

/**
 * A chart. `series`: `{ name, points: [[x, y, low?, high?]] }`. `range` keeps the vertical axis in place.
 * The values under the pointer are told in its key; without one, the last ones.
 */
export function chart({ title, note = '', series, xName = 'generation', range, format = plain, pick, height = HEIGHT }) {
  const drawn = series.map(one => ({ ...one, points: one.points.filter(point => point[1] !== null && Number.isFinite(point[1])) }))
    .filter(one => one.points.length);
  const points = drawn.flatMap(one => one.points);
  const key = h('span', { class: 'key' });
  const svg = s('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img' });
  const figure = h('figure', { class: 'chart' }, h('figcaption', {}, h('b', {}, title), h('span', {}, note), key), svg);
  if (!points.length) {
    // It has its height already, so that nothing moves when the first point comes.
    key.textContent = 'Nothing measured yet.';
    svg.setAttribute('aria-label', `${title}: nothing measured yet`);
    return figure;
  }
  const xs = points.map(point => point[0]);
  const ends = points.flatMap(([, y, low, high]) => [y, Number.isFinite(low) && low !== null ? low : y, Number.isFinite(high) && high !== null ? high : y]);
  let [low, high] = range ?? [Math.min(...ends), Math.max(...ends)];
  if (low === high) [low, high] = [low - Math.max(1, Math.abs(low) * 0.1), high + Math.max(1, Math.abs(high) * 0.1)];
  if (!range) {
    const pad = (high - low) * 0.06;
    [low, high] = [low >= 0 && low < (high - low) * 0.3 ? 0 : low - pad, high + pad];
  }
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const across = x => LEFT + (last === first ? 0.5 : (x - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
  const up = y => TOP + (1 - (Math.max(low, Math.min(high, y)) - low) / (high - low)) * (height - TOP - BOTTOM);
  for (const tick of ticks(low, high, 4)) {
    svg.append(s('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: up(tick), y2: up(tick) }),
      s('text', { x: LEFT - 7, y: up(tick) + 4, 'text-anchor': 'end' }, format(tick)));
  }
  for (const tick of ticks(first, last, 6).filter(Number.isInteger)) {
    svg.append(s('text', { x: across(tick), y: height - 5, 'text-anchor': 'middle' }, plain(tick)));
  }
  const way = list => list.map(([x, y], index) => `${index ? 'L' : 'M'}${across(x).toFixed(1)} ${up(y).toFixed(1)}`).join('');
  drawn.forEach((one, index) => {
    const band = one.points.filter(point => Number.isFinite(point[2]) && Number.isFinite(point[3]) && point[2] !== null);
    if (band.length > 1) {
      const edge = [...band.map(point => [point[0], point[3]]), ...band.toReversed().map(point => [point[0], point[2]])];
      svg.append(s('g', { class: 'band' }, s('path', { class: `c${index}`, d: `${way(edge)}Z` })));
    }
    svg.append(s('path', { class: `c${index}`, d: way(one.points) }));
    if (one.points.length === 1) svg.append(s('circle', { class: `c${index}`, cx: across(one.points[0][0]), cy: up(one.points[0][1]), r: 3 }));
  });
  const tell = x => {
    const nearest = one => one.points.reduce((best, point) => Math.abs(point[0] - x) < Math.abs(best[0] - x) ? point : best);
    key.replaceChildren(h('span', {}, `${xName} ${plain(nearest(drawn[0])[0])}`), ...drawn.map((one, index) => {
      const [, y, from, to] = nearest(one);
      const interval = Number.isFinite(from) && from !== null ? ` (${format(from)} to ${format(to)})` : '';
      return h('span', {}, h('i', { class: `c${index}` }), `${one.name} ${format(y)}${interval}`);
    }));
  };
  tell(last);
  svg.setAttribute('aria-label', `${title}: ${key.textContent}`);
  const cursor = s('line', { class: 'cursor', y1: TOP, y2: height - BOTTOM, visibility: 'hidden' });
  svg.append(cursor);
  const under = event => {
    const box = svg.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * WIDTH;
    return first + Math.max(0, Math.min(1, (x - LEFT) / (WIDTH - LEFT - RIGHT))) * (last - first);
  };
  svg.addEventListener('pointermove', event => {
    const x = xs.reduce((best, one) => Math.abs(one - under(event)) < Math.abs(best - under(event)) ? one : best);
    cursor.setAttribute('visibility', 'visible');
    cursor.setAttribute('x1', across(x));
    cursor.setAttribute('x2', across(x));
    tell(x);
  });
  svg.addEventListener('pointerleave', () => { cursor.setAttribute('visibility', 'hidden'); tell(last); });
  if (pick) svg.addEventListener('click', event => pick(Math.round(under(event))));
  return figure;
}

/** What was expected against what came out, both from -1 to 1: `points` have a number of positions, the expected value and the result. */
export function calibration({ title, note, points }) {
  const size = HEIGHT - TOP - BOTTOM;
  const left = (WIDTH - size) / 2;
  const [across, up] = [value => left + (value + 1) / 2 * size, value => TOP + (1 - value) / 2 * size];
  const svg = s('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' },
    [-1, 0, 1].map(tick => [
      s('line', { class: 'grid', x1: left, x2: left + size, y1: up(tick), y2: up(tick) }),
      s('line', { class: 'grid', x1: across(tick), x2: across(tick), y1: TOP, y2: TOP + size }),
      s('text', { x: left - 7, y: up(tick) + 4, 'text-anchor': 'end' }, String(tick)),
      s('text', { x: across(tick), y: HEIGHT - 5, 'text-anchor': 'middle' }, String(tick))]),
    s('line', { class: 'cursor', x1: left, y1: TOP + size, x2: left + size, y2: TOP }));
  const most = Math.max(1, ...points.map(([positions]) => positions));
  const words = ([positions, expected, result]) => `expected ${expected.toFixed(2)}, came out ${result.toFixed(2)}, ${plain(positions)} positions`;
  for (const point of points.filter(([positions]) => positions > 0)) {
    svg.append(s('circle', { class: 'dot0', cx: across(point[1]), cy: up(point[2]), r: 2 + 6 * Math.sqrt(point[0] / most) }, s('title', {}, words(point))));
  }
  svg.setAttribute('aria-label', `${title}: ${points.map(words).join('; ')}`);
  return h('figure', { class: 'chart' }, h('figcaption', {}, h('b', {}, title), h('span', {}, note)), svg);
}

/** A line without axes. */
export function spark(points) {
  const svg = s('svg', { class: 'spark', viewBox: '0 0 100 30', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  if (points.length > 1) {
    const ys = points.map(point => point[1]);
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    const way = points.map(([, y], index) => `${index ? 'L' : 'M'}${(100 * index / (points.length - 1)).toFixed(1)} ${(28 - 26 * (y - low) / (high - low || 1)).toFixed(1)}`);
    svg.append(s('path', { d: way.join(''), 'vector-effect': 'non-scaling-stroke' }));
  }
  return svg;
}
