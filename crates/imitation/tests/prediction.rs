//! Predictions against answers that are known otherwise: counted by hand, or computed for one position alone.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_failing_device::{FailingDevice, SENTENCE};
use alfil_game::chess::{Chess, Lc0};
use alfil_game::pgn::PlayerName;
use alfil_game::tictactoe::{Stones, TicTacToe};
use alfil_game::{First, Game, Mover, Score, Side, Wdl, play_line};
use alfil_imitation::{
    Accuracy, AccuracyReport, By, GameSet, Group, Likelihoods, Prediction, Predictor, Selection, SetBuilder, measure,
    predict_all,
};
use alfil_nn::{Architecture, Batch, Cpu, Engine, EvaluatorError, Model, Network, Outputs};
use alfil_search::evaluators::Kind;
use alfil_search::{Backend, Evaluation, Evaluator};
use alfil_selfplay::{End, GameRecord, Ply};

static NEVER: AtomicBool = AtomicBool::new(false);

/// A game of moves with these codes, all of which count.
fn record(number: u64, codes: &[u16], score: Score) -> GameRecord {
    let plies = codes.iter().map(|code| Ply::new(*code, [(*code, 1.0)], Mover(Wdl::DRAW))).collect();
    GameRecord::new(number, String::new(), plies, First(score), End::Rules)
}

fn tagged(mut record: GameRecord, players: [(&str, &str); 2]) -> GameRecord {
    let names = [["White", "WhiteElo"], ["Black", "BlackElo"]];
    let tags = names.iter().zip(players).flat_map(|(names, (name, elo))| [(names[0], name), (names[1], elo)]);
    record.tags = tags.map(|(tag, value)| (tag.to_owned(), value.to_owned())).collect();
    record
}

fn set<G: Game>(records: &[GameRecord], selection: Selection) -> GameSet {
    let mut builder = SetBuilder::<G>::new(selection, G::Rules::default());
    records.iter().for_each(|record| builder.add(record));
    builder.finish()
}

fn predictor<G: Game>(backend: &dyn Backend<G>, threads: usize) -> Predictor<G> {
    Predictor::new(backend, threads).unwrap()
}

fn report<G: Game>(backend: &dyn Backend<G>, set: &GameSet, by: Option<By>) -> AccuracyReport {
    let mut predictors = [predictor(backend, 2)];
    let reports = measure(&mut predictors, set, &G::Rules::default(), by, &mut |_, _| {}, &NEVER).unwrap();
    reports.into_iter().next().unwrap().unwrap()
}

fn is_near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-5
}

#[test]
fn without_knowledge_the_legal_moves_are_counted() {
    // Of tic-tac-toe's nine, eight, … moves any is as likely as the others: won by the first player in five plies.
    let won = record(1, &[0, 3, 1, 4, 2], Score::WIN);
    let drawn = record(2, &[0, 1, 2, 4, 3, 5, 7, 6, 8], Score::DRAW);
    let uniform = Kind::Uniform.backend::<TicTacToe>(&Cpu).unwrap();
    let legal: Vec<f64> = (5..=9).chain(1..=9).map(f64::from).collect();
    let mean = |of: &dyn Fn(f64) -> f64| legal.iter().map(|moves| of(*moves)).sum::<f64>() / legal.len() as f64;
    let Accuracy { positions, games, top1, top3, cross_entropy, value_mse } =
        report(&*uniform, &set::<TicTacToe>(&[won, drawn], Selection::default()), None).all;
    assert_eq!((positions, games), (14, 2));
    assert!(is_near(cross_entropy.value, mean(&f64::ln)), "{cross_entropy:?}");
    assert!(is_near(top1.value, mean(&|moves| 1.0 / moves)), "{top1:?}");
    assert!(is_near(top3.value, mean(&|moves| (3.0 / moves).min(1.0))), "{top3:?}");
    // Half a point is expected: it is a quarter wrong in each position of the game that was won, whoever moves.
    assert!(is_near(value_mse.value, 5.0 * 0.25 / 14.0), "{value_mse:?}");
}

