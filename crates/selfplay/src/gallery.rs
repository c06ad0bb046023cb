//! A few games under way, for people to watch.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use alfil_game::{First, FullGame, Score};
use alfil_search::tree::Child;
use serde::{Deserialize, Serialize};

/// Games that are shown at once.
const PLACES: usize = 4;

/// Moves of a search that are told, the best first.
const FAVOURITES: usize = 3;

/// How long a game that has ended stays before another takes its place.
const STAYS: Duration = Duration::from_secs(3);

/// A few games of a session, whichever begin when there is a place for them. Every move of these games costs a lock and a few
/// words of text; all other games cost nothing.
#[derive(Debug, Default)]
pub struct Gallery {
    places: Mutex<[Option<Exhibit>; PLACES]>,
    version: AtomicU64,
}

#[derive(Debug)]
struct Exhibit {
    game: WatchedGame,
    ended: Option<Instant>,
}

/// A game of self-play while it is played.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchedGame {
    /// Its number in the run.
    pub number: u64,
    /// Where it began, in the game's notation.
    pub start: String,
    /// Its moves, as programs write them.
    pub moves: Vec<String>,
    /// Before each move, the first player's expected points from 0 to 1.
    pub expected: Vec<f32>,
    /// The search for the last move.
    pub search: Option<WatchedSearch>,
    /// The first player's points, once it has ended.
    pub result: Option<f32>,
}

/// The search for a move of such a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchedSearch {
    /// The first player's chances to win, draw and lose.
    pub wdl: [f32; 3],
    /// The visits of the moves that it liked best, with their priors.
    pub moves: Vec<(String, u32, f32)>,
}

impl Gallery {
    /// The games that are shown, each in its place.
    pub fn games(&self) -> Vec<WatchedGame> {
        self.lock().iter().flatten().map(|exhibit| exhibit.game.clone()).collect()
    }

    /// Grows whenever something changes.
    pub fn version(&self) -> u64 {
        self.version.load(Relaxed)
    }

    /// Takes all games away: nobody plays them any more.
    pub fn clear(&self) {
        *self.lock() = Default::default();
        self.version.fetch_add(1, Relaxed);
    }

    /// Shows a game from its beginning, if there is a place for it. The place is returned.
    pub(crate) fn begin<G: FullGame>(&self, number: u64, game: &G) -> Option<usize> {
        let mut places = self.lock();
        let is_free = |place: &Option<Exhibit>| match place {
            Some(exhibit) => exhibit.ended.is_some_and(|ended| ended.elapsed() >= STAYS),
            None => true,
        };
        let place = places.iter().position(is_free)?;
        let game = WatchedGame { number, start: game.position(), ..WatchedGame::default() };
        places[place] = Some(Exhibit { game, ended: None });
        self.version.fetch_add(1, Relaxed);
        Some(place)
    }

    /// Notes a move that is about to be played, and the search for it: the moves of the position, the best first, and the first
    /// player's chances.
    pub(crate) fn play<G: FullGame>(&self, place: usize, game: &G, m: G::Move, ranked: &[Child], wdl: [f32; 3]) {
        let favourite = |child: &Child| {
            let m = G::Move::try_from(child.code).ok()?;
            Some((game.move_text(m), child.visits, child.prior))
        };
        let moves = ranked.iter().take(FAVOURITES).filter_map(favourite).collect();
        self.change(place, |exhibit| {
            exhibit.game.moves.push(game.move_text(m));
            exhibit.game.expected.push(wdl[0] + wdl[1] / 2.0);
            exhibit.game.search = Some(WatchedSearch { wdl, moves });
        });
    }

    /// Notes how a game has ended.
    pub(crate) fn end(&self, place: usize, First(score): First<Score>) {
        self.change(place, |exhibit| {
            exhibit.game.result = Some(score.points());
            exhibit.ended = Some(Instant::now());
        });
    }

    fn change(&self, place: usize, change: impl FnOnce(&mut Exhibit)) {
        if let Some(Some(exhibit)) = self.lock().get_mut(place) {
            change(exhibit);
            self.version.fetch_add(1, Relaxed);
        }
    }

    fn lock(&self) -> MutexGuard<'_, [Option<Exhibit>; PLACES]> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::Game;
    use alfil_game::connect4::Connect4;

    use super::*;

    #[test]
    fn a_game_that_has_ended_stays_until_it_has_been_seen() {
        let gallery = Gallery::default();
        let game = Connect4::new(&Default::default());
        let places: Vec<_> = (0..6).map(|number| gallery.begin(number, &game)).collect();
        assert_eq!(places, [Some(0), Some(1), Some(2), Some(3), None, None]);
        gallery.end(2, First(Score::WIN));
        assert_eq!(gallery.begin(6, &game), None, "people have not seen its end yet");
        gallery.change(2, |exhibit| exhibit.ended = Instant::now().checked_sub(STAYS));
        assert_eq!(gallery.begin(7, &game), Some(2));
        let numbers: Vec<u64> = gallery.games().iter().map(|game| game.number).collect();
        assert_eq!(numbers, [0, 1, 7, 3]);
        let version = gallery.version();
        gallery.clear();
        assert!(gallery.games().is_empty() && gallery.version() > version);
        // A game whose place was taken away goes on without one.
        gallery.end(0, First(Score::LOSS));
        assert!(gallery.games().is_empty());
    }
}
