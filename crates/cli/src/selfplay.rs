//! `alfil selfplay`

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use alfil_game::Game;
use alfil_game::registry::{self, GameVisitor};
use alfil_search::evaluators::Kind;
use alfil_search::selection::{Gumbel, Puct};
use alfil_selfplay::{Counts, SearchKind, Session, Settings, Tickets};
use anyhow::Context;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::Verdict;
use crate::search::kind;

#[derive(Args)]
pub struct SelfplayCommand {
    /// What judges positions: a network file, or uniform, rollout, material, handcrafted
    #[arg(value_name = "E")]
    evaluator: String,
    /// The game's name [default: the network's, or chess]
    #[arg(long)]
    game: Option<String>,
    /// The folder for the games; more are added to those that are there
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Games to play
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
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
    /// What all chance follows from
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
    let kind = kind(&command.evaluator)?;
    let game = match (&command.game, &kind) {
        (Some(game), _) => game.clone(),
        (None, Kind::Network(network)) => network.origin.game.clone(),
        (None, _) => "chess".to_owned(),
    };
    registry::with_game(&game, Task { command, kind, out })?
}

struct Task<'a, W> {
    command: SelfplayCommand,
    kind: Kind,
    out: &'a mut W,
}

impl<W: Write> GameVisitor for Task<'_, W> {
    type Output = anyhow::Result<Verdict>;

    fn visit<G: Game>(self) -> anyhow::Result<Verdict> {
        let Task { command, kind, out } = self;
        let maker = kind.maker::<G>().with_context(|| format!("cannot use {}", command.evaluator))?;
        std::fs::create_dir_all(&command.output)
            .with_context(|| format!("cannot make the folder {}", command.output.display()))?;
        let search = match (command.search, SearchKind::ALPHA_ZERO) {
            (Search::Puct, SearchKind::Puct { noise_alpha, noise_share, .. }) => {
                let (visits, rule) = (command.visits, Puct::SELF_PLAY);
                SearchKind::Puct { visits, rule, noise_alpha, noise_share, forced: 0.0 }
            }
            _ => SearchKind::Gumbel { simulations: command.visits, considered: 16, rule: Gumbel::default() },
        };
        // Room for the visits of a move and what is left of the last one's.
        let tree_bytes = (command.visits as usize * 1_024).max(64 << 10);
        let session = Session {
            settings: Settings { games: command.at_once as usize, search, tree_bytes, ..Settings::default() },
            lanes: command.lanes.map_or_else(cores, |lanes| lanes as usize),
            maker: &maker,
            judge: None,
            tickets: Arc::new(Tickets::new(command.games)),
            stop: &AtomicBool::new(false),
            seed: command.seed,
            folder: &command.output,
        };
        let bar = ProgressBar::new(command.games)
            .with_style(ProgressStyle::with_template("{pos}/{len} games {bar:20} {msg}  {elapsed}, {eta} left")?);
        bar.enable_steady_tick(Duration::from_millis(500));
        let began = Instant::now();
        let counts = session.run(&mut |counts| {
            bar.set_position(counts.games);
            bar.set_message(format!("{:.0} positions/s", counts.moves as f64 / began.elapsed().as_secs_f64()));
        })?;
        bar.finish_and_clear();
        let seconds = began.elapsed().as_secs_f64();
        if command.json { print_json(&counts, seconds, out) } else { print(&counts, seconds, &command.output, out) }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn share(part: f64, of: f64) -> f64 {
    if of > 0.0 { part / of } else { 0.0 }
}

fn print(counts: &Counts, seconds: f64, folder: &std::path::Path, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let [wins, draws, losses] = counts.results;
    let positions = counts.positions as f64;
    writeln!(out, "games        {:>10}   {wins} won, {draws} drawn, {losses} lost by the first player", counts.games)?;
    writeln!(out, "positions    {:>10}   {:.1} a game", counts.positions, share(positions, counts.games as f64))?;
    writeln!(
        out,
        "speed        {:>10.1}   positions/s, {:.2} games/s",
        positions / seconds,
        counts.games as f64 / seconds
    )?;
    let batch = share(counts.evaluations as f64, counts.batches as f64);
    writeln!(out, "evaluations  {:>10.0}   a second, {batch:.1} together", counts.evaluations as f64 / seconds)?;
    let evaluator = share(counts.evaluating.as_secs_f64(), counts.time.as_secs_f64());
    writeln!(out, "evaluator    {:>9.1}%   of the time", 100.0 * evaluator)?;
    writeln!(out, "games are in {}", folder.display())?;
    Ok(Verdict::Fine)
}

fn print_json(counts: &Counts, seconds: f64, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let report = json!({
        "games": counts.games, "positions": counts.positions, "results": counts.results,
        "positions_per_second": counts.positions as f64 / seconds,
        "evaluations_per_second": counts.evaluations as f64 / seconds,
        "batch": share(counts.evaluations as f64, counts.batches as f64),
        "evaluator_share": share(counts.evaluating.as_secs_f64(), counts.time.as_secs_f64()),
    });
    writeln!(out, "{report}")?;
    Ok(Verdict::Fine)
}
