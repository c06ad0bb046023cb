use alfil_failing_device::{FailingDevice, SENTENCE};
use alfil_game::chess::{Az21, Chess};
use alfil_game::connect4::Connect4;
use alfil_game::headquarters::Headquarters;
use alfil_game::hexchess::HexChess;
use alfil_game::tictactoe::TicTacToe;
use alfil_game::{Estimates, First, Game, Knowledge, Mover, Score, Wdl};
use alfil_nn::{Architecture, Cpu, Device, Network};
use alfil_search::Evaluation;
use alfil_search::evaluators::{Kind, Uniform};

use super::material::QuietMaterial;
use super::*;
use crate::{End, GameRecord, Ply, SearchKind};

const SMALL: ProbeSettings = ProbeSettings { positions: 40, pairs: 40 };

fn probe<G: FullGame>(settings: ProbeSettings, seed: u64) -> Option<Probe<G>> {
    Probe::new(&settings, &G::Rules::default(), seed, &mut |_, _| {}, &AtomicBool::new(false)).unwrap()
}

fn chess(settings: ProbeSettings) -> Probe<Chess> {
    probe(settings, 1).unwrap()
}

fn network(device: &dyn Device) -> Box<dyn Evaluator<Chess>> {
    let network = Network::random::<Az21>(Architecture::new::<Az21>("8x1".parse().unwrap()), 1);
    Kind::Network(Arc::new(network)).backend(device).unwrap().evaluator(0).unwrap()
}

fn blunders(probe: &mut Probe<Chess>, search: &SearchSettings, evaluator: &mut dyn Evaluator<Chess>) -> Measured {
    probe.blunders(search, evaluator, &mut |_, _| {}, &AtomicBool::new(false)).unwrap().unwrap()
}

/// The position after the capture that wins a piece, if there is one.
fn after_capture(position: &str) -> Option<String> {
    let game = Chess::from_position(position, &Default::default()).unwrap();
    let mut moves = Vec::new();
    assert!(game.legal_moves(&mut moves).is_none());
    let pair = hanging::find(&game, &moves, &mut QuietMaterial::new())?;
    assert_eq!(pair.before.position(), game.position());
    Some(pair.after.position().split(' ').next().unwrap().to_owned())
}

#[test]
fn pieces_that_can_be_won_are_found() {
    let won = [
        // A queen that nobody defends.
        (
            "rnb1kbnr/pppp1ppp/8/4p1q1/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 1",
            "rnb1kbnr/pppp1ppp/8/4p1B1/3P4/8/PPP1PPPP/RN1QKBNR",
        ),
        // The same with a defender: the bishop is lost for it.
        (
            "rnb1kbnr/pppp1pp1/7p/4p1q1/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 1",
            "rnb1kbnr/pppp1pp1/7p/4p1B1/3P4/8/PPP1PPPP/RN1QKBNR",
        ),
        // A pawn takes a defended queen.
        ("4k3/8/8/8/2p5/1Q6/P7/4K3 b - - 0 1", "4k3/8/8/8/8/1p6/P7/4K3"),
        // A knight without a defender.
        ("4k3/p7/8/4n3/8/3N4/P7/4K3 w - - 0 1", "4k3/p7/8/4N3/8/8/P7/4K3"),
        // Two captures: the rook is worth more than the knight.
        ("4k3/p7/8/4n1r1/8/5N2/P7/4K3 w - - 0 1", "4k3/p7/8/4n1N1/8/8/P7/4K3"),
    ];
    for (position, after) in won {
        assert_eq!(after_capture(position).as_deref(), Some(after), "{position}");
    }
}

#[test]
fn captures_that_win_nothing_are_not_taken_for_hanging_pieces() {
    let defended = [
        // Knight for knight.
        "4k3/p7/5p2/4n3/8/3N4/P7/4K3 w - - 0 1",
        // A rook for a bishop.
        "4k3/p7/5p2/4b3/8/4R3/P7/4K3 w - - 0 1",
        // A pawn.
        "4k3/p7/8/4p3/8/3N4/P7/4K3 w - - 0 1",
        // The knight is free, but then so is the queen.
        "rk6/8/8/7n/Q7/8/8/4K2R w - - 0 1",
        // The game is drawn after the capture.
        "4k3/8/8/4n3/8/3N4/8/4K3 w - - 0 1",
        // Mate instead of a piece.
        "k1r5/pp6/8/8/8/8/8/K1R4R w - - 0 1",
        // Nothing to take.
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ];
    for position in defended {
        assert_eq!(after_capture(position), None, "{position}");
    }
}

