//! `alfil play`

mod completion;
mod engines;
mod input;
mod order;
mod saved;
mod terminal_game;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

use alfil_arena::player::{GRAMMAR, LEVELS};
use alfil_arena::{Sitting, UserSides};
use alfil_game::{FullGame, with_game};
use clap::Args;

use crate::game::RulesText;
use crate::{Verdict, stop};
use engines::{Engines, OpponentChoice};
use input::Input;
use terminal_game::TerminalGame;

#[derive(Args)]
#[command(after_help = GRAMMAR)]
pub struct PlayCommand {
    /// The game's name: alfil game list shows them
    game: String,
    /// The side that you play by its name in the game, both or none [default: the one that moves first]
    #[arg(long, value_name = "NAME")]
    side: Option<String>,
    /// How strong the engine is, from 1 to 10
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(LEVELS))]
    level: u64,
    /// What evaluates positions for the engine and for hints: a network file, handcrafted, or trained (the bundled
    /// network) [default: trained if it is stronger than handcrafted]
    #[arg(long, value_name = "E")]
    net: Option<String>,
    /// Any other player to play against
    #[arg(long, value_name = "LINE", conflicts_with_all = ["level", "net"])]
    player: Option<String>,
    /// An opening book for the engine: one of alfil book make, or in Polyglot's format
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Where the game begins, in the game's notation [default: the start position]
    #[arg(long, value_name = "P", conflicts_with = "load")]
    position: Option<String>,
    /// Continue a saved game
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,
    #[command(flatten)]
    rules: RulesText,
}

impl PlayCommand {
    /// The command again, without where the game begins.
    fn again(&self) -> String {
        let mut text = format!("alfil play {}", self.game);
        let mut add = |flag: &str, value: &str| text += &format!(" --{flag} {}", shell_word(value));
        if let Some(side) = &self.side {
            add("side", side);
        }
        match &self.player {
            Some(player) => add("player", player),
            None => add("level", &self.level.to_string()),
        }
        if let Some(net) = &self.net {
            add("net", net);
        }
        if let Some(book) = &self.book {
            add("book", &book.to_string_lossy());
        }
        if !self.rules.text().is_empty() {
            add("rules", self.rules.text());
        }
        text
    }
}

/// A word quoted for the shell.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Whether the terminal has colours, and the user has not switched them off.
fn has_colours(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let value = |name| variable(name).filter(|value| !value.is_empty());
    value("NO_COLOR").is_none() && value("TERM").is_some_and(|terminal| terminal != "dumb")
}

pub fn run(command: PlayCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let game = command.game.clone();
    with_game!(&game, G => sit_down::<G>(command, out))?
}

fn sit_down<G: FullGame>(command: PlayCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let side = command.side.as_deref().unwrap_or(G::SIDES[0]);
    let seats = UserSides::read::<G>(side)?;
    let rules = command.rules.read::<G>()?;
    let sitting = match (&command.load, command.position.as_deref()) {
        (Some(path), _) => saved::load(path, &rules)?,
        (None, Some(text)) => Sitting::new(G::from_position(text, &rules)?),
        (None, None) => Sitting::new(G::new(&rules)),
    };
    let wish = OpponentChoice {
        level: command.level,
        evaluator: command.net.as_deref(),
        player: command.player.as_deref(),
        book: command.book.as_deref(),
    };
    let engines = Engines::<G>::new(&wish)?;
    let part = match side.to_lowercase().as_str() {
        "both" => "You play both sides.".to_owned(),
        "none" => "You watch.".to_owned(),
        side => format!("You play {side}."),
    };
    writeln!(out, "The engine: {}.\n{part} Type a move, or help.", engines.described)?;
    let coloured = io::stdout().is_terminal() && has_colours(|name| std::env::var_os(name));
    let (idle, again) = (Arc::default(), command.again());
    let stop = stop::flag_unless(Arc::clone(&idle), input::restore_terminal())?;
    TerminalGame { sitting, rules, seats, engines, coloured, stop, idle, command: again }
        .run(&mut Input::new()?, out)?;
    Ok(Verdict::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_need_a_terminal_that_has_them() {
        let with = |terminal: &str, no_color: &str| {
            has_colours(|name| Some(if name == "TERM" { terminal } else { no_color }.into()))
        };
        assert!(with("xterm-256color", ""));
        assert!(!with("dumb", "") && !with("", "") && !with("xterm", "1") && !has_colours(|_| None));
    }
}
