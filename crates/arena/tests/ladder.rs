//! A ladder rates many and remembers.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use alfil_arena::contest::ContestError;
use alfil_arena::ladder::{Ladder, Newcomer, SavedLadder, Standings, svg};
use alfil_arena::opening::Openings;
use alfil_core::disk::faults;
use alfil_core::lines::{seal, unseal};
use alfil_game::FullGame;
use alfil_game::connect4::Connect4;
use alfil_game::tictactoe::TicTacToe;
use common::{Folder, entrant};

fn climb<G: FullGame>(lines: &[&str], games: u64, state: Option<&Path>) -> Result<Standings, ContestError> {
    ladder::<G>(lines, games, state).run(&mut |_| {}, &AtomicBool::new(false))
}

fn ladder<G: FullGame>(lines: &[&str], games: u64, state: Option<&Path>) -> Ladder<G> {
    Ladder {
        players: lines.iter().map(|line| entrant::<G>(line)).collect(),
        anchor: 0,
        anchor_elo: 100.0,
        games,
        newcomer: None,
        concurrency: 2,
        seed: 1,
        openings: Openings::random(1, &G::Rules::default()),
        state: state.map(Path::to_owned),
    }
}

fn names(standings: &Standings) -> Vec<&str> {
    standings.rows.iter().map(|row| row.name.as_str()).collect()
}

#[test]
fn stronger_players_are_rated_higher() {
    let lines = ["random", "uct:rollouts=20", "uct:rollouts=400"];
    let standings = climb::<Connect4>(&lines, 40, None).unwrap();
    assert_eq!(names(&standings), ["uct:rollouts=400", "uct:rollouts=20", "random"], "{standings}");
    let anchor = &standings.rows[2];
    assert!(anchor.anchor && anchor.rating.elo == 100.0);
    assert!(standings.rows.iter().all(|row| row.rating.low <= row.rating.elo && row.rating.elo <= row.rating.high));
    assert_eq!(standings.played, 80);
    assert_eq!(standings.rows.iter().map(|row| row.games).sum::<u64>(), 160);
    assert_eq!(standings.rows.iter().map(|row| row.points).sum::<f64>(), 80.0);
    assert!(standings.to_string().lines().all(|line| line.chars().count() <= 80), "{standings}");
    assert_eq!(svg(&standings).matches("<circle").count(), 3);
    assert_eq!(standings.json()["players"][2]["elo"], 100.0);
}

#[test]
fn players_who_join_later_play_and_the_others_do_not_play_again() {
    let folder = Folder::new("ladder");
    let path = folder.file("state");
    let first = climb::<TicTacToe>(&["random", "oracle"], 20, Some(&path)).unwrap();
    assert_eq!(first.played, 20);
    assert_eq!(climb::<TicTacToe>(&["random", "oracle"], 20, Some(&path)).unwrap().played, 0);
    let before = std::fs::read_to_string(&path).unwrap();
    let three = ["random", "oracle:name=renamed", "uct:rollouts=10", "uct:rollouts=10,name=the same"];
    let joined = climb::<TicTacToe>(&three, 20, Some(&path)).unwrap();
    assert_eq!((joined.played, joined.rows.len()), (20, 3));
    let after = std::fs::read_to_string(&path).unwrap();
    assert!(after.starts_with(&before));
    assert!(after[before.len()..].lines().filter(|line| line.contains("uct")).count() >= 5, "{after}");
    // Results of other players are kept, and count in all ratings.
    let two = climb::<TicTacToe>(&["random", "oracle"], 20, Some(&path)).unwrap();
    assert!((20..=40).contains(&two.rows[0].games) && two.played == 0);
    let rating = |standings: &Standings, name: &str| {
        standings.rows.iter().find(|row| row.name == name).map(|row| row.rating.elo).unwrap()
    };
    assert!((rating(&two, "oracle") - rating(&joined, "renamed")).abs() < 1e-6);
    let [(identity, absent)] = &two.absent[..] else { panic!("{:?}", two.absent) };
    assert!(identity.starts_with("uct:rollouts=10"), "{identity}");
    assert!((absent.elo - rating(&joined, "uct:rollouts=10")).abs() < 1e-6);
    // A truncated last line is dropped, the rest is kept.
    std::fs::write(&path, &after[..after.len() - 3]).unwrap();
    assert_eq!(climb::<TicTacToe>(&three, 20, Some(&path)).unwrap().played, 2);
    let error = climb::<Connect4>(&["random"], 20, Some(&path)).unwrap_err().to_string();
    assert!(error.contains("belongs to a ladder of tictactoe"), "{error}");
    std::fs::write(&path, "shopping list\n").unwrap();
    climb::<TicTacToe>(&["random"], 20, Some(&path)).unwrap_err();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "shopping list\n");
}