/// Values by material, after captures or as it is; all moves are equally good.
struct Counter {
    quiet: Option<QuietMaterial<Chess>>,
    answers: Vec<(usize, f32)>,
}

impl Evaluator<Chess> for Counter {
    fn add(&mut self, game: &Chess, moves: &[<Chess as Game>::Move]) {
        let lead = match &mut self.quiet {
            Some(quiet) => quiet.of(game),
            None => game.evaluate(Knowledge::Material),
        };
        self.answers.push((moves.len(), (lead as f32 / 400.0).tanh()));
    }

    fn len(&self) -> usize {
        self.answers.len()
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
        for (number, (moves, value)) in self.answers.drain(..).enumerate() {
            let wdl = Mover(Wdl::from_value(value));
            take(number, Evaluation { priors: &vec![1.0 / moves as f32; moves], wdl, moves_left: None });
        }
        Ok(())
    }
}

#[test]
fn who_counts_captures_has_no_gap_and_who_does_not_has_a_large_one() {
    let probe = chess(ProbeSettings { positions: 60, pairs: 60 });
    let report = |quiet| probe.values(&mut Counter { quiet, answers: Vec::new() }).unwrap();
    let sees = report(Some(QuietMaterial::new()));
    assert!(sees.gap.unwrap().value < 1e-6, "{sees:?}");
    assert!(sees.correlation.unwrap().value > 0.97, "{sees:?}");
    assert_eq!([sees.gap, sees.bias, sees.correlation].map(|measured| measured.unwrap().count), [60; 3]);
    let blind = report(None);
    let (gap, bias) = (blind.gap.unwrap(), blind.bias.unwrap());
    assert!(gap.low > 0.4 && gap.low < gap.value && gap.value < gap.high, "{gap:?}");
    // A capture never lowers the material of who makes it.
    assert!((bias.value - gap.value).abs() < 1e-6, "{bias:?}");
    let correlation = blind.correlation.unwrap();
    assert!(correlation.high < sees.correlation.unwrap().low, "{correlation:?}");
    // An evaluator that says the same everywhere has no correlation.
    let constant = probe.values(&mut Uniform::default()).unwrap();
    assert!(constant.correlation.is_none() && constant.gap.unwrap().value == 0.0, "{constant:?}");
}

#[test]
fn an_untrained_network_blunders_more_than_the_handcrafted_evaluation() {
    let mut probe = chess(SMALL);
    let crafted = Kind::Handcrafted(Knowledge::Full).backend::<Chess>(&Cpu).unwrap();
    for search in [
        SearchSettings { visits: 48, considered: 8, ..SearchSettings::default() },
        SearchSettings { visits: 48, kind: SearchKind::Puct, ..SearchSettings::default() },
    ] {
        let known = blunders(&mut probe, &search, &mut *crafted.evaluator(0).unwrap());
        let unknown = blunders(&mut probe, &search, &mut *network(&Cpu));
        assert!(known.value < unknown.value - 0.1 && unknown.count == 40, "{known:?} {unknown:?}");
    }
}

#[test]
fn a_probe_follows_from_its_seed() {
    let texts = |probe: &Probe<Chess>| {
        let pairs = probe.pairs.iter().flat_map(|pair| [pair.before.position(), pair.after.position()]);
        pairs.chain(probe.positions.iter().map(|position| position.game.position())).collect::<Vec<_>>()
    };
    let mut first = chess(SMALL);
    let mut second = chess(SMALL);
    assert_eq!(texts(&first), texts(&second));
    assert_eq!(texts(&first).len(), 3 * 40);
    assert_ne!(texts(&first), texts(&probe::<Chess>(SMALL, 2).unwrap()));
    // A smaller one has the first positions of a larger one.
    let fewer = chess(ProbeSettings { positions: 7, pairs: 0 });
    assert_eq!(texts(&fewer), texts(&first)[80..87]);
    // What was asked before changes nothing.
    let search = SearchSettings { visits: 8, ..SearchSettings::default() };
    let other = SearchSettings { visits: 4, ..SearchSettings::default() };
    blunders(&mut first, &other, &mut *network(&Cpu));
    assert_eq!(blunders(&mut first, &search, &mut *network(&Cpu)), blunders(&mut second, &search, &mut *network(&Cpu)));
}

