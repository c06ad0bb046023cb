//! Endgame tablebases.

use std::path::Path;

use alfil_game::chess::{Chess, Move};
use alfil_game::{Game, Outcome};
use shakmaty::Position;
use shakmaty_syzygy::{AmbiguousWdl, Tablebase};

const REASON: &str = "tablebase";

/// Open tables.
pub struct Tables {
    tables: Tablebase<shakmaty::Chess>,
    files: usize,
}

impl Tables {
    /// Opens the tables in folders, separated as in a search path.
    pub fn open(folders: &str) -> Result<Tables, String> {
        let (mut tables, mut files) = (Tablebase::new(), 0);
        for folder in std::env::split_paths(folders) {
            files += add(&mut tables, &folder)?;
        }
        if files == 0 { Err(format!("there are no Syzygy tables in {folders}")) } else { Ok(Tables { tables, files }) }
    }

    /// How many files there are.
    pub fn files(&self) -> usize {
        self.files
    }

    /// How the game would end, where the tables know it for certain, the 50-move rule allowed for.
    pub fn outcome(&self, game: &Chess) -> Option<Outcome> {
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

    fn covers(&self, game: &Chess) -> bool {
        let position = game.shakmaty();
        position.board().occupied().count() <= self.tables.max_pieces() && !position.castles().any()
    }

    /// The move that keeps the best result and comes closest to it, and whether that is a win (1), draw (0) or loss (-1).
    pub fn best(&self, game: &Chess) -> Option<(Move, i32)> {
        if !self.covers(game) {
            return None;
        }
        let position = game.shakmaty();
        let (m, distance) = self.tables.best_move(position).ok().flatten()?;
        let m = game.parse_move(&m.to_uci(position.castles().mode()).to_string()).ok()?;
        // The distance is the opponent's, after the move.
        Some((m, -i32::from(distance.ignore_rounding()).signum()))
    }
}

fn add(tables: &mut Tablebase<shakmaty::Chess>, folder: &Path) -> Result<usize, String> {
    tables.add_directory(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))
}
