//! The promises of a match.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_arena::contest::{Archive, Match, MatchEnd, MatchSettings, Record, Who};
use alfil_arena::opening::Openings;
use alfil_arena::player::{Choice, Entrant, Played, Player, PlayerError, TreeSettings};
use alfil_arena::stats::{Decision, Sprt};
use alfil_game::chess::Chess;
use alfil_game::connect4::Connect4;
use alfil_game::pgn::PgnReader;
use alfil_game::tictactoe::{self, TicTacToe};
use alfil_game::{Game, Mover, Outcome, Score, Tablebase, play_line};
use alfil_nn::{Architecture, Cpu, Network};
use alfil_search::Adjudicator;
use alfil_search::evaluators::Kind;
use common::{Folder, entrant, play, settings};

fn none() -> Archive {
    Archive::default()
}

#[test]
fn the_oracle_never_loses() {
    let (oracle, random) = (entrant::<TicTacToe>("oracle"), entrant("random"));
    let (_, report) = play(&oracle, &random, settings(60, 2), none()).unwrap();
    assert_eq!((report.games(), report.losses, report.ended), (60, 0, Some(MatchEnd::Played)));
    assert!(report.wins > 30, "{}", report.wins);
    let (_, report) = play(&random, &oracle, settings(60, 2), none()).unwrap();
    assert_eq!(report.wins, 0);
}

#[test]
fn searches_beat_the_random_player() {
    for line in ["uct:rollouts=200", "alphabeta:depth=4", "handcrafted:visits=100", "uct:rollouts=100,temperature=0.5"]
    {
        let (_, report) = play(&entrant::<Connect4>(line), &entrant("random"), settings(20, 2), none()).unwrap();
        assert!(report.wins >= 18, "{line}: {report}");
    }
}

#[test]
fn networks_play_without_a_file_too() {
    type Encoding = tictactoe::Stones;
    let network = Network::random::<Encoding>(Architecture::new::<Encoding>("8x1".parse().unwrap()), 1);
    let kind = Kind::Network(network.into());
    let settings_of = |visits| TreeSettings { visits: Some(visits), ..TreeSettings::default() };
    let candidate = Entrant::<TicTacToe>::tree("candidate", "1", &kind, &Cpu, settings_of(300)).unwrap();
    let raw = Entrant::tree("raw", "2", &kind, &Cpu, settings_of(1)).unwrap();
    let (_, report) = play(&candidate, &raw, settings(20, 2), none()).unwrap();
    assert!(report.wins > report.losses, "{report}");
    assert!(Entrant::<Chess>::tree("x", "x", &kind, &Cpu, TreeSettings::default()).is_err());
}

