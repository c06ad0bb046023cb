//! A game between the user and the engine in the terminal.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use alfil_arena::player::{Choice, MoveScore};
use alfil_arena::{Sitting, UserSides};
use alfil_game::{FullGame, Outcome};

use super::completion::Words;
use super::engines::Engines;
use super::input::Input;
use super::order::{self, ORDERS, Order};
use super::saved;
use super::shell_word;
use crate::game::write_columns;
use crate::outcome::side_name;

/// A game in the terminal, until the user leaves.
pub struct TerminalGame<G: FullGame> {
    pub sitting: Sitting<G>,
    /// For games that are loaded.
    pub rules: G::Rules,
    pub seats: UserSides,
    pub engines: Engines<G>,
    /// Whether boards have colours.
    pub coloured: bool,
    /// Set by ctrl-C while the engine thinks.
    pub stop: Arc<AtomicBool>,
    /// Set while waiting for the user, when ctrl-C ends the program.
    pub idle: Arc<AtomicBool>,
    /// The command that begins a game with the same players and rules.
    pub command: String,
}

/// What an order has changed.
#[derive(PartialEq, Eq)]
enum Change {
    Nothing,
    /// The board is to be drawn again.
    Board,
}

impl<G: FullGame> TerminalGame<G> {
    /// Plays. All messages go to `out`, also those about the user's mistakes: they are part of the conversation.
    pub fn run(&mut self, input: &mut Input, out: &mut impl Write) -> anyhow::Result<()> {
        let mut legal = Vec::new();
        let (mut is_drawn, mut is_stuck) = (false, false);
        while !self.stop.load(SeqCst) {
            let outcome = self.sitting.legal_moves(&mut legal);
            let side = self.sitting.played().now().side();
            if outcome.is_none() && !self.seats.is_user(side) && !is_stuck {
                if self.seats.is_empty() && !is_drawn {
                    self.show(None, out)?;
                }
                is_stuck = !self.let_engine_move(&legal, out)?;
                is_drawn = false;
                continue;
            }
            if !is_drawn {
                self.show(outcome.as_ref(), out)?;
                is_drawn = true;
            }
            out.flush()?;
            let words = Words::new(self.sitting.played().now(), &legal);
            let prompt = if outcome.is_some() { "over> ".to_owned() } else { format!("{}> ", side_name::<G>(side)) };
            self.idle.store(true, SeqCst);
            let line = if self.stop.load(SeqCst) { None } else { input.line(&prompt, words)? };
            self.idle.store(false, SeqCst);
            let Some(line) = line else { break };
            if line.trim().is_empty() {
                continue;
            }
            match order::read(&line, self.sitting.played().now(), &legal) {
                Ok(Order::Quit) => break,
                Ok(order) => {
                    is_drawn = self.obey(order, &legal, out)? == Change::Nothing;
                    is_stuck &= is_drawn;
                }
                Err(error) => writeln!(out, "{error}")?,
            }
        }
        self.leave(out)
    }

    /// Returns whether the engine made a move.
    fn let_engine_move(&mut self, legal: &[G::Move], out: &mut impl Write) -> anyhow::Result<bool> {
        out.flush()?;
        let game = self.sitting.played();
        match self.engines.choose(game, legal) {
            Ok(Choice { m, .. }) => {
                writeln!(out, "{} plays {}", side_name::<G>(game.now().side()), game.now().move_name(m))?;
                self.sitting.play(m);
                Ok(true)
            }
            Err(error) => {
                writeln!(out, "{error:#}")?;
                writeln!(out, "save FILE keeps the game, undo takes a move back; or type the engine's move")?;
                Ok(false)
            }
        }
    }

