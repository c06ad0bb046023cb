//! `alfil selfplay`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use alfil_core::pace::Pace;
use alfil_core::settings::Findings;
use alfil_game::{FullGame, registry, with_game};
use alfil_search::evaluators::{Kind, cached};
use alfil_selfplay::{Counts, LaneContext, Session, Tickets, next_number};
use alfil_train::config::ConfigError;
use alfil_train::run::{Lock, RunError};
use alfil_train::{Config, RunDirectory};
use anyhow::{Context, anyhow};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::counters::{Counters, rate};
use crate::evaluator::{device, kind_and_game};
use crate::game::RulesText;
use crate::keys::{Flags, Keys};
use crate::time::clock;
use crate::train::cache_bytes;
use crate::{Verdict, stop, terminal};

#[derive(Args)]
pub struct SelfplayCommand {
    /// What evaluates positions: a network file, trained (the bundled network), handcrafted, material, uniform,
    /// rollout, or rollout:GAMES
    #[arg(value_name = "E")]
    evaluator: String,
    #[arg(long, help = format!("The game's name [default: the network file's, or {}]", registry::DEFAULT))]
    game: Option<String>,
    #[command(flatten)]
    rules: RulesText,
    /// The folder for the games; new ones are added to those in it, with the next numbers
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Compute the network on libtorch instead of our CPU engine: cpu, cuda, cuda:N or auto
    #[arg(long)]
    device: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Flags<PlayKeys>,
}

/// The keys about self-play games.
struct PlayKeys;

impl Keys for PlayKeys {
    fn takes(key: &str) -> bool {
        key.starts_with("selfplay.") || ["seed", "machine.lanes", "machine.cache"].contains(&key)
    }

    /// Enough to look at; a run plays more per generation.
    const USUAL: &'static [&'static str] = &["selfplay.games=100"];

    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("selfplay.cheap_share", "cheap"), ("selfplay.endings_share", "endings")];
}

pub fn run(command: SelfplayCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let (kind, game) = kind_and_game(&command.evaluator, command.game.as_deref())?;
    with_game!(&game, G => play::<G>(command, kind, out))?
}

fn play<G: FullGame>(command: SelfplayCommand, kind: Kind, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let precision = command.settings.config.selfplay.precision;
    let device = device(&kind, command.device.as_deref(), precision)?;
    let backend = kind.backend::<G>(&*device).with_context(|| format!("cannot use {}", command.evaluator))?;
    let rules = command.rules.read::<G>()?;
    let config = &command.settings.config;
    let settings = &config.selfplay;
    let mut found = Findings::default();
    settings.check_game::<G>(&rules, &mut found);
    if !found.errors.is_empty() {
        return Err(ConfigError::Invalid(found.errors).into());
    }
    // Before the folder is touched; which games are missing there shows later.
    let context = LaneContext::open(settings.clone(), rules, Arc::new(Tickets::new(0)), config.seed)?;
    let cache = cache_bytes(config)?;
    alfil_core::disk::make_folder(&command.output)
        .with_context(|| format!("cannot make the folder {}", command.output.display()))?;
    let _lock = lock(&command.output)?;
    let backend = match cache {
        0 => backend,
        bytes => cached(backend, bytes)?,
    };
    let first = next_number::<G>(&command.output)?;
    let tickets = Arc::new(Tickets::of(first..first.saturating_add(settings.games)));
    let stop = stop::flag()?;
    let session = Session {
        context: LaneContext { tickets, ..context },
        lanes: if config.machine.lanes == 0 { cores() } else { config.machine.lanes },
        backend: &*backend,
        stop: &stop,
        folder: &command.output,
    };
    let style = ProgressStyle::with_template("{pos}/{len} games {bar:20} {msg}")?;
    let bar = terminal::bar(ProgressBar::new(settings.games).with_style(style));
    bar.enable_steady_tick(Duration::from_millis(500));
    let (began, mut pace) = (Instant::now(), Pace::default());
    let counts = session.run(&mut |counts| {
        bar.set_position(counts.games);
        let seconds = began.elapsed().as_secs_f64();
        let [speed, games] = Counters { counts, seconds, at_once: settings.at_once }.lines();
        pace.note(counts.games, seconds);
        let left = pace.left(settings.games, seconds).map_or(String::new(), |left| format!(", {} left", clock(left)));
        let per_second = rate(pace.per_second().unwrap_or(0.0));
        bar.set_message(format!("{}{left}\n  {per_second} games/s, {speed}\n  {games}", clock(seconds)));
    })?;
    bar.finish_and_clear();
    let done = Done {
        command: &command,
        counts: &counts,
        seconds: began.elapsed().as_secs_f64(),
        stopped: stop.load(Relaxed) && counts.games < settings.games,
    };
    if command.json { done.print_json(out) } else { done.print(out) }
}

