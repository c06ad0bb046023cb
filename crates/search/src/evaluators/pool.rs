//! Evaluators that many games share.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use alfil_game::{Game, Mover, Wdl};

use crate::{Evaluation, Evaluator};

/// A few evaluators for any number of searches at once.
///
/// Whoever has positions to be judged takes a free evaluator and has everything judged that waits, up to a batch; where none
/// is free, the positions wait for the next one. So nobody waits for a batch to fill, and batches grow with the number of
/// searches: what a device that computes many positions at the price of one needs.
pub struct Pool<G: Game> {
    state: Mutex<State<G>>,
    /// Told when answers are there or an evaluator is free.
    changed: Condvar,
    largest_batch: usize,
}

struct State<G: Game> {
    free: Vec<Box<dyn Evaluator<G>>>,
    /// Positions that nobody has taken yet, the oldest first.
    waiting: Vec<Request<G>>,
    answered: Vec<Answer>,
    next_client: u64,
    batches: u64,
    judged: u64,
    /// An evaluator has panicked, as one on a graphics card may that is out of memory. Its batch is never answered.
    broken: bool,
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
    /// Shares these evaluators, of which there is at least one.
    pub fn new(evaluators: Vec<Box<dyn Evaluator<G>>>, largest_batch: usize) -> Arc<Pool<G>> {
        let state = State {
            free: evaluators,
            waiting: Vec::new(),
            answered: Vec::new(),
            next_client: 0,
            batches: 0,
            judged: 0,
            broken: false,
        };
        Arc::new(Pool { state: Mutex::new(state), changed: Condvar::new(), largest_batch: largest_batch.max(1) })
    }

    /// An evaluator for one search.
    pub fn client(self: &Arc<Pool<G>>) -> Pooled<G> {
        let mut state = self.lock();
        state.next_client += 1;
        Pooled { pool: Arc::clone(self), client: state.next_client, added: Vec::new() }
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
    fn judge(&self, evaluator: &mut dyn Evaluator<G>, batch: &[Request<G>]) -> Vec<Answer> {
        let _alarm = Alarm(self);
        batch.iter().for_each(|request| evaluator.add(&request.game, &request.moves));
        let mut answers = Vec::with_capacity(batch.len());
        evaluator.run(&mut |number, answer| {
            let Evaluation { priors, wdl, moves_left } = answer;
            let Request { client, number, .. } = batch[number];
            answers.push(Answer { client, number, priors: priors.to_vec(), wdl, moves_left });
        });
        answers
    }
}

/// Tells everybody if an evaluator panics: who waits for its answers would wait for ever.
struct Alarm<'a, G: Game>(&'a Pool<G>);

impl<G: Game> Drop for Alarm<'_, G> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().broken = true;
            self.0.changed.notify_all();
        }
    }
}

/// One search's share in a [`Pool`]. Panics if an evaluator of the pool has.
pub struct Pooled<G: Game> {
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

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) {
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
            assert!(!state.broken, "the evaluator that this search shares with others has failed");
            if state.waiting.is_empty() || state.free.is_empty() {
                state = pool.changed.wait(state).unwrap_or_else(|broken| broken.into_inner());
                continue;
            }
            let Some(mut evaluator) = state.free.pop() else { continue };
            let end = state.waiting.len().min(pool.largest_batch);
            let batch: Vec<Request<G>> = state.waiting.drain(..end).collect();
            state.batches += 1;
            state.judged += batch.len() as u64;
            drop(state);
            let answers = pool.judge(&mut *evaluator, &batch);
            state = pool.lock();
            state.free.push(evaluator);
            state.answered.extend(answers);
            pool.changed.notify_all();
        }
        drop(state);
        mine.sort_unstable_by_key(|answer| answer.number);
        for answer in &mine {
            take(answer.number, Evaluation { priors: &answer.priors, wdl: answer.wdl, moves_left: answer.moves_left });
        }
    }
}
