//! A game in the server's memory.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use alfil_arena::player::{Choice, Player, PlayerError, TreePlayer, TreeSettings};
use alfil_arena::{Sitting, UserSides};
use alfil_game::{FullGame, Game, Language, Side};
use alfil_nn::catch_panic;
use serde::Serialize;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::background::{Priority, spawn};
use crate::clock::{ClockSettings, ClockView, GameClock};
use crate::error::ApiError;
use crate::host::Host;
use crate::live_search::{LiveSearch, PreparedSearch, SearchRequest};
use crate::opponent::Opponent;
use crate::view::{self, NamedMoves, PlayedView, PositionView};

/// Visits for a hint.
const HINT_VISITS: u32 = 400;

/// Moves of a game at most, which is told whole after every move. No game of self-play is longer.
pub const MOST_PLIES: usize = 4096;

/// What a page can do with a game, whichever it is. All of it may take a moment where a game is long: not for a thread that
/// answers requests.
pub trait Session: Send + Sync {
    /// The game as it stands, with the position after `ply` moves, or after all of them.
    fn state(&self, ply: Option<usize>) -> Result<StateView, ApiError>;
    /// Plays a move in the position after `ply` moves. Where people have both sides, later moves are taken back first.
    fn play(self: Arc<Self>, text: &str, ply: usize) -> Result<(), ApiError>;
    /// Takes back the last decision of people, and all that came after it.
    fn undo(self: Arc<Self>) -> Result<(), ApiError>;
    /// Ends the game in favour of the other side.
    fn resign(self: Arc<Self>) -> Result<(), ApiError>;
    /// The game as a file.
    fn pgn(&self) -> Result<String, ApiError>;
    /// A good move, after a search.
    fn hint(&self, stop: &AtomicBool) -> Result<HintView, ApiError>;
    /// Tells of every change.
    fn changes(&self) -> watch::Receiver<u64>;
    /// The opponent thinks as long as at least one of these is kept.
    fn listen(self: Arc<Self>) -> Listener;
    /// Whether somebody listens.
    fn is_watched(&self) -> bool;
    /// A search of one of its positions.
    fn search(&self, request: SearchRequest) -> Result<Box<dyn LiveSearch>, ApiError>;
    #[doc(hidden)]
    fn leave(&self);
}

/// A game as it stands.
#[derive(Debug, Serialize)]
pub struct StateView {
    game: &'static str,
    title: &'static str,
    /// What the players are called.
    sides: [&'static str; 2],
    /// Which sides people play.
    people: [bool; 2],
    opponent: Opponent,
    /// The opponent in words.
    opponent_name: String,
    /// Options of the rules that are not the usual ones.
    rules: String,
    /// Where it began.
    start: String,
    moves: Vec<PlayedView>,
    shown: PositionView,
    /// How it has ended.
    result: Option<view::ResultView>,
    /// Whether the opponent is to move.
    thinking: bool,
    /// The time that both sides have, if they play with a clock. It stands still while nobody looks at the game.
    clock: Option<ClockView>,
    /// Why the opponent cannot go on.
    failure: Option<String>,
    /// What the opponent expects, as points of the first player from 0 to 1.
    expected: Option<f32>,
    /// Grows with every change: of two states, the one with the larger number is the newer one.
    pub version: u64,
}

/// A move that is a good one.
#[derive(Debug, Serialize)]
pub struct HintView {
    r#move: String,
    name: String,
    /// The cells to touch.
    cells: Vec<String>,
}

/// Somebody who looks at a session.
pub struct Listener(Arc<dyn Session>);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// A session of one game.
pub struct GameSession<G: FullGame> {
    host: Arc<Host<G>>,
    seats: UserSides,
    opponent: Opponent,
    table: Mutex<Table<G>>,
    changes: watch::Sender<u64>,
    listeners: AtomicUsize,
}

/// A move, and the player who chose it.
type Chosen<G> = (Choice<<G as Game>::Move>, Box<dyn Player<G>>);

/// What changes in a session.
struct Table<G: FullGame> {
    sitting: Sitting<G>,
    named: NamedMoves<G>,
    /// The opponent, unless it is thinking or has not been needed yet.
    player: Option<Box<dyn Player<G>>>,
    /// Stops the search for the opponent's move, if there is one under way.
    thinking: Option<Arc<AtomicBool>>,
    failure: Option<String>,
    expected: Option<f32>,
    clock: Option<GameClock>,
    /// Ends the game when the time of the side to move is over.
    timer: Option<AbortHandle>,
    /// How often it has changed.
    version: u64,
}

impl<G: FullGame> GameSession<G> {
    pub fn new(
        host: Arc<Host<G>>,
        sitting: Sitting<G>,
        seats: UserSides,
        opponent: Opponent,
        clock: Option<ClockSettings>,
    ) -> Arc<GameSession<G>> {
        let table = Table {
            named: NamedMoves::of(&sitting),
            sitting,
            player: None,
            thinking: None,
            failure: None,
            expected: None,
            clock: clock.map(GameClock::new),
            timer: None,
            version: 0,
        };
        let (table, changes) = (Mutex::new(table), watch::Sender::new(0));
        Arc::new(GameSession { host, seats, opponent, table, changes, listeners: AtomicUsize::new(0) })
    }

