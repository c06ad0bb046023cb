//! Many games of one player against itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};

use alfil_arena::player::{Entrant, Played, Player, PlayerError, RandomPlayer};
use alfil_core::seed::derive;
use alfil_game::{FullGame, Outcome, Side};
use alfil_games::{ImportError, read_records};
use alfil_search::{EvaluatorError, catch_panic};
use alfil_selfplay::{GameRecord, Ply};
use anyhow::Context;

use super::histogram::Histogram;
use crate::match_command::Arena;

/// Plies of random moves at the beginning of a game: a deterministic player would play the same game every time.
pub const RANDOM_PLIES: usize = 4;

/// Which games to play.
pub struct Games<R> {
    pub rules: R,
    pub count: u64,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// What was seen in the games.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Legal moves by ply.
    pub by_ply: Vec<Histogram>,
    /// Plies per game.
    pub lengths: Histogram,
    /// Games by how they ended.
    pub ends: BTreeMap<String, u64>,
}

/// What is counted of a game.
struct Shape {
    /// Legal moves at each ply.
    branching: Vec<usize>,
    outcome: Outcome,
}

impl Sample {
    /// Plays games from the start position on all cores. The same seed gives the same sample, unless it is stopped
    /// early. `tell` is called after every game.
    pub fn play<G: FullGame>(
        entrant: &Entrant<G>,
        games: &Games<G::Rules>,
        tell: &dyn Fn(),
        stop: &AtomicBool,
    ) -> anyhow::Result<Sample> {
        let (next, halt) = (AtomicU64::new(0), AtomicBool::new(false));
        let mut sample = Sample::default();
        std::thread::scope(|scope| {
            let (sender, shapes) = channel();
            for _ in 0..Arena::threads(entrant.threads) {
                let (sender, next, halt) = (sender.clone(), &next, &halt);
                let work = move |sender: &Sender<Result<Shape, PlayerError>>| -> Result<(), EvaluatorError> {
                    let mut players = [entrant.player()?, entrant.player()?];
                    while let number = next.fetch_add(1, Relaxed)
                        && number < games.count
                        && !halt.load(Relaxed)
                        && !stop.load(Relaxed)
                        && sender.send(play(&mut players, &games.rules, derive(games.seed, &[number]))).is_ok()
                    {
                    }
                    Ok(())
                };
                scope.spawn(move || {
                    if let Err(failed) = catch_panic("the study", || work(&sender)).flatten() {
                        // The receiver is gone if another thread failed before.
                        let _ = sender.send(Err(failed.into()));
                    }
                });
            }
            drop(sender);
            let mut note = |shape: Result<Shape, PlayerError>| {
                sample.add::<G>(&shape.with_context(|| format!("{} cannot continue", entrant.name))?);
                tell();
                Ok(())
            };
            shapes.into_iter().try_for_each(&mut note).inspect_err(|_| halt.store(true, Relaxed))
        })
        .map(|()| sample)
    }

    fn add<G: FullGame>(&mut self, shape: &Shape) {
        self.count(&shape.branching, shape.outcome.in_words::<G>());
    }

    fn count(&mut self, branching: &[usize], end: String) {
        let plies = branching.len();
        if self.by_ply.len() < plies {
            self.by_ply.resize_with(plies, Histogram::default);
        }
        self.by_ply.iter_mut().zip(branching).for_each(|(histogram, moves)| histogram.add(*moves));
        self.lengths.add(plies);
        *self.ends.entry(end).or_default() += 1;
    }

    /// The games of a PGN file or of a folder, as others have played them. `tell` gets the games read so far.
    pub fn read<G: FullGame>(
        path: &Path,
        rules: &G::Rules,
        tell: &dyn Fn(u64),
        stop: &AtomicBool,
    ) -> anyhow::Result<Sample> {
        let mut sample = Sample::default();
        let mut take = |record: GameRecord| {
            let (mut branching, mut last) = (Vec::new(), None);
            let see = |game: &G, moves: &[G::Move], ply: &Ply| {
                branching.push(moves.len());
                last = moves.iter().find(|m| (**m).into() == ply.code).map(|m| (game.clone(), *m));
            };
            if record.replay::<G>(rules, see).is_none() {
                return;
            }
            let outcome = last.and_then(|(mut game, m)| {
                game.play(m);
                game.outcome()
            });
            let score = record.score();
            let end = match outcome {
                Some(outcome) if outcome.score == score => outcome.in_words::<G>(),
                // People resign, agree on draws and run out of time.
                _ => Outcome { score, reason: "before the end" }.in_words::<G>(),
            };
            sample.count(&branching, end);
        };
        match read_records::<G>(path, rules, &mut take, &mut |progress| tell(progress.games), stop) {
            Err(ImportError::Stopped) => {}
            read => drop(read?),
        }
        Ok(sample)
    }
}

