//! A game with its history.

use alfil_game::Game;

/// A game as a player sees it: where it began, the moves since, and the current position. Openings are such games too.
#[derive(Clone, Debug)]
pub struct Played<G: Game> {
    start: G,
    moves: Vec<G::Move>,
    now: G,
}

impl<G: Game> Played<G> {
    /// A game that begins here.
    pub fn new(start: G) -> Played<G> {
        Played { now: start.clone(), start, moves: Vec::new() }
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: G::Move) {
        self.now.play(m);
        self.moves.push(m);
    }

    /// Goes back to the position after `moves` moves; nothing changes if there are not more.
    pub fn go_back(&mut self, moves: usize) {
        if moves < self.moves.len() {
            self.moves.truncate(moves);
            self.now = self.start.clone();
            self.moves.iter().for_each(|m| self.now.play(*m));
        }
    }

    /// Where the game began.
    pub fn start(&self) -> &G {
        &self.start
    }

    /// The moves since.
    pub fn moves(&self) -> &[G::Move] {
        &self.moves
    }

    /// The current position.
    pub fn now(&self) -> &G {
        &self.now
    }

    /// The moves as programs write them, separated by blanks.
    pub fn moves_text(&self) -> String {
        let mut game = self.start.clone();
        let text = |m: &G::Move| {
            let text = game.move_text(*m);
            game.play(*m);
            text
        };
        self.moves.iter().map(text).collect::<Vec<_>>().join(" ")
    }
}