/// Keeps other processes out of the folder: two processes would give their games the same numbers.
fn lock(folder: &Path) -> anyhow::Result<Lock> {
    Lock::take(&RunDirectory::new(folder)).map_err(|error| match error {
        RunError::Locked(folder) => anyhow!("another process is filling the folder {}", folder.display()),
        other => other.into(),
    })
}

fn cores() -> usize {
    alfil_core::cores()
}

/// The result of the command.
struct Done<'a> {
    command: &'a SelfplayCommand,
    counts: &'a Counts,
    seconds: f64,
    /// Whether it was stopped before the end.
    stopped: bool,
}

impl Done<'_> {
    fn fill(&self) -> f64 {
        Counters { counts: self.counts, seconds: self.seconds, at_once: self.command.settings.config.selfplay.at_once }
            .fill()
    }

    fn print(&self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Done { command, counts, seconds, stopped } = *self;
        let Config { selfplay, machine, .. } = &command.settings.config;
        let [wins, draws, losses] = counts.results;
        let per_second = |count: u64| count as f64 / seconds;
        let Counts { games, positions, .. } = *counts;
        writeln!(out, "games        {games:>10}   {wins} won, {draws} drawn, {losses} lost by the first player")?;
        if selfplay.resign.is_on() {
            let (wrong, through) = (100.0 * counts.false_resignation_share(), counts.played_through);
            let resigned = counts.resigned;
            writeln!(
                out,
                "resigned     {resigned:>10}   wrong in {wrong:.0} % of {through} that were played to the end"
            )?;
        }
        writeln!(out, "positions    {positions:>10}   {:.1} per game", counts.mean_length())?;
        writeln!(out, "speed        {:>10.1}   positions/s, {:.2} games/s", per_second(positions), per_second(games))?;
        let (batch, fill, evaluations) = (counts.mean_batch(), 100.0 * self.fill(), per_second(counts.evaluations));
        writeln!(
            out,
            "evaluations  {evaluations:>10.0}   per second, {batch:.1} per batch: {fill:.0} % of the games at once"
        )?;
        writeln!(out, "evaluator    {:>9.1}%   of the time", 100.0 * counts.evaluator_share())?;
        if machine.cache > 0 {
            writeln!(out, "cache        {:>9.1}%   of the evaluations", 100.0 * counts.cache_share())?;
        }
        writeln!(out, "policy       {:>10.2}   nats of entropy", counts.mean_entropy())?;
        writeln!(out, "games are in {}", command.output.display())?;
        if stopped {
            writeln!(out, "stopped after {games} of {} games", selfplay.games)?;
        }
        Ok(Verdict::Fine)
    }

    fn print_json(&self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Done { counts, seconds, stopped, .. } = *self;
        let report = json!({
            "games": counts.games, "positions": counts.positions, "results": counts.results,
            "mean_length": counts.mean_length(),
            "resigned": counts.resigned, "played_through": counts.played_through, "false_resignation_share": counts.false_resignation_share(),
            "games_per_second": counts.games as f64 / seconds,
            "positions_per_second": counts.positions as f64 / seconds,
            "evaluations_per_second": counts.evaluations as f64 / seconds,
            "batch": counts.mean_batch(), "batch_fill": self.fill(),
            "cache_share": counts.cache_share(),
            "evaluator_share": counts.evaluator_share(),
            "policy_entropy": counts.mean_entropy(),
            "stopped": stopped,
        });
        writeln!(out, "{report}")?;
        Ok(Verdict::Fine)
    }
}
