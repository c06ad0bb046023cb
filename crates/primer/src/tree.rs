//! A game tree with numbers at its leaves: minimax, and alpha-beta step by step.
//!
//! The mover at the root wants the largest number, the other player the smallest, and they take turns. Minimax looks at every node.
//! Alpha-beta knows, on its way, what the mover already has for certain (α) and what the opponent does (β); where α ≥ β the
//! rest of a node cannot matter and is cut off. The value is always the same; how much is cut off depends on the order.
//!
//! A tree is written with brackets: `((1.45 0.2) (0.25 0.34) 2.32)`. Every node may have a name before a colon: `P05:(P10:0.25 P11:0.1)`.

use std::fmt::Write;

use alfil_core::numbers::number;
use alfil_core::svg::Picture;
use alfil_core::wording::shorten;

/// The most nodes of a tree that is read.
pub const MOST_NODES: usize = 1_000;
/// The most levels below its root.
pub const DEEPEST: usize = 20;

/// The book's trees, by name. In the second, after 1. d4 d5, the numbers of four leaves follow from its text (P07, P08 > 0.30, P09, P12);
/// those of P10 and P11 are at most the 0.25 of P05.
pub const EXAMPLES: [(&str, &str); 3] = [
    ("minimax", "((1.45 0.2) (0.25 0.34) 2.32)"),
    ("queen-pawn", "P01:(P02:(P05:(P10:0.25 P11:0.1) P06:(P12:0.2)) P03:(P07:0.3) P04:(P08:0.4 P09:0.2))"),
    ("alphabeta", "(((1 5) 2) (1 4) (3 (0 1)))"),
];

/// A tree; the root is the first of its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct GameTree {
    nodes: Vec<TreeNode>,
}

#[derive(Clone, Debug, PartialEq)]
struct TreeNode {
    name: String,
    /// Levels below the root.
    level: usize,
    /// The number of a leaf.
    value: Option<f64>,
    children: Vec<usize>,
}

/// Why a text is not a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// A word is no number.
    #[error("'{0}' is not a number")]
    Number(String),
    /// Brackets do not match, or hold nothing.
    #[error("it is not a tree: {0}")]
    Brackets(&'static str),
    /// Too large.
    #[error("it has more than {MOST_NODES} nodes or {DEEPEST} levels")]
    Large,
}

/// In which order the moves of a node are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they are written.
    Left,
    /// From the last one.
    Right,
}

/// What a search did.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    /// The value of the root.
    pub value: f64,
    /// The nodes in the order in which their values were known.
    pub visited: Vec<usize>,
    /// The nodes that were cut off, with all below them.
    pub cut: Vec<usize>,
    /// What happened, in sentences.
    pub steps: Vec<String>,
}

