//! A cache of evaluations.

use std::sync::{Arc, Mutex, MutexGuard};

use alfil_game::{Game, Mover, Wdl};

use crate::{Evaluation, Evaluator, EvaluatorError};

/// An evaluator that caches the answers of another one, in memory that several may share.
///
/// Positions are identified by [`Game::key`], which leaves out history and counters: a position that is reached another
/// way gets the answer of the first. The number of its legal moves and a second hash over them verify that the answer
/// belongs to the position, so that two positions with the same key never get each other's priors. Positions with more
/// moves than an entry has room for are not cached.
pub struct Cache<V> {
    inner: V,
    memory: Arc<CacheMemory>,
    /// Where the answer to each position of the batch comes from.
    sources: Vec<Source>,
    /// Copies of the answers found: entries may be replaced before the answers are handed over.
    found: Vec<u32>,
    priors: Vec<f32>,
    counts: CacheCounts,
}

/// Lookups and hits of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Positions added.
    pub asked: u64,
    /// Those answered from memory.
    pub hits: u64,
}

#[derive(Clone, Copy)]
enum Source {
    /// The words from start to end among the answers found.
    Found(usize, usize),
    /// The inner evaluator's next answer, to be remembered under this name.
    Inner(Name),
}

impl<V> Cache<V> {
    /// Caches answers of `inner`. All evaluators that share a memory must give the same answers.
    pub fn new(inner: V, memory: Arc<CacheMemory>) -> Cache<V> {
        Cache {
            inner,
            memory,
            sources: Vec::new(),
            found: Vec::new(),
            priors: Vec::new(),
            counts: CacheCounts::default(),
        }
    }
}

impl<G: Game, V: Evaluator<G>> Evaluator<G> for Cache<V> {
    fn add(&mut self, game: &G, moves: &[G::Move]) {
        let name = Name::of(game, moves);
        self.counts.asked += 1;
        let start = self.found.len();
        let source = if self.memory.get(name, &mut self.found) {
            self.counts.hits += 1;
            Source::Found(start, self.found.len())
        } else {
            self.inner.add(game, moves);
            Source::Inner(name)
        };
        self.sources.push(source);
    }

    fn len(&self) -> usize {
        self.sources.len()
    }

    fn cache_counts(&self) -> CacheCounts {
        self.counts
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
        let Cache { inner, memory, sources, found, priors, .. } = self;
        let mut next = 0;
        let mut take_found = |next: &mut usize, take: &mut dyn FnMut(usize, Evaluation<'_>)| {
            while let Some(Source::Found(start, end)) = sources.get(*next) {
                take(*next, unpack(&found[*start..*end], priors));
                *next += 1;
            }
        };
        // The inner answers come in the order of their sources, with found ones in between.
        let evaluated = inner.run(&mut |_, answer| {
            take_found(&mut next, take);
            if let Some(Source::Inner(name)) = sources.get(next) {
                memory.put(*name, &answer);
            }
            take(next, answer);
            next += 1;
        });
        if evaluated.is_ok() {
            take_found(&mut next, take);
        }
        sources.clear();
        found.clear();
        evaluated
    }
}

/// The key of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Name {
    key: u64,
    /// A hash of the legal moves in their order.
    check: u32,
    moves: u32,
}

impl Name {
    fn of<G: Game>(game: &G, moves: &[G::Move]) -> Name {
        let feed = |hash: u32, m: &G::Move| (hash ^ u32::from((*m).into())).wrapping_mul(0x0100_0193);
        Name { key: game.key(), check: moves.iter().fold(0x811c_9dc5, feed), moves: moves.len() as u32 }
    }

    fn words(self) -> [u32; NAME] {
        [self.key as u32, (self.key >> 32) as u32, self.check, self.moves]
    }
}

/// Words of a name, and of the values before the priors in an answer: win, draw, loss, moves left.
const NAME: usize = 4;
const VALUES: usize = 4;

/// Stands for no prediction: the bits of a NaN, which no evaluator gives.
const NO_MOVES_LEFT: u32 = u32::MAX;

