//! `alfil bench tree`

use std::io::Write;

use alfil_game::chess::{Chess, Rules};
use alfil_game::{FullGame, Game, Knowledge};
use alfil_nn::Cpu;
use alfil_search::evaluators::Kind;
use alfil_search::parallel::{Control, Limits, ParallelSettings, Search, SearchReport};
use alfil_search::selection::{Gumbel, Puct, Rule};
use alfil_search::tree::Tree;
use clap::Args;
use serde_json::json;

use super::median;
use crate::Verdict;

const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8";
/// A pawn that queens or is lost: random games from here are short enough.
const ENDING: &str = "8/1P6/8/4k3/8/8/5K2/1r6 w - - 0 1";

#[derive(Args)]
pub struct TreeBench {
    /// Visits per measurement
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    visits: u32,
    /// Measurements of each, taken in turns; the median counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(bench: &TreeBench, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let root = Chess::from_position(MIDDLEGAME, &Rules::default())?;
    let signature = signature(&root)?;
    // Enough for every visit to make a node of about forty moves.
    let mut tree = Tree::new(bench.visits as usize * 240, 40);
    let (mut rates, mut bytes) = ([Vec::new(), Vec::new()], 0.0);
    for _ in 0..bench.rounds {
        for (threads, rates) in (1..).zip(&mut rates) {
            tree.clear();
            let (report, searched) = search(&root, tree, &Kind::Uniform, threads, Rule::default(), bench.visits)?;
            rates.push(report.speed());
            bytes = searched.used_bytes() as f64 / searched.len() as f64;
            tree = searched;
        }
    }
    let [one, two] = rates.map(median);
    if bench.json {
        let report = json!({ "nps_1": one, "nps_2": two, "bytes_per_node": bytes, "signature": signature });
        writeln!(out, "{report}")?;
    } else {
        writeln!(out, "one thread     {one:>12.0} nodes/s")?;
        writeln!(out, "two threads    {two:>12.0} nodes/s, {:.2} times one", two / one)?;
        writeln!(out, "node           {bytes:>12.1} bytes with its moves")?;
        writeln!(out, "signature      {signature:>12}")?;
    }
    Ok(Verdict::Fine)
}

/// Searches to this many visits, and returns the tree.
fn search<G: FullGame>(
    root: &G,
    tree: Tree,
    kind: &Kind,
    threads: u64,
    rule: Rule,
    visits: u32,
) -> anyhow::Result<(SearchReport, Tree)> {
    let backend = kind.backend::<G>(&Cpu)?;
    let evaluators = (0..threads).map(|number| backend.evaluator(number)).collect::<Result<_, _>>()?;
    let mut search = Search::new(tree, evaluators, root.clone());
    let limits = Limits { visits: Some(visits), ..Limits::default() };
    let report = search.run(
        &ParallelSettings { rule, ..ParallelSettings::default() },
        &limits,
        &Control::default(),
        &mut |_| {},
    )?;
    Ok((report, search.into_tree()))
}

/// The nodes that fixed searches pass through. It changes if and only if the search behaves differently.
fn signature(middlegame: &Chess) -> anyhow::Result<u64> {
    let (play, handcrafted) = (Rule::default(), Kind::Handcrafted(Knowledge::Full));
    let (self_play, gumbel) = (Rule::Puct(Puct::SELF_PLAY), Rule::Gumbel(Gumbel::default()));
    let mut nodes = 0;
    for (kind, rule) in [(&handcrafted, play), (&handcrafted, self_play), (&Kind::Uniform, play)] {
        nodes += search(middlegame, Tree::new(8 << 20, 40), kind, 1, rule, 5_000)?.0.depths;
    }
    let ending = Chess::from_position(ENDING, &Rules::default())?;
    for rule in [play, self_play, gumbel, Rule::UCT, Rule::SimplePuct] {
        nodes += search(&ending, Tree::new(4 << 20, 40), &Kind::Rollout(1), 1, rule, 500)?.0.depths;
    }
    Ok(nodes)
}
