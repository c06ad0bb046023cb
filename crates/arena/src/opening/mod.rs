//! Where games begin.
//!
//! Strong players repeat themselves: a match from one position says little. Every opening is played twice, with colours
//! exchanged, so that one that favours a side favours neither player.

use alfil_game::Rules;
mod file;
mod random;

pub use file::OpeningError;

use std::path::Path;

use alfil_game::FullGame;

use crate::player::Played;
use random::RandomOpenings;

/// A source of openings.
pub struct Openings<G: FullGame> {
    source: Source<G>,
    rules: G::Rules,
    identity: String,
    /// How many openings come before the first.
    before: u64,
}

enum Source<G: FullGame> {
    /// At least one, repeated in a cycle.
    List(Vec<Played<G>>),
    Random(Box<RandomOpenings<G>>),
}

impl<G: FullGame> Openings<G> {
    /// A few random moves each, balanced as far as a shallow search can tell. `seed` determines them.
    pub fn random(seed: u64, rules: &G::Rules) -> Openings<G> {
        let source = Source::Random(Box::new(RandomOpenings::new(seed, rules.clone())));
        Openings { source, rules: rules.clone(), identity: "auto".to_owned(), before: 0 }
    }

    /// Those of a file: one line of moves or one position each, or PGN.
    pub fn from_file(path: &Path, rules: &G::Rules) -> Result<Openings<G>, OpeningError> {
        let (list, fingerprint) = file::read(path, rules)?;
        let identity = format!("file {fingerprint:016x}");
        Ok(Openings { source: Source::List(list), rules: rules.clone(), identity, before: 0 })
    }

    /// The rules that all games from these openings are played by.
    pub fn rules(&self) -> &G::Rules {
        &self.rules
    }

    /// What identifies these rules, now and in later runs: empty for the usual rules, else the text that chooses
    /// them, and where games begin if that was chosen.
    pub(crate) fn rules_identity(&self) -> String {
        let start = |rules: &G::Rules| G::new(rules).position();
        let text = self.rules.text();
        match start(&self.rules) {
            usual if usual == start(&G::Rules::default()) => text,
            start => format!("{text} from {start}").trim_start().to_owned(),
        }
    }

    /// What identifies this source, now and in later runs.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Leaves out as many openings from now on.
    pub(crate) fn begin_at(&mut self, before: u64) {
        self.before = before;
    }

    /// The opening of a pair of games, counted from 0.
    pub fn get(&mut self, pair: u64) -> Played<G> {
        let pair = self.before + pair;
        match &mut self.source {
            Source::List(list) => list[(pair % list.len() as u64) as usize].clone(),
            Source::Random(random) => random.get(pair),
        }
    }
}
