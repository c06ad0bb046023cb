// Playing.
import { page, h, show, announce, complain, capital, sentence } from './dom.js';
import { get, post, listen } from './api.js';
import { Board } from './board.js';
import { MoveList, sideName, canFlip, clockOf, colours, forgotten, rulesFields, textOf } from './game.js';

const remembered = name => localStorage.getItem(`alfil.${name}`);
const remember = (name, value) => localStorage.setItem(`alfil.${name}`, value);

/** Seconds at the beginning and for every move. */
const CLOCKS = [['', 'None'], ['60+0', '1 minute'], ['180+2', '3 minutes, 2 seconds per move'], ['300+3', '5 minutes, 3 seconds per move'],
  ['600+5', '10 minutes, 5 seconds per move'], ['1800+0', '30 minutes']];

/** The page on which a game is chosen. */
export async function setUp(name) {
  const { games, levels } = await get('/catalogue');
  const game = games.find(one => one.name === name);
  if (!game) throw new Error(`there is no game ${name}`);
  const board = new Board({ label: `The start position of ${name}`, small: true });
  board.update(game.start, { sides: game.sides });

  const choice = (group, value, text, checked) => h('label', { class: 'choice' },
    h('input', { type: 'radio', name: group, value, checked }), h('span', {}, text));
  const sides = [game.sides[0], game.sides[1], 'both', 'none'];
  const side = sides.includes(remembered('side')) ? remembered('side') : game.sides[0];
  const texts = { both: 'Both', none: 'Watch' };
  const level = Number(remembered('level') ?? 3);
  const shownLevel = h('output', { for: 'level' }, String(level));
  // Networks that play like people of a rating, where there are any.
  const bands = game.evaluators.filter(one => one.imitates).sort((a, b) => a.imitates - b.imitates);
  const rules = rulesFields(game);
  const kinds = [['level', 'Tree search at a level'], ['people', 'Like people of a rating'],
    ['policy', 'A network without search, as people play'], ['alphabeta', 'Alpha-beta'], ['turns', 'Alpha-beta over whole turns'],
    ['oracle', 'Perfect play'], ['random', 'Random moves']]
    .filter(([kind]) => (kind !== 'oracle' || game.has_oracle) && (kind !== 'turns' || name === 'headquarters') && (kind !== 'people' || bands.length));
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  const pgn = h('textarea', { name: 'pgn', rows: 4 });
  const form = h('form', { class: 'panel set-up', onsubmit: event => { event.preventDefault(); start(); } },
    h('fieldset', {}, h('legend', {}, 'You play'), h('div', { class: 'choices' },
      sides.map(one => choice('side', one, texts[one] ?? capital(one), one === side)))),
    h('div', { class: 'opponent' },
      h('label', { class: 'field' }, h('span', {}, 'Opponent'),
        h('select', { name: 'kind', onchange: () => adapt() }, kinds.map(([kind, text]) => h('option', { value: kind }, text)))),
      h('label', { class: 'field', 'data-for': 'level' }, h('span', {}, 'Level ', shownLevel, ` of ${levels[1]}`),
        h('input', { type: 'range', id: 'level', name: 'level', min: levels[0], max: levels[1], value: level,
          oninput: event => { shownLevel.textContent = event.target.value; } })),
      h('label', { class: 'field', 'data-for': 'people' }, h('span', {}, 'Rating'),
        h('select', { name: 'band' }, bands.map(one => h('option', { value: one.id }, `${one.imitates} Elo`)))),
      h('label', { class: 'field', 'data-for': 'policy' }, h('span', {}, 'Chooses'),
        h('select', { name: 'temperature' }, [[0.1, 'Its most likely move'], [0.5, 'Mostly likely moves'], [1, 'Moves as likely as it says']].map(([value, text]) =>
          h('option', { value, selected: value === 1 }, text)))),
      h('label', { class: 'field', 'data-for': 'level policy' }, h('span', {}, 'Positions are judged by'),
        h('select', { name: 'evaluator' }, game.evaluators.map(one =>
          h('option', { value: one.id, selected: one.id === game.strongest }, capital(one.name))))),
      h('label', { class: 'field', 'data-for': 'alphabeta turns' }, h('span', {}, 'Depth'),
        h('input', { type: 'number', name: 'depth', min: 1, max: 4, value: 2 }))),
    h('label', { class: 'field' }, h('span', {}, 'Clock'), h('select', { name: 'clock' }, CLOCKS.map(([value, text]) => h('option', { value }, text)))),
    h('details', {}, h('summary', {}, 'Rules, position, PGN'),
      rules.element,
      h('label', { class: 'field' }, h('span', {}, 'Start position'), h('input', { name: 'position', autocomplete: 'off', placeholder: game.start.position })),
      h('label', { class: 'field' }, h('span', {}, 'Or a game as PGN to go on with'), pgn), textOf(pgn)),
    error,
    h('div', { class: 'row' }, h('button', { class: 'main', type: 'submit' }, 'Start'),
      h('a', { class: 'button quiet', href: `/analyse/${name}` }, 'Analyse instead')));
  const fields = form.elements;

  function adapt() {
    const kind = fields.kind.value;
    const both = fields.side.value === 'both';
    form.querySelector('.opponent').hidden = both;
    form.querySelectorAll('[data-for]').forEach(field => { field.hidden = !field.dataset.for.split(' ').includes(kind); });
    fields.depth.max = kind === 'turns' ? 3 : 4;
    // Networks of the data folder are those that people have put there to play with.
    const network = game.evaluators.find(one => one.id.startsWith('file:')) ?? game.evaluators.find(one => one.id !== 'handcrafted');
    if (kind === 'policy' && fields.evaluator.value === 'handcrafted' && network) fields.evaluator.value = network.id;
  }

  async function start() {
    complain(error, null);
    const kind = fields.kind.value;
    const opponent = kind === 'people' ? { kind: 'policy', evaluator: fields.band.value, temperature: 1 } : { kind };
    if (kind === 'level') Object.assign(opponent, { level: Number(fields.level.value), evaluator: fields.evaluator.value });
    if (kind === 'policy') Object.assign(opponent, { temperature: Number(fields.temperature.value), evaluator: fields.evaluator.value });
    if (kind === 'alphabeta' || kind === 'turns') opponent.depth = Number(fields.depth.value);
    const request = { game: name, side: fields.side.value, opponent, rules: rules.value() };
    if (fields.clock.value) {
      const [seconds, increment] = fields.clock.value.split('+').map(Number);
      request.clock = { seconds, increment };
    }
    if (fields.position.value.trim()) request.position = fields.position.value;
    if (fields.pgn.value.trim()) request.pgn = fields.pgn.value;
    remember('side', request.side);
    if (kind === 'level') remember('level', opponent.level);
    try {
      const { id } = await post('/games', request);
      location.assign(`/play/${name}/${id}`);
    } catch (why) {
      complain(error, why);
    }
  }

  form.addEventListener('change', adapt);
  page(capital(name), h('div', { class: 'table set' },
    h('div', { class: 'board-side' }, board.element),
    h('div', { class: 'panel-side' }, h('h1', {}, capital(name)), h('p', { class: 'muted' }, capital(game.title)), form)));
  adapt();
}