/// Always has these priors for the legal moves, as far as there are as many, and expects a win.
struct Fixed(&'static [f32]);

struct FixedEvaluator {
    priors: &'static [f32],
    moves: Vec<usize>,
}

impl<G: Game> Backend<G> for Fixed {
    fn evaluator(&self, _: u64) -> Result<Box<dyn Evaluator<G>>, EvaluatorError> {
        Ok(Box::new(FixedEvaluator { priors: self.0, moves: Vec::new() }))
    }
}

impl<G: Game> Evaluator<G> for FixedEvaluator {
    fn add(&mut self, _: &G, moves: &[G::Move]) {
        self.moves.push(moves.len());
    }

    fn len(&self) -> usize {
        self.moves.len()
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
        for (number, moves) in self.moves.drain(..).enumerate() {
            let mut priors = self.priors.to_vec();
            priors.resize(moves, 0.0);
            take(number, Evaluation { priors: &priors, wdl: Mover(Wdl::WIN), moves_left: None });
        }
        Ok(())
    }
}

#[test]
fn the_places_of_moves_are_those_of_their_priors() {
    // Cells 0, 2, 8 are the first, second and seventh legal moves; nothing is left of the priors for the last.
    let game = record(1, &[0, 2, 8], Score::LOSS);
    let backend = Fixed(&[0.4, 0.25, 0.1, 0.1, 0.1, 0.05]);
    let set = set::<TicTacToe>(&[game], Selection::default());
    let mut found = Vec::new();
    let mut see = |_: usize, _: &_, predictions: &[Prediction]| found.extend_from_slice(predictions);
    predict_all(&mut [predictor::<TicTacToe>(&backend, 1)], &set.games, &(), &mut see, &mut |_, _| {}, &NEVER).unwrap();
    let tops: Vec<(f32, f32)> = found.iter().map(|found| (found.top1, found.top3)).collect();
    assert_eq!(tops, [(1.0, 1.0), (0.0, 1.0), (0.0, 0.0)]);
    let logs: Vec<f32> = found.iter().map(|found| found.log_likelihood).collect();
    assert_eq!(logs, [0.4f32.ln(), 0.25f32.ln(), f32::MIN_POSITIVE.ln()]);
    assert_eq!(found.iter().map(|found| found.error).collect::<Vec<_>>(), [1.0, 0.0, 1.0]);
    assert_eq!(found.iter().map(|found| found.side).collect::<Vec<_>>(), [Side::First, Side::Second, Side::First]);

    // Three moves share the places from third to fifth: the fourth legal move is one of the best three once in three times.
    let shared = one_game(&[3]);
    let found = report::<TicTacToe>(&backend, &shared, None).all;
    assert!(is_near(found.top3.value, 1.0 / 3.0) && found.top1.value == 0.0, "{found:?}");
}

fn one_game(codes: &[u16]) -> GameSet {
    set::<TicTacToe>(&[record(1, codes, Score::DRAW)], Selection::default())
}

#[test]
fn networks_see_the_history_of_the_game() {
    let network = Network::random::<Lc0>(Architecture::new::<Lc0>("8x1".parse().unwrap()), 1);
    let line = "e4 e5 Nf3 Nc6 Ng1 Nb8 Nf3";
    let mut game = Chess::new(&Default::default());
    let mut codes = Vec::new();
    for name in line.split(' ') {
        let m = game.parse_move(name).unwrap();
        codes.push(m.into());
        game.play(m);
    }
    let backend = Kind::Network(Arc::new(network.clone())).backend::<Chess>(&Cpu).unwrap();
    let set = set::<Chess>(&[record(1, &codes, Score::DRAW)], Selection::default());
    let mut found = Vec::new();
    let mut see = |_: usize, _: &_, predictions: &[Prediction]| found.extend_from_slice(predictions);
    let rules = Default::default();
    predict_all(&mut [predictor(&*backend, 2)], &set.games, &rules, &mut see, &mut |_, _| {}, &NEVER).unwrap();

    let prior = |game: &Chess, code: u16| {
        let (mut moves, mut outputs) = (Vec::new(), Outputs::default());
        game.generate(&mut moves);
        let mut batch = Batch::new(&network.architecture);
        batch.push::<Lc0>(game, &moves);
        Engine::new(Arc::new(Model::new::<Lc0>(&network).unwrap())).evaluate(&batch, &mut outputs);
        outputs.priors(0)[moves.iter().position(|m| u16::from(*m) == code).unwrap()]
    };
    let mut before = Chess::new(&rules);
    play_line(&mut before, line.rsplit_once(' ').unwrap().0).unwrap();
    let alone = Chess::from_position(&before.position(), &rules).unwrap();
    let (with, without) = (prior(&before, codes[6]), prior(&alone, codes[6]));
    assert!((found[6].log_likelihood - with.ln()).abs() < 1e-5, "{:?} {with}", found[6]);
    assert!((with - without).abs() > 1e-4, "the history changes nothing: {with} {without}");
}

/// Random legal games of tic-tac-toe.
fn random_games(count: u64) -> Vec<GameRecord> {
    let game = |number: u64| {
        let (mut game, mut moves, mut codes) = (TicTacToe::new(&()), Vec::new(), Vec::new());
        let outcome = loop {
            if let Some(outcome) = game.legal_moves(&mut moves) {
                break outcome;
            }
            let drawn = alfil_core::seed::derive(number, &[codes.len() as u64]) as usize % moves.len();
            codes.push(moves[drawn].into());
            game.play(moves[drawn]);
        };
        let elo = (1_500 + number * 7 % 600).to_string();
        tagged(record(number, &codes, outcome.score.0), [("Ada", &elo), ("Bob", "")])
    };
    (1..=count).map(game).collect()
}

fn network(seed: u64) -> Arc<dyn Backend<TicTacToe>> {
    let network = Network::random::<Stones>(Architecture::new::<Stones>("8x1".parse().unwrap()), seed);
    Kind::Network(Arc::new(network)).backend(&Cpu).unwrap()
}

#[test]
fn threads_change_nothing_and_groups_add_up() {
    let set = set::<TicTacToe>(&random_games(300), Selection::default());
    let network = network(1);
    let measured = |threads: usize, by| {
        let mut predictors = [predictor(&*network, threads)];
        measure(&mut predictors, &set, &(), by, &mut |_, _| {}, &NEVER).unwrap().remove(0).unwrap()
    };
    let plain = measured(1, None);
    assert!(plain.groups.is_empty() && plain.all.positions == set.positions() && plain.all.games == 300);
    for by in [By::Elo, By::Ply, By::Player] {
        let report = measured(3, Some(by));
        assert_eq!(report.all, plain.all);
        assert_eq!(report.groups.values().map(|group| group.positions).sum::<u64>(), plain.all.positions);
        let right: f64 = report.groups.values().map(|group| group.top1.value * group.positions as f64).sum();
        assert!(is_near(right / plain.all.positions as f64, plain.all.top1.value));
    }
    let groups = |by| measured(2, Some(by)).groups.into_keys().collect::<Vec<_>>();
    assert_eq!(
        groups(By::Elo),
        [Group::Elo(1400), Group::Elo(1600), Group::Elo(1800), Group::Elo(2000), Group::Unknown]
    );
    assert_eq!(groups(By::Ply), [Group::Ply(0)]);
    assert_eq!(groups(By::Player), ["Ada", "Bob"].map(|name| Group::Player(name.to_owned())));
}

#[test]
fn only_some_positions_count() {
    let mut records = random_games(400);
    let all = set::<TicTacToe>(&records, Selection::default());
    let ada =
        set::<TicTacToe>(&records, Selection { player: Some(PlayerName::new("ada", false)), ..Selection::default() });
    let bob =
        set::<TicTacToe>(&records, Selection { player: Some(PlayerName::new("BOB", false)), ..Selection::default() });
    assert_eq!(ada.positions() + bob.positions(), all.positions());
    assert!(ada.positions() > bob.positions(), "the first player moves more often");
    let nobody =
        set::<TicTacToe>(&records, Selection { player: Some(PlayerName::new("Cleo", false)), ..Selection::default() });
    assert!(nobody.games.is_empty());

    let held_out = |share| set::<TicTacToe>(&records, Selection { held_out: Some(share), ..Selection::default() });
    let kept = held_out(0.2).games.len();
    assert!((50..110).contains(&kept), "{kept} of 400 games");
    assert!(
        held_out(0.2).games.iter().all(|game| held_out(0.4).games.contains(game)),
        "a larger share holds out the same"
    );
    assert_eq!(held_out(1.0).games.len(), 400);

    // Moves without a policy, as the other player's of an import for one player.
    for record in &mut records {
        record.plies[0] = Ply::new(record.plies[0].code, [], Mover(Wdl::DRAW));
    }
    assert_eq!(set::<TicTacToe>(&records, Selection::default()).positions(), all.positions() - 400);
    // An illegal game is none.
    records.push(record(999, &[4, 4], Score::WIN));
    let with_illegal = set::<TicTacToe>(&records, Selection::default());
    assert_eq!((with_illegal.illegal, with_illegal.games.len()), (1, 400));
}

#[test]
fn a_sample_of_positions_is_always_the_same() {
    let mut records = random_games(3_000);
    let sample = |records: &[GameRecord], positions| {
        set::<TicTacToe>(records, Selection { positions: Some(positions), ..Selection::default() })
    };
    let uniform = Kind::Uniform.backend::<TicTacToe>(&Cpu).unwrap();
    let all = sample(&records, usize::MAX);
    assert_eq!(all, set::<TicTacToe>(&records, Selection::default()));
    let (small, large) = (sample(&records, 500), sample(&records, 2_000));
    assert_eq!((small.positions(), large.positions()), (500, 2_000));
    records.reverse();
    let mut reversed = sample(&records, 500);
    reversed.games.reverse();
    assert_eq!(reversed, small, "in whatever order games are read");
    // A fair one: what is measured on it is what is measured on all.
    let (few, many) = (report(&*uniform, &large, None).all, report(&*uniform, &all, None).all);
    let margin = few.cross_entropy.margin().unwrap();
    assert!((few.cross_entropy.value - many.cross_entropy.value).abs() < 1.5 * margin, "{few:?} {many:?}");
}

#[test]
fn games_are_recognised_by_the_network_that_played_them() {
    // Each network's most likely moves from every first move, and the second most likely after these.
    let (first, second) = (network(1), network(2));
    let games = |backend: &Arc<dyn Backend<TicTacToe>>| {
        let mut evaluator = backend.evaluator(0).unwrap();
        let mut game = |opening: u16| {
            let (mut game, mut moves, mut codes) = (TicTacToe::new(&()), Vec::new(), Vec::new());
            while game.legal_moves(&mut moves).is_none() {
                evaluator.add(&game, &moves);
                let mut best = 0;
                evaluator
                    .run(&mut |_, found| {
                        best = (0..moves.len()).max_by(|a, b| found.priors[*a].total_cmp(&found.priors[*b])).unwrap();
                    })
                    .unwrap();
                let m = if codes.is_empty() { moves[usize::from(opening)] } else { moves[best] };
                codes.push(m.into());
                game.play(m);
            }
            record(opening.into(), &codes, Score::DRAW)
        };
        (0..9).map(&mut game).collect::<Vec<_>>()
    };
    let of = |records: &[GameRecord]| {
        let mut predictors = [predictor(&*first, 2), predictor(&*second, 1)];
        let set = set::<TicTacToe>(records, Selection::default());
        Likelihoods::of(&mut predictors, &set, &(), &mut |_, _| {}, &NEVER).unwrap()
    };
    let (of_first, of_second) = (of(&games(&first)), of(&games(&second)));
    assert_eq!((of_first.best(), of_second.best()), (0, 1));
    assert_eq!(of_first.games(), 9);
    let confusion = alfil_imitation::confusion(&[of_first, of_second], 50, 5, 1);
    assert!(confusion.right() > 0.9, "{confusion:?}");
}

#[test]
fn a_failure_is_one_sentence_and_a_stop_leaves_equal_shares() {
    let set = set::<TicTacToe>(&random_games(1_000), Selection::default());
    let network = Network::random::<Stones>(Architecture::new::<Stones>("8x1".parse().unwrap()), 1);
    let kind = Kind::Network(Arc::new(network));
    let failing = kind.backend::<TicTacToe>(&FailingDevice::after(5)).unwrap();
    let mut predictors = [predictor(&*failing, 2)];
    let failed = measure(&mut predictors, &set, &(), None, &mut |_, _| {}, &NEVER).unwrap_err();
    assert_eq!(failed.to_string(), SENTENCE);

    let uniform = Kind::Uniform.backend::<TicTacToe>(&Cpu).unwrap();
    let stop = AtomicBool::new(false);
    let mut predictors = [predictor(&*uniform, 1), predictor(&*uniform, 1)];
    let mut told = 0;
    let mut tell = |_: u64, _: u64| {
        told += 1;
        // After the first of the two has done its part of the third block.
        stop.store(told == 5, Relaxed);
    };
    let reports = measure(&mut predictors, &set, &(), None, &mut tell, &stop).unwrap();
    let positions: Vec<u64> = reports.iter().map(|report| report.as_ref().unwrap().all.positions).collect();
    assert!(positions[0] == positions[1] && positions[0] >= 1024 && positions[0] < set.positions(), "{positions:?}");
}
