//! `alfil study pruning`

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use alfil_core::numbers::{count, number};
use alfil_core::svg::Unit;
use alfil_game::{FullGame, Knowledge, registry, with_game};
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, GameNode, minimax_nodes};
use anyhow::Context;
use clap::Args;
use serde_json::json;

use super::curves::Curves;
use crate::game::Place;
use crate::{Verdict, stop};

/// What is compared: each line has one switch more than the one before.
const VARIANTS: [(&str, AlphaBetaSettings); 4] = [
    ("alpha-beta", AlphaBetaSettings::PLAIN),
    ("+ order", ORDERED),
    ("+ deepening and table", TABLED),
    ("+ narrow windows", AlphaBetaSettings { principal_variation: true, aspiration: true, ..TABLED }),
];
const ORDERED: AlphaBetaSettings =
    AlphaBetaSettings { ordering: true, countermoves: true, losing_captures_last: true, ..AlphaBetaSettings::PLAIN };
const TABLED: AlphaBetaSettings = AlphaBetaSettings { deepening: true, table: true, table_bytes: 64 << 20, ..ORDERED };

/// Minimax would look at more positions than this at the next depth: it is left out there.
const MOST: u64 = 30_000_000;

/// All variants give the value of minimax. With the best move always first, alpha-beta looks at b^⌈d/2⌉ + b^⌊d/2⌋ - 1 leaves of
/// b^d (Knuth and Moore 1975).
#[derive(Args)]
pub struct Pruning {
    /// The game's name
    #[arg(default_value = registry::DEFAULT)]
    game: String,
    /// The deepest search, in plies
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=12))]
    depth: u32,
    #[command(flatten)]
    place: Place,
    /// Draw the numbers
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

/// Positions looked at to a depth: by minimax, where that is possible, and by each variant.
struct Row {
    depth: u32,
    minimax: Option<u64>,
    variants: Vec<u64>,
}

pub fn run(command: &Pruning, out: &mut impl Write) -> anyhow::Result<Verdict> {
    with_game!(&command.game, G => study::<G>(command, out))?
}

fn study<G: FullGame>(command: &Pruning, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let node = GameNode { game: command.place.reach::<G>()?, knowledge: Knowledge::Full };
    let stop = stop::flag()?;
    let mut rows: Vec<Row> = Vec::new();
    for depth in 1..=command.depth {
        if stop.load(Relaxed) {
            break;
        }
        rows.push(row(&node, depth, &rows));
    }
    let minimax = |row: &Row| row.minimax.map(|nodes| nodes as f64);
    if let Some(path) = &command.plot {
        let log = |row: &Row, nodes: f64| (f64::from(row.depth), nodes.max(1.0).log10());
        let whole = rows.iter().filter_map(|row| Some(log(row, minimax(row)?))).collect();
        let mut curves = vec![("minimax".to_owned(), whole)];
        for (number, (name, _)) in VARIANTS.iter().enumerate() {
            curves.push(((*name).to_owned(), rows.iter().map(|row| log(row, row.variants[number] as f64)).collect()));
        }
        let title = format!("Positions looked at in {}", G::NAME);
        let axes = ["depth in plies", "positions, as a power of ten"];
        let picture = Curves { title: &title, axes, unit: Unit::Number, curves }.svg();
        alfil_core::disk::write_whole(path, picture.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if command.place.json {
        let depths: Vec<_> = rows
            .iter()
            .map(|row| {
                let variants = VARIANTS.iter().zip(&row.variants).map(|((name, _), nodes)| ((*name).to_owned(), json!(nodes)));
                json!({"depth": row.depth, "minimax": row.minimax, "variants": variants.collect::<serde_json::Map<_, _>>()})
            })
            .collect();
        writeln!(out, "{}", json!({"game": G::NAME, "position": node.game.position(), "depths": depths}))?;
        return Ok(Verdict::Fine);
    }
    write!(out, "{:>5}  {:>14}", "depth", "minimax")?;
    for (name, _) in VARIANTS {
        write!(out, "  {name:>21}")?;
    }
    writeln!(out)?;
    for row in &rows {
        write!(out, "{:>5}  {:>14}", row.depth, row.minimax.map_or("-".to_owned(), count))?;
        for nodes in &row.variants {
            write!(out, "  {:>21}", count(*nodes))?;
        }
        writeln!(out)?;
    }
    if let Some(last) = rows.iter().rfind(|row| row.minimax.is_some()) {
        let less = minimax(last).unwrap_or(0.0) / last.variants.last().copied().unwrap_or(1).max(1) as f64;
        writeln!(out, "at depth {}, minimax looks at {} times as many positions", last.depth, number(less))?;
    }
    Ok(Verdict::Fine)
}

fn row<G: FullGame>(node: &GameNode<G>, depth: u32, before: &[Row]) -> Row {
    // The next depth is about as much larger as the last was.
    let expected = match before {
        [] => 0,
        [only] => only.minimax.map_or(u64::MAX, |nodes| nodes.saturating_mul(nodes)),
        [.., one, last] => match (one.minimax, last.minimax) {
            (Some(one), Some(last)) => last.saturating_mul(last / one.max(1)),
            _ => u64::MAX,
        },
    };
    let minimax = (expected <= MOST).then(|| minimax_nodes(node, depth));
    let nodes = |(_, settings): &(&str, AlphaBetaSettings)| AlphaBeta::new(*settings).search(node, depth).nodes;
    Row { depth, minimax, variants: VARIANTS.iter().map(nodes).collect() }
}

#[cfg(test)]
mod tests {
    use alfil_game::Game;
    use alfil_game::chess::Chess;

    use super::*;

    /// Minimax looks at the paths that perft counts, of all lengths.
    #[test]
    fn every_variant_looks_at_fewer_positions() {
        let node = GameNode { game: Chess::new(&Default::default()), knowledge: Knowledge::Full };
        let mut rows: Vec<Row> = Vec::new();
        for depth in 1..=3 {
            rows.push(row(&node, depth, &rows));
        }
        let minimax: Vec<u64> = rows.iter().filter_map(|row| row.minimax).collect();
        assert_eq!(minimax, [21, 421, 9_323]);
        let variants = &rows[2].variants;
        assert!(variants.iter().all(|nodes| *nodes < 9_323) && 3 * variants[3] < 9_323, "{variants:?}");
    }
}
