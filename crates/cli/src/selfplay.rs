//! `alfil selfplay`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use alfil_game::{FullGame, registry, with_game};
use alfil_nn::{Cpu, Device};
use alfil_search::evaluators::{Kind, cached};
use alfil_search::selection::{Gumbel, Puct};
use alfil_selfplay::{Cheap, Counts, Resign, SearchKind, Session, Settings, Starts, Temperature, Tickets, next_number};
use alfil_train::RunDirectory;
use alfil_train::run::{Lock, RunError};
use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::counters::{Counters, rate};
use crate::evaluator::kind;
use crate::game::RulesText;
use crate::pace::Pace;
use crate::time::clock;
use crate::train::device_group;
use crate::{Verdict, stop, torch};

#[derive(Args)]
pub struct SelfplayCommand {
    /// What judges positions: a network file, trained (the bundled network), handcrafted, material, uniform, rollout,
    /// or rollout:GAMES
    #[arg(value_name = "E")]
    evaluator: String,
    #[arg(long, help = format!("The game's name [default: the network file's, or {}]", registry::DEFAULT))]
    game: Option<String>,
    #[command(flatten)]
    rules: RulesText,
    /// The folder for the games; more are added to those that are there, with the next numbers
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Games to play
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// Compute the network on libtorch instead of our CPU engine: cpu, cuda, cuda:N or auto
    #[arg(long)]
    device: Option<String>,
    /// Threads, each with its own evaluator [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    lanes: Option<u32>,
    /// Games at once on a lane
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=4096))]
    at_once: u32,
    /// How moves are searched for
    #[arg(long, value_enum, default_value_t = Search::Gumbel)]
    search: Search,
    /// Visits a move
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    visits: u32,
    /// Draw moves by chance for so many plies, then play the best
    #[arg(long, default_value_t = 30, value_name = "N")]
    temperature_plies: u32,
    /// The share of searches with a sixth of the visits, to learn no policy from
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = parse_share)]
    cheap: f32,
    /// Give up at less than -VALUE (0 to 1) at three moves in a row, but in a tenth of games
    #[arg(long, value_name = "VALUE", value_parser = parse_share)]
    resign: Option<f32>,
    /// The share of games from random endings, where the game has them
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = parse_share)]
    endings: f32,
    /// A file of positions, one a line, that the other games begin from
    #[arg(long, value_name = "FILE")]
    starts: Option<PathBuf>,
    /// Begin with up to so many plies at random
    #[arg(long, default_value_t = 0, value_name = "N")]
    random_plies: u32,
    /// Memory for evaluations, in MB; with it games depend on one another a little
    #[arg(long, default_value_t = 0, value_name = "MB", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    cache: u32,
    /// What, with a game's number, all chance follows from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Search {
    /// Sequential halving at the root
    Gumbel,
    /// AlphaZero's, with noise at the root
    Puct,
}

pub fn run(command: SelfplayCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let kind = kind(&command.evaluator, command.game.as_deref().unwrap_or(registry::DEFAULT))?;
    let game = match (&command.game, &kind) {
        (Some(game), _) => game.clone(),
        (None, Kind::Network(network)) => network.origin.game.clone(),
        (None, _) => registry::DEFAULT.to_owned(),
    };
    with_game!(&game, G => play::<G>(command, kind, out))?
}

fn play<G: FullGame>(command: SelfplayCommand, kind: Kind, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let device: Box<dyn Device> = match (&command.device, &kind) {
        (Some(device), Kind::Network(_)) => {
            let libtorch = torch::require()?;
            Box::new(device_group(libtorch, &libtorch.devices(device)?)?)
        }
        (Some(_), _) => bail!("--device is for networks"),
        (None, _) => Box::new(Cpu),
    };
    let backend = kind.backend::<G>(&*device).with_context(|| format!("cannot use {}", command.evaluator))?;
    let rules = command.rules.read::<G>()?;
    let settings = settings::<G>(&command, &rules)?;
    std::fs::create_dir_all(&command.output)
        .with_context(|| format!("cannot make the folder {}", command.output.display()))?;
    let _lock = lock(&command.output)?;
    let backend = match command.cache {
        0 => backend,
        megabytes => cached(backend, (megabytes as usize) << 20),
    };
    let first = next_number::<G>(&command.output)?;
    let stop = stop::flag()?;
    let session = Session {
        settings,
        rules,
        lanes: command.lanes.map_or_else(cores, |lanes| lanes as usize),
        backend: &*backend,
        judge: None,
        tickets: Arc::new(Tickets::of(first..first.saturating_add(command.games))),
        stop: &stop,
        seed: command.seed,
        folder: &command.output,
    };
    let bar =
        ProgressBar::new(command.games).with_style(ProgressStyle::with_template("{pos}/{len} games {bar:20} {msg}")?);
    bar.enable_steady_tick(Duration::from_millis(500));
    let (began, mut pace) = (Instant::now(), Pace::default());
    let counts = session.run(&mut |counts| {
        bar.set_position(counts.games);
        let seconds = began.elapsed().as_secs_f64();
        let [speed, games] = Counters { counts, seconds, at_once: command.at_once as usize }.lines();
        pace.note(counts.games, seconds);
        let left = pace.left(command.games, seconds).map_or(String::new(), |left| format!(", {} left", clock(left)));
        let a_second = rate(pace.a_second().unwrap_or(0.0));
        bar.set_message(format!("{}{left}\n  {a_second} games/s, {speed}\n  {games}", clock(seconds)));
    })?;
    bar.finish_and_clear();
    let done = Done {
        command: &command,
        counts: &counts,
        seconds: began.elapsed().as_secs_f64(),
        stopped: stop.load(Relaxed) && counts.games < command.games,
    };
    if command.json { done.print_json(out) } else { done.print(out) }
}

