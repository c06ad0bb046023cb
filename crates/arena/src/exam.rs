//! Moves checked by an exact solver.
//!
//! An [`Exam`] is a set of positions from varied play with the moves that keep the value of the game: those that win a won
//! game and do not lose a drawn one. A player's mark is the share of positions in which it finds one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};

use alfil_core::seed::derive;
use alfil_game::{FullGame, Knowledge};
use alfil_search::{EvaluatorError, catch_panic, spawn_scoped};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::player::{AlphaBetaPlayer, Entrant, Played, Player, PlayerError};

/// Plies that the better moves of varied play look ahead.
const DEPTH: u32 = 3;

/// Shares of random moves in varied play: a game has one of these.
const RANDOM: [f64; 3] = [1.0, 0.5, 0.2];

/// Games that are tried for a position.
const TRIES: u32 = 1_000;

/// The name of these threads in messages.
const PART: &str = "the exam";

/// Positions with the moves that keep the value of the game.
pub struct Exam<G: FullGame> {
    questions: Vec<Question<G>>,
}

struct Question<G: FullGame> {
    game: Played<G>,
    /// The codes of the moves that keep the value.
    right: Vec<u16>,
    /// Legal moves.
    moves: usize,
}

/// How a player did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Positions that were asked.
    pub positions: u64,
    /// Those of them in which the player's move keeps the value of the game.
    pub right: u64,
    /// Positions in which not every move keeps it.
    pub choices: u64,
    /// Those of them in which the player's move does.
    pub right_choices: u64,
}

impl Mark {
    /// The share of positions in which the value of the game was kept.
    pub fn share(&self) -> f64 {
        self.right as f64 / self.positions.max(1) as f64
    }

    /// The same among positions where not every move does.
    pub fn share_of_choices(&self) -> f64 {
        self.right_choices as f64 / self.choices.max(1) as f64
    }
}

