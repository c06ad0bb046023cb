//! Completion with the tab key.

use std::path::{Path, is_separator};

use alfil_core::disk::list;
use alfil_game::FullGame;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use super::order::ORDERS;

/// Words that can be typed now.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The moves as people write them.
    names: Vec<String>,
    /// The moves as programs write them.
    texts: Vec<String>,
}

impl Words {
    /// The orders, and these moves.
    pub fn new<G: FullGame>(game: &G, legal: &[G::Move]) -> Words {
        let names = legal.iter().map(|m| game.move_name(*m)).collect();
        Words { names, texts: legal.iter().map(|m| game.move_text(*m)).collect() }
    }

    /// Words that begin with `start`. Moves as programs write them are offered only if nothing else matches: otherwise
    /// every move would be listed twice.
    fn beginning(&self, start: &str) -> Vec<&str> {
        let begins = |word: &&str| word.starts_with(start);
        let orders = ORDERS.iter().map(|(word, _)| *word);
        let usual: Vec<&str> = self.names.iter().map(String::as_str).chain(orders).filter(begins).collect();
        if usual.is_empty() { self.texts.iter().map(String::as_str).filter(begins).collect() } else { usual }
    }
}

/// Completes moves, orders and the names of files.
#[derive(Default)]
pub struct Completion {
    pub words: Words,
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..pos).unwrap_or(line);
        if let Some(path) = ["save ", "load "].iter().find_map(|order| typed.strip_prefix(order)) {
            let path = path.trim_start();
            return Ok((typed.len() - path.len(), files(path).into_iter().map(pair).collect()));
        }
        Ok((0, self.words.beginning(typed).into_iter().map(|word| pair(word.to_owned())).collect()))
    }
}

fn pair(word: String) -> Pair {
    Pair { display: word.clone(), replacement: word }
}

/// The paths that begin with `start`, unescaped: an order's file is all that follows it, blanks included.
fn files(start: &str) -> Vec<String> {
    let folder = &start[..start.rfind(is_separator).map_or(0, |at| at + 1)];
    // Errors cannot be shown here: a folder that cannot be read completes nothing.
    let paths = list(Path::new(if folder.is_empty() { "." } else { folder })).unwrap_or_default();
    let names = paths.iter().filter_map(|path| {
        let end = if path.is_dir() { "/" } else { "" };
        Some(format!("{folder}{}{end}", path.file_name()?.to_str()?))
    });
    names.filter(|path| path.starts_with(start)).collect()
}

impl Hinter for Completion {
    type Hint = String;
}
impl Highlighter for Completion {}
impl Validator for Completion {}
impl Helper for Completion {}

#[cfg(test)]
mod tests {
    use alfil_game::Game;
    use alfil_game::chess::Chess;
    use rustyline::history::DefaultHistory;

    use super::*;

    #[test]
    fn legal_moves_and_orders_are_completed() {
        let game = Chess::new(&Default::default());
        let mut legal = Vec::new();
        game.generate(&mut legal);
        let words = Words::new(&game, &legal);
        assert_eq!(words.beginning("N"), ["Na3", "Nc3", "Nf3", "Nh3"]);
        assert_eq!(words.beginning("h"), ["h3", "h4", "hint", "help"]);
        assert_eq!(words.beginning("g1"), ["g1f3", "g1h3"]);
        assert_eq!(words.beginning("").len(), 20 + ORDERS.len());
        assert!(words.beginning("x").is_empty());
    }

    #[test]
    fn files_are_completed_to_names_that_can_be_loaded() {
        let folder = std::env::temp_dir().join(format!("alfil-completion-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("my games")).unwrap();
        std::fs::write(folder.join("my game.pgn"), "").unwrap();
        let (inside, history) = (format!("{}/", folder.display()), DefaultHistory::new());
        let complete = |typed: &str| {
            let line = format!("load {inside}{typed}");
            let (at, found) = Completion::default().complete(&line, line.len(), &Context::new(&history)).unwrap();
            found.into_iter().map(|pair| format!("{}{}", &line[..at], pair.replacement)).collect::<Vec<_>>()
        };
        let line = |name: &str| format!("load {inside}{name}");
        assert_eq!(complete("my"), [line("my game.pgn"), line("my games/")]);
        assert_eq!(complete("my game."), [line("my game.pgn")]);
        assert!(complete("my games/").is_empty() && complete("none/").is_empty());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
