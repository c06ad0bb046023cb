//! The classical family against its definition, published fixtures, and games.
#![allow(clippy::unwrap_used)]

use alfil_game::Examples;
use alfil_game::Notation;
use alfil_game::chess::{Chess, Rules};
use alfil_game::connect4::Connect4;
use alfil_game::hexchess::HexChess;
use alfil_game::tictactoe::TicTacToe;
use alfil_game::{Estimates, First, Game, Knowledge, Score, Side, play_line, read_rules};
use alfil_search::classical::{
    AlphaBeta, AlphaBetaSettings, ClassicalEngine, ClassicalLimits, GameNode, Node, WIN, is_decided, minimax, negamax,
    sss, sss_within,
};
use alfil_search::parallel::{SearchReport, StopReason};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// An explicit tree: leaves hold what they are worth to the first player.
#[derive(Clone, Debug)]
enum Tree {
    Leaf(i32),
    Inner(Side, Vec<Tree>),
}

use Tree::{Inner, Leaf};

impl Tree {
    fn side(&self) -> Side {
        match self {
            Leaf(_) => Side::First,
            Inner(side, _) => *side,
        }
    }

    fn value(&self) -> i32 {
        match self {
            Leaf(value) => *value,
            Inner(Side::First, below) => below.iter().map(Tree::value).max().unwrap(),
            Inner(Side::Second, below) => below.iter().map(Tree::value).min().unwrap(),
        }
    }

    fn mirrored(self) -> Tree {
        match self {
            Inner(side, below) => Inner(side, below.into_iter().rev().map(Tree::mirrored).collect()),
            leaf => leaf,
        }
    }

    /// The best moves first, everywhere.
    fn ordered(self) -> Tree {
        match self {
            Inner(side, below) => {
                let mut below: Vec<Tree> = below.into_iter().map(Tree::ordered).collect();
                below.sort_by_key(|tree| if side == Side::First { -tree.value() } else { tree.value() });
                Inner(side, below)
            }
            leaf => leaf,
        }
    }

    fn nodes(&self) -> u64 {
        match self {
            Leaf(_) => 1,
            Inner(_, below) => 1 + below.iter().map(Tree::nodes).sum::<u64>(),
        }
    }
}

impl Node for &Tree {
    type Move = usize;

    fn expand(&self, moves: &mut Vec<usize>) -> Option<i32> {
        moves.clear();
        match self {
            Leaf(value) => Some(*value),
            Inner(_, below) => {
                moves.extend(0..below.len());
                None
            }
        }
    }

    fn play(&mut self, m: usize) {
        if let Inner(_, below) = *self {
            *self = &below[m];
        }
    }

    fn side(&self) -> Side {
        Tree::side(self)
    }

    fn evaluate(&self) -> i32 {
        0
    }

    fn key(&self) -> u64 {
        std::ptr::from_ref::<Tree>(self) as u64
    }

    fn code(&self, m: usize) -> u16 {
        m as u16
    }
}

fn max(below: Vec<Tree>) -> Tree {
    Inner(Side::First, below)
}

fn min(below: Vec<Tree>) -> Tree {
    Inner(Side::Second, below)
}

/// All combinations of the exact switches, those for the order of moves together or by `number`.
fn exact_settings(number: u64) -> impl Iterator<Item = AlphaBetaSettings> {
    (0..32).map(move |bits| AlphaBetaSettings {
        deepening: bits & 1 != 0,
        principal_variation: bits & 2 != 0,
        table: bits & 4 != 0,
        ordering: bits & 8 != 0,
        aspiration: bits & 16 != 0,
        countermoves: number & 1 != 0,
        losing_captures_last: number & 2 != 0,
        table_bytes: 1 << 16,
        ..AlphaBetaSettings::PLAIN
    })
}

fn plain<N: Node>(node: &N, depth: u32) -> alfil_search::classical::Found<N::Move> {
    AlphaBeta::new(AlphaBetaSettings::PLAIN).search(node, depth)
}

/// The tree after 1.d4 d5 in A. Fernández Camello, Ajedrez y Computación (2023): P01 with P02 to P12. Leaf values that
/// the text does not give are chosen to fit it.
fn after_d4_d5() -> Tree {
    let p05 = max(vec![Leaf(10), Leaf(25)]);
    let p06 = max(vec![Leaf(20)]);
    max(vec![min(vec![p05, p06]), min(vec![Leaf(30)]), min(vec![Leaf(35), Leaf(20)])])
}

