// All games.
import { page, h, capital } from './dom.js';
import { get } from './api.js';
import { Board } from './board.js';

export async function home() {
  const { games } = await get('/catalogue');
  const card = game => {
    const board = new Board({ label: `The start position of ${game.name}`, small: true });
    board.update(game.start, { sides: game.sides });
    return h('li', { class: 'card' },
      h('a', { href: `/play/${game.name}`, class: 'card-board', tabindex: '-1', 'aria-hidden': 'true' }, board.element),
      h('div', { class: 'card-text' },
        h('h2', {}, h('a', { href: `/play/${game.name}` }, capital(game.name))),
        h('p', { class: 'muted' }, capital(game.title)),
        h('p', { class: 'links' },
          h('a', { href: `/play/${game.name}`, class: 'button' }, 'Play'),
          h('a', { href: `/analyse/${game.name}`, class: 'button quiet' }, 'Analyse'))));
  };
  page('', h('h1', {}, 'Play'), h('p', { class: 'lead' }, 'Choose a game. Everything runs on this machine.'),
    h('ul', { class: 'cards' }, games.map(card)));
}
