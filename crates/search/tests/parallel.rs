//! Several threads on one tree, as play uses it.
#![allow(clippy::unwrap_used)]

use alfil_game::Notation;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use alfil_failing_device::without_threads;
use alfil_game::chess::{Chess, Rules};
use alfil_game::connect4::Connect4;
use alfil_game::tictactoe::TicTacToe;
use alfil_game::{Game, Knowledge, play_line};
use alfil_search::evaluators::{Cache, CacheMemory, Handcrafted, Rollout, Uniform};
use alfil_search::parallel::{Control, Limits, ParallelSettings, Search, SearchReport, StopReason};
use alfil_search::tree::Tree;
use alfil_search::{Evaluator, EvaluatorError};

fn uniform<G: Game>(threads: usize) -> Vec<Box<dyn Evaluator<G>>> {
    (0..threads).map(|_| Box::new(Uniform::default()) as Box<dyn Evaluator<G>>).collect()
}

fn chess(fen: &str) -> Chess {
    Chess::from_position(fen, &Rules::default()).unwrap()
}

fn visits(limit: u32) -> Limits {
    Limits { visits: Some(limit), ..Limits::default() }
}

fn run<G: Game>(search: &mut Search<G>, limits: &Limits) -> SearchReport {
    search.run(&ParallelSettings::default(), limits, &Control::default(), &mut |_| {}).unwrap()
}

#[test]
fn visits_are_met_exactly_whatever_threads_and_batches() {
    for (threads, batch) in [(1, 1), (1, 16), (2, 1), (3, 7)] {
        let mut search = Search::new(Tree::new(16 << 20, 36), uniform(threads), Chess::new(&Rules::default()));
        let settings = ParallelSettings { batch, ..ParallelSettings::default() };
        for (limit, visited, walks) in [(1, 1, 1), (1_000, 1_000, 999), (3_000, 3_000, 2_000), (2_000, 3_000, 0)] {
            let report = search.run(&settings, &visits(limit), &Control::default(), &mut |_| {}).unwrap();
            assert_eq!((report.visits, report.walks), (visited, walks), "{threads} {batch}");
            assert_eq!(report.ended, Some(StopReason::Done));
            assert!(report.best().is_some());
        }
        let root = search.tree().root().unwrap();
        assert_eq!(root.visits(), 3_000);
        assert!(root.children().iter().all(|child| child.visits == child.started), "no visit is left under way");
    }
}

#[test]
fn one_thread_always_finds_the_same() {
    let find = || {
        let evaluators: Vec<Box<dyn Evaluator<Connect4>>> = vec![Box::new(Rollout::new(1, 5))];
        let mut search = Search::new(Tree::new(4 << 20, 7), evaluators, Connect4::new(&()));
        run(&mut search, &visits(5_000));
        search.tree().root().unwrap().children()
    };
    assert_eq!(find(), find());
}

#[test]
fn every_way_to_stop() {
    let start = Chess::new(&Rules::default());
    let mut search = Search::new(Tree::new(1 << 20, 36), uniform(2), start.clone());
    assert_eq!(run(&mut search, &Limits::default()).ended, Some(StopReason::Full));
    let report = run(&mut search, &Limits::default());
    assert_eq!(report.ended, Some(StopReason::Full));
    assert!(report.fill > 0.99 && report.fill <= 1.0, "{}", report.fill);

    // Slow, so that the tree is not full first.
    let slow = || Box::new(Slow::default()) as Box<dyn Evaluator<Chess>>;
    let mut search = Search::new(Tree::new(64 << 20, 36), vec![slow(), slow()], start.clone());
    let control = Control::default();
    control.set_deadline(Some(Instant::now() + Duration::from_millis(30)));
    let settings = ParallelSettings::default();
    assert_eq!(search.run(&settings, &Limits::default(), &control, &mut |_| {}).unwrap().ended, Some(StopReason::Time));
    search.clear();
    let depth = Limits { depth: Some(2), ..Limits::default() };
    let report = run(&mut search, &depth);
    assert_eq!(report.ended, Some(StopReason::Done));
    assert!(report.depth >= 2 && report.longest >= report.depth);
    search.clear();
    let control = Control::default();
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            control.stop();
        });
        search.run(&settings, &Limits::default(), &control, &mut |_| {}).unwrap()
    });
    assert_eq!(report.ended, Some(StopReason::Stopped));

    // Stopped before it began: there is a move anyway.
    search.clear();
    let report = search.run(&settings, &Limits::default(), &control, &mut |_| {}).unwrap();
    assert_eq!((report.ended, report.visits), (Some(StopReason::Stopped), 1));
    assert!(report.best().is_some());

    let mate = chess("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
    search.go_to(&mate, &[]);
    let report = run(&mut search, &Limits::default());
    assert_eq!(report.ended, Some(StopReason::Proven));
    assert_eq!(mate.move_name(report.best().unwrap().into()), "Ra8#");
    assert_eq!(report.lines[0].proof.unwrap().plies, 1);

    // No legal move, and a single one, which needs no search.
    search.go_to(&chess("7k/8/8/8/8/8/r7/1r5K w - - 0 1"), &[]);
    assert_eq!(run(&mut search, &Limits::default()).ended, Some(StopReason::NoMoves));
    search.go_to(&chess("7k/8/8/8/8/8/r7/7K w - - 0 1"), &[]);
    let settled = Limits { settled: true, visits: Some(1_000_000), ..Limits::default() };
    assert_eq!(run(&mut search, &settled).ended, Some(StopReason::Settled));
}