    fn obey(&mut self, order: Order<G::Move>, legal: &[G::Move], out: &mut impl Write) -> anyhow::Result<Change> {
        match order {
            Order::Play(m) => self.sitting.play(m),
            Order::Resign => {
                // It is the user who resigns, also when the engine is to move and cannot.
                let side = self.sitting.played().now().side();
                self.sitting.resign(if self.seats.is_user(side) { side } else { !side });
            }
            Order::New => {
                self.sitting = Sitting::new(self.sitting.played().start().clone());
                self.engines.new_game();
            }
            Order::Undo => {
                if !self.sitting.undo(self.seats) {
                    writeln!(out, "there is no move of yours to take back")?;
                    return Ok(Change::Nothing);
                }
            }
            Order::Load(path) => match saved::load(&path, &self.rules) {
                Ok(sitting) => {
                    self.sitting = sitting;
                    self.engines.new_game();
                }
                Err(error) => {
                    writeln!(out, "{error}")?;
                    return Ok(Change::Nothing);
                }
            },
            quiet => {
                self.answer(quiet, legal, out)?;
                return Ok(Change::Nothing);
            }
        }
        Ok(Change::Board)
    }

    /// Orders that leave the game as it is.
    fn answer(&mut self, order: Order<G::Move>, legal: &[G::Move], out: &mut impl Write) -> anyhow::Result<()> {
        let game = self.sitting.played();
        match order {
            Order::Save(path) => match saved::save(&path, &self.sitting) {
                Ok(()) => writeln!(out, "saved: load {} continues from here", path.display())?,
                Err(error) => writeln!(out, "{error}")?,
            },
            Order::Hint => match self.engines.advise(game, legal) {
                Ok(Choice { m, opinion }) => {
                    let expected = opinion.map_or(String::new(), |opinion| expectation(opinion.score));
                    writeln!(out, "hint: {}{expected}", game.now().move_name(m))?;
                }
                Err(error) => writeln!(out, "{error:#}")?,
            },
            Order::Moves => {
                let names: Vec<_> = legal.iter().map(|m| game.now().move_name(*m)).collect();
                write_columns(&names, out)?;
            }
            _ => {
                writeln!(out, "A move, as programs or people write it, or one of these:")?;
                for (word, meaning) in ORDERS {
                    writeln!(out, "  {word:<7} {meaning}")?;
                }
            }
        }
        Ok(())
    }

    fn show(&self, outcome: Option<&Outcome>, out: &mut impl Write) -> anyhow::Result<()> {
        let game = self.sitting.played().now();
        let board = if self.coloured { game.coloured() } else { game.to_string() };
        writeln!(out, "\n{}\n", board.trim_matches('\n'))?;
        if let Some((side, name)) = self.sitting.last_move() {
            write!(out, "last move: {name} by {}. ", side_name::<G>(side))?;
        }
        match outcome {
            None => writeln!(out, "{} to move", side_name::<G>(game.side()))?,
            Some(outcome) => writeln!(
                out,
                "{}\nsave FILE keeps the game, undo takes a move back, new begins again, quit leaves",
                outcome.in_words::<G>()
            )?,
        }
        Ok(())
    }

    fn leave(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let game = self.sitting.played();
        let unfinished = self.sitting.legal_moves(&mut Vec::new()).is_none() && !game.moves().is_empty();
        if !unfinished {
            return Ok(());
        }
        // A loaded game may have other rules.
        let rules = |game: &G| (game.chosen_rules(), game.variant());
        if rules(game.start()) == rules(&G::new(&self.rules)) {
            let position = shell_word(&game.now().position());
            writeln!(out, "to continue from this position, without the moves before it:")?;
            writeln!(out, "  {} --position {position}", self.command)?;
        }
        writeln!(out, "save FILE, before quit, keeps the whole game for --load FILE")?;
        Ok(())
    }
}

/// What to expect of a hint.
fn expectation(score: MoveScore) -> String {
    let turns = |turns: u32| if turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
    match (score, score.own_turns()) {
        (MoveScore::Win(_), Some(own)) => format!(", which wins in {}", turns(own)),
        (MoveScore::Loss(_), Some(own)) => format!(", though it loses in {}", turns(own)),
        _ => format!(", expecting {:.0} % of the point", 100.0 * score.points()),
    }
}
