//! Every kind of evaluator keeps the contract, and the cache never gives a wrong answer.
#![allow(clippy::unwrap_used)]

use alfil_game::Notation;
use std::collections::HashMap;
use std::sync::Arc;

use alfil_game::chess::{Az21, Chess, Rules};
use alfil_game::connect4::{self, Connect4};
use alfil_game::hexchess::HexChess;
use alfil_game::tictactoe::{self, TicTacToe};
use alfil_game::{Encoding, Game, Knowledge, Mover, Wdl, for_each_game, play_line};
use alfil_nn::{Architecture, Cpu, Network, PolicyHead};
use alfil_search::evaluators::{
    Cache, CacheCounts, CacheMemory, Handcrafted, NetworkBackend, Pool, Rollout, Tempered, Uniform, cached_moves,
};
use alfil_search::{Backend, BatchSizes, Evaluation, Evaluator, EvaluatorError};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// An answer that can be kept.
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    priors: Vec<f32>,
    wdl: Wdl,
    moves_left: Option<f32>,
}

fn run<G: Game>(evaluator: &mut dyn Evaluator<G>) -> Vec<Answer> {
    let mut answers = Vec::new();
    evaluator
        .run(&mut |number, Evaluation { priors, wdl: Mover(wdl), moves_left }| {
            assert_eq!(number, answers.len(), "answers come in order");
            answers.push(Answer { priors: priors.to_vec(), wdl, moves_left });
        })
        .unwrap();
    assert!(evaluator.is_empty());
    answers
}

fn one<G: Game>(evaluator: &mut dyn Evaluator<G>, game: &G) -> Answer {
    let mut moves = Vec::new();
    assert!(game.legal_moves(&mut moves).is_none());
    evaluator.add(game, &moves);
    run(evaluator).remove(0)
}

/// Positions of random games, many of them more than once.
fn positions<G: Game>(count: usize, seed: u64) -> Vec<(G, Vec<G::Move>)> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut positions = Vec::new();
    let mut moves = Vec::new();
    while positions.len() < count {
        let mut game = G::new(&Default::default());
        while game.legal_moves(&mut moves).is_none() {
            positions.push((game.clone(), moves.clone()));
            game.play(moves[random.random_range(0..moves.len())]);
        }
    }
    positions.truncate(count);
    positions
}

