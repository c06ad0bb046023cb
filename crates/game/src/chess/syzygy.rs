//! Syzygy's endgame tables.

use std::io;

use shakmaty::Position;
use shakmaty_syzygy::AmbiguousWdl;

use super::{Chess, Move};
use crate::{Game, Mover, Outcome, ReferenceError, Score, Tablebase};

pub(super) const NAME: &str = "Syzygy";

/// Why a game ended.
const REASON: &str = "tablebase";

/// Open tables.
pub(super) struct Syzygy {
    tables: shakmaty_syzygy::Tablebase<shakmaty::Chess>,
    files: usize,
}

impl Syzygy {
    /// Opens the tables in `folders`, separated as in a search path.
    pub(super) fn open(folders: &str) -> Result<Syzygy, ReferenceError> {
        let (mut tables, mut files) = (shakmaty_syzygy::Tablebase::new(), 0);
        for folder in std::env::split_paths(folders) {
            let unreadable = |why: io::Error| ReferenceError::Read { path: folder.display().to_string(), why };
            files += tables.add_directory(&folder).map_err(unreadable)?;
        }
        match files {
            0 => Err(ReferenceError::Empty { kind: NAME, folders: folders.to_owned() }),
            _ => Ok(Syzygy { tables, files }),
        }
    }

    fn covers(&self, game: &Chess) -> bool {
        let position = game.shakmaty();
        position.board().occupied().count() <= self.tables.max_pieces() && !position.castles().any()
    }
}

impl Tablebase<Chess> for Syzygy {
    fn files(&self) -> usize {
        self.files
    }

    /// Takes the 50-move rule into account.
    fn outcome(&self, game: &Chess) -> Option<Outcome> {
        if !self.covers(game) {
            return None;
        }
        match self.tables.probe_wdl(game.shakmaty()).ok()? {
            AmbiguousWdl::Win => Some(Outcome::win(game.side(), REASON)),
            AmbiguousWdl::Loss => Some(Outcome::win(!game.side(), REASON)),
            AmbiguousWdl::Draw | AmbiguousWdl::CursedWin | AmbiguousWdl::BlessedLoss => Some(Outcome::draw(REASON)),
            // The tables round distances: whether the 50-move rule comes first is not known.
            AmbiguousWdl::MaybeWin | AmbiguousWdl::MaybeLoss => None,
        }
    }

    fn best_move(&self, game: &Chess) -> Option<(Move, Mover<Score>)> {
        if !self.covers(game) {
            return None;
        }
        let (m, distance) = self.tables.best_move(game.shakmaty()).ok().flatten()?;
        // The distance is the opponent's, after the move.
        let score = match i32::from(distance.ignore_rounding()) {
            0 => Score::DRAW,
            ahead if ahead < 0 => Score::WIN,
            _ => Score::LOSS,
        };
        Some((Move::from_shakmaty(m), Mover(score)))
    }
}
