//! Drawing a tree.

use std::collections::BinaryHeap;
use std::fmt::Write;

use alfil_game::Notation;

use super::{Child, Tree, View};

/// The most visited part of a tree, at most `most` nodes, as a graph in Graphviz's DOT language. `root` is the game at
/// its root.
///
/// Every box is a position with its visits and its value to its mover; green is good for the root's mover, red bad. Every
/// arrow is a move with its prior, the thicker the more visited.
pub fn dot<G: Notation>(tree: &Tree, root: &G, most: usize) -> String {
    let mut text = String::from("digraph tree {\n");
    text.push_str("  node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\", fontsize=10];\n");
    text.push_str("  edge [fontname=\"sans-serif\", fontsize=9];\n");
    let Some(view) = tree.root() else { return text + "}\n" };
    let all = view.visits().max(1);
    let mut waiting = BinaryHeap::from([Waiting { visits: all, from: None, place: (root.clone(), view) }]);
    let mut drawn = 0;
    while let Some(Waiting { from, place: (game, view), .. }) = waiting.pop() {
        if drawn == most {
            break;
        }
        // Writing to a string does not fail.
        let _ = box_of(&mut text, drawn, &game, &view, root);
        if let Some((parent, name, child)) = from {
            let width = 1.0 + 4.0 * f64::from(child.visits) / f64::from(all);
            let label = format!("{} {:.0}%", escape(&name), 100.0 * child.prior);
            let _ = writeln!(text, "  n{parent} -> n{drawn} [label=\"{label}\", penwidth={width:.1}];");
        }
        for child in view.children() {
            let Some((below, m)) = view.after(child.edge).zip(G::Move::try_from(child.code).ok()) else { continue };
            let name = game.move_name(m);
            let mut after = game.clone();
            after.play(m);
            waiting.push(Waiting { visits: child.visits, from: Some((drawn, name, child)), place: (after, below) });
        }
        drawn += 1;
    }
    text + "}\n"
}

fn box_of<G: Notation>(text: &mut String, number: usize, game: &G, view: &View<'_>, root: &G) -> std::fmt::Result {
    let value = view.wdl().map_or(0.0, |wdl| wdl.0.value());
    let good = if game.side() == root.side() { value } else { -value };
    let hue = if good >= 0.0 { 0.33 } else { 0.0 };
    let title = if number == 0 { format!("{}\\n", escape(&game.position())) } else { String::new() };
    let proof =
        view.proof().map_or(String::new(), |proof| format!("\\nproven {} in {}", proof.score.0.points(), proof.plies));
    writeln!(
        text,
        "  n{number} [label=\"{title}{} visits\\n{value:+.3}{proof}\", fillcolor=\"{hue:.2} {:.2} 1.0\"];",
        view.visits(),
        good.abs().min(1.0) * 0.8
    )
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A node to be drawn, the most visited first; its parent's number, the move that leads here, and where it is.
struct Waiting<'a, G> {
    visits: u32,
    from: Option<(usize, String, Child)>,
    place: (G, View<'a>),
}

impl<G> Ord for Waiting<'_, G> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.visits.cmp(&other.visits)
    }
}

impl<G> PartialOrd for Waiting<'_, G> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<G> PartialEq for Waiting<'_, G> {
    fn eq(&self, other: &Self) -> bool {
        self.visits == other.visits
    }
}

impl<G> Eq for Waiting<'_, G> {}
