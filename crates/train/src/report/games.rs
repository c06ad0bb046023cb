//! Some games of the newest generation, with diagrams.

use std::fmt::Write;
use std::path::Path;

use alfil_core::numbers::count;
use alfil_core::svg::escape;
use alfil_game::drawing::board;
use alfil_game::{FullGame, MoveNumbers, Score, Side, read_rules, with_game};
use alfil_selfplay::{End, GameRecord, chunks, read_chunk};

use super::chart::{Line, Lines, Range};

/// Games that are shown.
const SHOWN: usize = 4;

/// Diagrams per game, spread evenly; the last one shows the final position.
const DIAGRAMS: usize = 3;

/// Games of a run's newest file, as parts of a page. There may be none yet, and the file may be gone before it is read:
/// then the page says so.
pub fn newest(game: &str, rules: &str, replay: &Path) -> String {
    let chunks = match chunks(replay) {
        Ok(chunks) => chunks,
        Err(error) => return nothing(&error.to_string()),
    };
    let Some(path) = chunks.last() else { return nothing("There are no games yet.") };
    let why = match with_game!(game, G => show_newest::<G>(rules, path)) {
        Ok(Ok(games)) => return games,
        Ok(Err(why)) => why,
        Err(error) => error.to_string(),
    };
    nothing(&why)
}

fn nothing(why: &str) -> String {
    format!("<p class=\"nothing\">{}</p>\n", escape(why))
}

fn show_newest<G: FullGame>(rules: &str, path: &Path) -> Result<String, String> {
    let records = read_chunk::<G>(path).map_err(|error| error.to_string())?;
    let rules = read_rules::<G>(rules).map_err(|error| error.to_string())?;
    Ok(choose(&records).into_iter().filter_map(|record| show::<G>(record, &rules)).collect())
}

/// One game of each result, and then the first ones.
fn choose(records: &[GameRecord]) -> Vec<&GameRecord> {
    let mut chosen: Vec<&GameRecord> = Vec::new();
    let playable = || records.iter().filter(|record| !record.plies.is_empty());
    for record in playable() {
        if chosen.len() < SHOWN && chosen.iter().all(|other| other.score() != record.score()) {
            chosen.push(record);
        }
    }
    for record in playable() {
        if chosen.len() < SHOWN && chosen.iter().all(|other| other.number != record.number) {
            chosen.push(record);
        }
    }
    chosen.sort_by_key(|record| record.number);
    chosen
}

/// A move of a game that is shown.
struct Step<G> {
    /// The move number, if a new one begins: `12.`
    number: Option<String>,
    name: String,
    /// Always with the number: `12. e4`, `12... e5`
    full_name: String,
    /// The value that the search expected before it, for the first player.
    value: f64,
    before: G,
    after: G,
}

/// A game as part of the page. None if the record is not a game of `G`.
fn show<G: FullGame>(record: &GameRecord, rules: &G::Rules) -> Option<String> {
    let steps = steps::<G>(record, rules)?;
    let last = steps.last()?;
    let mut out =
        format!("<article>\n<h3>Game {}: {}</h3>\n<p class=\"moves\">", count(record.number), ending(record, last));
    for step in &steps {
        if let Some(number) = &step.number {
            let _ = write!(out, "<i>{number}</i> ");
        }
        let _ = write!(out, "{} ", escape(&step.name));
    }
    out.push_str("</p>\n<div class=\"boards\">\n");
    // In a game of one or two moves some of them are the same.
    let mut drawn: Vec<usize> = (1..=DIAGRAMS).map(|number| (steps.len() * number).div_ceil(DIAGRAMS) - 1).collect();
    drawn.dedup();
    for step in drawn.into_iter().filter_map(|index| steps.get(index)) {
        let _ = writeln!(
            out,
            "<figure>{}<figcaption>after {}</figcaption></figure>",
            board(&step.before, &step.after),
            escape(&step.full_name)
        );
    }
    out.push_str("</div>\n");
    let tell = |ply: u32| steps.get(ply as usize - 1).map_or(String::new(), |step| step.full_name.clone());
    let values = (1..).zip(&steps).map(|(ply, step)| (ply, step.value));
    let chart = Lines {
        title: "Value",
        note: "that the search expected before each move, for the first player",
        x_name: "ply",
        tell: &tell,
        range: Range::Values,
        height: 150.0,
        ..Lines::by_generation("", "", vec![Line::new("value", 0, values)])
    };
    Some(out + &chart.figure() + "</article>\n")
}

fn steps<G: FullGame>(record: &GameRecord, rules: &G::Rules) -> Option<Vec<Step<G>>> {
    let mut steps: Vec<Step<G>> = Vec::new();
    let mut numbers: Option<MoveNumbers> = None;
    record.replay::<G>(rules, |game, moves, ply| {
        let Some(&played) = moves.iter().find(|&&m| m.into() == ply.code) else { return };
        let side = game.side();
        let number = numbers.get_or_insert_with(|| MoveNumbers::of(game)).next(side);
        let value = f64::from(ply.value().0);
        let mut after = game.clone();
        after.play(played);
        let name = game.move_name(played);
        steps.push(Step {
            full_name: format!("{number} {name}"),
            number: number.begins.then(|| number.to_string()),
            name,
            value: if side == Side::First { value } else { -value },
            before: game.clone(),
            after,
        });
    })?;
    Some(steps)
}

/// Who won, how, and when.
fn ending<G: FullGame>(record: &GameRecord, last: &Step<G>) -> String {
    let result = match record.score().0 {
        Score::WIN => "the first player wins".to_owned(),
        Score::LOSS => "the second player wins".to_owned(),
        Score::DRAW => "a draw".to_owned(),
        other => format!("{} points for the first player", other.points()),
    };
    let how = match record.end {
        End::Rules => last.after.outcome().map_or("by the rules", |outcome| outcome.reason),
        End::Resigned => "resigned",
        End::Adjudicated => "adjudicated",
    };
    escape(&format!("{result} ({how}), {} plies", record.plies.len()))
}
