// Games that have been played, to look at again.
import { h, count } from './dom.js';
import { post } from './api.js';

/** Rows that are shown. */
const MOST = 30;

/** A table of games of one kind. `complain` is told why one cannot be shown. */
export function gamesTable(kind, games, complain) {
  const replay = async game => {
    try {
      const { id } = await post('/games', { game: kind, side: 'both', pgn: game.pgn });
      location.assign(`/analyse/${kind}/${id}`);
    } catch (why) {
      complain(why);
    }
  };
  const players = game => (game.white === '?' || game.white === game.black ? 'Self-play' : `${game.white} – ${game.black}`)
    + (game.generation === undefined ? '' : `, generation ${game.generation}`);
  const row = game => h('tr', {}, h('td', {}, players(game)), h('td', {}, game.result), h('td', {}, count(game.plies)),
    h('td', {}, h('button', { type: 'button', class: 'quiet', onclick: () => replay(game) }, 'Replay')));
  return h('div', { class: 'scrolls' }, h('table', { class: 'games' },
    h('thead', {}, h('tr', {}, ['Players', 'Result', 'Plies'].map(text => h('th', { scope: 'col' }, text)), h('td', {}))),
    h('tbody', {}, games.slice(0, MOST).map(row))));
}
