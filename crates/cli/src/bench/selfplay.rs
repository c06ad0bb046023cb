//! `alfil bench selfplay`

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alfil_core::numbers::count;
use alfil_game::{FullGame, with_game};
use alfil_nn::{FixedCpu, Network};
use alfil_search::Backend;
use alfil_search::evaluators::Kind;
use alfil_selfplay::{Counts, Lane, LaneContext, Tickets};
use clap::Args;
use serde_json::json;

use super::median;
use crate::Verdict;
use crate::keys::{Flags, Keys};
use crate::net::untrained_for;

#[derive(Args)]
pub struct SelfplayBench {
    /// A network file, ours or Leela's [default: an untrained 64x6 for chess]
    net: Option<PathBuf>,
    /// Seconds per measurement
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
    /// Measurements of each, taken in turns; the median counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Flags<BenchKeys>,
}

/// The keys about self-play games, except their number.
struct BenchKeys;

impl Keys for BenchKeys {
    fn takes(key: &str) -> bool {
        key.starts_with("selfplay.") && key != "selfplay.games"
    }

    /// Batches small enough for a CPU, and the search that all successors of AlphaZero have.
    const USUAL: &'static [&'static str] = &["selfplay.search=puct", "selfplay.visits=64", "selfplay.at_once=16"];

    const ALIASES: &'static [(&'static str, &'static str)] = &[("selfplay.at_once", "games")];
}

pub fn run(bench: &SelfplayBench, out: &mut impl Write) -> anyhow::Result<Verdict> {
    anyhow::ensure!(bench.seconds > 0.0 && bench.seconds <= 600.0, "--seconds must be more than 0 and at most 600");
    let network = match &bench.net {
        Some(path) => Network::open(path)?,
        None => untrained_for("chess/az119", "64x6")?,
    };
    let game = network.origin.game.clone();
    with_game!(&game, G => measure_lanes::<G>(bench, network, out))?
}

fn measure_lanes<G: FullGame>(
    bench: &SelfplayBench,
    network: Network,
    out: &mut impl Write,
) -> anyhow::Result<Verdict> {
    let precision = bench.settings.config.selfplay.precision;
    let backend = Kind::Network(Arc::new(network)).backend::<G>(&FixedCpu { precision })?;
    let (mut one, mut two) = (Vec::new(), Vec::new());
    let (mut evaluations, mut share) = (Vec::new(), Vec::new());
    for round in 0..bench.rounds.into() {
        let single = measure(bench, &*backend, 1, round)?;
        one.push(positions(&single));
        two.push(positions(&measure(bench, &*backend, 2, round)?));
        let seconds = single.time.as_secs_f64();
        evaluations.push(single.evaluations as f64 / seconds);
        share.push(single.evaluating.as_secs_f64() / seconds);
    }
    let (one, two) = (median(one), median(two));
    let (evaluations, share) = (median(evaluations), median(share));
    let an_hour = (two * 3_600.0) as u64;
    if bench.json {
        let report = json!({
            "positions_per_second_1": one, "positions_per_second_2": two, "scaling": two / one,
            "positions_per_hour": an_hour, "evaluations_per_second": evaluations, "evaluator_share": share,
            "visits": bench.settings.config.selfplay.search.visits,
        });
        writeln!(out, "{report}")?;
    } else {
        writeln!(out, "one lane     {one:>8.1} positions/s")?;
        writeln!(out, "two lanes    {two:>8.1} positions/s, {:.2} times one", two / one)?;
        writeln!(out, "in an hour   {:>8} positions on two lanes", count(an_hour))?;
        writeln!(out, "evaluator    {evaluations:>8.0} positions/s on one lane, {:.1} % of its time", 100.0 * share)?;
    }
    Ok(Verdict::Fine)
}

/// Positions per second of all lanes together.
fn positions(counts: &Counts) -> f64 {
    counts.moves as f64 / counts.time.as_secs_f64()
}

/// Plays on this many lanes; the time is wall-clock time.
fn measure<G: FullGame>(
    bench: &SelfplayBench,
    backend: &dyn Backend<G>,
    lanes: u64,
    seed: u64,
) -> anyhow::Result<Counts> {
    let settings = &bench.settings.config.selfplay;
    let limit = Duration::from_secs_f64(bench.seconds);
    let tickets = Arc::new(Tickets::endless());
    let context = LaneContext::<G>::open(settings.clone(), G::Rules::default(), tickets, seed)?;
    let play = |lane: u64, context: LaneContext<G>| -> anyhow::Result<Counts> {
        let evaluator = backend.evaluator(lane)?;
        let mut lane = Lane::new(context, evaluator);
        let began = Instant::now();
        // A rate of no moves would say nothing.
        while began.elapsed() < limit || lane.counts().moves == 0 {
            lane.step(&mut |_| {})?;
        }
        Ok(Counts { time: began.elapsed(), ..lane.counts() })
    };
    std::thread::scope(|scope| {
        let play = &play;
        let start = |lane| {
            let context = context.clone();
            scope.spawn(move || play(lane, context))
        };
        let lanes: Vec<_> = (0..lanes).map(start).collect();
        let panicked = |_| anyhow::anyhow!("a lane panicked");
        let counts =
            lanes.into_iter().map(|lane| lane.join().map_err(panicked)?).collect::<anyhow::Result<Vec<_>>>()?;
        let time = counts.iter().map(|counts| counts.time).max().unwrap_or_default();
        Ok(Counts { time, ..Counts::sum(counts) })
    })
}
