//! Moves that need no search: from an opening book or endgame tables.

use std::path::Path;

use alfil_game::{Book, FullGame, Score, Tablebase};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::options::Options;
use crate::voice::Voice;

/// The centipawns that programs read as a certain result.
const CERTAIN: i32 = 20_000;

/// The book and the tables that were opened last, by name, if they could be opened.
pub(crate) struct KnownMoves<G> {
    book: (String, Option<Box<dyn Book<G>>>),
    tables: (String, Option<Box<dyn Tablebase<G>>>),
}

impl<G: FullGame> KnownMoves<G> {
    /// No moves are known before [`prepare`](KnownMoves::prepare).
    pub fn new() -> KnownMoves<G> {
        KnownMoves { book: (String::new(), None), tables: (String::new(), None) }
    }

    /// Opens the files that the options name. Files that cannot be used are reported and ignored.
    pub fn prepare(&mut self, options: &Options, voice: &Voice) {
        let book = if options.own_book { options.book_file.as_str() } else { "" };
        if self.book.0 != book {
            self.book = (book.to_owned(), open_book(book, voice));
        }
        if self.tables.0 != options.syzygy_path {
            self.tables = (options.syzygy_path.clone(), open_tables(&options.syzygy_path, voice));
        }
    }

    /// Finds a known move, and reports where it comes from.
    pub fn find(&mut self, game: &G, random: &mut Xoshiro256PlusPlus, voice: &Voice) -> Option<G::Move> {
        // A book that cannot be read is ignored.
        let mut below = |limit| random.random_range(0..limit);
        if let Some(m) = self.book.1.as_ref().and_then(|book| book.probe(game, &mut below).ok().flatten()) {
            voice.notice("from the book");
            return Some(m);
        }
        let (m, score) = self.tables.1.as_ref()?.best_move(game)?;
        let centipawns = match score.0 {
            Score::WIN => CERTAIN,
            Score::LOSS => -CERTAIN,
            _ => 0,
        };
        voice.say(&format!("info depth 1 score cp {centipawns} tbhits 1 pv {}", game.move_text(m)));
        Some(m)
    }
}

fn open_book<G: FullGame>(file: &str, voice: &Voice) -> Option<Box<dyn Book<G>>> {
    if file.is_empty() {
        return None;
    }
    let unusable = |error: &_| voice.notice(&format!("cannot use the book {file}: {error}"));
    G::book(Path::new(file)).inspect_err(unusable).ok()
}

fn open_tables<G: FullGame>(folders: &str, voice: &Voice) -> Option<Box<dyn Tablebase<G>>> {
    let kind = G::TABLEBASE.filter(|_| !folders.is_empty())?;
    let tables = G::tablebase(folders).inspect_err(|problem| voice.notice(&problem.to_string())).ok()?;
    voice.notice(&format!("{} {kind} tables", tables.files()));
    Some(tables)
}