#[test]
fn published_fixtures_hold() {
    let generic = max(vec![min(vec![Leaf(145), Leaf(20)]), min(vec![Leaf(25), Leaf(34)]), Leaf(232)]);
    assert_eq!(minimax(&&generic, 9), 232);
    assert_eq!(plain(&&generic, 9).line, [2]);

    let chess = after_d4_d5();
    assert_eq!(minimax(&&chess, 9), 30);
    let left_to_right = plain(&&chess, 9);
    assert_eq!((left_to_right.value, left_to_right.line[0]), (30, 1), "Nf3");
    assert_eq!(left_to_right.nodes, 12, "nothing is pruned");
    let right_to_left = chess.mirrored();
    let found = plain(&&right_to_left, 9);
    assert_eq!((found.value, found.nodes), (30, 9), "P05, P10 and P11 are pruned");

    let cuts = max(vec![
        min(vec![max(vec![Leaf(1), Leaf(5)]), Leaf(2)]),
        min(vec![Leaf(1), Leaf(900)]),
        min(vec![Leaf(3), max(vec![Leaf(0), Leaf(1)]), Leaf(-900)]),
    ]);
    let found = plain(&&cuts, 9);
    assert_eq!(found.value, 2);
    assert_eq!(cuts.nodes() - found.nodes, 2, "one leaf behind each cut");
}

fn random_tree(random: &mut Xoshiro256PlusPlus, depth: u32, alternate: Option<Side>) -> Tree {
    if depth == 0 || random.random_range(0..8) == 0 {
        return Leaf(random.random_range(-9..10));
    }
    let side = alternate.unwrap_or(if random.random_range(0..2) == 0 { Side::First } else { Side::Second });
    let next = alternate.map(|side| !side);
    Inner(side, (0..random.random_range(1..5)).map(|_| random_tree(random, depth - 1, next)).collect())
}

#[test]
fn every_exact_variant_gives_minimax_on_10_000_random_trees() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut fewer = 0u64;
    for number in 0..10_000 {
        // In half of the trees the sides do not alternate.
        let tree = random_tree(&mut random, 5, (number % 2 == 0).then_some(Side::First));
        let node = &tree;
        let expected = if tree.side() == Side::First { tree.value() } else { -tree.value() };
        assert_eq!(minimax(&node, 9), expected);
        assert_eq!(negamax(&node, 9), expected);
        let plain = plain(&node, 9);
        assert_eq!(plain.value, expected);
        let (value, leaves) = sss(&node, 9);
        assert_eq!(value, expected, "SSS* on {tree:?}");
        if number % 100 == 0 {
            assert_eq!(sss_within(&node, 9, tree.nodes() as usize), Some((value, leaves)));
            assert!(sss_within(&node, 9, 1).is_none() || tree.nodes() == 1);
        }
        assert!(leaves <= plain.leaves, "SSS* looked at {leaves} leaves, alpha-beta at {}: {tree:?}", plain.leaves);
        fewer += u64::from(leaves < plain.leaves);
        for settings in exact_settings(number) {
            assert_eq!(AlphaBeta::new(settings).search(&node, 9).value, expected, "{settings:?} on {tree:?}");
        }
    }
    assert!(fewer > 100, "SSS* was never better");
}

