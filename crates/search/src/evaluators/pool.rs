//! Evaluators that many searches share.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use alfil_game::{Game, Mover, Wdl};

use crate::{Backend, BatchSizes, Evaluation, Evaluator, EvaluatorError, catch_panic};

/// A few evaluators for any number of searches at once.
///
/// A search with positions to evaluate takes a free evaluator and runs everything that waits, up to a full batch; if
/// none is free, its positions wait for the next one. So no search waits for a batch to fill, and batches grow with the
/// number of searches, which suits a device that computes many positions at the price of one.
pub struct Pool<G: Game> {
    state: Mutex<State<G>>,
    /// Notified when answers have arrived or an evaluator is free.
    changed: Condvar,
    batch_sizes: BatchSizes,
}

struct State<G: Game> {
    free: Vec<Box<dyn Evaluator<G>>>,
    /// Positions that no evaluator has taken yet, the oldest first.
    waiting: Vec<Request<G>>,
    answered: Vec<Answer>,
    next_client: u64,
    batches: u64,
    evaluated: u64,
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
            evaluated: 0,
            failed: None,
        };
        let (state, changed) = (Mutex::new(state), Condvar::new());
        Ok(Arc::new(Pool { state, changed, batch_sizes: backend.batch_sizes() }))
    }

    /// The mean number of positions per batch.
    pub fn mean_batch(&self) -> f64 {
        let state = self.lock();
        state.evaluated as f64 / state.batches.max(1) as f64
    }

    fn lock(&self) -> MutexGuard<'_, State<G>> {
        // The state is consistent whenever a panic could happen.
        self.state.lock().unwrap_or_else(|broken| broken.into_inner())
    }

    /// Evaluates a batch of requests.
    fn evaluate(evaluator: &mut dyn Evaluator<G>, batch: &[Request<G>]) -> Result<Vec<Answer>, EvaluatorError> {
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
            state.evaluated += batch.len() as u64;
            drop(state);
            let evaluated = catch_panic("an evaluator", || Pool::evaluate(&mut *evaluator, &batch)).flatten();
            state = pool.lock();
            match evaluated {
                Ok(answers) => {
                    state.free.push(evaluator);
                    state.answered.extend(answers);
                }
                // Every search gets the error: those that wait for these answers would wait forever.
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
