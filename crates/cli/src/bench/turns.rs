//! `alfil bench turns`

use std::io::Write;
use std::time::Instant;

use alfil_game::{FullGame, with_game};
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, Node, TurnNode, minimax_nodes};
use clap::Args;
use serde_json::json;

use crate::Verdict;
use crate::game::RulesText;

#[derive(Args)]
pub struct TurnsBench {
    /// The game's name
    game: String,
    /// Turns to look ahead, with one game for each
    #[arg(long, value_delimiter = ',', default_value = "2,3,4,5", value_parser = clap::value_parser!(u32).range(1..=20))]
    depths: Vec<u32>,
    /// Best moves per piece that turns are made of, if a turn is several moves
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    actions: u32,
    #[command(flatten)]
    rules: RulesText,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Turns that are played: six per side, as in the table of Gutiérrez Utande (2017).
const TURNS: usize = 12;

/// The greatest depth at which minimax is counted too.
const DEEPEST_COUNTED: u32 = 3;

pub fn run(bench: &TurnsBench, out: &mut impl Write) -> anyhow::Result<Verdict> {
    with_game!(&bench.game, G => count::<G>(bench, out))?
}

fn count<G: FullGame>(bench: &TurnsBench, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let actions = bench.actions as usize;
    let start = TurnNode { game: G::new(&bench.rules.read::<G>()?), actions };
    let mut turns = Vec::new();
    start.expand(&mut turns);
    let actions = turns.iter().any(|turn| turn.moves().count() > 1).then_some(actions);
    let mut columns = Vec::new();
    for &depth in &bench.depths {
        let whole = (depth <= DEEPEST_COUNTED).then(|| minimax_nodes(&start, depth));
        columns.push(Column { depth, whole, turns: play(start.clone(), depth) });
    }
    if bench.json {
        let columns: Vec<_> = columns.iter().map(Column::json).collect();
        writeln!(out, "{}", json!({"game": G::NAME, "actions": actions, "depths": columns}))?;
    } else {
        let of = actions.map_or(String::new(), |actions| format!(" over whole turns of {actions} moves per piece"));
        writeln!(out, "{}, alpha-beta{of}: nodes, milliseconds", G::NAME)?;
        table(&columns, out)?;
    }
    Ok(Verdict::Fine)
}

/// A game at one depth.
struct Column {
    depth: u32,
    /// Nodes of minimax in the first position, if they were counted.
    whole: Option<u64>,
    turns: Vec<Searched>,
}

struct Searched {
    nodes: u64,
    milliseconds: f64,
}

impl Column {
    fn json(&self) -> serde_json::Value {
        let turn = |turn: &Searched| json!({"nodes": turn.nodes, "ms": turn.milliseconds});
        let turns: Vec<_> = self.turns.iter().map(turn).collect();
        json!({"depth": self.depth, "minimax_nodes": self.whole, "turns": turns})
    }

    /// All turns together.
    fn sum(&self) -> Searched {
        Searched {
            nodes: self.turns.iter().map(|turn| turn.nodes).sum(),
            milliseconds: self.turns.iter().map(|turn| turn.milliseconds).sum(),
        }
    }
}

/// Plays a game of the player against itself.
fn play<G: FullGame>(mut node: TurnNode<G>, depth: u32) -> Vec<Searched> {
    let mut turns = Vec::new();
    let mut searcher = AlphaBeta::new(AlphaBetaSettings::PLAIN);
    while turns.len() < TURNS {
        let began = Instant::now();
        let found = searcher.search(&node, depth);
        let milliseconds = began.elapsed().as_secs_f64() * 1e3;
        let Some(&turn) = found.line.first() else { break };
        turns.push(Searched { nodes: found.nodes, milliseconds });
        node.play(turn);
    }
    turns
}

fn table(columns: &[Column], out: &mut impl Write) -> anyhow::Result<()> {
    write!(out, "{:>8}", "turn")?;
    for column in columns {
        write!(out, " {:>22}", format!("depth {}", column.depth))?;
    }
    writeln!(out)?;
    let cell = |turn: &Searched| format!("{:>11} {:>10.1}", turn.nodes, turn.milliseconds);
    let last = columns.iter().map(|column| column.turns.len()).max().unwrap_or(0);
    for number in 0..last {
        write!(out, "{:>8}", number + 1)?;
        for column in columns {
            write!(out, " {:>22}", column.turns.get(number).map_or(String::new(), cell))?;
        }
        writeln!(out)?;
    }
    write!(out, "{:>8}", "sum")?;
    for column in columns {
        write!(out, " {:>22}", cell(&column.sum()))?;
    }
    write!(out, "\n{:>8}", "minimax")?;
    for column in columns {
        let whole = column.whole.map_or_else(|| "not counted".to_owned(), |nodes| nodes.to_string());
        write!(out, " {whole:>11} {:>10}", "")?;
    }
    writeln!(out, "\nminimax: the nodes of turn 1 without pruning, counted to depth {DEEPEST_COUNTED}")?;
    Ok(())
}