fn keeps_the_contract<G: Game>(evaluator: &mut dyn Evaluator<G>) {
    let positions = positions::<G>(50, 1);
    for round in 0..2 {
        for (number, (game, moves)) in positions.iter().enumerate() {
            assert_eq!(evaluator.len(), number);
            evaluator.add(game, moves);
        }
        let answers = run(evaluator);
        assert_eq!(answers.len(), positions.len(), "round {round}");
        for ((game, moves), answer) in positions.iter().zip(answers) {
            assert_eq!(answer.priors.len(), moves.len(), "{}", game.position());
            assert!((answer.priors.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{answer:?}");
            let shares = <[f32; 3]>::from(answer.wdl);
            assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{answer:?}");
            assert!(answer.priors.iter().chain(&shares).all(|share| (0.0..=1.0).contains(share)), "{answer:?}");
        }
    }
    assert!(run(evaluator).is_empty(), "nothing added, nothing answered");
}

fn memory(bytes: usize, most_moves: usize) -> Arc<CacheMemory> {
    Arc::new(CacheMemory::new(bytes, most_moves))
}

fn backend<E: Encoding>() -> NetworkBackend<E> {
    let network = Network::random::<E>(Architecture::new::<E>("8x1".parse().unwrap()), 1);
    NetworkBackend::new(&network, &Cpu).unwrap()
}

fn network() -> Box<dyn Evaluator<Chess>> {
    backend::<Az21>().evaluator(0).unwrap()
}

/// Evaluators of another backend in batches of at most 16.
struct Small<B>(B);

impl<G: Game, B: Backend<G>> Backend<G> for Small<B> {
    fn evaluator(&self, seed: u64) -> Result<Box<dyn Evaluator<G>>, EvaluatorError> {
        self.0.evaluator(seed)
    }

    fn batch_sizes(&self) -> BatchSizes {
        BatchSizes { preferred: 1, largest: 16 }
    }
}

#[test]
fn every_kind_keeps_the_contract() {
    keeps_the_contract::<Chess>(&mut Uniform::default());
    keeps_the_contract::<Chess>(&mut Handcrafted::new(Knowledge::Full));
    keeps_the_contract::<Chess>(&mut network());
    keeps_the_contract::<Chess>(&mut Cache::new(network(), memory(100_000, 60)));
    keeps_the_contract::<TicTacToe>(&mut Rollout::new(5, 1));
    keeps_the_contract::<TicTacToe>(&mut Cache::new(Rollout::<TicTacToe>::new(5, 1), memory(1_000, 9)));
}

#[test]
fn many_searches_share_a_pool_and_get_their_own_answers() {
    let pool = Pool::new(&Small(backend::<Az21>()), 2).unwrap();
    keeps_the_contract::<Chess>(&mut pool.evaluator(0).unwrap());
    let positions = positions::<Chess>(200, 9);
    std::thread::scope(|scope| {
        for thread in 0..6usize {
            let (mut client, positions) = (pool.evaluator(0).unwrap(), &positions);
            scope.spawn(move || {
                let mut plain = network();
                for start in 0..40 {
                    // Batches of all sizes, some larger than the pool's.
                    for (game, moves) in positions.iter().cycle().skip(7 * thread + start).take(1 + (start * 5) % 23) {
                        client.add(game, moves);
                        plain.add(game, moves);
                    }
                    assert_eq!(run(&mut client), run(&mut plain), "to the bit, whatever batch they were in");
                }
            });
        }
    });
    println!("{} positions at a time", pool.mean_batch());
    assert!(pool.mean_batch() > 1.0 && pool.mean_batch() <= 16.0);
}

#[test]
fn a_failed_evaluator_is_reported_to_every_waiting_search() {
    #[derive(Clone, Copy)]
    struct Broken {
        added: usize,
        panics: bool,
    }
    impl Backend<Chess> for Broken {
        fn evaluator(&self, _: u64) -> Result<Box<dyn Evaluator<Chess>>, EvaluatorError> {
            Ok(Box::new(*self))
        }
    }
    impl Evaluator<Chess> for Broken {
        fn add(&mut self, _: &Chess, _: &[<Chess as Game>::Move]) {
            self.added += 1;
        }
        fn len(&self) -> usize {
            self.added
        }
        fn run(&mut self, _: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
            // By then others are waiting.
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert!(!self.panics, "as it should");
            Err(EvaluatorError::on("paper", "it is wet"))
        }
    }
    for (panics, sentence) in
        [(false, "the evaluator on paper failed: it is wet"), (true, "a thread of an evaluator panicked: as it should")]
    {
        let pool = Pool::new(&Broken { added: 0, panics }, 1).unwrap();
        let search = |mut client: Box<dyn Evaluator<Chess>>| {
            let (game, mut moves) = (Chess::new(&Rules::default()), Vec::new());
            game.generate(&mut moves);
            client.add(&game, &moves);
            client.run(&mut |_, _| {}).unwrap_err().to_string()
        };
        let searches: Vec<_> = (0..4)
            .map(|_| {
                let client = pool.evaluator(0).unwrap();
                std::thread::spawn(move || search(client))
            })
            .collect();
        assert!(searches.into_iter().all(|search| search.join().unwrap() == sentence));
        assert_eq!(search(pool.evaluator(0).unwrap()), sentence, "later as well");
    }
}

/// One per move in tic-tac-toe, or the same for all of them.
fn policy_biases(network: &mut Network) -> &mut Vec<f32> {
    match &mut network.weights.policy {
        PolicyHead::Convolution { output, .. } => &mut output.biases,
        PolicyHead::Dense { output, .. } => &mut output.biases,
    }
}

#[test]
fn a_network_whose_outputs_are_not_numbers_fails() {
    type E = tictactoe::Stones;
    type Spoil = fn(&mut Network);
    let spoils: [(&str, Spoil); 4] = [
        ("value", |network| network.weights.value.output.biases[0] = f32::NAN),
        ("logit", |network| policy_biases(network)[0] = f32::NAN),
        ("overflow", |network| policy_biases(network)[0] = f32::INFINITY),
        ("all", |network| policy_biases(network).fill(f32::NEG_INFINITY)),
    ];
    for (what, spoil) in spoils {
        let mut network = Network::random::<E>(Architecture::new::<E>("8x1".parse().unwrap()), 1);
        spoil(&mut network);
        let mut evaluator = NetworkBackend::<E>::new(&network, &Cpu).unwrap().evaluator(0).unwrap();
        let (game, mut moves) = (TicTacToe::new(&()), Vec::new());
        game.generate(&mut moves);
        evaluator.add(&game, &moves);
        let error = evaluator.run(&mut |_, _| panic!("nothing is handed over: {what}")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the evaluator on cpu failed: an output of the network is not a number",
            "{what}"
        );
        assert!(evaluator.is_empty());
    }
}

#[test]
fn an_immediate_win_outweighs_every_estimate() {
    let mates = "1/3/5/7/9/8Q2/4K6/4Q6/2Q8/Q2Q7/10k w - 0 1";
    let game = HexChess::from_position(mates, &Default::default()).unwrap();
    let (mut moves, priors) = (Vec::new(), one(&mut Handcrafted::new(Knowledge::Full), &game).priors);
    game.legal_moves(&mut moves);
    let wins = moves.iter().zip(priors).filter(|(m, _)| {
        let mut after = game.clone();
        after.play(**m);
        after.outcome().is_some_and(|end| end.reason == "checkmate")
    });
    let share: f32 = wins.map(|(_, prior)| prior).sum();
    assert!(share > 0.99, "{share}");
}

#[test]
fn most_positions_of_every_game_are_cached() {
    fn check<G: Game>() {
        let mut cache = Cache::new(Uniform::default(), memory(64 << 20, cached_moves::<G>()));
        let positions = positions::<G>(2_000, 5);
        for _ in 0..2 {
            for (game, moves) in &positions {
                cache.add(game, moves);
                run::<G>(&mut cache);
            }
        }
        let CacheCounts { asked, hits } = Evaluator::<G>::cache_counts(&cache);
        assert!(hits as f64 > 0.49 * asked as f64, "{}: {hits} of {asked}", G::NAME);
    }
    for_each_game!(G => check::<G>());
}

#[test]
fn higher_temperatures_flatten_the_priors() {
    let game = Chess::from_position("6k1/5ppp/8/8/8/8/q4PPP/R5K1 w - - 0 1", &Rules::default()).unwrap();
    let plain = one(&mut Handcrafted::new(Knowledge::Full), &game);
    let at = |temperature| one(&mut Tempered::new(Handcrafted::new(Knowledge::Full), temperature), &game);
    let spread = |answer: &Answer| answer.priors.iter().copied().fold(0.0, f32::max);
    assert!(
        spread(&at(0.5)) > spread(&plain) && spread(&plain) > spread(&at(2.0)) && spread(&at(2.0)) > spread(&at(9.0))
    );
    assert!(at(1.0).priors.iter().zip(&plain.priors).all(|(a, b)| (a - b).abs() < 1e-5));
    keeps_the_contract::<Chess>(&mut Tempered::new(network(), 1.36));
    keeps_the_contract::<Chess>(&mut Tempered::new(network(), 0.01));
}

#[test]
fn rollouts_see_who_is_winning_from_either_side() {
    let mut rollout = Rollout::new(400, 2);
    // x threatens to win and is better off, whichever side is to move.
    let attacker = Connect4::from_position("7/7/7/7/oo5/oxxx3 x", &()).unwrap();
    let defender = Connect4::from_position("7/7/7/7/oo5/oxxx2x o", &()).unwrap();
    let (attack, defence) = (value(&one(&mut rollout, &attacker)), value(&one(&mut rollout, &defender)));
    assert!(attack > 0.2 && defence < -0.1, "{attack} {defence}");
}

fn value(answer: &Answer) -> f32 {
    answer.wdl.value()
}

#[test]
fn the_handcrafted_evaluation_prefers_what_wins() {
    let game = Chess::from_position("6k1/5ppp/8/8/8/8/q4PPP/R5K1 w - - 0 1", &Rules::default()).unwrap();
    let answer = one(&mut Handcrafted::new(Knowledge::Full), &game);
    let mut moves = Vec::new();
    game.generate(&mut moves);
    let best = moves.iter().zip(&answer.priors).max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap().0;
    assert_eq!(game.move_name(*best), "Rxa2");
    let up = Chess::from_position("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", &Rules::default()).unwrap();
    assert!(value(&one(&mut Handcrafted::new(Knowledge::Full), &up)) > 0.6);
    let down = Chess::from_position("4k3/8/8/8/8/8/8/3QK3 b - - 0 1", &Rules::default()).unwrap();
    assert!(value(&one(&mut Handcrafted::new(Knowledge::Full), &down)) < -0.6);
}

#[test]
fn cached_answers_equal_those_of_the_evaluator_to_the_bit() {
    let backend = backend::<tictactoe::Stones>();
    let evaluator = || backend.evaluator(0).unwrap();
    // Room for 200 answers, fewer than the some 5,000 positions of the game; batches of all sizes.
    let (mut cached, mut plain) = (Cache::new(evaluator(), memory(200 * 4 * (8 + 9), 9)), evaluator());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut positions = positions::<TicTacToe>(6_000, 3).into_iter().peekable();
    while positions.peek().is_some() {
        for (game, moves) in positions.by_ref().take(random.random_range(1..20)) {
            cached.add(&game, &moves);
            plain.add(&game, &moves);
        }
        assert_eq!(run(&mut cached), run(&mut plain));
    }
    let counts = Evaluator::<TicTacToe>::cache_counts(&cached);
    println!("{counts:?}");
    assert_eq!(counts.asked, 6_000);
    assert!(counts.hits > 500 && counts.hits < 4_000, "{counts:?}");
}

#[test]
fn transpositions_hit() {
    let mut cache = Cache::new(Uniform::default(), memory(1 << 16, 60));
    for (number, moves) in ["Nf3 Nf6 d4", "d4 Nf6 Nf3", "d4 Nf6 Nf3"].iter().enumerate() {
        let mut game = Chess::new(&Rules::default());
        play_line(&mut game, moves).unwrap();
        one(&mut cache, &game);
        assert_eq!(Evaluator::<Chess>::cache_counts(&cache).hits, number as u64);
    }
}

/// A game whose positions all have the same key: only the check distinguishes them.
#[test]
fn positions_with_one_key_never_get_each_others_priors() {
    #[derive(Clone, Debug)]
    struct Clashing(TicTacToe);
    impl std::fmt::Display for Clashing {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.fmt(f)
        }
    }
    impl Game for Clashing {
        type Move = <TicTacToe as Game>::Move;
        type Rules = ();
        const NAME: &'static str = "clashing";
        const TITLE: &'static str = "tic-tac-toe with one key for all";
        const SIDES: [&'static str; 2] = ["x", "o"];
        fn new(rules: &()) -> Clashing {
            Clashing(TicTacToe::new(rules))
        }
        fn from_position(text: &str, rules: &()) -> Result<Clashing, alfil_game::PositionError> {
            TicTacToe::from_position(text, rules).map(Clashing)
        }
        fn position(&self) -> String {
            self.0.position()
        }
        fn side(&self) -> alfil_game::Side {
            self.0.side()
        }
        fn ply(&self) -> u32 {
            self.0.ply()
        }
        fn ply_cap(&self) -> u32 {
            self.0.ply_cap()
        }
        fn generate(&self, moves: &mut Vec<Self::Move>) {
            self.0.generate(moves);
        }
        fn verdict(&self, generated: &[Self::Move]) -> Option<alfil_game::Outcome> {
            self.0.verdict(generated)
        }
        fn play(&mut self, m: Self::Move) {
            self.0.play(m);
        }
        fn key(&self) -> u64 {
            7
        }
        fn same_position(&self, other: &Clashing) -> bool {
            self.0.same_position(&other.0)
        }
        fn move_text(&self, m: Self::Move) -> String {
            self.0.move_text(m)
        }
        fn parse_move(&self, text: &str) -> Result<Self::Move, alfil_game::MoveError> {
            self.0.parse_move(text)
        }
    }

    /// Gives priors that are unique to a set of moves.
    #[derive(Default)]
    struct Telling(Vec<Vec<f32>>);
    impl<G: Game> Evaluator<G> for Telling {
        fn add(&mut self, _: &G, moves: &[G::Move]) {
            self.0.push(moves.iter().map(|&m| f32::from(m.into()) + 1.0).collect());
        }
        fn len(&self) -> usize {
            self.0.len()
        }
        fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
            for (number, priors) in self.0.drain(..).enumerate() {
                take(number, Evaluation { priors: &priors, wdl: Mover(Wdl::DRAW), moves_left: Some(3.0) });
            }
            Ok(())
        }
    }

    let mut cache = Cache::new(Telling::default(), memory(4_000, 9));
    let mut seen: HashMap<Vec<u16>, u32> = HashMap::new();
    for (game, moves) in positions::<Clashing>(2_000, 5) {
        cache.add(&game, &moves);
        let answer = run::<Clashing>(&mut cache).remove(0);
        let expected: Vec<f32> = moves.iter().map(|&m| f32::from(u16::from(m)) + 1.0).collect();
        assert_eq!(answer.priors, expected, "{}", game.position());
        assert_eq!(answer.moves_left, Some(3.0));
        *seen.entry(moves.into_iter().map(Into::into).collect()).or_default() += 1;
    }
    assert!(seen.len() > 100);
}

#[test]
fn networks_of_other_boards_work_too() {
    keeps_the_contract::<Connect4>(&mut backend::<connect4::Stones>().evaluator(0).unwrap());
}