    fn lock(&self) -> MutexGuard<'_, Table<G>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self, table: &mut Table<G>) {
        table.named.follow(&table.sitting);
        table.version += 1;
        self.changes.send_replace(table.version);
    }

    fn is_over(table: &Table<G>) -> bool {
        table.sitting.legal_moves(&mut Vec::new()).is_some()
    }

    /// Changes the game, stops the opponent, and lets it think about what has become of the game.
    fn change(self: &Arc<Self>, change: impl FnOnce(&mut Table<G>) -> Result<(), ApiError>) -> Result<(), ApiError> {
        {
            let mut table = self.lock();
            change(&mut table)?;
            table.stop();
            table.failure = None;
            self.changed(&mut table);
        }
        self.wake();
        Ok(())
    }

    /// Lets the opponent think if it is to move, and somebody waits for it.
    fn wake(self: &Arc<Self>) {
        let mut table = self.lock();
        self.run_clock(&mut table);
        let side = table.sitting.played().now().side();
        if table.thinking.is_some()
            || table.failure.is_some()
            || self.seats.is_user(side)
            || !self.is_watched()
            || Self::is_over(&table)
        {
            return;
        }
        if table.sitting.played().moves().len() >= MOST_PLIES {
            table.failure = Some(format!("a game has at most {MOST_PLIES} moves here"));
            return self.changed(&mut table);
        }
        let stop = Arc::new(AtomicBool::new(false));
        table.thinking = Some(Arc::clone(&stop));
        let session = Arc::clone(self);
        tokio::spawn(async move {
            let permit = Arc::clone(&session.host.thinking).acquire_owned().await;
            let thinking = Arc::clone(&session);
            let started = spawn(Priority::Move, move || {
                thinking.think(&stop);
                drop(permit);
            });
            if let Err(why) = started {
                let mut table = session.lock();
                (table.thinking, table.failure) = (None, Some(format!("the opponent cannot think: {why}")));
                session.changed(&mut table);
            }
        });
    }

    /// Lets the time of the side to move pass, from its first move on and while somebody looks.
    fn run_clock(self: &Arc<Self>, table: &mut Table<G>) {
        let played = table.sitting.played();
        let side = played.now().side();
        let runs = self.is_watched() && !played.moves().is_empty() && !Self::is_over(table);
        let Some(clock) = &mut table.clock else { return };
        let now = Instant::now();
        clock.run(runs.then_some(side), now);
        let left = clock.left(side, now);
        if let Some(timer) = table.timer.take() {
            timer.abort();
        }
        if runs {
            let session = Arc::downgrade(self);
            let wait = tokio::spawn(async move {
                tokio::time::sleep(left).await;
                if let Some(session) = session.upgrade() {
                    let mut table = session.lock();
                    session.look_at_clock(&mut table);
                }
            });
            table.timer = Some(wait.abort_handle());
        }
    }

    /// Ends the game if somebody's time is over.
    fn look_at_clock(&self, table: &mut Table<G>) {
        let fallen = table.clock.as_ref().and_then(|clock| clock.fallen(Instant::now()));
        if let Some(side) = fallen.filter(|_| !Self::is_over(table)) {
            table.sitting.lose_on_time(side);
            table.stop();
            if let Some(clock) = &mut table.clock {
                clock.run(None, Instant::now());
            }
            self.changed(table);
        }
    }

