//! `alfil suite`

use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;

use alfil_arena::player::GRAMMAR;
use alfil_arena::suite::{Answer, Problem, read, read_text, solve};
use alfil_core::wording::cut;
use alfil_game::{FullGame, registry, with_game};
use anyhow::{Context, ensure};
use clap::Args;
use serde_json::json;

use crate::game::RulesText;
use crate::match_command::{entrant, progress};
use crate::{Verdict, stop};

/// The bundled suite, by its name.
const DOCUMENTS: (&str, &str) = ("documents", include_str!("suites/documents.epd"));

/// Columns of a player, and of the names of the positions.
const COLUMN: usize = 18;
const NAMES: usize = 32;

#[derive(Args)]
#[command(after_help = GRAMMAR)]
pub struct SuiteCommand {
    /// A file of positions with best moves (bm) or moves to avoid (am), or documents: horizon, zugzwang and fortresses
    suite: String,
    /// The players, side by side
    #[arg(value_name = "PLAYER", required = true)]
    players: Vec<String>,
    /// The game's name
    #[arg(long, default_value = registry::DEFAULT)]
    game: String,
    #[command(flatten)]
    rules: RulesText,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: &SuiteCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    with_game!(&command.game, G => examine::<G>(command, out))?
}

/// A player's name with its answers.
type Column<G> = (String, Vec<Answer<<G as alfil_game::Game>::Move>>);

fn examine<G: FullGame>(command: &SuiteCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let rules = command.rules.read::<G>()?;
    let (name, text) = DOCUMENTS;
    let problems: Vec<Problem<G>> = if command.suite == name {
        ensure!(
            G::NAME == registry::DEFAULT,
            "the suite {name} is for {}: name a file for {}",
            registry::DEFAULT,
            G::NAME
        );
        read_text(text, name, &rules)?
    } else {
        read(command.suite.as_ref(), &rules)?
    };
    let players = command.players.iter().map(|line| entrant::<G>(line)).collect::<anyhow::Result<Vec<_>>>()?;
    let stop = stop::flag()?;
    let bar = progress((problems.len() * players.len()) as u64)?;
    let mut columns: Vec<Column<G>> = Vec::new();
    for player in &players {
        bar.set_message(player.name.clone());
        let answers = solve(&problems, player, &mut |_| bar.inc(1), &stop)
            .with_context(|| format!("{} cannot continue", player.name))?;
        columns.push((player.name.clone(), answers));
    }
    bar.finish_and_clear();
    if command.json {
        let stopped = stop.load(Relaxed);
        writeln!(out, "{}", to_json(&problems, &columns, stopped))?;
        return Ok(Verdict::Fine);
    }
    table(&problems, &columns, out)?;
    if stop.load(Relaxed) {
        writeln!(out, "stopped before the end")?;
    }
    Ok(Verdict::Fine)
}

/// A row per position: each player's move, + if it is right and - if it is wrong, and what it expects for the side to move.
fn table<G: FullGame>(problems: &[Problem<G>], columns: &[Column<G>], out: &mut impl Write) -> anyhow::Result<()> {
    write!(out, "{:NAMES$}", "")?;
    for (name, _) in columns {
        write!(out, "  {:COLUMN$}", cut(name, COLUMN))?;
    }
    writeln!(out)?;
    for (row, problem) in problems.iter().enumerate() {
        write!(out, "{:NAMES$}", cut(&problem.name, NAMES))?;
        for (_, answers) in columns {
            let Some(answer) = answers.get(row) else { continue };
            let mark = answer.is_right.map_or(' ', |is_right| if is_right { '+' } else { '-' });
            let score = answer.score.map_or(String::new(), |score| score.to_string());
            write!(out, "  {mark} {:7} {score:>8}", problem.game.move_name(answer.m))?;
        }
        writeln!(out)?;
    }
    write!(out, "{:NAMES$}", "solved")?;
    for (_, answers) in columns {
        let (right, marked) = count(answers);
        write!(out, "  {:COLUMN$}", format!("{right} of {marked}"))?;
    }
    write!(out, "\n{:NAMES$}", "seconds per position")?;
    for (_, answers) in columns {
        write!(out, "  {:<COLUMN$.2}", seconds(answers))?;
    }
    writeln!(out)?;
    Ok(())
}

/// Right answers, and those that could be right or wrong.
fn count<M>(answers: &[Answer<M>]) -> (usize, usize) {
    let marks = || answers.iter().filter_map(|answer| answer.is_right);
    (marks().filter(|is_right| *is_right).count(), marks().count())
}

fn seconds<M>(answers: &[Answer<M>]) -> f64 {
    answers.iter().map(|answer| answer.time.as_secs_f64()).sum::<f64>() / answers.len().max(1) as f64
}

fn to_json<G: FullGame>(problems: &[Problem<G>], columns: &[Column<G>], stopped: bool) -> serde_json::Value {
    let answer = |(problem, answer): (&Problem<G>, &Answer<G::Move>)| {
        json!({
            "id": problem.name, "position": problem.game.position(), "move": problem.game.move_text(answer.m),
            "right": answer.is_right, "score": answer.score.map(|score| score.to_string()),
            "seconds": answer.time.as_secs_f64(),
        })
    };
    let players: Vec<_> = columns
        .iter()
        .map(|(name, answers)| {
            let (right, marked) = count(answers);
            let answers: Vec<_> = problems.iter().zip(answers).map(answer).collect();
            json!({"player": name, "right": right, "marked": marked, "answers": answers})
        })
        .collect();
    json!({"positions": problems.len(), "stopped": stopped, "players": players})
}

#[cfg(test)]
mod tests {
    use alfil_game::chess::Chess;

    use super::*;

    #[test]
    fn the_bundled_suite_can_be_read() {
        let problems = read_text::<Chess>(DOCUMENTS.1, DOCUMENTS.0, &Default::default()).unwrap();
        assert!(problems.iter().any(|problem| !problem.best.is_empty() && problem.avoid.is_empty()));
        assert!(problems.iter().all(|problem| problem.name.len() <= NAMES), "names are cut off in the table");
        // Closed walls are closed: only kings and the bishop move, and nobody can capture.
        let wall = problems.iter().find(|problem| problem.name.contains("wall")).unwrap();
        fn captures(game: &Chess, depth: u32) -> bool {
            use alfil_game::{Estimates, Game};
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            depth > 0
                && moves.into_iter().any(|m| {
                    let mut after = game.clone();
                    after.play(m);
                    game.gain(m) > 0 || captures(&after, depth - 1)
                })
        }
        assert!(!captures(&wall.game, 4));
    }
}