fn play<G: FullGame>(players: &mut [Box<dyn Player<G>>; 2], rules: &G::Rules, seed: u64) -> Result<Shape, PlayerError> {
    let mut opening = RandomPlayer::default();
    opening.new_game(derive(seed, &[2]))?;
    for (side, player) in [Side::First, Side::Second].into_iter().zip(&mut *players) {
        player.new_game(derive(seed, &[side as u64]))?;
    }
    let mut game = Played::new(G::new(rules));
    let (mut branching, mut legal) = (Vec::new(), Vec::new());
    loop {
        if let Some(outcome) = game.now().legal_moves(&mut legal) {
            return Ok(Shape { branching, outcome });
        }
        let player: &mut dyn Player<G> =
            if branching.len() < RANDOM_PLIES { &mut opening } else { &mut *players[game.now().side() as usize] };
        branching.push(legal.len());
        let m = player.choose(&game, &|| false)?.m;
        if !legal.contains(&m) {
            return Err(PlayerError::Illegal(format!("{m:?}")));
        }
        game.play(m);
    }
}

#[cfg(test)]
mod tests {
    use alfil_arena::player::AlphaBetaPlayer;
    use alfil_game::Knowledge;
    use alfil_game::tictactoe::TicTacToe;

    use super::*;

    fn play(entrant: &Entrant<TicTacToe>, count: u64, seed: u64) -> Sample {
        Sample::play(entrant, &Games { rules: (), count, seed }, &|| {}, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn tic_tac_toe_has_one_move_less_at_every_ply() {
        let random = Entrant::<TicTacToe>::new("r", "r", || Box::new(RandomPlayer::default()));
        let sample = play(&random, 500, 1);
        assert_eq!((sample.lengths.total(), sample.ends.values().sum()), (500, 500u64));
        for (ply, histogram) in sample.by_ply.iter().enumerate() {
            assert_eq!((histogram.quantile(0.0), histogram.largest()), (9 - ply, 9 - ply));
        }
        // The first player wins 58.5 % of all random games, and 12.7 % are drawn.
        let share = |end: &str| sample.ends[end] as f64 / 500.0;
        assert!((share("x wins: three in a row") - 0.585).abs() < 0.07, "{sample:?}");
        assert!((share("draw: the board is full") - 0.127).abs() < 0.05, "{sample:?}");
        assert_eq!(play(&random, 500, 1), sample);
        assert_ne!(play(&random, 500, 2), sample);
    }

    #[test]
    fn games_of_a_collection_are_counted_as_they_were_played() {
        let pgn = "[Result \"1-0\"]\n\n1. f3 e5 2. g4 d5 1-0\n\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
        let path = std::env::temp_dir().join(format!("alfil-study-{}.pgn", std::process::id()));
        std::fs::write(&path, pgn).unwrap();
        let stop = AtomicBool::new(false);
        let sample = Sample::read::<alfil_game::chess::Chess>(&path, &Default::default(), &|_| {}, &stop).unwrap();
        std::fs::remove_file(&path).unwrap();
        let plies: Vec<f64> = sample.by_ply.iter().map(Histogram::mean).collect();
        // After 1. f3: 20 replies; 19 moves after e5; 30 replies to g4.
        assert_eq!((plies, sample.lengths.total()), (vec![20.0, 20.0, 19.0, 30.0], 2));
        let ends: Vec<(&str, u64)> = sample.ends.iter().map(|(end, count)| (end.as_str(), *count)).collect();
        assert_eq!(ends, [("black wins: checkmate", 1), ("white wins: before the end", 1)]);
    }

    #[test]
    fn deterministic_players_play_different_games() {
        let make = || -> Box<dyn Player<TicTacToe>> { Box::new(AlphaBetaPlayer::new(1, Knowledge::Full, true)) };
        let sample = play(&Entrant::new("a", "a", make), 100, 1);
        assert!(sample.ends.len() > 1, "{sample:?}");
    }
}