/// A fixed amount of memory for answers: entries of equal size, where newer ones replace older ones.
pub struct CacheMemory {
    /// Parts with one lock each, so that threads seldom wait for each other.
    parts: Box<[Mutex<Vec<u32>>]>,
    /// Words per entry, and entries per part.
    stride: usize,
    entries: usize,
}

const PARTS: usize = 64;

impl CacheMemory {
    /// Memory of at most `bytes` bytes for answers to positions of up to `most_moves` moves, but at least one per part.
    /// Aborts if there is not enough memory.
    pub fn new(bytes: usize, most_moves: usize) -> CacheMemory {
        let failed = || std::alloc::handle_alloc_error(std::alloc::Layout::new::<u32>());
        CacheMemory::try_new(bytes, most_moves).unwrap_or_else(failed)
    }

    /// The same, or `None` if there is not enough memory.
    pub fn try_new(bytes: usize, most_moves: usize) -> Option<CacheMemory> {
        let stride = NAME + VALUES + most_moves.max(1);
        let all = bytes / (stride * size_of::<u32>());
        let parts = all.clamp(1, PARTS);
        let entries = (all / parts).max(1);
        let part = |_| bytemuck::allocation::try_zeroed_vec(entries * stride).ok().map(Mutex::new);
        Some(CacheMemory { parts: (0..parts).map(part).collect::<Option<_>>()?, stride, entries })
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.parts.iter().for_each(|part| lock(part).fill(0));
    }

    /// The locked part and the range of words where an answer is kept.
    fn place(&self, key: u64) -> (MutexGuard<'_, Vec<u32>>, std::ops::Range<usize>) {
        let spread = u128::from(key.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let entry = ((spread * (self.parts.len() * self.entries) as u128) >> 64) as usize;
        let start = entry / self.parts.len() * self.stride;
        (lock(&self.parts[entry % self.parts.len()]), start..start + self.stride)
    }

    /// Appends the words of an answer, if it is there.
    fn get(&self, name: Name, found: &mut Vec<u32>) -> bool {
        let (part, range) = self.place(name.key);
        let entry = &part[range];
        // An empty entry matches no position, since all have moves.
        let known = name.moves > 0 && entry[..NAME] == name.words();
        if known {
            found.extend_from_slice(&entry[NAME..NAME + VALUES + name.moves as usize]);
        }
        known
    }

    fn put(&self, name: Name, answer: &Evaluation<'_>) {
        let (mut part, range) = self.place(name.key);
        let entry = &mut part[range];
        if NAME + VALUES + answer.priors.len() > entry.len() {
            return;
        }
        let [win, draw, loss] = <[f32; 3]>::from(answer.wdl.0).map(f32::to_bits);
        let moves_left = answer.moves_left.map_or(NO_MOVES_LEFT, f32::to_bits);
        entry[..NAME].copy_from_slice(&name.words());
        entry[NAME..NAME + VALUES].copy_from_slice(&[win, draw, loss, moves_left]);
        for (word, prior) in entry[NAME + VALUES..].iter_mut().zip(answer.priors) {
            *word = prior.to_bits();
        }
        // The name holds the number of priors.
        debug_assert_eq!(answer.priors.len(), name.moves as usize);
    }
}

fn lock(part: &Mutex<Vec<u32>>) -> MutexGuard<'_, Vec<u32>> {
    // Nothing that could panic halfway is called while the lock is held.
    part.lock().unwrap_or_else(|broken| broken.into_inner())
}

/// Decodes the words of an answer.
fn unpack<'a>(words: &[u32], priors: &'a mut Vec<f32>) -> Evaluation<'a> {
    let [win, draw, loss, moves_left] = [words[0], words[1], words[2], words[3]];
    priors.clear();
    priors.extend(words[VALUES..].iter().map(|bits| f32::from_bits(*bits)));
    Evaluation {
        priors,
        wdl: Mover(Wdl::from([win, draw, loss].map(f32::from_bits))),
        moves_left: (moves_left != NO_MOVES_LEFT).then(|| f32::from_bits(moves_left)),
    }
}
