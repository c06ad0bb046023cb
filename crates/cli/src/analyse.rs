//! `alfil analyse`

use std::io::Write;
use std::time::{Duration, Instant};

use alfil_game::{FullGame, Knowledge, MoveNumbers, Mover, Wdl, registry, with_game};
use alfil_nn::Cpu;
use alfil_search::classical::{AlphaBetaSettings, ClassicalEngine, ClassicalLimits};
use alfil_search::parallel::{Limits, Line, ParallelSettings, Search, SearchReport, StopReason};
use alfil_search::tree::{Tree, USUAL_MOVES};
use alfil_uci::options::ALPHA_BETA;
use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::evaluator::kind;
use crate::game::Place;
use crate::{Verdict, stop, terminal, time};

#[derive(Args)]
pub struct Analyse {
    /// What evaluates positions: handcrafted, trained (the bundled network), or a network file, ours or Leela's; alphabeta
    /// searches with alpha-beta and the handcrafted evaluation
    #[arg(value_name = "E", default_value = "handcrafted")]
    evaluator: String,
    /// The game's name
    #[arg(long, default_value = registry::DEFAULT)]
    game: String,
    #[command(flatten)]
    place: Place,
    /// How long to think, such as 5s, 500ms or 2m; ctrl-C ends it earlier
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = time::parse)]
    movetime: Duration,
    /// Moves to show
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=256))]
    multipv: u32,
    /// Threads [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: Option<u32>,
    /// Megabytes for the tree
    #[arg(long, default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    hash: u32,
}

pub fn run(command: &Analyse, out: &mut impl Write) -> anyhow::Result<Verdict> {
    with_game!(&command.game, G => analyse::<G>(command, out))?
}

fn analyse<G: FullGame>(command: &Analyse, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let root: G = command.place.reach()?;
    if let Some(outcome) = root.outcome() {
        bail!("there is nothing to analyse: the game is over ({})", outcome.reason);
    }
    if command.evaluator == ALPHA_BETA {
        return analyse_classically(command, &root, out);
    }
    let kind = kind(&command.evaluator, G::NAME)?;
    let backend = kind.backend::<G>(&Cpu).with_context(|| format!("cannot use {}", command.evaluator))?;
    let play = kind.play_settings();
    let backend = play.backend(backend);
    let threads = command.threads.unwrap_or(alfil_core::cores() as u32);
    let evaluators = (0..u64::from(threads)).map(|number| backend.evaluator(number)).collect::<Result<_, _>>()?;
    let mut search = Search::new(tree(command.hash)?, evaluators, root.clone());
    let settings = ParallelSettings { rule: play.rule, lines: command.multipv as usize, ..ParallelSettings::default() };
    let control = stop::control()?;
    control.set_deadline(Some(Instant::now() + command.movetime));
    let bar = best_so_far()?;
    let report = search.run(&settings, &Limits::default(), &control, &mut |report| show_best(&bar, report, &root))?;
    bar.finish_and_clear();
    if command.place.json { print_json(&root, &report, out) } else { print(&root, &report, "visits", out) }
}

fn analyse_classically<G: FullGame>(command: &Analyse, root: &G, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let threads = command.threads.unwrap_or(alfil_core::cores() as u32);
    let settings = AlphaBetaSettings { table_bytes: (command.hash as usize) << 20, ..AlphaBetaSettings::STRONG };
    let mut engine = ClassicalEngine::<G>::new(settings, Knowledge::Full, threads)
        .context("there is not enough memory: give --hash fewer megabytes")?;
    let control = stop::control()?;
    let limits = ClassicalLimits {
        deadline: Instant::now().checked_add(command.movetime),
        lines: command.multipv as usize,
        ..ClassicalLimits::default()
    };
    let bar = best_so_far()?;
    let report = engine.think(root, &limits, &|| control.is_stopped(), &mut |report| show_best(&bar, report, root))?;
    bar.finish_and_clear();
    if command.place.json { print_json(root, &report, out) } else { print(root, &report, "positions", out) }
}

/// A line on the terminal for what a search has found so far.
fn best_so_far() -> anyhow::Result<ProgressBar> {
    Ok(terminal::bar(ProgressBar::no_length().with_style(ProgressStyle::with_template("{msg}")?)))
}

