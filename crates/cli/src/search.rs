//! `alfil search`

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use alfil_game::{FullGame, Mover, Score, Wdl, with_game};
use alfil_nn::Cpu;
use alfil_search::PlaySettings;
use alfil_search::parallel::{Limits, ParallelSettings, Search, SearchReport, StopReason};
use alfil_search::selection::{Gumbel, Puct, Rule};
use alfil_search::tree::{Child, Proof, dot};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::analyse::{ended, tree};
use crate::evaluator::kind;
use crate::game::Place;
use crate::{Verdict, stop, time};

#[derive(Args)]
pub struct SearchCommand {
    /// The game's name
    game: String,
    #[command(flatten)]
    place: Place,
    /// What evaluates positions: handcrafted, material, trained (the bundled network), uniform, rollout, rollout:GAMES,
    /// or a network file
    #[arg(long, default_value = "handcrafted", value_name = "E")]
    evaluator: String,
    /// Visits of the position [default: 1000, or none if there is a time]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    visits: Option<u32>,
    /// How long to think, such as 5s, 500ms or 2m; ctrl-C ends it earlier
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    movetime: Option<Duration>,
    /// How moves are selected in the tree
    #[arg(long, value_enum, default_value_t = RuleName::Play)]
    rule: RuleName,
    /// Threads, each with its own evaluator
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Positions that a thread has evaluated together
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    batch: u32,
    /// Megabytes for the tree
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    hash: u32,
    /// Write the most visited part of the tree as a graph for Graphviz
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleName {
    /// PUCT with the constants for play
    Play,
    /// PUCT with the constants for self-play
    SelfPlay,
    /// That of plain Monte Carlo tree search
    Uct,
    /// A simplified PUCT, Q + P / (1 + N) (Fernández Camello, 2023)
    SimplePuct,
    /// That of Gumbel search below the root
    Gumbel,
}

impl RuleName {
    fn rule(self) -> Rule {
        match self {
            RuleName::Play => Rule::default(),
            RuleName::SelfPlay => Rule::Puct(Puct::SELF_PLAY),
            RuleName::Uct => Rule::UCT,
            RuleName::SimplePuct => Rule::SimplePuct,
            RuleName::Gumbel => Rule::Gumbel(Gumbel::default()),
        }
    }
}

pub fn run(command: SearchCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let game = command.game.clone();
    with_game!(&game, G => search::<G>(command, out))?
}

fn search<G: FullGame>(command: SearchCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let root: G = command.place.reach()?;
    if let Some(outcome) = root.outcome() {
        bail!("there is nothing to search: the game is over ({})", outcome.reason);
    }
    let kind = kind(&command.evaluator, G::NAME)?;
    let backend = kind.backend::<G>(&Cpu).with_context(|| format!("cannot use {}", command.evaluator))?;
    let play = PlaySettings { rule: command.rule.rule(), ..kind.play_settings() };
    let backend = play.backend(backend);
    let evaluators = (0..u64::from(command.threads)).map(|n| backend.evaluator(n)).collect::<Result<_, _>>()?;
    let control = stop::control()?;
    control.set_deadline(command.movetime.map(|time| Instant::now() + time));
    let visits = command.visits.or_else(|| command.movetime.is_none().then_some(1_000));
    let limits = Limits { visits, ..Limits::default() };
    let settings =
        ParallelSettings { rule: play.rule, batch: command.batch as usize, lines: 1, ..ParallelSettings::default() };
    let mut search = Search::new(tree(command.hash)?, evaluators, root.clone());
    let report = search.run(&settings, &limits, &control, &mut |_| {})?;
    if let Some(path) = &command.dot {
        let text = dot(search.tree(), &root, 60);
        alfil_core::disk::write_whole(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if command.place.json { print_json(&search, &report, out) } else { print(&search, &report, out) }
}

fn ranked<G: FullGame>(search: &Search<G>) -> Vec<(String, Child)> {
    let name = |code: u16| G::Move::try_from(code).map_or_else(|_| code.to_string(), |m| search.root().move_name(m));
    let children = search.tree().root().map_or(Vec::new(), |root| root.ranked());
    children.into_iter().map(|child| (name(child.code), child)).collect()
}

fn print<G: FullGame>(search: &Search<G>, report: &SearchReport, out: &mut impl Write) -> anyhow::Result<Verdict> {
    writeln!(out, "{}", search.root())?;
    writeln!(
        out,
        "{:<8} {:>9} {:>7} {:>7}   {:>5} {:>5} {:>5}",
        "move", "visits", "prior", "Q", "win", "draw", "loss"
    )?;
    for (name, child) in ranked(search) {
        write!(out, "{name:<8} {:>9} {:>6.2}%", child.visits, 100.0 * child.prior)?;
        match (child.value(), child.wdl) {
            (Some(value), Some(Mover(Wdl { win, draw, loss }))) => {
                let share = |part: f32| format!("{:.0}%", 100.0 * part);
                write!(out, " {value:>7.3}   {:>5} {:>5} {:>5}", share(win), share(draw), share(loss))?;
            }
            _ => write!(out, " {:>7}   {:>5} {:>5} {:>5}", "-", "-", "-", "-")?,
        }
        writeln!(out, "{}", child.proof.map_or(String::new(), |proof| format!("  {}", describe(proof))))?;
    }
    writeln!(
        out,
        "{} visits in {:.2} s ({:.0}/s), depth {} to {}, {:.0}% of the tree{}",
        report.visits,
        report.elapsed.as_secs_f64(),
        report.speed(),
        report.depth,
        report.longest,
        100.0 * report.fill,
        ended(report)
    )?;
    Ok(Verdict::Fine)
}

fn describe(proof: Proof) -> String {
    match proof.score.0 {
        Score::WIN => format!("wins in {} plies", proof.plies),
        Score::LOSS => format!("loses in {} plies", proof.plies),
        Score::DRAW => "is a draw".to_owned(),
        score => format!("is worth {} points", score.points()),
    }
}

fn print_json<G: FullGame>(search: &Search<G>, report: &SearchReport, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let moves: Vec<_> = ranked(search)
        .into_iter()
        .map(|(name, child)| {
            let proof = child.proof.map(|proof| json!({ "points": proof.score.0.points(), "plies": proof.plies }));
            json!({
                "move": name, "visits": child.visits, "prior": child.prior, "q": child.value(), "proof": proof,
                "wdl": child.wdl.map(|wdl| <[f32; 3]>::from(wdl.0)),
            })
        })
        .collect();
    let report = json!({
        "position": search.root().position(), "visits": report.visits, "nps": report.speed(),
        "depth": report.depth, "fill": report.fill, "stopped": report.ended == Some(StopReason::Stopped), "moves": moves,
    });
    writeln!(out, "{report}")?;
    Ok(Verdict::Fine)
}