impl GameTree {
    /// Reads a tree, or one of the [examples](EXAMPLES) by its name.
    pub fn read(text: &str) -> Result<GameTree, TreeError> {
        let text = EXAMPLES.iter().find(|(name, _)| *name == text).map_or(text, |(_, tree)| tree);
        let mut tree = GameTree { nodes: Vec::new() };
        let spaced = text.replace('(', " ( ").replace(')', " ) ").replace(':', ": ");
        let mut open: Vec<usize> = Vec::new();
        let mut name = None;
        for word in spaced.split_whitespace() {
            if let Some(named) = word.strip_suffix(':') {
                name = Some(shorten(named));
                continue;
            }
            if word == ")" {
                let closed = open.pop().ok_or(TreeError::Brackets("a bracket closes that was not opened"))?;
                if tree.nodes[closed].children.is_empty() {
                    return Err(TreeError::Brackets("there is nothing in a bracket"));
                }
                continue;
            }
            let value = match word {
                "(" => None,
                word => Some(
                    word.parse()
                        .ok()
                        .filter(|value: &f64| value.is_finite())
                        .ok_or_else(|| TreeError::Number(shorten(word)))?,
                ),
            };
            let at = tree.nodes.len();
            match open.last() {
                Some(parent) => tree.nodes[*parent].children.push(at),
                None if at > 0 => return Err(TreeError::Brackets("something follows it")),
                None => {}
            }
            let name = name.take().unwrap_or_else(|| format!("N{}", at + 1));
            tree.nodes.push(TreeNode { name, level: open.len(), value, children: Vec::new() });
            if value.is_none() {
                open.push(at);
            }
            if at == MOST_NODES || open.len() > DEEPEST {
                return Err(TreeError::Large);
            }
        }
        match (tree.nodes.is_empty(), open.is_empty()) {
            (true, _) => Err(TreeError::Brackets("there are no nodes")),
            (_, false) => Err(TreeError::Brackets("a bracket is not closed")),
            _ => Ok(tree),
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none, which no tree that was read has.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A node's name.
    pub fn name(&self, node: usize) -> &str {
        &self.nodes[node].name
    }

    /// Looks at every node.
    pub fn minimax(&self, order: Order) -> Walk {
        self.walk(order, false)
    }

    /// Leaves out what cannot matter.
    pub fn alpha_beta(&self, order: Order) -> Walk {
        self.walk(order, true)
    }

    fn walk(&self, order: Order, cuts: bool) -> Walk {
        let mut walk = Walk { value: 0.0, visited: Vec::new(), cut: Vec::new(), steps: Vec::new() };
        walk.value = self.descend(0, (f64::NEG_INFINITY, f64::INFINITY), order, cuts, &mut walk);
        walk
    }

    fn descend(&self, at: usize, (mut alpha, mut beta): (f64, f64), order: Order, cuts: bool, walk: &mut Walk) -> f64 {
        let node = &self.nodes[at];
        if let Some(value) = node.value {
            walk.visited.push(at);
            walk.steps.push(format!("{} is {}", node.name, number(value)));
            return value;
        }
        let maximises = node.level.is_multiple_of(2);
        if cuts {
            walk.steps.push(format!("{} begins with α = {}, β = {}", node.name, bound(alpha), bound(beta)));
        }
        let mut moves = node.children.clone();
        if order == Order::Right {
            moves.reverse();
        }
        let mut best = if maximises { f64::NEG_INFINITY } else { f64::INFINITY };
        for (number, child) in moves.iter().enumerate() {
            let value = self.descend(*child, (alpha, beta), order, cuts, walk);
            best = if maximises { best.max(value) } else { best.min(value) };
            match maximises {
                true => alpha = alpha.max(best),
                false => beta = beta.min(best),
            }
            let rest = &moves[number + 1..];
            if cuts && alpha >= beta && !rest.is_empty() {
                let before = walk.cut.len();
                rest.iter().for_each(|left| self.all_below(*left, &mut walk.cut));
                let names: Vec<&str> = walk.cut[before..].iter().map(|node| self.name(*node)).collect();
                let (alpha, beta) = (bound(alpha), bound(beta));
                walk.steps.push(format!("{} has α = {alpha} ≥ β = {beta}: {} cut off", node.name, names.join(", ")));
                break;
            }
        }
        walk.visited.push(at);
        let side = if maximises { "largest" } else { "smallest" };
        walk.steps.push(format!("{} is {}, the {side} of its moves", node.name, number(best)));
        best
    }

    fn all_below(&self, node: usize, all: &mut Vec<usize>) {
        all.push(node);
        self.nodes[node].children.iter().for_each(|child| self.all_below(*child, all));
    }

    /// The tree with the values that a search has found, and what it has cut off in grey.
    pub fn svg(&self, walk: &Walk, order: Order) -> String {
        const WIDE: f64 = 86.0;
        const HIGH: f64 = 92.0;
        const TOP: f64 = 84.0;
        let mut x = vec![0.0; self.len()];
        let leaves = self.place(0, 0, &mut x);
        let depth = self.nodes.iter().map(|node| node.level).max().unwrap_or(0);
        let width = (leaves as f64 * WIDE).max(420.0);
        let mut picture = Picture::file(width, TOP + depth as f64 * HIGH + 60.0);
        let way = if order == Order::Left { "from left to right" } else { "from right to left" };
        picture.text(
            "title ink",
            (20.0, 28.0),
            &format!("{} of {} nodes looked at, {way}", walk.visited.len(), self.len()),
        );
        picture.text("", (20.0, 48.0), "up: the largest, down: the smallest number counts; grey: cut off");
        let at = |node: usize| (x[node] * WIDE, TOP + self.nodes[node].level as f64 * HIGH);
        for (parent, node) in self.nodes.iter().enumerate() {
            for child in &node.children {
                let class = if walk.cut.contains(child) { "grid" } else { "line c1" };
                picture.line(class, [at(parent), at(*child)]);
            }
        }
        let values = self.values(walk);
        for (index, node) in self.nodes.iter().enumerate() {
            let (x, y) = at(index);
            let class = if walk.cut.contains(&index) { "c6" } else { "c1" };
            // A triangle that points to what counts; leaves are dots.
            let tip = if node.level % 2 == 0 { -14.0 } else { 14.0 };
            if node.value.is_some() {
                picture.dot(class, (x, y), 5.0, &node.name);
            } else {
                picture.area(class, [(x - 14.0, y - tip * 0.6), (x, y + tip), (x + 14.0, y - tip * 0.6)]);
            }
            let value = values[index].map_or_else(String::new, |value| format!(" {}", number(value)));
            picture.text("middle ink", (x, y + 30.0), &format!("{}{value}", node.name));
        }
        picture.finish()
    }

    /// Gives every leaf a place of its own and every other node the middle of its moves. Returns the first free place.
    fn place(&self, node: usize, from: usize, x: &mut [f64]) -> usize {
        let children = &self.nodes[node].children;
        let (Some(first), Some(last)) = (children.first(), children.last()) else {
            x[node] = from as f64 + 0.5;
            return from + 1;
        };
        let next = children.iter().fold(from, |from, child| self.place(*child, from, x));
        x[node] = (x[*first] + x[*last]) / 2.0;
        next
    }

    /// What the nodes were found to be worth, where they were looked at: bounds, where something was cut off below.
    fn values(&self, walk: &Walk) -> Vec<Option<f64>> {
        let mut values: Vec<Option<f64>> = vec![None; self.len()];
        for at in &walk.visited {
            let node = &self.nodes[*at];
            let below = node.children.iter().filter_map(|child| values[*child]);
            values[*at] = node.value.or_else(|| match node.level % 2 {
                0 => below.reduce(f64::max),
                _ => below.reduce(f64::min),
            });
        }
        values
    }

    /// What a walk did, line by line, with its sum.
    pub fn text(&self, walk: &Walk) -> String {
        let mut text = String::new();
        for (step, what) in walk.steps.iter().enumerate() {
            let _ = writeln!(text, "{:>3}  {what}", step + 1);
        }
        let cut = match walk.cut.len() {
            0 => "nothing cut off".to_owned(),
            cut => format!("{cut} cut off ({:.0} %)", 100.0 * cut as f64 / self.len() as f64),
        };
        let _ = writeln!(
            text,
            "value {}, {} of {} nodes looked at, {cut}",
            number(walk.value),
            walk.visited.len(),
            self.len()
        );
        text
    }
}

fn bound(value: f64) -> String {
    match value {
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "−∞".to_owned(),
        value => number(value),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names<'a>(tree: &'a GameTree, nodes: &[usize]) -> Vec<&'a str> {
        nodes.iter().map(|node| tree.name(*node)).collect()
    }

    #[test]
    fn the_book_s_minimax_tree() {
        let tree = GameTree::read("minimax").unwrap();
        assert_eq!(tree.minimax(Order::Left).value, 2.32);
        assert_eq!(tree.alpha_beta(Order::Right).value, 2.32);
    }

    /// From left to right nothing is cut off, from right to left 3 of 12 nodes.
    #[test]
    fn the_book_s_tree_after_d4_d5() {
        let tree = GameTree::read("queen-pawn").unwrap();
        let left = tree.alpha_beta(Order::Left);
        assert_eq!((left.value, tree.minimax(Order::Left).value), (0.3, 0.3));
        let expected = "P10 P11 P05 P12 P06 P02 P07 P03 P08 P09 P04 P01";
        assert_eq!(names(&tree, &left.visited).join(" "), expected);
        assert!(left.cut.is_empty());
        let right = tree.alpha_beta(Order::Right);
        assert_eq!(right.value, 0.3);
        assert_eq!(names(&tree, &right.visited).join(" "), "P09 P08 P04 P07 P03 P12 P06 P02 P01");
        assert_eq!(names(&tree, &right.cut).join(" "), "P05 P10 P11");
        let all = "P09 P08 P04 P07 P03 P12 P06 P11 P10 P05 P02 P01";
        assert_eq!(names(&tree, &tree.minimax(Order::Right).visited).join(" "), all);
        assert!(
            tree.text(&right).ends_with("value 0.3, 9 of 12 nodes looked at, 3 cut off (25 %)\n"),
            "{}",
            tree.text(&right)
        );
        assert!(tree.text(&right).contains("P02 has α = 0.3 ≥ β = 0.2: P05, P10, P11 cut off"));
    }

    /// The first move is worth 2; the second is refuted by its first reply, the third by its second.
    #[test]
    fn the_book_s_alpha_beta_tree() {
        let tree = GameTree::read("alphabeta").unwrap();
        let walk = tree.alpha_beta(Order::Left);
        assert_eq!((walk.value, tree.minimax(Order::Left).value), (2.0, 2.0));
        let cut: Vec<Option<f64>> = walk.cut.iter().map(|node| tree.nodes[*node].value).collect();
        assert_eq!(cut, [Some(4.0)]);
    }

    /// A tree of random shape and numbers, as it is written.
    fn text() -> impl Strategy<Value = String> {
        let leaf = (-20i32..20).prop_map(|value| value.to_string());
        let bracket =
            |inner| proptest::collection::vec(inner, 1..4).prop_map(|children| format!("({})", children.join(" ")));
        leaf.prop_recursive(5, 60, 3, bracket)
    }

    proptest! {
        #[test]
        fn the_value_never_depends_on_cuts_or_order(text in text()) {
            let tree = GameTree::read(&text).unwrap();
            let whole = tree.minimax(Order::Left);
            prop_assert_eq!(whole.visited.len(), tree.len());
            for order in [Order::Left, Order::Right] {
                let walk = tree.alpha_beta(order);
                prop_assert_eq!(walk.value, whole.value);
                prop_assert_eq!(walk.visited.len() + walk.cut.len(), tree.len());
                prop_assert!(!tree.svg(&walk, order).contains("NaN"));
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[()0-9:. aP-]{0,40}") {
            if let Ok(tree) = GameTree::read(&text) {
                prop_assert!(!tree.is_empty() && tree.alpha_beta(Order::Left).value == tree.minimax(Order::Right).value);
            }
        }
    }

    /// Knuth and Moore: with the best move always first, b^⌈d/2⌉ + b^⌊d/2⌋ - 1 leaves are looked at.
    #[test]
    fn a_perfect_order_leaves_the_fewest_leaves() {
        for (moves, depth, fewest) in [(2, 6, 15), (3, 4, 17), (2, 8, 31), (4, 4, 31)] {
            // Of a mover's choices the first is the largest, of the opponent's the smallest.
            fn write(moves: i32, depth: i32, level: i32, value: i32) -> String {
                if depth == 0 {
                    return value.to_string();
                }
                let worse = if level % 2 == 0 { -1 } else { 1 };
                let child = |number: i32| {
                    write(moves, depth - 1, level + 1, value + worse * number * 10i32.pow(depth as u32 - 1))
                };
                format!("({})", (0..moves).map(child).collect::<Vec<_>>().join(" "))
            }
            let tree = GameTree::read(&write(moves, depth, 0, 0)).unwrap_or_else(|error| panic!("{error}"));
            let walk = tree.alpha_beta(Order::Left);
            let leaves = walk.visited.iter().filter(|node| tree.nodes[**node].value.is_some()).count();
            assert_eq!((walk.value, leaves), (0.0, fewest), "{moves} moves, {depth} deep");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let complaint = |text: &str| GameTree::read(text).unwrap_err().to_string();
        assert_eq!(complaint("(1 x)"), "'x' is not a number");
        assert_eq!(complaint("(1 2"), "it is not a tree: a bracket is not closed");
        assert_eq!(complaint("1 2"), "it is not a tree: something follows it");
        assert_eq!(complaint("(1 ())"), "it is not a tree: there is nothing in a bracket");
        assert_eq!(complaint(")"), "it is not a tree: a bracket closes that was not opened");
        assert!(complaint(&"(".repeat(30)).contains("20 levels"));
        assert!(complaint(&format!("({})", "1 ".repeat(1_200))).contains("1000 nodes"));
        assert!(complaint("").contains("no nodes") && complaint("inf").contains("not a number"));
    }
}
