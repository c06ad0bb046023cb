//! `alfil insight extract`

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use alfil_arena::player::{GRAMMAR, LabelSettings};
use alfil_core::numbers::{count, percent};
use alfil_game::{FullGame, registry, with_game};
use alfil_insight::{Criterion, Extracted, Extraction, Limits, PlayerName, judge_line};
use clap::Args;
use serde_json::json;

use super::bytes_bar;
use crate::game::RulesText;
use crate::match_command::Arena;
use crate::{Verdict, stop};

#[derive(Args)]
#[command(after_help = GRAMMAR)]
pub struct ExtractCommand {
    /// Files of games: .pgn, .pgn.gz or .pgn.zst
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The table of mistakes, which must not exist yet; the same command resumes an interrupted one
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Who judges; an engine without limits searches to depth 8, for a quarter of a second at most
    #[arg(long, value_name = "PLAYER", default_value = "uci:stockfish")]
    engine: String,
    /// Only this player's mistakes
    #[arg(long, value_name = "NAME")]
    player: Option<PlayerName>,
    /// With --player: games that he played together with others count as well
    #[arg(long, requires = "player")]
    with_partners: bool,
    /// Hundredths of a pawn that a mistake loses more of
    #[arg(long, default_value_t = Criterion::default().threshold, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=1000))]
    threshold: i32,
    /// Follow the thesis's text: double the threshold where the position was won before the move, not where it was lost, and
    /// count moves that the judge expected
    #[arg(long)]
    literal: bool,
    /// Turns of both sides at the beginning of each game that do not count
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    skip: u32,
    /// The game's name
    #[arg(long, default_value = registry::DEFAULT)]
    game: String,
    #[command(flatten)]
    rules: RulesText,
    /// Judges that work side by side [default: as many as there are cores for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: &ExtractCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    with_game!(&command.game, G => extract::<G>(command, out))?
}

fn extract<G: FullGame>(command: &ExtractCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let judge = judge_line(&command.engine, Limits::Short)?.teacher::<G>(&LabelSettings::default())?;
    let extraction = Extraction {
        files: &command.files,
        rules: command.rules.read::<G>()?,
        judge: &judge,
        threads: command.threads.map_or_else(|| Arena::threads(judge.threads), |threads| threads as usize),
        player: command.player.as_ref().map(|player| PlayerName::new(player.text(), command.with_partners)),
        criterion: Criterion { threshold: command.threshold, is_literal: command.literal },
        skipped_turns: command.skip,
        output: &command.output,
    };
    let stop = stop::flag()?;
    let bar = bytes_bar()?;
    let began = Instant::now();
    let mut positions = 0;
    let rate = |positions: u64| (positions as f64 / began.elapsed().as_secs_f64().max(1e-9)).round();
    let mut resumed = false;
    let found = extraction.run(
        &mut |progress| {
            bar.set_length(progress.bytes);
            bar.set_position(progress.read);
            // The time left is estimated from the games of this process.
            if !std::mem::replace(&mut resumed, true) {
                bar.reset_eta();
            }
            positions = progress.positions;
            let (games, errors) = (count(progress.games), count(progress.errors));
            bar.set_message(format!("{games} games, {errors} mistakes, {} positions/s", rate(positions)));
        },
        &stop,
    );
    bar.finish_and_clear();
    let found = found?;
    if command.json {
        let mut report = json!(found);
        report["positions_per_second"] = json!(rate(positions));
        writeln!(out, "{report}")?;
        return Ok(Verdict::Fine);
    }
    let Extracted { games, moves, errors, unreadable, phases, .. } = &found;
    let share = |errors: u64, moves: u64| percent(errors as f64 / moves.max(1) as f64);
    writeln!(
        out,
        "{} games, {} moves, {} mistakes ({}), {} positions/s, in {}",
        count(*games),
        count(*moves),
        count(*errors),
        share(*errors, *moves),
        rate(positions),
        command.output.display()
    )?;
    for (phase, of_phase) in phases {
        writeln!(
            out,
            "  {:<10} {:>9} moves, {:>8} mistakes ({})",
            phase.name(),
            count(of_phase.moves),
            count(of_phase.errors),
            share(of_phase.errors, of_phase.moves)
        )?;
    }
    if *unreadable > 0 {
        writeln!(out, "{} games cannot be read (alfil pgn check says why)", count(*unreadable))?;
    }
    Ok(Verdict::Fine)
}
