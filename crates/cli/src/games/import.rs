//! `alfil games import`

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use alfil_core::numbers::count;
use alfil_core::wording::one_line;
use alfil_game::pgn::PlayerName;
use alfil_game::{FullGame, registry, with_game};
use alfil_games::{Filter, Import, Imported, Range, Sides};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::game::RulesText;
use crate::{Verdict, stop, terminal};

#[derive(Args)]
pub struct ImportCommand {
    /// Files of games: .pgn, .pgn.gz or .pgn.zst, or Leela's training data, alone or in .tar archives
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The folder for the games, which must not exist yet
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// The game's name
    #[arg(long, default_value = registry::DEFAULT)]
    game: String,
    #[command(flatten)]
    rules: RulesText,
    /// Only games of players with such ratings, such as 1800..1999
    #[arg(long, value_name = "RANGE")]
    elo: Option<Range<u32>>,
    /// With --elo: one such player is enough, and only that player's moves are learnt
    #[arg(long, requires = "elo")]
    one_side: bool,
    /// Only games of this player, such as Steinitz or 'Steinitz, William'; only that player's moves are learnt
    #[arg(long, value_name = "NAME")]
    player: Option<PlayerName>,
    /// Only games with this result, such as 1-0; can be repeated
    #[arg(long = "result", value_name = "RESULT")]
    results: Vec<String>,
    /// Only games of these years, months or days, such as 2010..2020 or 2020.05
    #[arg(long, value_name = "RANGE")]
    date: Option<Range<String>>,
    /// Only games whose time control begins with this
    #[arg(long, value_name = "TEXT")]
    time_control: Option<String>,
    /// Only games of this many plies, such as 20..
    #[arg(long, value_name = "RANGE")]
    plies: Option<Range<usize>>,
    /// Only games whose opening, or its code, begins with this, such as B9
    #[arg(long, value_name = "TEXT")]
    opening: Option<String>,
    /// Leave out the games of this folder or file, such as those that a network is measured on; can be repeated
    #[arg(long, value_name = "GAMES")]
    except: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: &ImportCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    with_game!(&command.game, G => import::<G>(command, out))?
}

fn import<G: FullGame>(command: &ImportCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let import = Import::<G> {
        files: &command.files,
        rules: command.rules.read::<G>()?,
        filter: Filter {
            elo: command.elo.clone(),
            elo_of: if command.one_side { Sides::One } else { Sides::Both },
            player: command.player.clone(),
            results: command.results.clone(),
            date: command.date.clone(),
            time_control: command.time_control.clone(),
            plies: command.plies.clone(),
            opening: command.opening.clone(),
        },
        except: &command.except,
        folder: &command.output,
    };
    let stop = stop::flag()?;
    let style = ProgressStyle::with_template("{bar:30} {percent} % of {msg}, {eta} left")?;
    let bar = terminal::bar(ProgressBar::new(0).with_style(style));
    let began = Instant::now();
    let imported = import.run(
        &mut |progress| {
            bar.set_length(progress.bytes);
            bar.set_position(progress.read);
            let name = progress.file.file_name().unwrap_or_default().to_string_lossy();
            bar.set_message(format!("{name}, {} games", count(progress.games)));
        },
        &stop,
    );
    bar.finish_and_clear();
    let imported = imported?;
    let rate = (imported.positions as f64 / began.elapsed().as_secs_f64().max(1e-9)).round();
    if command.json {
        let mut report = json!(imported);
        report["positions_per_second"] = json!(rate);
        writeln!(out, "{report}")?;
    } else {
        write(&imported, command, rate, out)?;
    }
    Ok(Verdict::Fine)
}

fn write(imported: &Imported, command: &ImportCommand, rate: f64, out: &mut impl Write) -> anyhow::Result<()> {
    let Imported { games, positions, learnt, skipped, first_unreadable } = imported;
    let (games, all, learnt) = (count(*games), count(*positions), count(*learnt));
    writeln!(out, "{games} games with {all} positions, {rate} positions/s, in {}", command.output.display())?;
    if learnt != all {
        writeln!(out, "{learnt} of the positions have a move to learn")?;
    }
    if skipped.total() > 0 {
        writeln!(out, "{} games were skipped:", count(skipped.total()))?;
        for (why, number) in skipped.iter() {
            writeln!(out, "{:>12} {}", count(number), why.text())?;
        }
        if let Some(first) = first_unreadable {
            writeln!(out, "The first that cannot be read: {}", one_line(first))?;
        }
    }
    Ok(())
}
