//! Where games begin.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::sync::Arc;

use alfil_game::chess::Chess;
use alfil_game::connect4::Connect4;
use alfil_game::tictactoe::TicTacToe;
use alfil_game::{FullGame, Game, Knowledge, read_rules};
use alfil_search::evaluators::Handcrafted;
use alfil_selfplay::{GameRecord, Lane, LaneContext, SearchSettings, SelfplaySettings, Starts, Tickets};

/// Games of small searches that begin at the start, at endings or after random plies.
fn play<G: FullGame>(starts: Starts, games: u64) -> Vec<GameRecord> {
    play_by::<G>(&G::Rules::default(), (starts, &[]), games)
}

/// The same by these rules, with listed positions to begin from.
fn play_by<G: FullGame>(rules: &G::Rules, (starts, listed): (Starts, &[String]), games: u64) -> Vec<GameRecord> {
    let search = SearchSettings { visits: 2, considered: 2, ..SearchSettings::default() };
    let settings = SelfplaySettings { at_once: 8, search, starts, ..SelfplaySettings::default() };
    let tickets = Arc::new(Tickets::new(games));
    let evaluator = Box::new(Handcrafted::new(Knowledge::Full));
    // There is no file to read the positions from.
    let context = LaneContext::<G>::open(SelfplaySettings::default(), rules.clone(), tickets, 1).unwrap();
    let mut lane = Lane::new(LaneContext { settings, listed: listed.to_vec(), ..context }, evaluator);
    let mut records = Vec::new();
    while lane.is_busy() {
        lane.step(&mut |record| records.push(record)).unwrap();
    }
    let is_played = |record: &GameRecord| record.replay::<G>(rules, |_, _, _| {}).is_some() && !record.plies.is_empty();
    assert!(records.iter().all(is_played));
    records
}

/// The share of games that begin so.
fn share(records: &[GameRecord], begins: impl Fn(&GameRecord) -> bool) -> f64 {
    records.iter().filter(|record| begins(record)).count() as f64 / records.len() as f64
}

#[test]
fn shares_of_games_begin_elsewhere() {
    let listed =
        ["r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1"];
    // The second position is over: nothing begins there.
    let listed = listed.map(str::to_owned).to_vec();
    let starts = Starts { listed_share: 0.25, endings_share: 0.5, ..Starts::default() };
    let records = play_by::<Chess>(&Default::default(), (starts, &listed[..1]), 120);
    assert!((0.15..0.35).contains(&share(&records, |record| record.start == listed[0])));
    assert!((0.15..0.35).contains(&share(&records, |record| record.start.is_empty())));
    let over = Starts { listed_share: 1.0, ..Starts::default() };
    let records = play_by::<Chess>(&Default::default(), (over, &listed[1..]), 3);
    assert_eq!(share(&records, |record| record.start.is_empty()), 1.0);
    assert!(Starts::has_endings::<Chess>(&Default::default()) && !Starts::has_endings::<Connect4>(&()));
    // A game without endings begins at its start.
    let endings = Starts { endings_share: 1.0, ..Starts::default() };
    assert_eq!(share(&play::<Connect4>(endings, 9), |record| record.start.is_empty()), 1.0);
}

#[test]
fn openings_may_be_random_but_never_the_whole_game() {
    let stones = |record: &GameRecord| record.begin::<TicTacToe>(&()).unwrap().ply();
    let records = play::<TicTacToe>(Starts { random_plies: 2, ..Starts::default() }, 200);
    for plies in 0..=2 {
        assert!((0.25..0.42).contains(&share(&records, |record| stones(record) == plies)));
    }
    let records = play::<TicTacToe>(Starts { random_plies: 9, ..Starts::default() }, 50);
    assert!(records.iter().any(|record| stones(record) >= 7));
}

#[test]
fn a_file_of_positions_is_read_or_says_which_line_is_wrong() {
    let path = std::env::temp_dir().join(format!("alfil-starts-{}", std::process::id()));
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Starts::read::<Chess>(&path, &Default::default())
            .map_err(|error| error.to_string().replace(&path.display().to_string(), "FILE"))
    };
    let mate_next = "7k/8/6K1/8/8/8/R7/8 w - - 0 1";
    assert_eq!(read(&format!("# mate\n\n  {mate_next}  \n")).unwrap(), [mate_next]);
    let error = read(&format!("{mate_next}\n8/8 w\n")).unwrap_err();
    assert!(error.starts_with("line 2 of FILE: '8/8 w' is not a chess position: "), "{error}");
    let error = read("\nR6k/8/6K1/8/8/8/8/8 b - - 0 1").unwrap_err();
    assert_eq!(error, "line 2 of FILE: the game is over there (checkmate)");
    assert_eq!(read("# nothing\n").unwrap_err(), "there are no positions in FILE");
    std::fs::remove_file(&path).unwrap();
    assert!(
        Starts::read::<Chess>(&path, &Default::default())
            .unwrap_err()
            .to_string()
            .starts_with("cannot read the positions in ")
    );
}

#[test]
fn chosen_rules_hold_wherever_games_begin() {
    let rules = read_rules::<Chess>("ply_cap=9").unwrap();
    let endings = Starts { endings_share: 0.5, random_plies: 4, ..Starts::default() };
    for starts in [Starts::default(), endings] {
        let records = play_by::<Chess>(&rules, (starts, &[]), 60);
        assert!(records.iter().all(|record| record.plies.len() <= 9));
        assert!(records.iter().any(|record| record.plies.len() == 9));
        assert!(records.iter().all(|record| record.begin::<Chess>(&rules).unwrap().ply_cap() == 9));
    }
}
