//! Mistakes as rows of a table.

use std::path::Path;

use alfil_core::disk;
use alfil_core::wording::shorten;
use serde::{Deserialize, Serialize};

use crate::InsightError;
use crate::csv::{row, rows};

/// A larger file is refused: a million mistakes take less.
const LARGEST: u64 = 1 << 30;

/// The names of the columns.
const COLUMNS: [&str; 12] =
    ["game", "ply", "side", "player", "opening", "position", "move", "loss", "before", "after", "better", "reply"];

/// A mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorRecord {
    /// The number of the game among those of all files, from 1.
    pub game: u64,
    /// Which move of the game it is, from 1.
    pub ply: u32,
    /// The name of the side that made it.
    pub side: String,
    /// The name of the player.
    pub player: String,
    /// The game's opening, as its file says; often empty.
    pub opening: String,
    /// The position before it.
    pub position: String,
    /// The move as people write it.
    #[serde(rename = "move")]
    pub played: String,
    /// Hundredths of a pawn that it loses.
    pub loss: i32,
    /// What the position was worth to the mover before it, in hundredths of a pawn.
    pub before: i32,
    /// The same after it.
    pub after: i32,
    /// What the judge expected in place of it, as programs write moves, separated by blanks.
    pub better: String,
    /// What it expected after it.
    pub reply: String,
}

/// Mistakes as a table with the names of its columns.
pub fn table(records: &[ErrorRecord]) -> String {
    let mut text = row(COLUMNS);
    for record in records {
        let numbers =
            [record.game as i64, record.ply.into(), record.loss.into(), record.before.into(), record.after.into()];
        let [game, ply, loss, before, after] = numbers.map(|number| number.to_string());
        let ErrorRecord { side, player, opening, position, played, better, reply, .. } = record;
        text +=
            &row([game.as_str(), &ply, side, player, opening, position, played, &loss, &before, &after, better, reply]);
    }
    text
}

/// The mistakes of a table, in its order.
pub fn read_errors(path: &Path) -> Result<Vec<ErrorRecord>, InsightError> {
    let text = disk::read_text(path, LARGEST).map_err(InsightError::read(path))?;
    parse(&text).map_err(|(line, why)| InsightError::Record { path: path.to_owned(), line, why })
}

fn parse(text: &str) -> Result<Vec<ErrorRecord>, (usize, String)> {
    let mut rows = rows(text);
    match rows.next() {
        Some((_, Ok(names))) if names == COLUMNS => {}
        _ => return Err((1, format!("the columns should be {}", COLUMNS.join(",")))),
    }
    rows.map(|(line, fields)| {
        let fields = fields.map_err(|why| (line, why.to_owned()))?;
        let count = fields.len();
        let fields: [String; COLUMNS.len()] =
            fields.try_into().map_err(|_| (line, format!("{count} columns in place of {}", COLUMNS.len())))?;
        let [game, ply, side, player, opening, position, played, loss, before, after, better, reply] = fields;
        Ok(ErrorRecord {
            game: number(&game, line)?,
            ply: number(&ply, line)?,
            loss: number(&loss, line)?,
            before: number(&before, line)?,
            after: number(&after, line)?,
            side,
            player,
            opening,
            position,
            played,
            better,
            reply,
        })
    })
    .collect()
}

fn number<T: std::str::FromStr>(text: &str, line: usize) -> Result<T, (usize, String)> {
    text.parse().map_err(|_| (line, format!("'{}' is not a number that fits there", shorten(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> ErrorRecord {
        ErrorRecord {
            game: 3,
            ply: 41,
            side: "white".to_owned(),
            player: "Steinitz, William".to_owned(),
            opening: "C52".to_owned(),
            position: "8/8/8/8/8/8/8/8 w - - 0 1".to_owned(),
            played: "Qb2".to_owned(),
            loss: 80,
            before: 20,
            after: -60,
            better: "e2e4 e7e5".to_owned(),
            reply: String::new(),
        }
    }

    #[test]
    fn tables_are_read_back() {
        let records = [record(), ErrorRecord { player: "A \"B\", C".to_owned(), ..record() }];
        assert_eq!(parse(&table(&records)).unwrap(), records);
        assert_eq!(parse(&table(&[])).unwrap(), []);
    }

    #[test]
    fn damaged_tables_are_refused_with_the_line() {
        let text = table(&[record()]);
        assert_eq!(parse("").unwrap_err().0, 1);
        assert_eq!(parse(&text.replace("41", "x")).unwrap_err(), (2, "'x' is not a number that fits there".to_owned()));
        assert_eq!(parse(&(text.clone() + "1,2\n")).unwrap_err(), (3, "2 columns in place of 12".to_owned()));
        assert_eq!(parse(&(text + "\"")).unwrap_err().0, 3);
    }
}