#[test]
fn an_interrupted_ladder_ends_like_an_uninterrupted_one() {
    let folder = Folder::new("interrupted");
    let path = folder.file("state");
    let lines = ["random", "uct:rollouts=4", "uct:rollouts=20", "oracle"];
    // Blocks of three pairs, except the last.
    let climb = || Ladder { concurrency: 3, ..ladder::<TicTacToe>(&lines, 27, Some(&path)) };
    let climb = || climb().run(&mut |_| {}, &AtomicBool::new(false)).unwrap();
    climb();
    let whole = std::fs::read_to_string(&path).unwrap();
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let meetings: Vec<&str> = whole.lines().collect();
    for cut in (2..meetings.len()).rev() {
        // The last pair has not been finished, or the one before it, which another thread was playing.
        for missing in [cut, cut - 1] {
            let kept = meetings[..=cut].iter().enumerate().filter(|(number, _)| *number != missing);
            let kept: String = kept.map(|(_, line)| format!("{line}\n")).collect();
            std::fs::write(&path, kept).unwrap();
            climb();
            let resumed = std::fs::read_to_string(&path).unwrap();
            assert_eq!(sorted(&resumed), sorted(&whole), "cut at {cut} without {missing}");
        }
    }
}

#[test]
fn games_of_others_do_not_replace_those_of_a_player_who_joins() {
    let folder = Folder::new("joins");
    let path = folder.file("state");
    climb::<TicTacToe>(&["random", "oracle"], 60, Some(&path)).unwrap();
    let three = ["random", "oracle", "uct:rollouts=10"];
    let joined = climb::<TicTacToe>(&three, 20, Some(&path)).unwrap();
    let newcomer = joined.rows.iter().find(|row| row.name == three[2]).unwrap();
    assert_eq!((joined.played, newcomer.games, newcomer.known), (10, 10, true), "{joined}");
    assert_eq!(climb::<TicTacToe>(&three, 20, Some(&path)).unwrap().played, 0);
}

/// The opponents of a player and the games against them, as the state file has them.
fn opponents(path: &Path, player: &str) -> BTreeMap<String, u64> {
    let mut games = BTreeMap::new();
    for line in std::fs::read_to_string(path).unwrap().lines().skip(1) {
        let line: serde_json::Value = serde_json::from_str(&unseal(line).unwrap().0).unwrap();
        let [a, b] = ["a", "b"].map(|key| line[key].as_str().unwrap().to_owned());
        if a == player || b == player {
            *games.entry(if a == player { b } else { a }).or_default() += 2;
        }
    }
    games
}

#[test]
fn a_newcomer_plays_where_it_tells_most() {
    let folder = Folder::new("newcomer");
    let lines = ["random", "uct:rollouts=20", "uct:rollouts=400", "uct:rollouts=402"];
    for like in [None, Some(2)] {
        let path = folder.file(&format!("state-{like:?}"));
        climb::<Connect4>(&lines[..3], 40, Some(&path)).unwrap();
        let before = std::fs::read_to_string(&path).unwrap();
        let newcomer = Some(Newcomer { player: 3, like });
        let ladder = Ladder { newcomer, ..ladder::<Connect4>(&lines, 40, Some(&path)) };
        let standings = ladder.run(&mut |_| {}, &AtomicBool::new(false)).unwrap();
        assert_eq!(standings.played, 40);
        assert_eq!(standings.covariances.len(), 4);
        for (number, row) in standings.rows.iter().enumerate() {
            let half = 1.959_964 * standings.covariances[number][number].sqrt();
            assert!((row.rating.high - row.rating.elo - half).abs() < 1e-3, "{standings}");
        }
        let games = opponents(&path, lines[3]);
        let against = |player: &str| games.get(player).copied().unwrap_or(0);
        // Random loses nearly every game. Without a guess it takes one block to find that out.
        assert!(against(lines[0]) < against(lines[1]).min(against(lines[2])), "{games:?}");
        assert!(like.is_none() || against(lines[0]) == 0, "{games:?}");
        let after = std::fs::read_to_string(&path).unwrap();
        assert!(after.starts_with(&before) && after[before.len()..].lines().all(|line| line.contains(lines[3])));
    }
}

