//! Games reviewed, and mistakes extracted from them, by small players and by Stockfish.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_arena::player::{Entrant, LabelSettings};
use alfil_game::chess::Chess;
use alfil_game::connect4::Connect4;
use alfil_game::pgn::PgnReader;
use alfil_game::{FullGame, Game, Side};
use alfil_insight::review::{GameReview, annotated, page};
use alfil_insight::{Class, Criterion, Extraction, InsightError, Limits, PlayerName, Review, judge_line, read_errors};

/// Legal's mate, with a comment and an old evaluation; a game that a blunder decides, by a player who is asked for; and one that
/// cannot be read.
const GAMES: &str = "[Event \"A\"]\n[White \"Legal, Kermur\"]\n[Black \"Saint Brie\"]\n[Result \"1-0\"]\n[ECO \"C41\"]\n\n\
    1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 {[%eval 0.3] a pin} 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n\n\
    [White \"Ada\"]\n[Black \"Legal, K.\"]\n[Result \"0-1\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1\n\n\
    [White \"Ada\"]\n[Black \"Bob\"]\n\n1. e4 Ke4 *\n\n\
    [White \"Bob\"]\n[Black \"Ada\"]\n[Result \"*\"]\n\n1. f3 e5 2. g4 d6 *\n";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("alfil-insight-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn judge<G: FullGame>(line: &str) -> Entrant<G> {
    judge_line(line, Limits::Short).unwrap().teacher(&LabelSettings::default()).unwrap()
}

fn review<G: FullGame>(files: &[PathBuf], line: &str, player: Option<&str>) -> Vec<GameReview<G>> {
    let judge = judge(line);
    let player = player.map(|name| name.parse().unwrap());
    let review = Review { files, rules: Default::default(), judge: &judge, threads: 2, player };
    let mut told = 0;
    let reviewed = review.run(&mut |progress| told = progress.games, &AtomicBool::new(false)).unwrap();
    assert!(!reviewed.is_stopped);
    assert_eq!(told, reviewed.games.len() as u64);
    reviewed.games
}

#[test]
fn blunders_are_found_and_belong_to_the_right_side() {
    let folder = Folder::new("blunders");
    let files = [folder.write("games.pgn", GAMES)];
    let games = review::<Chess>(&files, "alphabeta:depth=3", None);
    assert_eq!(games.iter().map(|game| game.number).collect::<Vec<_>>(), [1, 2, 4], "one cannot be read");
    let legal = &games[0];
    assert_eq!(legal.move_name(9), "5...Bxd1");
    let fool = &games[2];
    let (opens, misses) = (&fool.moves[2], &fool.moves[3]);
    assert_eq!((opens.class, opens.side), (Some(Class::Blunder), Side::First), "{opens:?}");
    assert!(matches!(opens.after, alfil_arena::player::MoveScore::Loss(_)), "mate follows: {opens:?}");
    assert_eq!((misses.class, fool.turning_point), (Some(Class::MissedMate), Some(3)), "{misses:?}");
    assert_eq!(fool.sides[0].all.class(Class::Blunder), 1);
    assert_eq!(legal.sides.each_ref().map(|side| side.all.moves), [7, 6]);
    assert!(legal.moves[12].class.is_none(), "mate is no mistake");

    let ada = review::<Chess>(&files, "alphabeta:depth=2", Some("legal"));
    assert_eq!(ada.len(), 2);
    for (game, side) in ada.iter().zip([Side::First, Side::Second]) {
        assert!(game.moves.iter().all(|judged| judged.class.is_none() || judged.side == side));
        assert_eq!(game.sides.each_ref().map(|side| side.is_asked), [side == Side::First, side == Side::Second]);
    }
}

/// Reads games, and writes how many errors, variations and evaluations the first has, and its moves.
const PROGRAM: &str = "
import sys, chess.pgn, io
text = io.StringIO(sys.stdin.read())
while True:
    game = chess.pgn.read_game(text)
    if game is None: break
    nodes = list(game.mainline())
    print(len(game.errors), sum(len(n.variations) > 1 for n in [game] + nodes), sum(n.eval() is not None for n in nodes),
          sum(len(n.nags) for n in nodes), game.end().board().fen(), game.headers['Annotator'], sep='|')
";