impl<G: FullGame> Exam<G> {
    /// Makes `positions` positions, each from another game of varied play, after `from` plies or more: where nothing is said, as
    /// many as make the game's exact solver quick. There are fewer, or none, where games are too short for that. `None` if the
    /// game has no solver, or it was stopped. `tell` gets the positions done so far and their total.
    pub fn new(
        positions: usize,
        from: Option<u32>,
        rules: &G::Rules,
        seed: u64,
        tell: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Option<Exam<G>>, EvaluatorError> {
        let Some(oracle) = G::oracle() else { return Ok(None) };
        let from = from.unwrap_or(oracle.quick_from());
        let next = AtomicUsize::new(0);
        let mut questions: Vec<(usize, Question<G>)> = Vec::with_capacity(positions);
        let make = |sender: &Sender<(usize, Question<G>)>| {
            let Some(mut oracle) = G::oracle() else { return Ok(()) };
            while let number = next.fetch_add(1, Relaxed)
                && number < positions
                && !stop.load(Relaxed)
            {
                let Some(game) = varied(rules, derive(seed, &[number as u64]), from) else { break };
                let judged = oracle.judge_moves(game.now());
                let best = judged.iter().map(|(_, judgement)| judgement.score.0.points()).fold(0.0, f32::max);
                let right = judged.iter().filter(|(_, judgement)| judgement.score.0.points() == best);
                let right = right.map(|(m, _)| (*m).into()).collect();
                let _ = sender.send((number, Question { game, right, moves: judged.len() }));
            }
            Ok(())
        };
        together(alfil_core::cores(), make, |question| {
            questions.push(question);
            tell(questions.len() as u64, positions as u64);
        })?;
        questions.sort_by_key(|(number, _)| *number);
        let questions = questions.into_iter().map(|(_, question)| question).collect();
        Ok((!stop.load(Relaxed)).then_some(Exam { questions }))
    }

    /// Whether there is nothing to ask.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// Has a player answer all questions on `threads` threads. An answer that is not a legal move is wrong.
    pub fn mark(
        &self,
        player: &Entrant<G>,
        threads: usize,
        tell: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Mark, EvaluatorError> {
        let next = AtomicUsize::new(0);
        let ask = |sender: &Sender<(bool, bool)>| {
            let mut player = player.player()?;
            while let number = next.fetch_add(1, Relaxed)
                && let Some(question) = self.questions.get(number)
                && !stop.load(Relaxed)
            {
                let right = question.is_answered(player.as_mut(), number, &|| stop.load(Relaxed));
                // The other threads need not go on after a failure.
                let right = right.inspect_err(|_| next.store(self.questions.len(), Relaxed))?;
                if stop.load(Relaxed) {
                    // Perhaps there is no answer because of that.
                    break;
                }
                let _ = sender.send((question.choice(), right));
            }
            Ok(())
        };
        let mut mark = Mark::default();
        together(threads, ask, |(choice, right)| {
            mark.positions += 1;
            mark.right += u64::from(right);
            mark.choices += u64::from(choice);
            mark.right_choices += u64::from(choice && right);
            tell(mark.positions, self.questions.len() as u64);
        })?;
        Ok(mark)
    }
}

/// Runs `work` on this many threads, and passes what they send to `take` until all have ended.
fn together<T: Send>(
    threads: usize,
    work: impl Fn(&Sender<T>) -> Result<(), EvaluatorError> + Sync,
    take: impl FnMut(T),
) -> Result<(), EvaluatorError> {
    std::thread::scope(|scope| {
        let (sender, found) = channel();
        let work = &work;
        let mut workers = Vec::new();
        let started = (0..threads.max(1)).try_for_each(|_| {
            let sender = sender.clone();
            let worker = spawn_scoped(PART, scope, move || catch_panic(PART, || work(&sender)).flatten())?;
            workers.push(worker);
            Ok(())
        });
        drop(sender);
        found.into_iter().for_each(take);
        // All threads have ended before any failure is returned.
        let ended: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        let check = |worker: std::thread::Result<Result<(), EvaluatorError>>| {
            worker.map_err(|panic| EvaluatorError::panicked(PART, &*panic)).flatten()
        };
        ended.into_iter().try_for_each(check).and(started)
    })
}

impl<G: FullGame> Question<G> {
    /// Whether it matters which move is played.
    fn choice(&self) -> bool {
        self.right.len() < self.moves
    }

    fn is_answered(
        &self,
        player: &mut dyn Player<G>,
        number: usize,
        stop: &dyn Fn() -> bool,
    ) -> Result<bool, EvaluatorError> {
        match player.new_game(number as u64).and_then(|()| player.choose(&self.game, stop)) {
            Ok(choice) => Ok(self.right.contains(&choice.m.into())),
            Err(PlayerError::Evaluator(failed)) => Err(failed),
            Err(_) => Ok(false),
        }
    }
}

/// A position of a game in which some moves are random and the others look a little ahead. `None` if games are too short.
fn varied<G: FullGame>(rules: &G::Rules, seed: u64, from: u32) -> Option<Played<G>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut moves = Vec::new();
    for _ in 0..TRIES {
        let share = RANDOM.choose(&mut random).copied().unwrap_or(1.0);
        let mut player = AlphaBetaPlayer::<G>::new(DEPTH, Knowledge::Full, true);
        let mut game = Played::new(G::new(rules));
        let mut positions = Vec::new();
        while game.now().legal_moves(&mut moves).is_none() {
            if game.now().ply() >= from {
                positions.push(game.clone());
            }
            let chosen = if random.random_bool(share) {
                None
            } else {
                player.choose(&game, &|| false).ok().map(|choice| choice.m)
            };
            let Some(m) = chosen.or_else(|| moves.choose(&mut random).copied()) else { break };
            game.play(m);
        }
        if let Some(position) = positions.choose(&mut random) {
            return Some(position.clone());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{OraclePlayer, RandomPlayer};
    use alfil_game::tictactoe::TicTacToe;

    #[test]
    fn the_perfect_player_has_full_marks_and_the_random_one_does_not() {
        let (never, mut quiet) = (AtomicBool::new(false), |_: u64, _: u64| {});
        let exam = Exam::<TicTacToe>::new(200, None, &(), 1, &mut quiet, &never).unwrap().unwrap();
        // The last move of a full board is the only one.
        let late = Exam::<TicTacToe>::new(20, Some(8), &(), 1, &mut quiet, &never).unwrap().unwrap();
        assert!(late.questions.iter().all(|question| question.moves == 1 && !question.choice()));
        assert!(Exam::<TicTacToe>::new(2, Some(9), &(), 1, &mut quiet, &never).unwrap().unwrap().is_empty());
        let perfect =
            exam.mark(&Entrant::new("o", "o", || Box::new(OraclePlayer::default())), 3, &mut quiet, &never).unwrap();
        assert_eq!((perfect.positions, perfect.right), (200, 200));
        assert_eq!(perfect.choices, perfect.right_choices);
        let random =
            exam.mark(&Entrant::new("r", "r", || Box::new(RandomPlayer::default())), 2, &mut quiet, &never).unwrap();
        assert_eq!(random.choices, perfect.choices);
        assert!(random.share() < 0.85 && random.share_of_choices() < random.share(), "{random:?}");
        assert!(
            Exam::<alfil_game::chess::Chess>::new(1, None, &Default::default(), 1, &mut quiet, &never)
                .unwrap()
                .is_none()
        );
    }
}
