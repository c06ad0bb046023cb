//! What the engine can do in chess only: opening books, tablebases, Chess960.

use std::path::Path;

use alfil_arena::Tables;
use alfil_game::chess::{Chess, Move, Rules};
use alfil_game::{Game, RulesError};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::book::Book;
use crate::extras::Extras;
use crate::options::Options;
use crate::voice::Voice;

/// What was opened last, by name, if it could be.
#[derive(Default)]
pub(crate) struct ChessExtras {
    book: (String, Option<Book>),
    tables: (String, Option<Tables>),
}

impl Extras<Chess> for ChessExtras {
    fn options(&self) -> &'static [&'static str] {
        &["UCI_Chess960", "SyzygyPath", "OwnBook", "BookFile"]
    }

    /// Games played over this protocol end when the program says so, not at the usual cap.
    fn rules(&self, options: &Options) -> Result<Rules, RulesError> {
        let Rules { chess960, ply_cap } = Chess::rules(&options.rules)?;
        let ply_cap = if ply_cap == Rules::default().ply_cap { u32::MAX } else { ply_cap };
        Ok(Rules { chess960: chess960 || options.chess960, ply_cap })
    }

    fn prepare(&mut self, options: &Options, voice: &Voice) {
        let book = if options.own_book { options.book_file.as_str() } else { "" };
        if self.book.0 != book {
            self.book = (book.to_owned(), open_book(book, voice));
        }
        if self.tables.0 != options.syzygy_path {
            self.tables = (options.syzygy_path.clone(), open_tables(&options.syzygy_path, voice));
        }
    }

    fn known_move(&mut self, game: &Chess, random: &mut Xoshiro256PlusPlus, voice: &Voice) -> Option<Move> {
        // A book that cannot be read is as good as none.
        if let Some(m) = self.book.1.as_mut().and_then(|book| book.probe(game, random).ok().flatten()) {
            voice.notice("from the book");
            return Some(m);
        }
        let (m, result) = self.tables.1.as_ref()?.best(game)?;
        voice.say(&format!("info depth 1 score cp {} tbhits 1 pv {}", result * 20_000, game.move_text(m)));
        Some(m)
    }
}

fn open_book(file: &str, voice: &Voice) -> Option<Book> {
    if file.is_empty() {
        return None;
    }
    let unusable = |error: &_| voice.notice(&format!("cannot use the book {file}: {error}"));
    Book::open(Path::new(file)).inspect_err(unusable).ok()
}

fn open_tables(folders: &str, voice: &Voice) -> Option<Tables> {
    if folders.is_empty() {
        return None;
    }
    let tables = Tables::open(folders).inspect_err(|problem| voice.notice(problem)).ok()?;
    voice.notice(&format!("{} Syzygy tables", tables.files()));
    Some(tables)
}
