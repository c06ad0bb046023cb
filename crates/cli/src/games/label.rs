//! `alfil games label`

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use alfil_arena::player::{GRAMMAR, LabelSettings, PlayerLine};
use alfil_core::numbers::count;
use alfil_game::{FullGame, registry, with_game};
use alfil_games::{Labelled, Labelling};
use clap::Args;
use serde_json::json;

use crate::game::RulesText;
use crate::match_command::{Arena, progress};
use crate::{Verdict, stop};

#[derive(Args)]
#[command(after_help = GRAMMAR)]
pub struct LabelCommand {
    /// A folder of games, imported, made or of self-play
    folder: PathBuf,
    /// The teacher: any player that says what positions are worth, such as uci:stockfish,nodes=1000
    #[arg(long, value_name = "PLAYER")]
    engine: String,
    /// The folder for the labelled games, which must not exist yet; the same command resumes an interrupted one
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// The game's name
    #[arg(long, default_value = registry::DEFAULT)]
    game: String,
    #[command(flatten)]
    rules: RulesText,
    /// The share of positions that are labelled; the others are not learnt from
    #[arg(long, default_value_t = 1.0, value_parser = share)]
    share: f64,
    /// Moves that share the policy, by their scores; with 1 the best move has all of it
    #[arg(long, default_value_t = 1, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(1..=500))]
    multipv: u32,
    /// With --multipv: a move that is worse by this many pawns has a share that is smaller by the factor e
    #[arg(long, default_value_t = LabelSettings::default().temperature, value_name = "PAWNS", value_parser = temperature)]
    temperature: f32,
    /// Teachers that work side by side [default: as many as there are cores for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    let read = text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    read.ok_or_else(|| "it should be a number above 0 and at most 1".to_owned())
}

fn temperature(text: &str) -> Result<f32, String> {
    let read = text.parse().ok().filter(|temperature| (0.01..=100.0).contains(temperature));
    read.ok_or_else(|| "it should be a number from 0.01 to 100".to_owned())
}

pub fn run(command: &LabelCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    with_game!(&command.game, G => label::<G>(command, out))?
}

fn label<G: FullGame>(command: &LabelCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let settings = LabelSettings { lines: command.multipv as usize, temperature: command.temperature };
    let teacher = command.engine.parse::<PlayerLine>()?.teacher::<G>(&settings)?;
    let labelling = Labelling {
        games: &command.folder,
        rules: command.rules.read::<G>()?,
        teacher: &teacher,
        settings,
        share: command.share,
        threads: command.threads.map_or_else(|| Arena::threads(teacher.threads), |threads| threads as usize),
        folder: &command.output,
    };
    let stop = stop::flag()?;
    let bar = progress(0)?;
    let began = Instant::now();
    let mut labels = 0;
    let rate = |labels: u64| (labels as f64 / began.elapsed().as_secs_f64().max(1e-9)).round();
    let mut resumed = None;
    let labelled = labelling.run(
        &mut |progress| {
            // The time left is estimated from the games of this process.
            if resumed.is_none() {
                resumed = Some(progress.games);
                bar.set_length(progress.of);
                bar.set_position(progress.games);
                bar.reset_eta();
            }
            labels = progress.labels;
            bar.set_position(progress.games);
            bar.set_message(format!("games, {} positions/s", rate(labels)));
        },
        &stop,
    );
    bar.finish_and_clear();
    let labelled = labelled?;
    if command.json {
        let mut report = json!(labelled);
        report["positions_per_second"] = json!(rate(labels));
        writeln!(out, "{report}")?;
        return Ok(Verdict::Fine);
    }
    let Labelled { games, positions, labels: all } = labelled;
    writeln!(
        out,
        "{} games with {} positions, {} of them labelled by {}, {} positions/s, in {}",
        count(games),
        count(positions),
        count(all),
        teacher.name,
        rate(labels),
        command.output.display()
    )?;
    Ok(Verdict::Fine)
}
