//! Evaluators that many games share.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use alfil_game::{Game, Mover, Wdl};

use crate::{Backend, BatchSizes, Evaluation, Evaluator, EvaluatorError, catch_panic};

/// A few evaluators for any number of searches at once.
///
/// Whoever has positions to be judged takes a free evaluator and has everything judged that waits, up to a batch; where none
/// is free, the positions wait for the next one. So nobody waits for a batch to fill, and batches grow with the number of
/// searches: what a device that computes many positions at the price of one needs.
pub struct Pool<G: Game> {
    state: Mutex<State<G>>,
    /// Told when answers are there or an evaluator is free.
    changed: Condvar,
    batch_sizes: BatchSizes,
}

struct State<G: Game> {
    free: Vec<Box<dyn Evaluator<G>>>,
    /// Positions that nobody has taken yet, the oldest first.
    waiting: Vec<Request<G>>,
    answered: Vec<Answer>,
    next_client: u64,
    batches: u64,
    judged: u64,
    /// Why an evaluator failed, if one has. Its batch is never answered.
    failed: Option<EvaluatorError>,
}

struct Request<G: Game> {
    client: u64,
    /// Its place among those of its client: batches may be answered in another order than they were taken.
    number: usize,
    game: G,
    moves: Vec<G::Move>,
}

struct Answer {
    client: u64,
    number: usize,
    priors: Vec<f32>,
    wdl: Mover<Wdl>,
    moves_left: Option<f32>,
}

impl<G: Game> Pool<G> {
    /// Shares this many evaluators of `backend`, at least one.
    pub fn new(backend: &dyn Backend<G>, evaluators: usize) -> Result<Arc<Pool<G>>, EvaluatorError> {
        let evaluators = (0..evaluators.max(1) as u64).map(|seed| backend.evaluator(seed)).collect::<Result<_, _>>()?;
        let state = State {
            free: evaluators,
            waiting: Vec::new(),
            answered: Vec::new(),
            next_client: 0,
            batches: 0,
            judged: 0,
            failed: None,
        };
        let (state, changed) = (Mutex::new(state), Condvar::new());
        Ok(Arc::new(Pool { state, changed, batch_sizes: backend.batch_sizes() }))
    }

    /// The mean number of positions that were judged together.
    pub fn mean_batch(&self) -> f64 {
        let state = self.lock();
        state.judged as f64 / state.batches.max(1) as f64
    }

    fn lock(&self) -> MutexGuard<'_, State<G>> {
        // What is held under the lock is whole at any time.
        self.state.lock().unwrap_or_else(|broken| broken.into_inner())
    }

    /// Has a batch of what waits judged by an evaluator that was free.
    fn judge(evaluator: &mut dyn Evaluator<G>, batch: &[Request<G>]) -> Result<Vec<Answer>, EvaluatorError> {
        batch.iter().for_each(|request| evaluator.add(&request.game, &request.moves));
        let mut answers = Vec::with_capacity(batch.len());
        evaluator.run(&mut |number, answer| {
            let Evaluation { priors, wdl, moves_left } = answer;
            let Request { client, number, .. } = batch[number];
            answers.push(Answer { client, number, priors: priors.to_vec(), wdl, moves_left });
        })?;
        Ok(answers)
    }
}

impl<G: Game> Backend<G> for Arc<Pool<G>> {
    /// An evaluator for one search.
    fn evaluator(&self, _: u64) -> Result<Box<dyn Evaluator<G>>, EvaluatorError> {
        let mut state = self.lock();
        state.next_client += 1;
        Ok(Box::new(Pooled { pool: Arc::clone(self), client: state.next_client, added: Vec::new() }))
    }

    fn batch_sizes(&self) -> BatchSizes {
        self.batch_sizes
    }
}

/// One search's share in a [`Pool`]. Fails as soon as an evaluator of the pool has failed.
struct Pooled<G: Game> {
    pool: Arc<Pool<G>>,
    client: u64,
    added: Vec<Request<G>>,
}

impl<G: Game> Evaluator<G> for Pooled<G> {
    fn add(&mut self, game: &G, moves: &[G::Move]) {
        let (client, number) = (self.client, self.added.len());
        self.added.push(Request { client, number, game: game.clone(), moves: moves.to_vec() });
    }

    fn len(&self) -> usize {
        self.added.len()
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
        let pool = Arc::clone(&self.pool);
        let wanted = self.added.len();
        let mut mine: Vec<Answer> = Vec::with_capacity(wanted);
        let mut state = pool.lock();
        state.waiting.append(&mut self.added);
        while mine.len() < wanted {
            let client = self.client;
            mine.extend(state.answered.extract_if(.., |answer| answer.client == client));
            if mine.len() == wanted {
                break;
            }
            if let Some(failed) = &state.failed {
                return Err(failed.clone());
            }
            if state.waiting.is_empty() || state.free.is_empty() {
                state = pool.changed.wait(state).unwrap_or_else(|broken| broken.into_inner());
                continue;
            }
            let Some(mut evaluator) = state.free.pop() else { continue };
            let end = state.waiting.len().min(pool.batch_sizes.largest.max(1));
            let batch: Vec<Request<G>> = state.waiting.drain(..end).collect();
            state.batches += 1;
            state.judged += batch.len() as u64;
            drop(state);
            let judged = catch_panic("an evaluator", || Pool::judge(&mut *evaluator, &batch)).flatten();
            state = pool.lock();
            match judged {
                Ok(answers) => {
                    state.free.push(evaluator);
                    state.answered.extend(answers);
                }
                // Everybody hears of it: who waits for its answers would wait for ever.
                Err(failed) => state.failed = Some(failed),
            }
            pool.changed.notify_all();
        }
        drop(state);
        mine.sort_unstable_by_key(|answer| answer.number);
        for answer in &mine {
            take(answer.number, Evaluation { priors: &answer.priors, wdl: answer.wdl, moves_left: answer.moves_left });
        }
        Ok(())
    }
}