/// Keeps others out of the folder: two processes would give their games the same numbers.
fn lock(folder: &Path) -> anyhow::Result<Lock> {
    Lock::take(&RunDirectory::new(folder)).map_err(|error| match error {
        RunError::Locked(folder) => anyhow!("another process is filling the folder {}", folder.display()),
        other => other.into(),
    })
}

/// How the games are played.
fn settings<G: FullGame>(command: &SelfplayCommand, rules: &G::Rules) -> anyhow::Result<Settings> {
    let visits = command.visits;
    let search = match (command.search, SearchKind::ALPHA_ZERO) {
        (Search::Puct, SearchKind::Puct { noise_alpha, noise_share, .. }) => {
            SearchKind::Puct { visits, rule: Puct::SELF_PLAY, noise_alpha, noise_share, forced: 0.0 }
        }
        _ => SearchKind::Gumbel { simulations: visits, considered: 16, rule: Gumbel::default() },
    };
    anyhow::ensure!(command.endings == 0.0 || Starts::has_endings::<G>(rules), "{} has no random endings", G::NAME);
    let listed = command.starts.as_deref().map(|path| Starts::read::<G>(path, rules)).transpose()?.unwrap_or_default();
    Ok(Settings {
        games: command.at_once as usize,
        starts: Starts {
            listed_share: if listed.is_empty() { 0.0 } else { 1.0 - command.endings },
            listed,
            endings_share: command.endings,
            random_plies: command.random_plies,
        },
        search,
        // As few as KataGo's: 100 to 600.
        cheap: (command.cheap > 0.0).then(|| Cheap { share: command.cheap, visits: (visits / 6).max(2) }),
        temperature: Temperature { plies: command.temperature_plies, ..Temperature::ALPHA_ZERO },
        resign: command.resign.map(|value| Resign { below: -value, moves: 3, play_through: 0.1 }),
        tree_bytes: Settings::room_for(visits),
        ..Settings::default()
    })
}

fn parse_share(text: &str) -> Result<f32, &'static str> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or("it must be a number from 0 to 1")
}

fn cores() -> usize {
    alfil_core::cores()
}

/// What has been done when it is over.
struct Done<'a> {
    command: &'a SelfplayCommand,
    counts: &'a Counts,
    seconds: f64,
    /// Whether that was before the end.
    stopped: bool,
}

impl Done<'_> {
    fn fill(&self) -> f64 {
        Counters { counts: self.counts, seconds: self.seconds, at_once: self.command.at_once as usize }.fill()
    }

    fn print(&self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Done { command, counts, seconds, stopped } = *self;
        let [wins, draws, losses] = counts.results;
        let a_second = |count: u64| count as f64 / seconds;
        let Counts { games, positions, .. } = *counts;
        writeln!(out, "games        {games:>10}   {wins} won, {draws} drawn, {losses} lost by the first player")?;
        if command.resign.is_some() {
            let (wrong, through) = (100.0 * counts.false_share(), counts.played_through);
            let resigned = counts.resigned;
            writeln!(
                out,
                "given up     {resigned:>10}   wrong in {wrong:.0} % of {through} that went on all the same"
            )?;
        }
        writeln!(out, "positions    {positions:>10}   {:.1} a game", counts.mean_length())?;
        writeln!(out, "speed        {:>10.1}   positions/s, {:.2} games/s", a_second(positions), a_second(games))?;
        let (batch, fill, evaluations) = (counts.mean_batch(), 100.0 * self.fill(), a_second(counts.evaluations));
        writeln!(
            out,
            "evaluations  {evaluations:>10.0}   a second, {batch:.1} together: {fill:.0} % of the games at once"
        )?;
        writeln!(out, "evaluator    {:>9.1}%   of the time", 100.0 * counts.evaluator_share())?;
        if command.cache > 0 {
            writeln!(out, "cache        {:>9.1}%   of the evaluations", 100.0 * counts.cache_share())?;
        }
        writeln!(out, "policy       {:>10.2}   nats of entropy", counts.mean_entropy())?;
        writeln!(out, "games are in {}", command.output.display())?;
        if stopped {
            writeln!(out, "stopped after {games} of {} games", command.games)?;
        }
        Ok(Verdict::Fine)
    }

    fn print_json(&self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Done { counts, seconds, stopped, .. } = *self;
        let report = json!({
            "games": counts.games, "positions": counts.positions, "results": counts.results,
            "mean_length": counts.mean_length(),
            "resigned": counts.resigned, "played_through": counts.played_through, "false_share": counts.false_share(),
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