/** The page on which a game is played. */
export async function play(name, id) {
  let state = await get(`/games/${id}`);
  let shown = state.shown;
  let following = true;
  let busy = false;
  // The position that was asked for last.
  let wanted = null;
  // When the state came, of which the clocks are a part.
  let heard = performance.now();
  const humans = () => state.people.filter(Boolean).length;
  const mine = () => humans() === 1 ? state.people.indexOf(true) : null;
  let flipped = mine() === 1 && canFlip(shown.board);

  const board = new Board({ label: `${capital(name)} board`, play: move => send(move.move) });
  const list = new MoveList(ply => goTo(ply));
  const status = h('p', { class: 'status', role: 'status' });
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  const players = h('div', { class: 'players' });
  const button = (text, act, more) => h('button', { type: 'button', class: 'quiet', onclick: act, ...more }, text);
  const undo = button('Undo', () => change('undo'));
  const hint = button('Hint', askHint);
  const resign = button('Resign', confirmResign);
  const flip = button('Flip', () => { flipped = !flipped; draw(); });
  const input = h('input', { name: 'move', autocomplete: 'off', spellcheck: 'false', 'aria-label': 'Type a move', placeholder: 'Type a move' });
  const typed = h('form', { class: 'typed', onsubmit: event => { event.preventDefault(); if (input.value.trim()) send(input.value.trim()); } },
    input, h('button', { class: 'quiet' }, 'Play'));
  const over = h('div', { class: 'over panel', hidden: true });

  page(capital(name), h('h1', { class: 'unseen' }, `A game of ${name}`), h('div', { class: 'table' },
    h('div', { class: 'board-side' }, board.element, board.actions),
    h('div', { class: 'panel-side' }, players, status, error, over, list.element,
      h('div', { class: 'controls' }, undo, hint, resign, flip),
      typed,
      h('div', { class: 'controls' },
        h('a', { class: 'button quiet', href: `/play/${name}` }, 'New game'),
        h('a', { class: 'button quiet', href: `/api/v1/games/${id}/pgn`, download: `${name}.pgn` }, 'Save PGN'),
        button('Analyse', analyse)))));

  function draw() {
    const last = shown.ply === state.moves.length;
    const can = last && !busy && !state.result && state.people[shown.turn];
    board.update(shown, { sides: state.sides, legal: can ? shown.legal : [], flipped });
    colours(shown.board);
    list.update(state.moves, shown.ply);
    show(players, [1, 0].map(side => h('div', { class: `player${!state.result && last && shown.turn === side ? ' to-move' : ''}` },
      sideName(state.sides[side], side),
      h('span', { class: 'muted' }, state.people[side] ? (humans() === 2 ? '' : 'you') : state.opponent_name),
      state.clock && h('time', { class: 'clock', role: 'timer', 'data-side': side, 'aria-label': `Time of ${state.sides[side]}` }))));
    tick();
    if (flipped) players.append(players.firstChild);
    const turn = capital(state.sides[shown.turn]);
    status.textContent = !last ? `Move ${shown.ply} of ${state.moves.length}`
      : state.result ? '' : state.failure ? '' : state.thinking ? `${turn} is thinking…`
      : `${humans() === 2 ? `${turn} to move` : 'Your move'}${shown.alarm ? ': check' : ''}`;
    status.classList.toggle('thinking', last && state.thinking && !state.result);
    if (state.failure) complain(error, state.failure);
    undo.disabled = !state.moves.length || humans() === 0;
    hint.disabled = !can;
    resign.disabled = Boolean(state.result);
    flip.hidden = !canFlip(shown.board);
    typed.hidden = !can;
    over.hidden = !state.result;
    if (state.result) {
      const won = mine() === null ? '' : state.result.score === 0.5 ? '' : (state.result.score === 1) === (mine() === 0) ? 'won' : 'lost';
      over.className = `over panel ${won}`;
      show(over, h('strong', {}, sentence(state.result.words)),
        h('button', { type: 'button', onclick: again }, 'Play again'));
    }
  }

  /** Shows the clocks. Between two states, the time passes here. */
  function tick() {
    if (!state.clock) return;
    for (const element of players.querySelectorAll('.clock')) {
      const side = Number(element.dataset.side);
      const runs = state.clock.running === side;
      const left = Math.max(0, state.clock.left[side] - (runs ? (performance.now() - heard) / 1000 : 0));
      element.textContent = clockTime(left);
      element.classList.toggle('runs', runs);
      element.classList.toggle('short', left < 20);
    }
  }

  function take(next) {
    // The answer to a move may come after the event of the move that follows it.
    if (next.version < state.version) return;
    if (next.version === state.version) {
      // Nothing to draw: what somebody has begun to do on the board stays as it is.
      [state, heard] = [next, performance.now()];
      return tick();
    }
    const before = state;
    state = next;
    heard = performance.now();
    if (following) shown = state.shown;
    draw();
    const moved = state.moves.length > before.moves.length ? state.moves.at(-1) : null;
    if (state.result && !before.result) announce(sentence(state.result.words));
    else if (moved) announce(`${state.sides[moved.side]} played ${moved.name}.${state.shown.alarm ? ' Check.' : ''}`);
  }

  async function goTo(ply) {
    following = ply === state.moves.length;
    wanted = ply;
    try {
      const next = following ? state.shown : (await get(`/games/${id}?ply=${ply}`)).shown;
      // Somebody has gone on meanwhile.
      if (wanted !== ply) return;
      shown = next;
      draw();
      announce(ply ? `After ${state.moves[ply - 1].name}` : 'The start position');
    } catch (why) {
      complain(error, why);
    }
  }

  async function send(move) {
    if (busy) return;
    busy = true;
    complain(error, null);
    board.hint([]);
    try {
      [following, wanted] = [true, null];
      take(await post(`/games/${id}/moves`, { move, ply: state.moves.length }));
      input.value = '';
    } catch (why) {
      complain(error, why);
    }
    busy = false;
    draw();
  }

  async function change(what) {
    complain(error, null);
    board.hint([]);
    [following, wanted] = [true, null];
    try {
      take(await post(`/games/${id}/${what}`));
      if (what === 'undo') announce('Taken back.');
    } catch (why) {
      complain(error, why);
    }
  }

  async function askHint() {
    complain(error, null);
    hint.disabled = true;
    try {
      const { cells, name: move } = await post(`/games/${id}/hint`);
      board.hint(cells);
      announce(`Hint: ${move}`);
      status.textContent = `Hint: ${move}`;
    } catch (why) {
      complain(error, why);
    }
    hint.disabled = false;
  }

  function confirmResign() {
    if (resign.dataset.sure) {
      delete resign.dataset.sure;
      resign.textContent = 'Resign';
      change('resign');
      return;
    }
    resign.dataset.sure = 'yes';
    resign.textContent = 'Really resign?';
    setTimeout(() => { delete resign.dataset.sure; resign.textContent = 'Resign'; }, 3000);
  }

  const seats = () => humans() === 2 ? 'both' : humans() === 0 ? 'none' : state.sides[mine()];

  async function again() {
    try {
      const next = await post('/games', { game: name, side: seats(), opponent: state.opponent, rules: state.rules, position: state.start,
        clock: clockOf(state) });
      location.assign(`/play/${name}/${next.id}`);
    } catch (why) {
      complain(error, why);
    }
  }

  async function analyse() {
    try {
      const next = await post('/games', { game: name, side: 'both', rules: state.rules, position: state.start,
        moves: state.moves.map(move => move.move).join(' ') });
      location.assign(`/analyse/${name}/${next.id}`);
    } catch (why) {
      complain(error, why);
    }
  }

  draw();
  if (state.clock) setInterval(tick, 100);
  listen(`/games/${id}/events`, {
    state: take,
    failure: ({ error: why }) => complain(error, why),
    gone: () => over.replaceWith(forgotten(state, async request => {
      const next = await post('/games', request);
      location.assign(`/play/${name}/${next.id}`);
    })),
  }, { kept: true });
}

/** 5:03, or 0:09.4 when it matters. */
function clockTime(seconds) {
  const whole = seconds < 20 ? Math.floor(seconds * 10) / 10 : Math.ceil(seconds);
  const minutes = Math.floor(whole / 60);
  const rest = whole - 60 * minutes;
  return `${minutes}:${seconds < 20 ? rest.toFixed(1).padStart(4, '0') : String(rest).padStart(2, '0')}`;
}