fn show_best<G: FullGame>(bar: &ProgressBar, report: &SearchReport, root: &G) {
    let best = report.lines.first().map_or(String::new(), |line| describe(line, root, 4));
    bar.set_message(format!("{:>5.1} s  {best}", report.elapsed.as_secs_f64()));
}

/// A tree of this many megabytes.
pub fn tree(megabytes: u32) -> anyhow::Result<Tree> {
    Tree::try_new((megabytes as usize) << 20, USUAL_MOVES)
        .context("there is not enough memory: give --hash fewer megabytes")
}

fn print<G: FullGame>(root: &G, report: &SearchReport, counted: &str, out: &mut impl Write) -> anyhow::Result<Verdict> {
    writeln!(out, "{root}")?;
    for line in &report.lines {
        let Mover(Wdl { win, draw, loss }) = line.chances();
        let width = |part: f32| (20.0 * part).round() as usize;
        let (wins, losses) = (width(win), width(loss));
        let bar =
            format!("{}{}{}", "#".repeat(wins), "=".repeat(20usize.saturating_sub(wins + losses)), "-".repeat(losses));
        writeln!(out, "[{bar:.20}] {:3.0}% won {:3.0}% drawn {:3.0}% lost", 100.0 * win, 100.0 * draw, 100.0 * loss)?;
        writeln!(out, "  {}", describe(line, root, 10))?;
    }
    let (visits, seconds) = (report.visits, report.elapsed.as_secs_f64());
    writeln!(
        out,
        "\n{visits} {counted} in {seconds:.1} s ({:.0}/s), depth {}{}",
        report.speed(),
        report.depth,
        ended(report)
    )?;
    Ok(Verdict::Fine)
}

/// Why a search ended, unless it reached its limit.
pub fn ended(report: &SearchReport) -> &'static str {
    match report.ended {
        Some(StopReason::Stopped) => ": stopped",
        Some(StopReason::Proven) => ": proven",
        Some(StopReason::Full) => ": the tree is full",
        _ => "",
    }
}

/// The score for the side to move, and the expected moves with their numbers.
fn describe<G: FullGame>(line: &Line, root: &G, most: usize) -> String {
    let score = match mate(line, root) {
        Some(turns) => format!("#{turns}"),
        None => format!("{:+.2}", f64::from(centipawns(line)) / 100.0),
    };
    format!("{score:>6}  {}", moves(&line.codes, root, most))
}

/// As the search counts them itself, or from the expected result.
fn centipawns(line: &Line) -> i32 {
    line.estimate.unwrap_or_else(|| alfil_uci::centipawns(line.value()))
}

/// In how many turns the side to move wins by force; negative if it loses.
fn mate<G: FullGame>(line: &Line, root: &G) -> Option<i64> {
    let (proof, turns) = (line.proof?, i64::from(line.turns_left(root)?));
    if proof.is_win() { Some(turns) } else { proof.is_loss().then_some(-turns) }
}

fn moves<G: FullGame>(codes: &[u16], root: &G, most: usize) -> String {
    let mut game = root.clone();
    let mut numbers = MoveNumbers::of(root);
    let mut words = Vec::new();
    for m in codes.iter().take(most).map_while(|code| G::Move::try_from(*code).ok()) {
        let number = numbers.next(game.side());
        words.extend(number.begins.then(|| number.to_string()));
        words.push(game.move_name(m));
        game.play(m);
    }
    words.join(" ")
}

fn print_json<G: FullGame>(root: &G, report: &SearchReport, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let lines: Vec<_> = report
        .lines
        .iter()
        .map(|line| {
            json!({
                "moves": moves(&line.codes, root, usize::MAX), "visits": line.visits, "wdl": <[f32; 3]>::from(line.chances().0),
                "cp": centipawns(line), "mate": mate(line, root),
            })
        })
        .collect();
    let stopped = report.ended == Some(StopReason::Stopped);
    let report = json!({
        "position": root.position(), "visits": report.visits, "nps": report.speed(), "stopped": stopped, "lines": lines,
    });
    writeln!(out, "{report}")?;
    Ok(Verdict::Fine)
}
