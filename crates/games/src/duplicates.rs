//! Finds games that occur more than once, in one file or in several.

use std::collections::HashSet;

use alfil_core::checksum::Fnv;
use alfil_game::Notation;
use alfil_game::pgn::PgnGame;

/// Games of fewer plies are the same only if players and date are the same too: short draws are played again and again.
const LONG: usize = 30;

/// The games so far, with eight bytes for each.
#[derive(Default)]
pub struct Duplicates(HashSet<u64>);

impl Duplicates {
    /// Whether this fingerprint came before; remembers it.
    pub fn has_seen(&mut self, fingerprint: u64) -> bool {
        !self.0.insert(fingerprint)
    }
}

/// What tells a game from others: its moves from its start, and its result. Not the spelling of the players, in which databases
/// differ. Two different games have the same with a chance of one in 2^64.
pub fn fingerprint<G: Notation>(game: &PgnGame<G>) -> u64 {
    let mut hash = Fnv::default();
    hash.feed(&game.start.key().to_le_bytes());
    game.moves.iter().for_each(|&m| hash.feed(&Into::<u16>::into(m).to_le_bytes()));
    hash.feed(game.result_text().as_bytes());
    if game.moves.len() < LONG {
        for name in ["White", "Black", "Date"] {
            hash.feed(&[0]);
            hash.feed(game.tag(name).unwrap_or_default().as_bytes());
        }
    }
    hash.finish()
}