#[test]
fn perfectly_ordered_trees_need_only_the_critical_leaves() {
    fn uniform(random: &mut Xoshiro256PlusPlus, branching: usize, depth: u32, side: Side) -> Tree {
        match depth {
            0 => Leaf(random.random_range(-1_000_000..1_000_000) / 2),
            _ => Inner(side, (0..branching).map(|_| uniform(random, branching, depth - 1, !side)).collect()),
        }
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    for branching in 2..6u64 {
        for depth in 1..6u32 {
            let tree = uniform(&mut random, branching as usize, depth, Side::First).ordered();
            let expected = branching.pow(depth.div_ceil(2)) + branching.pow(depth / 2) - 1;
            assert_eq!(plain(&&tree, depth).leaves, expected, "branching {branching}, depth {depth}");
        }
    }
}

fn node<G: Game>(position: &str) -> GameNode<G> {
    GameNode { game: G::from_position(position, &Default::default()).unwrap(), knowledge: Knowledge::Full }
}

fn agree<G: Estimates>(node: &GameNode<G>, depth: u32) {
    let expected = minimax(node, depth);
    assert_eq!(sss(node, depth.min(3)).0, minimax(node, depth.min(3)), "SSS* in {}", node.game.position());
    for settings in exact_settings(0).chain(exact_settings(3)) {
        let found = AlphaBeta::new(settings).search(node, depth);
        assert_eq!(found.value, expected, "{settings:?} at depth {depth} in {}", node.game.position());
    }
}

#[test]
fn exact_variants_give_minimax_in_real_games() {
    agree(&node::<TicTacToe>("3/3/3 x"), 6);
    agree(&node::<TicTacToe>("x2/1o1/3 x"), 9);
    for position in ["7/7/7/7/3o3/3x3 x", "7/7/3x3/3o3/2xxo2/1oxxoo1 x", "7/3x3/3o3/2xxo2/1oxoo2/1xxoxo1 x"] {
        agree(&node::<Connect4>(position), 5);
    }
    for position in Chess::TEST_POSITIONS.iter().take(7) {
        agree(&node::<Chess>(position), 2);
    }
    agree(&node::<Chess>("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"), 4);
}

#[test]
fn solved_games_are_solved() {
    assert_eq!(AlphaBeta::new(AlphaBetaSettings::default()).search(&node::<TicTacToe>("3/3/3 x"), 9).value, 0);
    let mate = node::<Chess>("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
    let found = AlphaBeta::new(AlphaBetaSettings::default()).search(&mate, 2);
    assert_eq!((found.value, mate.game.move_name(found.line[0]).as_str()), (WIN - 1, "Ra8#"));
}

#[test]
fn a_part_of_the_point_is_not_preferred_to_a_won_game() {
    let rules = read_rules::<HexChess>("stalemate=3/4").unwrap();
    let at = |text: &str| GameNode { game: HexChess::from_position(text, &rules).unwrap(), knowledge: Knowledge::Full };
    // Kf9 stalemates.
    let won = at("k/3/5/3K3/3R5/5Q5/11/11/11/11/11 w - 0 1");
    for depth in 1..=2 {
        let mut after = won.game.clone();
        after.play(AlphaBeta::new(AlphaBetaSettings::default()).search(&won, depth).line[0]);
        assert!(after.outcome().is_none(), "depth {depth}: {}", after.position());
    }
    // With nothing to win by, stalemate is worth having: Rf1.
    let even = at("k/3/2K2/7/9/11/11/11/11/11/4R6 w - 0 1");
    let stalemate = GameNode {
        game: {
            let mut game = even.game.clone();
            play_line(&mut game, "Rf1").unwrap();
            game
        },
        ..even
    };
    assert_eq!(stalemate.expand(&mut Vec::new()), Some(-191));
}

#[test]
fn the_null_move_is_safe_in_zugzwang() {
    for null_move in [false, true] {
        let settings = AlphaBetaSettings { null_move, ..AlphaBetaSettings::default() };
        let black = AlphaBeta::new(settings).search(&node::<Chess>("3k4/3P4/2K5/8/8/8/8/8 b - - 0 1"), 7);
        assert!(black.value < -300, "Black to move loses: {}", black.value);
        let white = AlphaBeta::new(settings).search(&node::<Chess>("3k4/3P4/2K5/8/8/8/8/8 w - - 0 1"), 7);
        assert!(white.value < 300, "White to move cannot win: {}", white.value);
    }
}

#[test]
fn the_horizon_hides_the_passed_pawn() {
    let mut position = node::<Chess>("8/6kp/6p1/8/1p6/pp6/5PPP/1R4K1 w - - 0 1");
    position.knowledge = Knowledge::Material;
    for depth in 1..=5 {
        let best = position.game.move_name(plain(&position, depth).line[0]);
        assert_eq!(best == "Rxb3", depth < 4, "{best} at depth {depth}");
    }
}

#[test]
fn enhancements_save_work() {
    let position = node::<Chess>("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4");
    let exact = AlphaBetaSettings { quiescence: false, null_move: false, ..AlphaBetaSettings::default() };
    let (with, without) = (AlphaBeta::new(exact).search(&position, 4), plain(&position, 4));
    assert_eq!(with.value, without.value);
    println!("{} nodes with enhancements, {} without", with.nodes, without.nodes);
    assert!(with.nodes * 3 < without.nodes);
}

#[test]
fn it_beats_the_random_player() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut moves = Vec::new();
    for number in 0..100 {
        let ours = if number % 2 == 0 { Side::First } else { Side::Second };
        let mut game = Chess::new(&Rules::default());
        let mut searcher = AlphaBeta::new(AlphaBetaSettings { table_bytes: 1 << 20, ..AlphaBetaSettings::default() });
        let outcome = loop {
            if let Some(outcome) = game.legal_moves(&mut moves) {
                break outcome;
            }
            let m = if game.side() == ours {
                searcher.search(&GameNode { game: game.clone(), knowledge: Knowledge::Full }, 2).line[0]
            } else {
                moves[random.random_range(0..moves.len())]
            };
            game.play(m);
        };
        let expected = if ours == Side::First { Score::WIN } else { Score::LOSS };
        assert_eq!(outcome.score, First(expected), "game {number}: {} in {}", outcome.reason, game.position());
    }
}

#[test]
fn decided_values_are_distinguished_from_estimates() {
    assert!(is_decided(WIN - 30) && is_decided(30 - WIN) && !is_decided(5_000));
}

/// All exact switches, and nothing else.
fn exact() -> AlphaBetaSettings {
    let off = AlphaBetaSettings::PLAIN;
    AlphaBetaSettings {
        quiescence: off.quiescence,
        null_move: off.null_move,
        deeper_entries: off.deeper_entries,
        repetitions: off.repetitions,
        check_extensions: off.check_extensions,
        late_move_reductions: off.late_move_reductions,
        futility: off.futility,
        exchange_pruning: off.exchange_pruning,
        captures_only: off.captures_only,
        table_bytes: 1 << 20,
        ..AlphaBetaSettings::STRONG
    }
}

fn engine<G: Estimates>(settings: AlphaBetaSettings, threads: u32) -> ClassicalEngine<G> {
    ClassicalEngine::new(AlphaBetaSettings { table_bytes: 1 << 20, ..settings }, Knowledge::Full, threads).unwrap()
}

fn think<G: Estimates>(engine: &mut ClassicalEngine<G>, position: &str, limits: &ClassicalLimits) -> SearchReport {
    engine.think(&node::<G>(position).game, limits, &|| false, &mut |_| {}).unwrap()
}

fn depth(depth: u32) -> ClassicalLimits {
    ClassicalLimits { depth: Some(depth), ..ClassicalLimits::default() }
}

const ITALIAN: &str = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4";

#[test]
fn the_engine_without_inexact_switches_gives_minimax_with_any_number_of_threads() {
    for threads in [1, 3] {
        for position in Chess::TEST_POSITIONS.iter().take(5).chain([&ITALIAN]) {
            let report = think(&mut engine::<Chess>(exact(), threads), position, &depth(3));
            let expected = minimax(&node::<Chess>(position), 3);
            let found =
                report.lines[0].estimate.unwrap_or_else(|| if report.lines[0].value() > 0.0 { WIN } else { -WIN });
            assert!(found == expected || is_decided(found) && is_decided(expected), "{found} {expected} in {position}");
        }
    }
}

#[test]
fn equal_searches_find_equal_lines() {
    let limits = ClassicalLimits { nodes: Some(20_000), ..ClassicalLimits::default() };
    let search = || {
        let mut engine = engine::<Chess>(AlphaBetaSettings::STRONG, 1);
        let first = think(&mut engine, ITALIAN, &limits);
        engine.clear();
        (first, think(&mut engine, ITALIAN, &limits))
    };
    let ((one, again), (other, _)) = (search(), search());
    assert_eq!((&one.lines, one.walks), (&other.lines, other.walks));
    assert_eq!((&one.lines, one.walks), (&again.lines, again.walks), "clear forgets everything");
    assert!((20_000..25_000).contains(&one.walks), "{}", one.walks);
    let few = ClassicalLimits { nodes: Some(1), ..ClassicalLimits::default() };
    let report = think(&mut engine::<Chess>(AlphaBetaSettings::STRONG, 1), ITALIAN, &few);
    assert!(report.walks < 100 && report.lines[0].codes.len() == 1, "{report:?}");
}

#[test]
fn lines_are_different_moves_the_best_first() {
    let limits = ClassicalLimits { lines: 4, ..depth(5) };
    let report = think(&mut engine::<Chess>(AlphaBetaSettings::STRONG, 1), ITALIAN, &limits);
    let mut first: Vec<u16> = report.lines.iter().map(|line| line.codes[0]).collect();
    assert!(report.lines.is_sorted_by_key(|line| -line.estimate.unwrap()));
    first.sort_unstable();
    first.dedup();
    assert_eq!(first.len(), 4);
    let only = ClassicalLimits { only: first[..2].to_vec(), lines: 9, ..depth(4) };
    let report = think(&mut engine::<Chess>(AlphaBetaSettings::STRONG, 2), ITALIAN, &only);
    let mut found: Vec<u16> = report.lines.iter().map(|line| line.codes[0]).collect();
    found.sort_unstable();
    assert_eq!(found, first[..2]);
    // Every line can be played.
    for line in report.lines {
        let mut game = node::<Chess>(ITALIAN).game;
        let mut legal = Vec::new();
        for code in line.codes {
            game.legal_moves(&mut legal);
            game.play(*legal.iter().find(|m| u16::from(**m) == code).unwrap());
        }
    }
}

#[test]
fn a_search_ends_when_it_is_told_to() {
    let mut engine = engine::<Chess>(AlphaBetaSettings::STRONG, 2);
    let game = node::<Chess>(ITALIAN).game;
    let polls = std::cell::Cell::new(0);
    let ends = || {
        polls.set(polls.get() + 1);
        polls.get() > 20
    };
    let report = engine.think(&game, &ClassicalLimits::default(), &ends, &mut |_| {}).unwrap();
    assert_eq!(report.ended, Some(StopReason::Stopped));
    assert!(!report.lines.is_empty() && report.depth > 1, "{report:?}");
    let at_once = ClassicalLimits { deadline: Some(std::time::Instant::now()), ..ClassicalLimits::default() };
    let report = engine.think(&game, &at_once, &|| false, &mut |_| {}).unwrap();
    assert_eq!((report.ended, report.lines.len()), (Some(StopReason::Time), 1));
    let over = Chess::from_position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &Rules::default()).unwrap();
    let report = engine.think(&over, &ClassicalLimits::default(), &|| false, &mut |_| {}).unwrap();
    assert_eq!((report.ended, report.lines.len()), (Some(StopReason::NoMoves), 0));
}

