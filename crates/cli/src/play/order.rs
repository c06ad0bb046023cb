//! What the user types.

use std::path::PathBuf;

use alfil_core::wording::did_you_mean;
use alfil_game::{FullGame, Language, MoveError};

/// A move or a command of the user.
#[derive(Clone, Debug, PartialEq)]
pub enum Order<M> {
    Play(M),
    Moves,
    Undo,
    Hint,
    Save(PathBuf),
    Load(PathBuf),
    Resign,
    New,
    Help,
    Quit,
}

/// The orders that are not moves, with what they do.
pub const ORDERS: [(&str, &str); 9] = [
    ("moves", "lists the legal moves"),
    ("undo", "takes back your last move and all that came after it"),
    ("hint", "suggests a good move"),
    ("save", "FILE: saves the game to a file"),
    ("load", "FILE: continues a game from a file"),
    ("resign", "resigns the game"),
    ("new", "starts over"),
    ("help", "shows this"),
    ("quit", "leaves, as ctrl-D does"),
];

/// Why a line is not an order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    #[error("{0} needs the name of a file, as in {0} game.pgn")]
    NoFile(&'static str),
    #[error("{0} takes no argument")]
    NotAlone(&'static str),
    #[error("the game is over{0}: there is only undo, save FILE, load FILE, new and quit")]
    Over(String),
    #[error("{0}{1}")]
    NoMove(MoveError, String),
}

/// Reads a line. `legal` are the moves that can be played, none if the game is over.
pub fn read<G: FullGame>(line: &str, game: &G, legal: &[G::Move]) -> Result<Order<G::Move>, OrderError> {
    let line = line.trim();
    // Moves have precedence: a game may name a move like an order.
    let parsed = game.parse_typed(line, Language::of(line));
    if let Some(m) = parsed.as_ref().ok().filter(|m| legal.contains(m)) {
        return Ok(Order::Play(*m));
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let lower = word.to_lowercase();
    let Some((word, _)) = ORDERS.into_iter().find(|(known, _)| *known == lower) else {
        return Err(unknown(line, parsed, game, legal));
    };
    let file = PathBuf::from(rest.trim());
    Ok(match (word, rest.trim().is_empty()) {
        ("save" | "load", true) => return Err(OrderError::NoFile(word)),
        ("save", false) => Order::Save(file),
        ("load", false) => Order::Load(file),
        (_, false) => return Err(OrderError::NotAlone(word)),
        ("moves" | "hint" | "resign", true) if legal.is_empty() => return Err(OrderError::Over(String::new())),
        ("moves", true) => Order::Moves,
        ("undo", true) => Order::Undo,
        ("hint", true) => Order::Hint,
        ("resign", true) => Order::Resign,
        ("new", true) => Order::New,
        ("quit", true) => Order::Quit,
        _ => Order::Help,
    })
}

fn unknown<G: FullGame>(line: &str, parsed: Result<G::Move, MoveError>, game: &G, legal: &[G::Move]) -> OrderError {
    let orders = ORDERS.map(|(word, _)| word.to_owned());
    let moves = legal.iter().flat_map(|m| [game.move_name(*m), game.move_text(*m)]);
    let known: Vec<String> = orders.into_iter().chain(moves).collect();
    // Lines of this length are not typing mistakes, and would take long to compare.
    let nearest = if line.len() > 40 { String::new() } else { did_you_mean(line, known.iter().map(String::as_str)) };
    if legal.is_empty() {
        return OrderError::Over(nearest);
    }
    let error = parsed.err().unwrap_or_else(|| MoveError::Illegal(line.to_owned()));
    OrderError::NoMove(error, if nearest.is_empty() { "; see moves or help".to_owned() } else { nearest })
}

#[cfg(test)]
mod tests {
    use alfil_game::Game;
    use alfil_game::chess::Chess;

    use super::*;

    fn at_start(line: &str) -> Result<Order<<Chess as Game>::Move>, OrderError> {
        let game = Chess::new(&Default::default());
        let mut legal = Vec::new();
        game.generate(&mut legal);
        read(line, &game, &legal)
    }

    #[test]
    fn moves_and_orders_are_understood() {
        let game = Chess::new(&Default::default());
        let e4 = Order::Play(game.parse_move("e2e4").unwrap());
        assert_eq!((at_start("e4"), at_start(" e2e4 ")), (Ok(e4.clone()), Ok(e4)));
        assert_eq!(at_start("UNDO"), Ok(Order::Undo));
        assert_eq!(at_start("save  my game.pgn "), Ok(Order::Save("my game.pgn".into())));
        assert_eq!(at_start("save"), Err(OrderError::NoFile("save")));
        assert_eq!(at_start("undo 3"), Err(OrderError::NotAlone("undo")));
        for (word, _) in ORDERS {
            assert!(at_start(word).is_ok() || at_start(&format!("{word} x")).is_ok(), "{word}");
        }
    }

    #[test]
    fn typing_mistakes_get_one_sentence_with_a_suggestion() {
        let complaint = |line| at_start(line).unwrap_err().to_string();
        assert_eq!(complaint("Nf4"), "'Nf4' is not a legal move here (did you mean Nf3?)");
        assert!(complaint("udno").contains("(did you mean undo?)"), "{}", complaint("udno"));
        assert_eq!(complaint("e7e5"), "'e7e5' is not a legal move here; see moves or help");
        assert!(complaint(&"x".repeat(4000)).len() < 300);
        let over = |line| read(line, &Chess::new(&Default::default()), &[]);
        assert_eq!(over("hint"), Err(OrderError::Over(String::new())));
        assert_eq!(over("udo"), Err(OrderError::Over(" (did you mean undo?)".to_owned())));
        assert_eq!(over("e4"), Err(OrderError::Over(String::new())));
        assert_eq!(over("new"), Ok(Order::New));
    }
}