#[test]
fn a_full_tree_forgets_what_matters_least() {
    for threads in [1, 3] {
        let mut search = Search::new(Tree::new(1 << 20, 36), uniform(threads), Chess::new(&Rules::default()));
        let settings = ParallelSettings { forget: true, batch: 4, ..ParallelSettings::default() };
        let report = search.run(&settings, &visits(60_000), &Control::default(), &mut |_| {}).unwrap();
        assert_eq!((report.ended, report.visits), (Some(StopReason::Done), 60_000));
        assert!(search.tree().len() < 60_000 / 4, "the tree has room for all of it: the test shows nothing");
        let children = search.tree().root().unwrap().children();
        assert_eq!(
            children.iter().map(|child| child.visits).sum::<u32>(),
            60_000 - 1,
            "no move of the root is forgotten"
        );
        assert!(children.iter().all(|child| child.visits == child.started), "no visit is left under way");
        // Below the moves with the most visits something is left.
        assert!(report.lines[0].codes.len() >= 3, "{:?}", report.lines[0].codes);
    }
}

#[test]
fn batches_grow_with_the_tree() {
    /// Notes the size of the largest batch.
    struct Watching(Uniform, Arc<AtomicUsize>);
    impl Evaluator<Chess> for Watching {
        fn add(&mut self, game: &Chess, moves: &[<Chess as Game>::Move]) {
            Evaluator::<Chess>::add(&mut self.0, game, moves);
        }
        fn len(&self) -> usize {
            Evaluator::<Chess>::len(&self.0)
        }
        fn run(&mut self, take: &mut dyn FnMut(usize, alfil_search::Evaluation<'_>)) -> Result<(), EvaluatorError> {
            self.1.fetch_max(Evaluator::<Chess>::len(&self.0), Relaxed);
            Evaluator::<Chess>::run(&mut self.0, take)
        }
    }
    let largest = Arc::new(AtomicUsize::new(0));
    let evaluators: Vec<Box<dyn Evaluator<Chess>>> = vec![Box::new(Watching(Uniform::default(), Arc::clone(&largest)))];
    let mut search = Search::new(Tree::new(16 << 20, 36), evaluators, Chess::new(&Rules::default()));
    let settings = ParallelSettings { batch: 16, visits_per_leaf: 64, ..ParallelSettings::default() };
    for (limit, expected) in [(120, 1), (600, 9), (5_000, 16)] {
        largest.store(0, Relaxed);
        search.run(&settings, &visits(limit), &Control::default(), &mut |_| {}).unwrap();
        assert_eq!(largest.load(Relaxed), expected, "up to {limit} visits");
    }
}

#[test]
fn a_settled_search_finds_what_a_full_one_would() {
    let root = chess("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3");
    let search = |settled: bool| {
        let evaluators: Vec<Box<dyn Evaluator<Chess>>> = vec![Box::new(Handcrafted::new(Knowledge::Full))];
        let mut search = Search::new(Tree::new(32 << 20, 36), evaluators, root.clone());
        run(&mut search, &Limits { settled, ..visits(20_000) })
    };
    let (early, full) = (search(true), search(false));
    assert_eq!(early.best(), full.best());
    assert_eq!(full.visits, 20_000);
}

#[test]
fn the_tree_follows_the_game() {
    let start = Chess::new(&Rules::default());
    let moves = |text: &str| {
        let mut game = start.clone();
        let mut moves = Vec::new();
        for word in text.split_whitespace() {
            let m = game.parse_move(word).unwrap();
            moves.push(m);
            game.play(m);
        }
        moves
    };
    let mut search = Search::new(Tree::new(32 << 20, 36), uniform(1), start.clone());
    run(&mut search, &visits(20_000));
    let root = search.tree().root().unwrap();
    let reply = root.children().iter().find(|child| child.code == u16::from(moves("e4")[0])).copied().unwrap();
    assert!(reply.visits > 100);

    search.go_to(&start, &moves("e4"));
    assert_eq!(search.tree().root().unwrap().visits(), reply.visits, "kept");
    let mut expected = start.clone();
    play_line(&mut expected, "e4").unwrap();
    assert_eq!(search.root().position(), expected.position());
    let report = run(&mut search, &visits(reply.visits + 10));
    assert_eq!(report.walks, 10);

    search.go_to(&start, &moves("e4 e5 Nf3"));
    assert!(search.tree().root().is_some_and(|root| root.visits() > 0));
    search.go_to(&start, &moves("d4"));
    assert!(search.tree().is_empty(), "another game");
    run(&mut search, &visits(100));
    search.go_to(&expected, &[]);
    assert!(search.tree().is_empty(), "another start");
}

#[test]
fn only_some_moves_are_looked_at_when_asked() {
    let start = Chess::new(&Rules::default());
    let mut search = Search::new(Tree::new(32 << 20, 36), uniform(2), start.clone());
    run(&mut search, &visits(500));
    let codes = |names: &[&str]| names.iter().map(|name| start.parse_move(name).unwrap().into()).collect::<Vec<u16>>();
    let only = |names: &[&str]| Limits { only: codes(names), ..visits(2_000) };
    run(&mut search, &only(&["a3", "h4"]));
    let mut searched: Vec<u16> = search.tree().root().unwrap().children().iter().map(|child| child.code).collect();
    let mut expected = codes(&["a3", "h4"]);
    searched.sort_unstable();
    expected.sort_unstable();
    assert_eq!(searched, expected);
    let children = search.tree().root().unwrap().children();
    assert!(children.iter().all(|child| child.visits > 700), "{children:?}");
    assert!((children.iter().map(|child| child.prior).sum::<f32>() - 1.0).abs() < 1e-3);
    // The other moves are searched again when the restriction changes.
    run(&mut search, &only(&["e4"]));
    assert_eq!(search.tree().root().unwrap().children().len(), 1);
    run(&mut search, &visits(100));
    assert_eq!(search.tree().root().unwrap().children().len(), 20);
}

#[test]
fn lines_and_caches_are_reported() {
    let memory = Arc::new(CacheMemory::new(8 << 20, 60));
    let evaluators: Vec<Box<dyn Evaluator<Chess>>> = (0..2)
        .map(|_| {
            Box::new(Cache::new(Handcrafted::new(Knowledge::Full), Arc::clone(&memory))) as Box<dyn Evaluator<Chess>>
        })
        .collect();
    let root = chess("r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 1");
    let mut search = Search::new(Tree::new(32 << 20, 36), evaluators, root.clone());
    let settings = ParallelSettings { lines: 3, ..ParallelSettings::default() };
    let mut told = 0;
    let report = search
        .run(&settings, &visits(3_000), &Control::default(), &mut |report| {
            assert!(report.ended.is_none() && !report.lines.is_empty());
            told += 1;
        })
        .unwrap();
    println!("{told} reports on the way, {report:?}");
    assert!(report.lines.len() == 3 || report.ended == Some(StopReason::Proven));
    assert!(report.lines.windows(2).all(|pair| pair[0].visits >= pair[1].visits || pair[0].proof.is_some()));
    for found in &report.lines {
        let mut game = root.clone();
        for code in &found.codes {
            let mut moves = Vec::new();
            assert!(game.legal_moves(&mut moves).is_none());
            assert!(moves.contains(&(*code).into()));
            game.play((*code).into());
        }
        assert!((<[f32; 3]>::from(found.wdl.0).iter().sum::<f32>() - 1.0).abs() < 1e-3);
    }
    assert!(report.cache.hits > 0 && report.cache.hits < report.cache.asked, "{:?}", report.cache);
}

/// Uniform, but slow. It may have a number of batches after which it stops the search.
#[derive(Default)]
struct Slow {
    inner: Uniform,
    stops: Option<(u32, Arc<Control>)>,
}

impl Evaluator<Chess> for Slow {
    fn add(&mut self, game: &Chess, moves: &[alfil_game::chess::Move]) {
        Evaluator::<Chess>::add(&mut self.inner, game, moves);
    }

    fn len(&self) -> usize {
        Evaluator::<Chess>::len(&self.inner)
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, alfil_search::Evaluation<'_>)) -> Result<(), EvaluatorError> {
        std::thread::sleep(Duration::from_millis(2));
        if let Some((left, control)) = &mut self.stops {
            *left = left.saturating_sub(1);
            if *left == 0 {
                control.stop();
            }
        }
        Evaluator::<Chess>::run(&mut self.inner, take)
    }
}

/// Uniform until it has evaluated `left` batches; then it fails or panics once.
struct Failing {
    inner: Uniform,
    left: Option<u32>,
    panics: bool,
}

impl Evaluator<Chess> for Failing {
    fn add(&mut self, game: &Chess, moves: &[alfil_game::chess::Move]) {
        Evaluator::<Chess>::add(&mut self.inner, game, moves);
    }

    fn len(&self) -> usize {
        Evaluator::<Chess>::len(&self.inner)
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, alfil_search::Evaluation<'_>)) -> Result<(), EvaluatorError> {
        match self.left {
            Some(0) => {
                self.left = None;
                Evaluator::<Chess>::run(&mut self.inner, &mut |_, _| {})?;
                assert!(!self.panics, "it broke");
                return Err(EvaluatorError::on("paper", "it is wet"));
            }
            left => self.left = left.map(|left| left - 1),
        }
        Evaluator::<Chess>::run(&mut self.inner, take)
    }
}

#[test]
fn a_search_whose_evaluator_fails_ends_on_all_threads_and_can_run_again() {
    let start = Chess::new(&Rules::default());
    // In the first thread, in another one, and at the root: whichever fails, all threads stop.
    for (thread, batches) in [(0, 40), (2, 40), (0, 0)] {
        for (panics, sentence) in
            [(false, "the evaluator on paper failed: it is wet"), (true, "a thread of the search panicked: it broke")]
        {
            let evaluator = |number| {
                let left = (number == thread).then_some(batches);
                Box::new(Failing { inner: Uniform::default(), left, panics }) as Box<dyn Evaluator<Chess>>
            };
            let mut search = Search::new(Tree::new(64 << 20, 36), (0..3).map(evaluator).collect(), start.clone());
            let settings = ParallelSettings { batch: 4, ..ParallelSettings::default() };
            // There is no other limit.
            let failed = search.run(&settings, &Limits::default(), &Control::default(), &mut |_| {});
            assert_eq!(failed.unwrap_err().to_string(), sentence);
            let report = run(&mut search, &visits(500));
            assert_eq!(report.visits, 500, "no visit of the failed search is left under way");
            let children = search.tree().root().unwrap().children();
            assert!(children.iter().all(|child| child.visits == child.started));
        }
    }
}

#[test]
fn a_search_that_can_start_no_thread_says_so() {
    without_threads("a_search_that_can_start_no_thread_says_so", || {
        let start = Chess::new(&Rules::default());
        let mut search = Search::new(Tree::new(1 << 20, 36), uniform(3), start.clone());
        let failed = search.run(&ParallelSettings::default(), &visits(100), &Control::default(), &mut |_| {});
        let sentence = failed.unwrap_err().to_string();
        assert!(sentence.starts_with("the search cannot start a thread: "), "{sentence}");
        assert!(search.tree().is_empty());
        let mut alone = Search::new(Tree::new(1 << 20, 36), uniform(1), start);
        assert_eq!(run(&mut alone, &visits(100)).visits, 100, "one thread needs no other");
    })
    .unwrap();
}

#[test]
fn a_slow_search_of_a_known_tree_is_not_settled_before_it_begins() {
    let start = Chess::new(&Rules::default());
    let control = Arc::new(Control::default());
    let stops = Some((30 + 20, Arc::clone(&control)));
    let evaluators: Vec<Box<dyn Evaluator<Chess>>> = vec![Box::new(Slow { stops, ..Slow::default() })];
    let mut search = Search::new(Tree::new(8 << 20, 36), evaluators, start);
    run(&mut search, &visits(30));
    // Thousands of walks would be to come, and no move is that far ahead of the others.
    control.set_deadline(Some(Instant::now() + Duration::from_secs(600)));
    let limits = Limits { settled: true, ..Limits::default() };
    let report = search.run(&ParallelSettings::default(), &limits, &control, &mut |_| {}).unwrap();
    assert_eq!(report.ended, Some(StopReason::Stopped), "{report:?}");
    assert!(report.walks > 10);
}

#[test]
fn a_proven_win_is_shortened_when_asked() {
    // The longer mates are proven first.
    for (fen, is_uniform, plies, shortened) in
        [("5K1R/8/6k1/8/8/8/2p5/5Q2 w - - 0 1", true, 5, 3), ("8/8/3R4/8/8/8/2RK2k1/8 w - - 0 1", false, 7, 5)]
    {
        let find = |sooner: bool| {
            let handcrafted = || vec![Box::new(Handcrafted::new(Knowledge::Full)) as Box<dyn Evaluator<Chess>>];
            let evaluators = if is_uniform { uniform(1) } else { handcrafted() };
            let mut search = Search::new(Tree::new(8 << 20, 36), evaluators, chess(fen));
            let report = run(&mut search, &Limits { sooner, ..visits(5_000) });
            let proof = report.lines[0].proof.unwrap();
            assert!(proof.is_win());
            (proof.plies, report.ended.unwrap())
        };
        assert_eq!(find(false), (plies, StopReason::Proven), "{fen}");
        assert_eq!(find(true), (shortened, StopReason::Done), "{fen}");
    }
    // Nothing is shorter than a mate in one, and once all moves are proven there is nothing left to find.
    let sooner = Limits { sooner: true, ..Limits::default() };
    let mate = chess("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
    let mut search = Search::new(Tree::new(8 << 20, 36), uniform(1), mate);
    assert_eq!(run(&mut search, &sooner).ended, Some(StopReason::Proven));
    let mut won = TicTacToe::new(&());
    play_line(&mut won, "1 2").unwrap();
    let mut search = Search::new(Tree::new(8 << 20, 9), uniform(1), won);
    let report = run(&mut search, &sooner);
    assert_eq!(report.ended, Some(StopReason::Proven));
    assert!(report.lines[0].proof.is_some_and(|proof| proof.is_win() && proof.plies == 5), "{report:?}");
    assert!(search.tree().root().unwrap().children().iter().all(|child| child.proof.is_some()));
}

#[test]
fn other_moves_are_searched_after_a_proof() {
    let mate = chess("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
    let mut search = Search::new(Tree::new(8 << 20, 36), uniform(1), mate.clone());
    assert_eq!(run(&mut search, &visits(500)).ended, Some(StopReason::Proven));
    let only = ["a1a2", "a1a3"].map(|name| mate.parse_move(name).unwrap().into()).to_vec();
    let report = run(&mut search, &Limits { only, ..visits(500) });
    assert_eq!((report.ended, report.visits), (Some(StopReason::Done), 500));
}

#[test]
fn the_rules_are_those_of_the_game_that_is_followed() {
    let usual = Chess::new(&Rules::default());
    let mut search = Search::new(Tree::new(1 << 20, 36), uniform(1), usual.clone());
    // Every move ends the game, in the same position as the usual start.
    let short = Chess::new(&Rules { ply_cap: 1, ..Rules::default() });
    search.go_to(&short, &[]);
    assert!(run(&mut search, &visits(100)).lines[0].proof.is_some());
    search.go_to(&usual, &[]);
    assert!(run(&mut search, &visits(100)).lines[0].proof.is_none());
    search.go_to(&short, &[]);
    assert!(run(&mut search, &visits(100)).lines[0].proof.is_some());
}

#[test]
fn going_round_in_circles_is_a_draw_but_the_game_goes_on() {
    // A queen up: going back to where the game began is seen as a draw, another move as what it is worth.
    let start = chess("7k/8/8/8/8/8/8/KQ6 w - - 0 1");
    let mut search = Search::new(
        Tree::new(1 << 20, 36),
        vec![Box::new(Handcrafted::new(Knowledge::Full)) as Box<dyn Evaluator<Chess>>],
        start.clone(),
    );
    let mut game = start.clone();
    let played = play_line(&mut game, "Qb2+ Kg8").unwrap();
    search.go_to(&start, &played);
    let limits = Limits { only: vec![game.parse_move("Qb1").unwrap().into()], ..visits(300) };
    let back = run(&mut search, &limits);
    // Black can go back to the start position.
    assert!(back.lines[0].value().abs() < 0.2, "{:?}", back.lines[0]);
    search.clear();
    assert!(run(&mut search, &visits(300)).lines[0].value() > 0.5);
    // It is only the search that stops there.
    let circle = play_line(&mut game, "Qb1 Kh8").unwrap();
    search.go_to(&start, &[played, circle].concat());
    let report = run(&mut search, &visits(100));
    assert!(report.visits >= 100 && report.lines[0].value() > 0.5, "{report:?}");
}
