//! The games that are still to be labelled.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::iter::Enumerate;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use alfil_game::Game;
use alfil_selfplay::{ChunkError, ChunkHeader, GameRecord, chunks, read_chunk, read_header};

/// A chunk with games to label.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its place in the folder's order.
    pub number: usize,
    pub path: PathBuf,
    pub header: ChunkHeader,
}

impl Source {
    /// The chunks of a folder.
    pub fn list(folder: &Path) -> Result<Vec<Source>, ChunkError> {
        let source = |(number, path): (usize, PathBuf)| {
            let header = read_header(&path)?;
            Ok(Source { number, path, header })
        };
        chunks(folder)?.into_iter().enumerate().map(source).collect()
    }

    /// The name of its file, which the chunk with the same games and their labels has too.
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }
}

/// A game on its way.
pub struct Job {
    /// The number of its chunk, and its place among the games there.
    pub chunk: usize,
    pub place: usize,
    pub record: GameRecord,
    /// Whether it was labelled before an interruption.
    pub is_labelled_before: bool,
}

/// Games in the order of their folder. One chunk at a time is in memory.
pub struct Queue<G> {
    sources: VecDeque<Source>,
    /// The number of the chunk that was read last, and the games that are left of it.
    chunk: usize,
    games: Enumerate<IntoIter<GameRecord>>,
    /// Games that were labelled before an interruption, by number.
    earlier: BTreeMap<u64, GameRecord>,
    game: PhantomData<fn() -> G>,
}

impl<G: Game> Queue<G> {
    /// The games of those chunks that `is_open`, without labelling again what was labelled `earlier`.
    pub fn new(sources: &[Source], is_open: impl Fn(&Source) -> bool, earlier: BTreeMap<u64, GameRecord>) -> Queue<G> {
        let sources = sources.iter().filter(|source| is_open(source)).cloned().collect();
        Queue { sources, chunk: 0, games: Vec::new().into_iter().enumerate(), earlier, game: PhantomData }
    }

    /// The next game.
    pub fn next(&mut self) -> Result<Option<Job>, ChunkError> {
        loop {
            if let Some((place, record)) = self.games.next() {
                let earlier = self.earlier.get(&record.number).filter(|earlier| is_same_game(earlier, &record));
                let is_labelled_before = earlier.is_some();
                let record = earlier.cloned().unwrap_or(record);
                return Ok(Some(Job { chunk: self.chunk, place, record, is_labelled_before }));
            }
            let Some(source) = self.sources.pop_front() else { return Ok(None) };
            self.chunk = source.number;
            self.games = read_chunk::<G>(&source.path)?.into_iter().enumerate();
        }
    }
}

fn is_same_game(one: &GameRecord, other: &GameRecord) -> bool {
    let codes = |record: &GameRecord| record.plies.iter().map(|ply| ply.code).collect::<Vec<_>>();
    one.start == other.start && codes(one) == codes(other)
}
