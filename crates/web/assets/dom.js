// Building the page. Text is only ever set as text: nothing that comes from a game or a file is parsed as HTML.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.setAttribute('class', value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element with attributes, listeners (`onclick`) and children. */
export const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);

/** The same for SVG. */
export const s = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

/** Replaces all children of an element. */
export function show(element, ...children) {
  element.replaceChildren();
  return fill(element, null, children);
}

/** Says something to those who do not see the page. */
export function announce(text) {
  document.getElementById('announcer').textContent = text;
}

/** Takes the place of the page's content. */
export function page(title, ...children) {
  document.title = title ? `${title} – Alfil` : 'Alfil';
  return show(document.getElementById('main'), children);
}

/** One sentence about what went wrong, in an element that is there for it. */
export function complain(element, error) {
  element.hidden = !error;
  element.textContent = error ? sentence(error.message ?? String(error)) : '';
}

/** With a capital letter and a full stop. */
export function sentence(text) {
  const trimmed = text.trim();
  if (!trimmed) return '';
  return trimmed[0].toUpperCase() + trimmed.slice(1) + (/[.!?]$/.test(trimmed) ? '' : '.');
}

export const capital = text => text ? text[0].toUpperCase() + text.slice(1) : text;

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
/** 12,345 */
export const count = number => whole.format(number);
/** 12.3k */
export function short(number) {
  if (number < 1000) return String(Math.round(number));
  if (number < 1e6) return `${(number / 1e3).toFixed(number < 1e4 ? 1 : 0)}k`;
  return `${(number / 1e6).toFixed(number < 1e7 ? 1 : 0)}M`;
}
export const percent = share => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;

/** 3 min, 2 h 10 min, 4 d 3 h */
export function duration(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