    /// Searches for the opponent's move and plays it, unless `stop` is set meanwhile.
    fn think(self: &Arc<Self>, stop: &Arc<AtomicBool>) {
        let (played, player) = {
            let mut table = self.lock();
            if stop.load(SeqCst) {
                return;
            }
            (table.sitting.played().clone(), table.player.take())
        };
        let choose = || -> Result<Chosen<G>, ApiError> {
            let mut player = match player {
                Some(player) => player,
                None => self.opponent.player(&self.host, seed()?)?,
            };
            let choice = player.choose(&played, &|| stop.load(SeqCst)).map_err(|why| match why {
                PlayerError::Stopped => ApiError::conflict(why),
                why => ApiError::failed(format!("the opponent cannot go on: {why}")),
            })?;
            Ok((choice, player))
        };
        let chosen = catch_panic("the opponent", choose).map_err(ApiError::failed).flatten();
        {
            let mut table = self.lock();
            self.look_at_clock(&mut table);
            if stop.load(SeqCst) {
                return;
            }
            table.thinking = None;
            let mut legal = Vec::new();
            table.sitting.legal_moves(&mut legal);
            match chosen {
                Ok((choice, player)) if legal.contains(&choice.m) => {
                    let points = choice.opinion.map(|opinion| opinion.score.points());
                    let mover = table.sitting.played().now().side();
                    table.expected = points.map(|points| if mover == Side::First { points } else { 1.0 - points });
                    table.sitting.play(choice.m);
                    table.player = Some(player);
                    table.clock.iter_mut().for_each(|clock| clock.moved(mover));
                }
                Ok(_) => table.failure = Some("the opponent chose a move that is not legal".to_owned()),
                Err(why) => table.failure = Some(why.to_string()),
            }
            self.changed(&mut table);
        }
        self.wake();
    }
}

impl<G: FullGame> Table<G> {
    /// Stops the opponent. What it was searching is forgotten.
    fn stop(&mut self) {
        if let Some(stop) = self.thinking.take() {
            stop.store(true, SeqCst);
        }
    }
}

impl<G: FullGame> Session for GameSession<G> {
    fn state(&self, ply: Option<usize>) -> Result<StateView, ApiError> {
        let table = self.lock();
        let sitting = &table.sitting;
        let plies = sitting.played().moves().len();
        let ply = ply.unwrap_or(plies);
        if ply > plies {
            return Err(ApiError::missing(format!("the game has {plies} moves")));
        }
        let result = sitting.legal_moves(&mut Vec::new());
        let side = sitting.played().now().side();
        Ok(StateView {
            game: G::NAME,
            title: G::TITLE,
            sides: G::SIDES,
            people: [Side::First, Side::Second].map(|side| self.seats.is_user(side)),
            opponent: self.opponent.clone(),
            opponent_name: self.opponent.name(&self.host),
            rules: sitting.played().start().chosen_rules(),
            start: sitting.played().start().position(),
            moves: table.named.views.clone(),
            shown: view::position(sitting, ply, &table.named.views),
            thinking: result.is_none() && table.failure.is_none() && !self.seats.is_user(side),
            result: result.map(|outcome| view::ended::<G>(&outcome)),
            failure: table.failure.clone(),
            expected: table.expected,
            clock: table.clock.as_ref().map(|clock| clock.view(Instant::now())),
            version: table.version,
        })
    }

    fn play(self: Arc<Self>, text: &str, ply: usize) -> Result<(), ApiError> {
        let both = self.seats.is_user(Side::First) && self.seats.is_user(Side::Second);
        self.change(|table| {
            self.look_at_clock(table);
            let plies = table.sitting.played().moves().len();
            if ply > plies || ply < plies && !both {
                return Err(ApiError::conflict("the game has gone on meanwhile: look at the board again"));
            }
            if ply >= MOST_PLIES {
                return Err(ApiError::conflict(format!("a game has at most {MOST_PLIES} moves here")));
            }
            let mut game = table.sitting.played().start().clone();
            table.sitting.played().moves().iter().take(ply).for_each(|m| game.play(*m));
            if !self.seats.is_user(game.side()) {
                return Err(ApiError::conflict("it is not your move"));
            }
            let over = if ply == plies { table.sitting.legal_moves(&mut Vec::new()) } else { game.outcome() };
            if let Some(outcome) = over {
                return Err(ApiError::conflict(format!("the game is over: {}", outcome.in_words::<G>())));
            }
            let m = game.parse_typed(text, Language::of(text)).map_err(ApiError::wrong)?;
            if table.sitting.played().moves().get(ply) != Some(&m) {
                table.sitting.go_back(ply);
                table.sitting.play(m);
                table.clock.iter_mut().for_each(|clock| clock.moved(game.side()));
            }
            Ok(())
        })
    }

