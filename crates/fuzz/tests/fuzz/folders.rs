//! Folders and tables that commands go on from: mistakes of games and the clusters that they make, and games that get labels.

use std::sync::atomic::AtomicBool;

use alfil_arena::player::{LabelSettings, PlayerLine};
use alfil_fuzz::{Edit, ITERATIONS, TIME, edited, edited_text, edits};
use alfil_game::chess::Chess;
use alfil_game::tictactoe::TicTacToe;
use alfil_games::{LabelError, Labelling, Make};
use alfil_insight::chess::{Mistake, Vectors};
use alfil_insight::cluster::KMeans;
use alfil_insight::profile::Model;
use alfil_insight::{Criterion, ErrorRecord, Extracted, Extraction, Limits, judge_line, read_errors};
use alfil_selfplay::{chunks, read_chunk};
use bolero::check;

use super::Folder;

/// A game with mistakes of both sides.
const GAME: &str = "[White \"Ann, A\"]\n[Black \"Bob\"]\n[ECO \"A00\"]\n\n1. f3 e5 2. g4 d6 3. Kf2 Qh4+ 4. Kg2 Bxg4 \
    5. fxg4 Qxg4+ 6. Kf2 Nf6 7. h3 Ne4+ 8. Ke1 Qg3# 0-1\n\n";

/// The mistakes of that game, as a table in this folder.
fn extract(folder: &Folder) -> (Extracted, String, Vec<ErrorRecord>) {
    let (files, output) = ([folder.file("games.pgn")], folder.file("errors.csv"));
    std::fs::write(&files[0], GAME.repeat(3)).unwrap();
    let judge = judge_line("alphabeta:depth=2", Limits::Short).unwrap();
    let judge = judge.teacher::<Chess>(&LabelSettings::default()).unwrap();
    let extraction = Extraction {
        files: &files,
        rules: Default::default(),
        judge: &judge,
        threads: 1,
        player: None,
        criterion: Criterion::default(),
        skipped_turns: 0,
        output: &output,
    };
    let extracted = extraction.run(&mut |_| {}, &AtomicBool::new(false)).unwrap();
    (extracted, std::fs::read_to_string(&output).unwrap(), read_errors(&output).unwrap())
}

#[test]
fn tables_of_mistakes_and_their_models() {
    let folder = Folder::new("mistakes");
    let (extracted, table, records) = extract(&folder);
    let mistakes: Vec<Mistake<'_>> = records.iter().filter_map(Mistake::read).collect();
    assert!(mistakes.len() > 5, "{table}");
    let search = KMeans { groups: 2, starts: 1, seed: 1 };
    let vectors = Vectors::by_hand(&mistakes);
    let model = Model::fit(&mistakes, &vectors, &extracted, "a game".to_owned(), search).model.text();
    let path = folder.file("edited.csv");
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        std::fs::write(&path, edited(table.as_bytes(), edits)).unwrap();
        match read_errors(&path) {
            Ok(records) => assert!(records.iter().filter_map(Mistake::read).count() <= records.len()),
            Err(why) => assert!(why.to_string().chars().all(|c| !c.is_control()), "{why}"),
        }
    });
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        if let Ok(model) = Model::parse(&edited_text(&model, edits)) {
            assert!(vectors.rows.rows().all(|vector| model.cluster(vector) < 2));
            assert_eq!(Model::parse(&model.text()).unwrap().text(), model.text());
        }
    });
}

/// A labelling that was interrupted goes on from whatever is there, to the labels of one that was not, or it is refused.
#[test]
fn unfinished_labellings() {
    let folder = Folder::new("labels");
    let (games, labels) = (folder.file("games"), folder.file("labels"));
    let unfinished = folder.file("labels.unfinished");
    let never = AtomicBool::new(false);
    Make::<TicTacToe> { rules: (), games: 4, seed: 1, folder: &games }.run(&mut |_| {}, &never).unwrap();
    let label = |stop: &AtomicBool| {
        let (settings, games, folder) = (LabelSettings::default(), &*games, &*labels);
        let teacher = "alphabeta:depth=1".parse::<PlayerLine>().unwrap().teacher::<TicTacToe>(&settings).unwrap();
        let labelling = Labelling { games, rules: (), teacher: &teacher, settings, share: 1.0, threads: 1, folder };
        labelling.run(&mut |_| {}, stop)
    };
    let records = || {
        let paths = chunks(&labels).unwrap().into_iter();
        paths.flat_map(|path| read_chunk::<TicTacToe>(&path).unwrap()).collect::<Vec<_>>()
    };
    label(&never).unwrap();
    let whole = records();
    std::fs::remove_dir_all(&labels).unwrap();
    assert!(matches!(label(&AtomicBool::new(true)), Err(LabelError::Stopped { .. })));
    let summary = std::fs::read(unfinished.join("label.json")).unwrap();
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        std::fs::create_dir_all(&unfinished).unwrap();
        std::fs::write(unfinished.join("label.json"), edited(&summary, edits)).unwrap();
        match label(&never) {
            Ok(_) => {
                assert_eq!(records(), whole);
                std::fs::remove_dir_all(&labels).unwrap();
            }
            Err(why) => assert!(why.to_string().chars().all(|c| !c.is_control()), "{why}"),
        }
    });
}