#[test]
fn players_who_have_not_met_the_anchor_are_unknown() {
    let stopped =
        ladder::<TicTacToe>(&["random", "oracle"], 20, None).run(&mut |_| {}, &AtomicBool::new(true)).unwrap();
    let text = stopped.to_string();
    assert!(text.contains("      -        unknown      0      -\n"), "{text}");
    assert!(text.ends_with("0 games played now\nstopped before the end\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let json = stopped.json();
    assert!(json["players"][1]["elo"].is_null() && json["players"][0]["elo"] == 100.0 && json["stopped"] == true);
}

#[test]
fn one_player_alone_needs_no_games() {
    let standings = climb::<TicTacToe>(&["random", "random"], 20, None).unwrap();
    assert_eq!((standings.played, names(&standings)), (0, vec!["random"]));
}

#[test]
fn a_ladder_stops_at_the_first_result_that_it_cannot_keep() {
    let folder = Folder::new("full");
    let path = folder.file("state");
    let mut pairs = 0;
    climb::<TicTacToe>(&["random", "oracle"], 2, Some(&path)).unwrap();
    // The disk is full for the moment of the next result.
    let faults = faults::inject(&folder.0, 3, false);
    let stop = AtomicBool::new(false);
    let error =
        ladder::<TicTacToe>(&["random", "oracle"], 40, Some(&path)).run(&mut |_| pairs += 1, &stop).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot write {}: {}", path.display(), faults::SENTENCE));
    assert_eq!(faults.failed().unwrap().operation, "write all of");
    drop(faults);
    assert_eq!(pairs, 0, "it went on");
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
    assert_eq!(climb::<TicTacToe>(&["random", "oracle"], 40, Some(&path)).unwrap().played, 38);
}

#[test]
fn numbers_that_no_ladder_can_have_are_damage() {
    let folder = Folder::new("absurd");
    let path = folder.file("state");
    climb::<TicTacToe>(&["random", "oracle"], 20, Some(&path)).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let last = unseal(text.lines().last().unwrap()).unwrap().0;
    let of = &last[last.find("\"of\":").unwrap()..];
    for (from, to) in [(of, "\"of\":1000000}"), (of, "\"of\":18446744073709551615}"), ("\"pair\":", "\"pair\":999999")]
    {
        std::fs::write(&path, text.replace(&seal(&last), &seal(&last.replace(from, to)))).unwrap();
        let error = climb::<TicTacToe>(&["random", "oracle"], 20, Some(&path)).unwrap_err().to_string();
        assert!(error.starts_with("line 11 of ") && error.ends_with(" is damaged"), "{error}");
    }
}

#[test]
fn the_state_file_tells_the_ratings_while_the_ladder_goes_on() {
    let folder = Folder::new("saved-ladder");
    let path = folder.file("ladder");
    let lines = ["random", "uct:rollouts=20", "uct:rollouts=200"];
    let standings = climb::<Connect4>(&lines, 20, Some(&path)).unwrap();
    let saved = SavedLadder::read(&path).unwrap().unwrap();
    assert_eq!((saved.game(), saved.games()), ("connect4", standings.played));
    let rows = saved.rows().unwrap();
    for (row, of) in rows.iter().zip(&standings.rows) {
        // The anchor has 0 Elo instead of 100.
        assert!((row.rating.elo + 100.0 - of.rating.elo).abs() < 1e-6, "{row:?} {of:?}");
        assert_eq!((row.games, row.points, row.anchor, row.known), (of.games, of.points, of.anchor, of.known));
    }
    assert_eq!(rows.len(), 3);
    std::fs::write(&path, "{\"alfil-match\":2}\n").unwrap();
    assert!(SavedLadder::read(&path).unwrap().is_none());
}