#[test]
fn annotated_games_are_read_by_python_chess_and_by_us() {
    let folder = Folder::new("annotated");
    let files = [folder.write("games.pgn", GAMES)];
    let games = review::<Chess>(&files, "alphabeta:depth=3", None);
    let text: String = games.iter().map(|game| annotated(game, "Alfil")).collect();
    assert!(!text.contains("0.3]") && text.contains("{a pin}"), "old evaluations go, comments stay: {text}");
    let again: Vec<_> = PgnReader::<Chess, _>::new(text.as_bytes()).map(Result::unwrap).collect();
    for (game, again) in games.iter().zip(&again) {
        assert_eq!((&game.game.moves, game.game.result), (&again.moves, again.result));
    }
    let python = Command::new("python3").args(["-c", "import chess.pgn"]).stderr(Stdio::null()).status();
    if !python.is_ok_and(|status| status.success()) {
        return alfil_skipped::skip("annotated games under python-chess", "python-chess (pip install chess)");
    }
    let mut child =
        Command::new("python3").args(["-c", PROGRAM]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(said.lines().count(), games.len(), "{said}");
    for (line, game) in said.lines().zip(&games) {
        let classes = game.moves.iter().filter(|judged| judged.class.is_some()).count();
        let variations = game.moves.iter().filter(|judged| judged.class.is_some() && !judged.better.is_empty()).count();
        // A game that is over has no evaluation.
        let evaluations = game.moves.len() - usize::from(game.game.end().outcome().is_some());
        let end = game.game.end().position();
        assert_eq!(line, format!("0|{variations}|{evaluations}|{classes}|{end}|Alfil"), "{text}");
        assert!(classes > 0);
    }
}

#[test]
fn games_other_than_chess_are_reviewed() {
    let folder = Folder::new("connect4");
    let files =
        [folder.write("games.pgn", "[Variant \"connect4\"]\n[Result \"1-0\"]\n\n1. 4 1 2. 4 1 3. 4 2 4. 4 1-0\n")];
    let games = review::<Connect4>(&files, "alphabeta:depth=5", None);
    let game = &games[0];
    assert_eq!(game.sides.each_ref().map(|side| side.name.as_str()), Connect4::SIDES);
    assert!(game.moves[5].side == Side::Second && game.moves[4].class.is_none(), "{:?}", game.moves[4]);
    let html = page(&games, "alpha-beta");
    assert!(html.contains("</html>") && html.contains("<svg class=\"board\""));
    let text = annotated(game, "Alfil");
    let again = PgnReader::<Connect4, _>::new(text.as_bytes()).next().unwrap().unwrap();
    assert_eq!(again.moves, game.game.moves);
}

#[test]
fn pages_are_whole_and_hostile_names_stay_text() {
    let folder = Folder::new("page");
    let hostile = GAMES.replace("Saint Brie", "<script>alert(1)</script>");
    let games = review::<Chess>(&[folder.write("games.pgn", &hostile)], "alphabeta:depth=2", None);
    let html = page(&games, "<b>judge</b>");
    assert!(!html.contains("<script") && !html.contains("<b>judge"), "{html}");
    assert!(html.contains("&lt;script&gt;") && !html.contains("NaN") && !html.contains("http"), "{html}");
    for (id, count) in
        [("<section>", "</section>"), ("<article", "</article>"), ("<table>", "</table>"), ("<svg", "</svg>")]
    {
        assert_eq!(html.matches(id).count(), html.matches(count).count(), "{id}");
    }
}

#[test]
fn interrupted_extractions_go_on_to_the_same_table() {
    let folder = Folder::new("extract");
    let files = [folder.write("a.pgn", &GAMES.repeat(3)), folder.write("b.pgn", GAMES)];
    let judge = judge::<Chess>("alphabeta:depth=2");
    let extraction = |output: &PathBuf, files: &[PathBuf], threshold: i32, stop: &AtomicBool, most: u64| {
        let extraction = Extraction {
            files,
            rules: Default::default(),
            judge: &judge,
            threads: 2,
            player: Some(PlayerName::new("Ada", false)),
            criterion: Criterion { threshold, is_literal: false },
            skipped_turns: 1,
            output,
        };
        extraction.run(&mut |progress| stop.store(progress.games >= most, Relaxed), stop)
    };
    let [whole, parts] = ["whole.csv", "parts.csv"].map(|name| folder.0.join(name));
    let found = extraction(&whole, &files, 50, &AtomicBool::new(false), u64::MAX).unwrap();
    // Of each copy, two games of Ada's: 6 moves after the first turn, and 1.
    assert_eq!((found.games, found.moves, found.unreadable), (8, 28, 4));
    assert!(found.errors > 4 && found.positions > found.moves, "{found:?}");
    let errors = read_errors(&whole).unwrap();
    assert_eq!(errors.len() as u64, found.errors);
    assert!(errors.iter().all(|error| error.player == "Ada" && error.loss > 50));

    let stopped = extraction(&parts, &files, 50, &AtomicBool::new(false), 3).unwrap_err();
    assert!(matches!(stopped, InsightError::Stopped { .. }), "{stopped}");
    assert!(!parts.exists());
    let other = extraction(&parts, &files, 80, &AtomicBool::new(false), u64::MAX).unwrap_err().to_string();
    assert!(other.contains("(criterion is {"), "{other}");
    // A killed process may leave half a line.
    let unfinished = folder.0.join("parts.csv.unfinished");
    let mut torn = std::fs::read(&unfinished).unwrap();
    torn.extend_from_slice(b"{\"game\":4,\"mo");
    std::fs::write(&unfinished, torn).unwrap();
    assert_eq!(extraction(&parts, &files, 50, &AtomicBool::new(false), u64::MAX).unwrap(), found);
    assert_eq!(std::fs::read(&parts).unwrap(), std::fs::read(&whole).unwrap());
    assert!(!unfinished.exists());

    // A process that is killed once the table is there leaves the unfinished file as well: the next one tidies up.
    let killed = folder.0.join("killed.csv");
    let left = folder.0.join("killed.csv.unfinished");
    let mut last = Vec::new();
    let mut keep = |_| last = std::fs::read(&left).unwrap();
    let whole_run = |tell: &mut dyn FnMut(alfil_insight::ExtractionProgress)| {
        Extraction {
            files: &files,
            rules: Default::default(),
            judge: &judge,
            threads: 2,
            player: Some(PlayerName::new("Ada", false)),
            criterion: Criterion::default(),
            skipped_turns: 1,
            output: &killed,
        }
        .run(tell, &AtomicBool::new(false))
    };
    assert_eq!(whole_run(&mut keep).unwrap(), found);
    std::fs::write(&left, &last).unwrap();
    let other = extraction(&killed, &files, 80, &AtomicBool::new(false), u64::MAX).unwrap_err();
    assert!(matches!(other, InsightError::Exists(_)) && left.exists(), "another extraction's file stays: {other}");
    assert_eq!(whole_run(&mut |_| panic!("nothing is judged again")).unwrap(), found);
    assert!(killed.exists() && !left.exists());
    assert!(matches!(whole_run(&mut |_| {}).unwrap_err(), InsightError::Exists(_)));

    let again = extraction(&parts, &files, 50, &AtomicBool::new(false), u64::MAX).unwrap_err();
    assert!(matches!(again, InsightError::Exists(_)));
    let none = extraction(&folder.0.join("c.csv"), &[folder.0.join("none.pgn")], 50, &AtomicBool::new(false), u64::MAX);
    assert!(none.unwrap_err().to_string().starts_with("cannot read"));
}

#[test]
fn moves_after_a_draw_that_nobody_claimed_are_no_mistakes() {
    let folder = Folder::new("drawn");
    // The position after the first moves occurs for the third time before g4, which allows mate.
    let text = "1. f3 e5 2. Nh3 Be7 3. Ng1 Bf8 4. Nh3 Be7 5. Ng1 Bf8 6. g4 Qh4# 0-1\n";
    let files = [folder.write("games.pgn", &format!("[Result \"0-1\"]\n\n{text}"))];
    let game = &review::<Chess>(&files, "alphabeta:depth=2", None)[0];
    let g4 = &game.moves[10];
    assert_eq!((g4.class, g4.before, g4.lost()), (None, g4.after, 0.0));
    assert!(matches!(g4.after, alfil_arena::player::MoveScore::Loss(_)) && g4.better.is_empty());
    let judge = judge::<Chess>("alphabeta:depth=2");
    let output = folder.0.join("errors.csv");
    let extraction = Extraction {
        files: &files,
        rules: Default::default(),
        judge: &judge,
        threads: 1,
        player: None,
        criterion: Criterion::default(),
        skipped_turns: 5,
        output: &output,
    };
    let found = extraction.run(&mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert_eq!((found.games, found.moves, found.errors), (1, 1, 0), "only the mate counts");
}

#[test]
fn stockfish_finds_the_mates() {
    let judge = judge_line("uci:stockfish,depth=10", Limits::Short).unwrap();
    if judge.missing().is_some() {
        return alfil_skipped::skip("a review by an engine", "stockfish");
    }
    let folder = Folder::new("stockfish");
    let legal = GAMES.split("[White \"Ada\"]").next().unwrap();
    let games = review::<Chess>(&[folder.write("games.pgn", legal)], "uci:stockfish,depth=10", None);
    let taken = &games[0].moves[9];
    assert_eq!(taken.after, alfil_arena::player::MoveScore::Loss(3));
    assert!(taken.reply.len() >= 3, "the whole line: {taken:?}");
}
