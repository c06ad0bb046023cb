//! Players that begin their games from a book.

use std::path::Path;
use std::sync::Arc;

use alfil_game::{Book, Game, ReferenceError, References};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Choice, Entrant, Label, LabelSettings, Played, Player, PlayerError};

/// Keeps the choice among a book's moves apart from what else follows from a game's seed.
const SALT: u64 = 0xb00c;

/// Plays moves of a book, drawn by their weights, as long as it has any; then as another player.
pub struct BookPlayer<G: Game> {
    player: Box<dyn Player<G>>,
    book: Arc<dyn Book<G>>,
    random: Xoshiro256PlusPlus,
}

impl<G: Game> BookPlayer<G> {
    /// The same player with a book.
    pub fn new(player: Box<dyn Player<G>>, book: Arc<dyn Book<G>>) -> BookPlayer<G> {
        BookPlayer { player, book, random: Xoshiro256PlusPlus::seed_from_u64(SALT) }
    }
}

impl<G: Game> Player<G> for BookPlayer<G> {
    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed ^ SALT);
        self.player.new_game(seed)
    }

    fn choose(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        let mut below = |limit| self.random.random_range(0..limit);
        // A book that cannot be read any more is no reason to lose a game.
        match self.book.probe(game.now(), &mut below) {
            Ok(Some(m)) => Ok(Choice { m, opinion: None }),
            _ => self.player.choose(game, stop),
        }
    }

    /// A book has nothing to say about what positions are worth.
    fn label(
        &mut self,
        game: &Played<G>,
        settings: &LabelSettings,
        stop: &dyn Fn() -> bool,
    ) -> Result<Label<G::Move>, PlayerError> {
        self.player.label(game, settings, stop)
    }
}

impl<G: References> Entrant<G> {
    /// The same player, who begins games from the book in a file.
    pub fn with_book(self, path: &Path) -> Result<Entrant<G>, ReferenceError> {
        let unreadable = |why| ReferenceError::Read { path: path.display().to_string(), why };
        let book: Arc<dyn Book<G>> = Arc::from(G::book(path)?);
        let print = alfil_core::disk::open(path).and_then(alfil_core::checksum::checksum_of).map_err(unreadable)?;
        Ok(self.wrapped(&format!(", book {print:016x}"), move |player| {
            Box::new(BookPlayer::new(player, Arc::clone(&book)))
        }))
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::book::BookMaker;
    use alfil_game::connect4::Connect4;
    use alfil_game::{First, Score, play_line};

    use super::*;
    use crate::player::RandomPlayer;

    #[test]
    fn games_begin_from_the_book_and_go_on_without_it() {
        let start = Connect4::new(&Default::default());
        let moves = play_line(&mut start.clone(), "443").unwrap();
        let mut maker = BookMaker::new(3);
        maker.add(&start, moves.clone(), First(Score::WIN), |game, m| (game.key(), m.into())).unwrap();
        let path = std::env::temp_dir().join(format!("alfil-arena-book-{}.book", std::process::id()));
        std::fs::write(&path, maker.finish::<Connect4>(1)).unwrap();
        let random = Entrant::<Connect4>::new("r", "r", || Box::new(RandomPlayer::default()));
        let entrant = random.with_book(&path).unwrap();
        assert!(entrant.identity.starts_with("r, book ") && entrant.name == "r", "{}", entrant.identity);
        std::fs::remove_file(&path).unwrap();
        let mut player = entrant.player().unwrap();
        player.new_game(1).unwrap();
        let mut game = Played::new(start);
        let mut choices = Vec::new();
        for _ in 0..4 {
            let m = player.choose(&game, &|| false).unwrap().m;
            choices.push(m);
            game.play(m);
        }
        // The second move only lost for its side.
        assert_eq!((choices[0], choices.len()), (moves[0], 4));
        let random = Entrant::<Connect4>::new("r", "r", || Box::new(RandomPlayer::default()));
        assert!(random.with_book(&path).is_err());
    }
}