#[test]
fn mates_are_found_and_end_the_search() {
    for (position, best, plies) in [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra8#", Some(1)),
        // Qg6 threatens mate on h7, and taking the queen lets a knight mate.
        ("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", "Qg6", None),
        // Philidor's legacy.
        ("r6k/6pp/8/6N1/2Q5/8/6PP/7K w - - 0 1", "Nf7+", Some(7)),
    ] {
        let game = node::<Chess>(position).game;
        let report = think(
            &mut engine::<Chess>(AlphaBetaSettings::STRONG, 1),
            position,
            &ClassicalLimits { depth: None, nodes: Some(3_000_000), ..ClassicalLimits::default() },
        );
        let m = Chess::parse_move(&game, best).unwrap();
        assert_eq!(report.lines[0].codes[0], u16::from(m), "{position}: {report:?}");
        let proof = report.lines[0].proof.unwrap_or_else(|| panic!("{position}: {report:?}"));
        assert!(proof.is_win() && plies.is_none_or(|plies| proof.plies == plies), "{position}: {proof:?}");
        assert_eq!(report.ended, Some(StopReason::Proven));
    }
}

/// What the search looks at is a signature of it: with exact switches it changes only if their order of moves does, with all of them
/// whenever anything does. A change is entered here together with the match that let it in.
#[test]
fn the_signature_of_the_search() {
    const POSITIONS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ITALIAN,
        "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "8/6kp/6p1/8/1p6/pp6/5PPP/1R4K1 w - - 0 1",
    ];
    let nodes = |settings: AlphaBetaSettings, depth: u32| -> u64 {
        let settings = AlphaBetaSettings { table_bytes: 1 << 20, ..settings };
        POSITIONS.iter().map(|text| AlphaBeta::new(settings).search(&node::<Chess>(text), depth).nodes).sum()
    };
    let found = [nodes(exact(), 4), nodes(AlphaBetaSettings::default(), 4), nodes(AlphaBetaSettings::STRONG, 6)];
    assert_eq!(found, SIGNATURE);
}

/// Exact, the sparring partner, everything.
const SIGNATURE: [u64; 3] = [32_981, 61_584, 40_118];

/// The same depth with fewer positions.
#[test]
fn inexact_switches_save_work() {
    let nodes = |settings| think(&mut engine::<Chess>(settings, 1), ITALIAN, &depth(6)).walks;
    let all = nodes(AlphaBetaSettings::STRONG);
    let usual = nodes(AlphaBetaSettings::default());
    println!("{all} nodes with all switches, {usual} with those of the sparring partner");
    assert!(2 * all < usual, "{all} {usual}");
}

#[test]
fn every_game_is_searched() {
    fn plays<G: Estimates>() {
        let game = G::new(&G::Rules::default());
        for threads in [1, 2] {
            let report =
                engine::<G>(AlphaBetaSettings::STRONG, threads).think(&game, &depth(4), &|| false, &mut |_| {});
            let code = report.unwrap().lines[0].codes[0];
            let mut legal = Vec::new();
            game.legal_moves(&mut legal);
            assert!(legal.iter().any(|m| (*m).into() == code), "{}", G::NAME);
        }
    }
    alfil_game::for_each_game!(G => plays::<G>());
}