    fn undo(self: Arc<Self>) -> Result<(), ApiError> {
        self.change(|table| {
            self.look_at_clock(table);
            let now = Instant::now();
            let is_empty =
                |clock: &GameClock| [Side::First, Side::Second].iter().any(|&side| clock.left(side, now).is_zero());
            if table.clock.as_ref().is_some_and(is_empty) {
                return Err(ApiError::conflict("the time is over: nothing can be taken back"));
            }
            match table.sitting.undo(self.seats) {
                true => Ok(()),
                false => Err(ApiError::conflict("there is nothing to take back")),
            }
        })
    }

    fn resign(self: Arc<Self>) -> Result<(), ApiError> {
        self.change(|table| {
            if Self::is_over(table) {
                return Err(ApiError::conflict("the game is over already"));
            }
            let side = table.sitting.played().now().side();
            table.sitting.resign(if self.seats.is_user(side) || self.seats.is_empty() { side } else { !side });
            Ok(())
        })
    }

    fn pgn(&self) -> Result<String, ApiError> {
        let mut game = self.lock().sitting.pgn();
        let name = |side: Side| match self.seats.is_user(side) {
            true => "You".to_owned(),
            false => self.opponent.name(&self.host),
        };
        if let Some(clock) = &self.lock().clock {
            game.tags.push(("TimeControl".to_owned(), clock.settings().time_control()));
        }
        game.tags.push(("Event".to_owned(), "alfil web".to_owned()));
        game.tags.push(("White".to_owned(), name(Side::First)));
        game.tags.push(("Black".to_owned(), name(Side::Second)));
        let mut text = Vec::new();
        game.write(&mut text).map_err(ApiError::failed)?;
        String::from_utf8(text).map_err(ApiError::failed)
    }

    fn hint(&self, stop: &AtomicBool) -> Result<HintView, ApiError> {
        let played = self.lock().sitting.played().clone();
        if self.lock().sitting.legal_moves(&mut Vec::new()).is_some() {
            return Err(ApiError::conflict("the game is over already"));
        }
        let settings = TreeSettings { visits: Some(HINT_VISITS), ..TreeSettings::at_level(10) };
        let advise = || -> Result<Choice<G::Move>, ApiError> {
            let backend = self.host.backend(self.host.strongest())?;
            let mut adviser = TreePlayer::new(backend, settings).map_err(ApiError::failed)?;
            adviser.choose(&played, &|| stop.load(SeqCst)).map_err(ApiError::failed)
        };
        let choice = catch_panic("the hint", advise).map_err(ApiError::failed).flatten()?;
        let game = played.now();
        Ok(HintView {
            r#move: game.move_text(choice.m),
            name: game.move_name(choice.m),
            cells: view::touched(game, choice.m),
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn listen(self: Arc<Self>) -> Listener {
        self.listeners.fetch_add(1, SeqCst);
        self.wake();
        Listener(self)
    }

    fn is_watched(&self) -> bool {
        self.listeners.load(SeqCst) > 0
    }

    fn search(&self, request: SearchRequest) -> Result<Box<dyn LiveSearch>, ApiError> {
        let evaluator = request.evaluator.clone().unwrap_or_else(|| self.host.strongest().to_owned());
        self.host.check_evaluator(&evaluator)?;
        let played = self.lock().sitting.played().clone();
        let plies = played.moves().len();
        let ply = request.ply.unwrap_or(plies);
        if ply > plies {
            return Err(ApiError::missing(format!("the game has {plies} moves")));
        }
        PreparedSearch::boxed(Arc::clone(&self.host), &played, ply, evaluator, request)
    }

    fn leave(&self) {
        if self.listeners.fetch_sub(1, SeqCst) == 1 {
            let mut table = self.lock();
            // Somebody may have come back meanwhile.
            if !self.is_watched() {
                table.stop();
                table.player = None;
                table.clock.iter_mut().for_each(|clock| clock.run(None, Instant::now()));
                table.timer.take().iter().for_each(AbortHandle::abort);
            }
        }
    }
}

/// Different games every time.
fn seed() -> Result<u64, ApiError> {
    getrandom::u64().map_err(|why| ApiError::failed(format!("this machine has no random numbers: {why}")))
}