#[test]
fn a_game_has_what_its_estimates_allow() {
    assert!(probe::<TicTacToe>(SMALL, 1).is_none() && probe::<Connect4>(SMALL, 1).is_none());
    assert!(probe::<Chess>(ProbeSettings { positions: 0, pairs: 0 }, 1).is_none());
    let few = ProbeSettings { positions: 4, pairs: 4 };
    let hexagonal = probe::<HexChess>(few, 1).unwrap();
    assert_eq!((hexagonal.pairs.len(), hexagonal.positions.len()), (4, 4));
    // No soldier is worth as much as a piece of chess.
    let soldiers = probe::<Headquarters>(few, 1).unwrap();
    assert_eq!((soldiers.pairs.len(), soldiers.positions.len()), (0, 4));
    assert_eq!(soldiers.values(&mut Uniform::default()).unwrap(), ValueReport::default());
}

#[test]
fn a_stopped_probe_has_no_result() {
    let stop = AtomicBool::new(true);
    assert!(Probe::<Chess>::new(&SMALL, &Default::default(), 1, &mut |_, _| {}, &stop).unwrap().is_none());
    let mut probe = chess(ProbeSettings { positions: 4, pairs: 0 });
    let found = probe.blunders(&SearchSettings::default(), &mut *network(&Cpu), &mut |_, _| {}, &stop);
    assert_eq!(found, Ok(None));
}

#[test]
fn an_evaluator_that_fails_or_panics_is_an_error() {
    let mut probe = chess(ProbeSettings { positions: 4, pairs: 4 });
    let panicked = "a thread of the probe panicked: the test wants it";
    for (device, sentence) in [(FailingDevice::after(1), SENTENCE), (FailingDevice::panicking_after(1), panicked)] {
        let mut evaluator = network(&device);
        assert_eq!(probe.values(&mut *evaluator).unwrap_err().to_string(), sentence);
        let failed =
            probe.blunders(&SearchSettings::default(), &mut *evaluator, &mut |_, _| {}, &AtomicBool::new(false));
        assert_eq!(failed.unwrap_err().to_string(), sentence);
    }
}

#[test]
fn the_divergence_of_policies_is_measured_on_records() {
    let record = |number: u64, policy: Vec<(u16, f32)>| {
        let ply = Ply::new(0, policy, Mover(Wdl::DRAW));
        GameRecord::new(number, String::new(), vec![ply], First(Score::DRAW), End::Adjudicated)
    };
    let game = TicTacToe::new(&());
    let mut moves = Vec::new();
    game.generate(&mut moves);
    let codes: Vec<u16> = moves.iter().map(|m| (*m).into()).collect();
    assert_eq!(codes[0], 0);
    let even = || codes.iter().map(|code| (*code, 1.0 / 9.0)).collect();
    let diverge =
        |records: &[GameRecord]| policy_divergence::<TicTacToe>(records, &(), &mut Uniform::default()).unwrap();
    assert_eq!(diverge(&[]), None);
    assert_eq!(diverge(&[record(1, Vec::new())]), None, "a cheap search has no policy");
    assert!(diverge(&[record(1, even())]).unwrap().value < 1e-4);
    let sure = || vec![(codes[4], 1.0)];
    assert!((diverge(&[record(1, sure())]).unwrap().value - 9f64.ln()).abs() < 1e-4);
    let both = diverge(&[record(1, sure()), record(2, even()), record(3, Vec::new())]).unwrap();
    assert!((both.value - 9f64.ln() / 2.0).abs() < 1e-4 && both.count == 2, "{both:?}");
}