#[test]
fn every_opening_is_played_with_both_colours() {
    let (pairs, report) =
        play(&entrant::<Connect4>("alphabeta:depth=2"), &entrant("random"), settings(11, 1), none()).unwrap();
    assert_eq!((report.games(), pairs.len()), (12, 6), "rounded up to whole pairs");
    for (number, pair) in pairs.iter().enumerate() {
        assert_eq!(pair.each_ref().map(|record| record.pair), [number as u64; 2]);
        assert_eq!(pair.each_ref().map(|record| record.first), [Who::A, Who::B]);
        let opening = |record: &Record| record.moves.split(' ').take(record.book).collect::<Vec<_>>().join(" ");
        assert_eq!(opening(&pair[0]), opening(&pair[1]));
        for record in pair {
            let mut game = Connect4::from_position(&record.start, &()).unwrap();
            let moves = play_line(&mut game, &record.moves).unwrap();
            assert_eq!(record.notes.len(), moves.len() - record.book);
            let first = game.outcome().unwrap().score.0.points();
            assert_eq!(record.score, if record.first == Who::A { first } else { 1.0 - first }, "from A's side");
            // Alpha-beta, which is A, has an opinion on each of its moves; the random player has none.
            let a_moves_at = usize::from(record.first == Who::B);
            for (at, note) in record.notes.iter().enumerate() {
                assert_eq!(note.contains('/'), (record.book + at) % 2 == a_moves_at, "{record:?}");
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_games_on_any_number_of_threads() {
    let games = |seed, concurrency, a: &str, b: &str| {
        let settings = MatchSettings { seed, ..settings(16, concurrency) };
        let (pairs, _) = play(&entrant::<Connect4>(a), &entrant(b), settings, none()).unwrap();
        pairs.iter().flatten().map(|record| record.moves.clone()).collect::<Vec<_>>()
    };
    let (a, b) = ("uct:rollouts=40,temperature=1", "handcrafted:visits=30,temperature=1");
    let once = games(1, 1, a, b);
    assert_eq!(once, games(1, 3, a, b));
    assert_ne!(once, games(2, 1, a, b));
    assert_ne!(games(1, 1, "random", "random"), once);
}

#[test]
fn a_decided_test_ends_the_match() {
    let sprt = Some(Sprt { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05 });
    let play_it = |concurrency| {
        let settings = MatchSettings { sprt, ..settings(2000, concurrency) };
        play(&entrant::<TicTacToe>("oracle"), &entrant("random"), settings, none()).unwrap().1
    };
    let report = play_it(1);
    assert_eq!(report.ended, Some(MatchEnd::Decided));
    assert!(report.games() < 1000, "{}", report.games());
    assert!(matches!(report.sprt.unwrap().1.decision, Some(Decision::AcceptH1)));
    assert_eq!(report.json()["sprt"]["decision"], "H1");
    let other = play_it(3);
    assert_eq!((report.pairs, report.wins), (other.pairs, other.wins), "the decision is made at the same pair");
}

#[test]
fn a_match_can_be_stopped() {
    let (a, b) = (entrant::<TicTacToe>("random"), entrant("random:name=other"));
    let stop = AtomicBool::new(false);
    let mut openings = Openings::random(1, &());
    let contest = Match {
        a: &a,
        b: &b,
        openings: &mut openings,
        settings: settings(1_000_000, 2),
        adjudicator: Adjudicator::default(),
        archive: none(),
    };
    let report = contest.run(&mut |progress| stop.store(progress.report.games() >= 10, Relaxed), &stop).unwrap();
    assert_eq!(report.ended, Some(MatchEnd::Stopped));
    assert!((10..10_000).contains(&report.games()));
}

/// Plays a move that is not legal once the game is a few plies old, and is not ready for every third game.
#[derive(Default)]
struct Cheat {
    games: u32,
}

impl Player<TicTacToe> for Cheat {
    fn new_game(&mut self, _: u64) -> Result<(), PlayerError> {
        self.games += 1;
        if self.games.is_multiple_of(3) { Err(PlayerError::Start("not today".to_owned())) } else { Ok(()) }
    }

    fn choose(
        &mut self,
        game: &Played<TicTacToe>,
        _: &dyn Fn() -> bool,
    ) -> Result<Choice<tictactoe::Cell>, PlayerError> {
        let mut moves = Vec::new();
        game.now().legal_moves(&mut moves);
        let m = if game.moves().len() > 3 { game.moves()[0] } else { moves[0] };
        Ok(Choice { m, opinion: None })
    }
}

#[test]
fn a_player_who_breaks_the_rules_loses_and_the_match_goes_on() {
    let cheat = Entrant::new("cheat", "cheat", || Box::<Cheat>::default());
    let (pairs, report) = play(&entrant::<TicTacToe>("random"), &cheat, settings(12, 1), none()).unwrap();
    assert_eq!((report.games(), report.wins, report.faults.len()), (12, 12, 12));
    assert_eq!(report.faults[2].1.what, "it could not be started: not today");
    assert!(report.faults[0].1.what.contains("which is not a legal move"));
    assert!(pairs.iter().flatten().all(|record| record.fault.as_ref().unwrap().by == Who::B));
    let text = report.to_string();
    assert!(text.contains("B lost 12 games by crashing, stalling or an illegal move"), "{text}");
}

#[test]
fn chess_games_are_written_as_pgn() {
    let folder = Folder::new("pgn");
    let path = folder.file("games.pgn");
    let archive = Archive { journal: Some(folder.file("journal")), pgn: Some(path.clone()) };
    let (a, b) = (entrant::<Chess>("alphabeta:depth=2,name=Al \"Quoted\""), entrant("random"));
    let (pairs, report) = play(&a, &b, settings(8, 2), archive.clone()).unwrap();
    let games: Vec<_> = PgnReader::<Chess, _>::new(std::fs::File::open(&path).unwrap()).map(Result::unwrap).collect();
    assert_eq!(games.len(), 8);
    for (game, record) in games.iter().zip(pairs.iter().flatten()) {
        assert_eq!(game.moves.len(), record.moves.split(' ').count());
        assert_eq!(game.end().outcome().unwrap().score, game.result.unwrap());
        let white = if record.first == Who::A { "Al \"Quoted\"" } else { "random" };
        assert_eq!(game.tag("White"), Some(white));
        assert_eq!(game.comments.len(), record.notes.len());
        assert!(game.comments.last().unwrap().1.ends_with(&record.end));
    }
    // The same command again plays nothing and changes nothing.
    let before = std::fs::read(&path).unwrap();
    let (again, second) = play(&a, &b, settings(8, 2), archive.clone()).unwrap();
    assert_eq!((again.len(), second.resumed, second.pairs), (0, 8, report.pairs));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // A longer match goes on; a truncated file is completed.
    std::fs::write(&path, &before[..before.len() / 2]).unwrap();
    let (more, _) = play(&a, &b, settings(12, 2), archive.clone()).unwrap();
    assert_eq!(more.len(), 2);
    let after = std::fs::read(&path).unwrap();
    assert!(
        after.starts_with(&before) && PgnReader::<Chess, _>::new(after.as_slice()).map(Result::unwrap).count() == 12
    );
    // Other games are not overwritten.
    std::fs::write(&path, "my precious games").unwrap();
    let error = play(&a, &b, settings(12, 2), archive).unwrap_err();
    assert!(error.to_string().contains("holds other games"), "{error}");
    let journal = path.with_extension("other");
    let fresh = Archive { journal: Some(journal.clone()), pgn: Some(path.clone()) };
    play(&a, &b, settings(2, 1), fresh).unwrap_err();
    assert!(!journal.exists());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "my precious games");
}

#[test]
fn every_game_can_be_written_as_pgn() {
    let folder = Folder::new("pgn-connect4");
    let archive = Archive { journal: None, pgn: Some(folder.file("games.pgn")) };
    let (a, b) = (entrant::<Connect4>("alphabeta:depth=2"), entrant("random"));
    let (pairs, _) = play(&a, &b, settings(6, 1), archive).unwrap();
    let text = std::fs::read_to_string(folder.file("games.pgn")).unwrap();
    assert_eq!(text.matches("[Variant \"connect4\"]").count(), 6, "{text}");
    let games: Vec<_> = PgnReader::<Connect4, _>::new(text.as_bytes()).map(Result::unwrap).collect();
    for (game, record) in games.iter().zip(pairs.iter().flatten()) {
        let moves = play_line(&mut game.start.clone(), &record.moves).unwrap();
        assert_eq!((&game.moves, game.end().outcome().unwrap().score), (&moves, game.result.unwrap()));
    }
}

/// Tables that call every game a draw after ten plies.
struct TenPlies;

impl Tablebase<Connect4> for TenPlies {
    fn files(&self) -> usize {
        1
    }

    fn outcome(&self, game: &Connect4) -> Option<Outcome> {
        (game.ply() >= 10).then(|| Outcome::draw("ten plies"))
    }

    fn best_move(&self, _: &Connect4) -> Option<(<Connect4 as Game>::Move, Mover<Score>)> {
        None
    }
}

#[test]
fn an_adjudicator_ends_games_early() {
    let (a, b) = (entrant::<Connect4>("random"), entrant("random"));
    let adjudicator = Adjudicator::with_tables(Arc::new(TenPlies));
    let mut openings = Openings::random(3, &());
    let (settings, archive) = (settings(20, 2), none());
    let contest = Match { a: &a, b: &b, openings: &mut openings, settings, adjudicator, archive };
    let mut ends = Vec::new();
    let report = contest.run(
        &mut |progress| ends.extend(progress.pair.into_iter().flatten().map(|record| record.end.clone())),
        &AtomicBool::new(false),
    );
    assert!(report.unwrap().draws >= 18, "{ends:?}");
    assert!(ends.iter().filter(|end| *end == "ten plies").count() >= 18);
}

#[test]
fn a_tree_search_stops_when_it_is_told_to() {
    let mut player = entrant::<Chess>("handcrafted:visits=2000000").player().unwrap();
    let stopped = player.choose(&Played::new(Chess::new(&Default::default())), &|| true);
    assert_eq!(stopped, Err(PlayerError::Stopped));
}
