//! A game that people play, in the terminal or in the browser.

use alfil_game::pgn::PgnGame;
use alfil_game::{First, FullGame, Outcome, Score, Side};

use crate::player::Played;
use crate::seats::UserSides;

/// A game with its moves so far, and how the players ended it, if they did (resignation, agreement).
#[derive(Clone, Debug)]
pub struct Sitting<G: FullGame> {
    played: Played<G>,
    ended: Option<Outcome>,
}

impl<G: FullGame> Sitting<G> {
    /// A game that begins here.
    pub fn new(start: G) -> Sitting<G> {
        Sitting { played: Played::new(start), ended: None }
    }

    /// The game of a file. A loss that does not follow from the rules is a resignation; any other such result was agreed on.
    pub fn from_pgn(game: PgnGame<G>) -> Sitting<G> {
        let mut sitting = Sitting::new(game.start);
        game.moves.into_iter().for_each(|m| sitting.play(m));
        if sitting.played.now().outcome().is_none() {
            match game.result {
                Some(First(Score::WIN)) => sitting.resign(Side::Second),
                Some(First(Score::LOSS)) => sitting.resign(Side::First),
                Some(score) => sitting.agree(score),
                None => {}
            }
        }
        sitting
    }

    /// The game as a file holds it, with no tags.
    pub fn pgn(&self) -> PgnGame<G> {
        let mut game = PgnGame::new(self.played.start().clone());
        game.moves = self.played.moves().to_vec();
        game.set_outcome(self.legal_moves(&mut Vec::new()));
        game
    }

    /// The game without a resignation or agreement.
    pub fn played(&self) -> &Played<G> {
        &self.played
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: G::Move) {
        self.played.play(m);
    }

    /// Ends the game in favour of the other side.
    pub fn resign(&mut self, side: Side) {
        self.ended = Some(Outcome::win(!side, "resignation"));
    }

    /// Ends the game because a side has no time left.
    pub fn lose_on_time(&mut self, side: Side) {
        self.ended = Some(Outcome::win(!side, "time"));
    }

    /// Ends the game with a result that the players have agreed on.
    pub fn agree(&mut self, score: First<Score>) {
        self.ended = Some(Outcome { score, reason: "agreement" });
    }

    /// Puts the legal moves into `moves`. If the game is over, there are none, and the outcome is returned.
    pub fn legal_moves(&self, moves: &mut Vec<G::Move>) -> Option<Outcome> {
        let by_the_rules = self.played.now().legal_moves(moves);
        if self.ended.is_some() {
            moves.clear();
        }
        by_the_rules.or(self.ended)
    }

    /// The last move with the side that made it, as people write it.
    pub fn last_move(&self) -> Option<(Side, String)> {
        let (last, before) = self.played.moves().split_last()?;
        let mut game = self.played.start().clone();
        before.iter().for_each(|m| game.play(*m));
        Some((game.side(), game.move_name(*last)))
    }

    /// Goes back to the position after `moves` moves, and takes back a resignation or an agreement.
    pub fn go_back(&mut self, moves: usize) {
        self.ended = None;
        self.played.go_back(moves);
    }

    /// Takes back the user's last decision and all that came after it, which may be a resignation or an agreement alone. Returns
    /// whether there was one.
    pub fn undo(&mut self, seats: UserSides) -> bool {
        if self.ended.take().is_some() {
            return true;
        }
        let mut game = self.played.start().clone();
        let mut decision = None;
        for (number, m) in self.played.moves().iter().enumerate() {
            if seats.is_user(game.side()) {
                decision = Some(number);
            }
            game.play(*m);
        }
        decision.inspect(|moves| self.played.go_back(*moves)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::Game;
    use alfil_game::chess::Chess;
    use alfil_game::connect4::Connect4;
    use alfil_game::play_line;

    use super::*;

    fn after<G: FullGame>(moves: &str) -> Sitting<G> {
        let start = G::new(&G::Rules::default());
        let moves = play_line(&mut start.clone(), moves).unwrap();
        let mut sitting = Sitting::new(start);
        moves.into_iter().for_each(|m| sitting.play(m));
        sitting
    }

    #[test]
    fn undo_goes_back_to_the_users_last_decision() {
        let left = |sitting: &Sitting<Connect4>| sitting.played().moves_text();
        let (first, both) = (UserSides::read::<Connect4>("x").unwrap(), UserSides::read::<Connect4>("both").unwrap());
        let mut sitting = after::<Connect4>("4434");
        assert!(sitting.undo(first));
        assert_eq!(left(&sitting), "4 4");
        assert!(sitting.undo(both));
        assert_eq!(left(&sitting), "4");
        assert!(!sitting.undo(UserSides::read::<Connect4>("o").unwrap()), "the second player has not decided anything");
        assert!(sitting.undo(first) && !sitting.undo(first));
        assert!(sitting.played().now().same_position(sitting.played().start()));
    }

    #[test]
    fn a_resignation_ends_the_game_until_it_is_taken_back() {
        let mut sitting = after::<Chess>("e4 e5");
        let mut moves = Vec::new();
        assert!(sitting.legal_moves(&mut moves).is_none() && moves.len() == 29);
        sitting.resign(Side::First);
        assert_eq!(sitting.legal_moves(&mut moves), Some(Outcome::win(Side::Second, "resignation")));
        assert!(moves.is_empty());
        assert!(sitting.undo(UserSides::read::<Chess>("white").unwrap()));
        assert!(sitting.legal_moves(&mut moves).is_none() && sitting.played().moves().len() == 2);
        assert_eq!(sitting.last_move(), Some((Side::Second, "e5".to_owned())));
    }
}
