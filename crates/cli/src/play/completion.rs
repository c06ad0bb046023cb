//! What the tab key adds.

use alfil_game::Game;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
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
    pub fn new<G: Game>(game: &G, legal: &[G::Move]) -> Words {
        let names = legal.iter().map(|m| game.move_name(*m)).collect();
        Words { names, texts: legal.iter().map(|m| game.move_text(*m)).collect() }
    }

    /// Those that begin so. The way in which programs write moves counts where nothing else begins so: both at once would be
    /// every move twice.
    fn beginning(&self, start: &str) -> Vec<&str> {
        let begins = |word: &&str| word.starts_with(start);
        let orders = ORDERS.iter().map(|(word, _)| *word);
        let usual: Vec<&str> = self.names.iter().map(String::as_str).chain(orders).filter(begins).collect();
        if usual.is_empty() { self.texts.iter().map(String::as_str).filter(begins).collect() } else { usual }
    }
}

/// Completes moves, orders and the names of files.
pub struct Completion {
    pub words: Words,
    files: FilenameCompleter,
}

impl Completion {
    pub fn new() -> Completion {
        Completion { words: Words::default(), files: FilenameCompleter::new() }
    }
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, context: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        if ["save ", "load "].iter().any(|order| line.starts_with(order)) {
            return self.files.complete(line, pos, context);
        }
        let typed = line.get(..pos).unwrap_or(line);
        let pair = |word: &str| Pair { display: word.to_owned(), replacement: word.to_owned() };
        Ok((0, self.words.beginning(typed).into_iter().map(pair).collect()))
    }
}

impl Hinter for Completion {
    type Hint = String;
}
impl Highlighter for Completion {}
impl Validator for Completion {}
impl Helper for Completion {}

#[cfg(test)]
mod tests {
    use alfil_game::chess::Chess;

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
}
