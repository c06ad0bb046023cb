// Which page an address shows.
import { page, h, sentence } from './dom.js';

const [, part, ...words] = location.pathname.split('/').map(decodeURIComponent);
const pages = {
  '': () => import('./home.js').then(({ home }) => home()),
  play: () => words[1]
    ? import('./play.js').then(({ play }) => play(words[0], words[1]))
    : import('./play.js').then(({ setUp }) => setUp(words[0])),
  analyse: () => import('./analyse.js').then(({ analyse }) => analyse(words[0], words[1])),
  contests: () => words[0]
    ? import('./contests.js').then(({ contest }) => contest(words[0]))
    : import('./contests.js').then(({ contests }) => contests()),
  runs: () => words[0]
    ? import('./runs.js').then(({ run }) => run(words[0]))
    : import('./runs.js').then(({ runs }) => runs()),
};

const current = part === '' ? 'play' : part;
document.querySelector(`nav a[data-page="${CSS.escape(current)}"]`)?.setAttribute('aria-current', 'page');

try {
  await pages[part]();
} catch (error) {
  page('', h('section', { class: 'narrow' }, h('h1', {}, 'That did not work'),
    h('p', { role: 'alert' }, sentence(error.message)), h('p', {}, h('a', { href: '/' }, 'Back to the games'))));
}
