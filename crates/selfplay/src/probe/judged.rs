//! Moves judged by alpha-beta.

use alfil_game::{FullGame, Knowledge};
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, Found, GameNode};

use super::material::{QuietMaterial, seen_by};

/// Plies that alpha-beta looks ahead; captures go on.
const DEPTH: u32 = 3;

/// A move that is worse than the best by at least this, in hundredths of the game's smallest piece, is a blunder.
const BLUNDER: i32 = 150;

/// Memory of a search, which lasts a few thousand nodes.
const TABLE_BYTES: usize = 1 << 19;

/// A position with what its moves are worth, as far as that was asked.
pub(super) struct Judged<G> {
    pub game: G,
    /// What the mover is ahead by after captures.
    pub material: i32,
    best: i32,
    /// Codes of moves and what they are worth to the mover.
    known: Vec<(u16, i32)>,
}

impl<G: FullGame> Judged<G> {
    pub fn new(game: &G) -> Judged<G> {
        let Found { value: best, line, .. } = search(game, DEPTH);
        Judged {
            game: game.clone(),
            material: QuietMaterial::new().of(game),
            best,
            known: line.first().map(|m| ((*m).into(), best)).into_iter().collect(),
        }
    }

    /// Whether the legal move with this code is a blunder.
    pub fn is_blunder(&mut self, code: u16) -> bool {
        self.best - self.worth(code) >= BLUNDER
    }

    /// What a move is worth to the mover: the same whatever was asked before.
    fn worth(&mut self, code: u16) -> i32 {
        if let Some((_, value)) = self.known.iter().find(|(known, _)| *known == code) {
            return *value;
        }
        let Ok(m) = G::Move::try_from(code) else { return self.best };
        let mut after = self.game.clone();
        after.play(m);
        let value = seen_by(search(&after, DEPTH - 1).value, after.side(), self.game.side());
        self.known.push((code, value));
        value
    }
}

/// Searches with a memory of its own, so that nothing depends on what was searched before, and without the null move, so that the
/// best move's value is that of the position after it.
fn search<G: FullGame>(game: &G, depth: u32) -> Found<G::Move> {
    let settings = AlphaBetaSettings { null_move: false, table_bytes: TABLE_BYTES, ..AlphaBetaSettings::default() };
    AlphaBeta::new(settings).search(&GameNode { game: game.clone(), knowledge: Knowledge::Full }, depth)
}
