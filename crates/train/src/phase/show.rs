//! Some games to look at.

use std::fmt::Write;

use alfil_game::{Encoding, Game, Score};
use alfil_selfplay::GameRecord;

use super::Run;
use crate::run::RunError;

/// Games that are shown of a generation.
const SHOWN: usize = 8;

/// Characters of a line.
const WIDTH: usize = 80;

impl<E: Encoding> Run<E> {
    /// Writes a few of the games as text: PGN for chess, and in its form for the others.
    pub(super) fn show(&self, records: &[GameRecord]) -> Result<(), RunError> {
        let path = self.directory.shown_games(self.state.generation);
        let mut text = String::new();
        for (record, number) in records.iter().take(SHOWN).zip(1..) {
            let tags = [
                ("Event", format!("{} self-play, generation {}", E::Game::NAME, self.state.generation)),
                ("Round", number.to_string()),
                ("White", format!("generation {}", self.state.champion)),
                ("Black", format!("generation {}", self.state.champion)),
            ];
            text.push_str(&game_text::<E::Game>(record, &tags));
        }
        alfil_nn::write_whole(&path, text.as_bytes()).map_err(|why| RunError::io("write", &path, why))
    }
}

/// A game as PGN writes it: tags, and moves with numbers.
fn game_text<G: Game>(record: &GameRecord, tags: &[(&str, String)]) -> String {
    let result = match record.score().0 {
        Score::WIN => "1-0".to_owned(),
        Score::LOSS => "0-1".to_owned(),
        Score::DRAW => "1/2-1/2".to_owned(),
        other => format!("{}", other.points()),
    };
    let mut text = String::new();
    for (name, value) in tags {
        let _ = writeln!(text, "[{name} \"{value}\"]");
    }
    let _ = writeln!(text, "[Result \"{result}\"]");
    if !record.start.is_empty() {
        let _ = writeln!(text, "[SetUp \"1\"]\n[FEN \"{}\"]", record.start);
    }
    let mut words: Vec<String> = Vec::new();
    let mut number = 1;
    let mut last = None;
    record.replay::<G>(|game, moves, ply| {
        let first = game.side() == alfil_game::Side::First;
        if first || last.is_none() {
            words.push(format!("{number}{}", if first { "." } else { "..." }));
        }
        if !first {
            number += 1;
        }
        last = Some(first);
        if let Some(&m) = moves.iter().find(|&&m| m.into() == ply.code) {
            words.push(game.move_name(m));
        }
    });
    words.push(result);
    let mut line = String::new();
    text.push('\n');
    for word in words {
        if !line.is_empty() && line.len() + word.len() >= WIDTH {
            let _ = writeln!(text, "{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    let _ = writeln!(text, "{line}\n");
    text
}
