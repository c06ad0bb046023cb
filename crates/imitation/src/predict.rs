//! What evaluators think of moves that were played.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use alfil_game::{Game, Side};
use alfil_search::{Backend, Evaluator, EvaluatorError, catch_panic, spawn_scoped};

use crate::PlayedGame;

/// The name of these threads in messages.
const PART: &str = "the prediction";

/// Positions that are evaluated together.
const BATCH: usize = 64;

/// Positions per thread after which progress is reported, and a command may stop.
const BLOCK: usize = 512;

/// What an evaluator thinks of a move that was played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Moves before it.
    pub ply: u32,
    /// Who moves.
    pub side: Side,
    /// 1 if no move has a higher prior, 0 if one has. Among equal priors the chance that the move is picked as the best.
    pub top1: f32,
    /// The same for the three best.
    pub top3: f32,
    /// The logarithm of the move's prior, which is taken to be at least the smallest normal number: -87.3.
    pub log_likelihood: f32,
    /// The expected points of the player to move, minus those that the game brought.
    pub error: f32,
}

/// An evaluator on several threads.
pub struct Predictor<G: Game> {
    evaluators: Vec<Box<dyn Evaluator<G>>>,
}

/// A position whose answer is waited for.
struct Pending {
    game: usize,
    ply: u32,
    side: Side,
    played: usize,
    points: f32,
}

impl<G: Game> Predictor<G> {
    /// An evaluator of `backend` for each of `threads` threads, at least one.
    pub fn new(backend: &dyn Backend<G>, threads: usize) -> Result<Predictor<G>, EvaluatorError> {
        let evaluators = (0..threads.max(1) as u64).map(|seed| backend.evaluator(seed)).collect::<Result<_, _>>()?;
        Ok(Predictor { evaluators })
    }

    /// Predicts the moves in the positions of these games that count: a list for each game, in the order of its plies. `None` if it
    /// was stopped. The number of threads changes nothing.
    pub fn predict(
        &mut self,
        games: &[PlayedGame],
        rules: &G::Rules,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Vec<Prediction>>>, EvaluatorError> {
        let next = AtomicUsize::new(0);
        let work = |evaluator: &mut Box<dyn Evaluator<G>>| {
            let work = Work { games, rules, next: &next, stop };
            let found = catch_panic(PART, || work.run(&mut **evaluator)).flatten();
            // The other threads need not go on after a failure.
            found.inspect_err(|_| next.store(games.len(), Relaxed))
        };
        let found: Vec<Vec<(usize, Prediction)>> = std::thread::scope(|scope| {
            let mut threads = Vec::new();
            let started = self.evaluators.iter_mut().try_for_each(|evaluator| {
                threads.push(spawn_scoped(PART, scope, || work(evaluator))?);
                Ok(())
            });
            // All threads have ended before any failure is returned.
            let ended: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
            started?;
            let check = |ended: std::thread::Result<Result<_, EvaluatorError>>| {
                ended.map_err(|panic| EvaluatorError::panicked(PART, &*panic)).flatten()
            };
            ended.into_iter().map(check).collect::<Result<_, _>>()
        })?;
        let mut predictions = vec![Vec::new(); games.len()];
        found.into_iter().flatten().for_each(|(game, prediction)| predictions[game].push(prediction));
        Ok((!stop.load(Relaxed)).then_some(predictions))
    }
}

/// What the threads share.
struct Work<'a, G: Game> {
    games: &'a [PlayedGame],
    rules: &'a G::Rules,
    next: &'a AtomicUsize,
    stop: &'a AtomicBool,
}

impl<G: Game> Work<'_, G> {
    /// The predictions of one thread, with the numbers of their games; those of a game are in order.
    fn run(&self, evaluator: &mut dyn Evaluator<G>) -> Result<Vec<(usize, Prediction)>, EvaluatorError> {
        let (mut pending, mut found) = (Vec::new(), Vec::new());
        while let number = self.next.fetch_add(1, Relaxed)
            && let Some(game) = self.games.get(number)
            && !self.stop.load(Relaxed)
        {
            game.replay::<G, EvaluatorError>(self.rules, |position, ply, moves, played| {
                let (side, score) = (position.side(), game.score());
                evaluator.add(position, moves);
                pending.push(Pending { game: number, ply, side, played, points: score.to_mover(side).0.points() });
                if pending.len() == BATCH { answer(evaluator, &mut pending, &mut found) } else { Ok(()) }
            })?;
        }
        answer(evaluator, &mut pending, &mut found)?;
        Ok(found)
    }
}

/// Evaluates the positions that wait.
fn answer<G: Game>(
    evaluator: &mut dyn Evaluator<G>,
    pending: &mut Vec<Pending>,
    found: &mut Vec<(usize, Prediction)>,
) -> Result<(), EvaluatorError> {
    if pending.is_empty() {
        return Ok(());
    }
    evaluator.run(&mut |number, evaluation| {
        let Pending { game, ply, side, played, points } = pending[number];
        let prior = evaluation.priors[played];
        let higher = evaluation.priors.iter().filter(|other| **other > prior).count() as f32;
        let equal = evaluation.priors.iter().filter(|other| **other == prior).count() as f32;
        let among = |best: f32| ((best - higher) / equal).clamp(0.0, 1.0);
        let prediction = Prediction {
            ply,
            side,
            top1: among(1.0),
            top3: among(3.0),
            log_likelihood: prior.max(f32::MIN_POSITIVE).ln(),
            error: evaluation.wdl.0.score().points() - points,
        };
        found.push((game, prediction));
    })?;
    pending.clear();
    Ok(())
}

/// Has every predictor predict the moves of all games, and passes what they say of a game to `see`: the number of the predictor, the
/// game, and its predictions. When it is stopped, all of them have seen the same games, perhaps not all. `tell` gets the positions
/// done, of each predictor, and their number.
pub fn predict_all<G: Game>(
    predictors: &mut [Predictor<G>],
    games: &[PlayedGame],
    rules: &G::Rules,
    see: &mut dyn FnMut(usize, &PlayedGame, &[Prediction]),
    tell: &mut dyn FnMut(u64, u64),
    stop: &AtomicBool,
) -> Result<(), EvaluatorError> {
    let threads = predictors.iter().map(|predictor| predictor.evaluators.len()).max().unwrap_or(1);
    let of: u64 = games.iter().map(|game| game.positions() as u64).sum::<u64>() * predictors.len() as u64;
    let mut done = 0;
    let mut rest = games;
    while !rest.is_empty() {
        let (block, others) = rest.split_at(block(rest, BLOCK * threads));
        let positions: u64 = block.iter().map(|game| game.positions() as u64).sum();
        let mut found = Vec::with_capacity(predictors.len());
        for predictor in &mut *predictors {
            let Some(predictions) = predictor.predict(block, rules, stop)? else { return Ok(()) };
            found.push(predictions);
            done += positions;
            tell(done, of);
        }
        for (number, predictions) in found.iter().enumerate() {
            block.iter().zip(predictions).for_each(|(game, predictions)| see(number, game, predictions));
        }
        rest = others;
    }
    Ok(())
}

/// How many games have at least this many positions together: all, if there are not as many.
fn block(games: &[PlayedGame], wanted: usize) -> usize {
    let mut positions = 0;
    let before = |game: &&PlayedGame| {
        let before = positions;
        positions += game.positions();
        before < wanted
    };
    games.iter().take_while(before).count()
}
