//! Mistakes in clusters, and players beside them.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::sync::atomic::AtomicBool;

use alfil_arena::player::LabelSettings;
use alfil_game::Game;
use alfil_game::chess::Chess;
use alfil_game::pgn::PgnGame;
use alfil_insight::chess::{Mistake, Vectors};
use alfil_insight::cluster::KMeans;
use alfil_insight::profile::{Model, Part, Profile, epd, model_page, page, practice, split_half};
use alfil_insight::{Criterion, ErrorRecord, Extracted, Extraction, Limits, Phase, judge_line, read_errors};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Mistakes in games of random moves.
fn mistakes() -> (Vec<ErrorRecord>, Extracted) {
    let folder = std::env::temp_dir().join(format!(
        "alfil-insight-profile-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&folder).unwrap();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut text = Vec::new();
    for _ in 0..12 {
        let mut game = PgnGame::new(Chess::new(&Default::default()));
        let (mut now, mut moves) = (game.start.clone(), Vec::new());
        while game.moves.len() < 50 && now.legal_moves(&mut moves).is_none() {
            let m = moves[random.random_range(0..moves.len())];
            game.moves.push(m);
            now.play(m);
        }
        game.tags = vec![("White".to_owned(), "Ann".to_owned()), ("ECO".to_owned(), "A00".to_owned())];
        game.write(&mut text).unwrap();
    }
    let (files, output) = ([folder.join("random.pgn")], folder.join("errors.csv"));
    std::fs::write(&files[0], text).unwrap();
    let judge =
        judge_line("alphabeta:depth=2", Limits::Short).unwrap().teacher::<Chess>(&LabelSettings::default()).unwrap();
    let extraction = Extraction {
        files: &files,
        rules: Default::default(),
        judge: &judge,
        threads: 2,
        player: None,
        criterion: Criterion::default(),
        skipped_turns: 5,
        output: &output,
    };
    let found = extraction.run(&mut |_| {}, &AtomicBool::new(false)).unwrap();
    let records = read_errors(&output).unwrap();
    assert_eq!(Extracted::read(&output).unwrap(), found);
    std::fs::remove_dir_all(folder).unwrap();
    assert!(records.len() > 60, "{found:?}");
    (records, found)
}

#[test]
fn models_are_read_back_and_classify_alike() {
    let (records, extracted) = mistakes();
    let read: Vec<Mistake<'_>> = records.iter().filter_map(Mistake::read).collect();
    assert_eq!(read.len(), records.len());
    let search = KMeans { groups: 6, starts: 3, seed: 1 };
    let vectors = Vectors::by_hand(&read);
    let fitted = Model::fit(&read, &vectors, &extracted, "random moves".to_owned(), search);
    let again = Model::parse(&fitted.model.text()).unwrap();
    assert_eq!(again, fitted.model);
    assert!(vectors.rows.rows().zip(&fitted.of).all(|(vector, of)| again.cluster(vector) == *of));
    let sizes = &again.base.clusters;
    assert_eq!(sizes.iter().sum::<u64>(), records.len() as u64);
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    let (found, by_chance) = (fitted.differentiation(), fitted.differentiation_by_chance());
    assert!((0.0..=1.0).contains(&found) && found > 1.5 * by_chance && by_chance > 0.0, "{found} {by_chance}");
    assert!(again.clusters.iter().all(|cluster| !cluster.name.is_empty() && !cluster.samples.is_empty()));
    let names: std::collections::BTreeSet<&str> = again.clusters.iter().map(|cluster| cluster.name.as_str()).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    let html = model_page(&fitted, &search.elbow(&fitted.points, [2, 4, 6]));
    assert!(html.contains("How many clusters") && html.contains("class=\"board\"") && !html.contains("NaN"));
    for damage in ["", "{}", "[1]"] {
        assert!(Model::parse(damage).is_err(), "{damage}");
    }
    let text = fitted.model.text();
    assert!(
        Model::parse(&text.replace("\"centres\":[[", "\"centres\":[[1.0,")).unwrap_err().contains("belong together")
    );
    assert!(Model::parse(&text.replace("\"version\":2", "\"version\":9")).unwrap_err().contains("another version"));
}

#[test]
fn players_are_compared_with_the_corpus() {
    let (records, extracted) = mistakes();
    let read: Vec<Mistake<'_>> = records.iter().filter_map(Mistake::read).collect();
    let (vectors, search) = (Vectors::by_hand(&read), KMeans { groups: 4, starts: 2, seed: 1 });
    let model = Model::fit(&read, &vectors, &extracted, "random moves".to_owned(), search).model;
    let same = Profile::new("Ann".to_owned(), &read, &vectors, &extracted, &model);
    assert!(same.weaknesses().is_empty() && same.strengths().is_empty(), "nobody is worse than himself");
    let count = |part| same.part(part).map(|row| row.rate.count).sum::<u64>();
    assert_eq!([count(Part::Phase), count(Part::Piece), count(Part::Cluster)], [extracted.errors; 3]);

    // Somebody who makes as many mistakes in a tenth of the moves of the middlegame.
    let mut weak = extracted.clone();
    let middlegame = weak.phases.get_mut(&Phase::Middlegame).unwrap();
    middlegame.moves = (middlegame.moves / 10).max(middlegame.errors);
    let weak = Profile::new("<Bob>".to_owned(), &read, &vectors, &weak, &model);
    let worst = weak.weaknesses();
    assert_eq!((worst[0].part, worst[0].name.as_str()), (Part::Phase, "middlegame"));
    assert!(worst[0].advice().contains("middlegames"));
    let html = page(&weak, &read, &model);
    assert!(html.contains("What to train next") && html.contains("&lt;Bob&gt;") && !html.contains("NaN"), "{html}");

    // Somebody who makes ten times as many mistakes of all kinds has no weakness but that.
    let mut many = extracted.clone();
    for share in many.phases.values_mut().chain(many.pieces.values_mut()).chain(many.openings.values_mut()) {
        share.moves *= 10;
    }
    many.moves *= 10;
    let strict = Model::fit(&read, &vectors, &many, "careful".to_owned(), search).model;
    let careless = Profile::new("Cy".to_owned(), &read, &vectors, &extracted, &strict);
    let weak: Vec<Part> = careless.weaknesses().iter().map(|row| row.part).collect();
    assert_eq!((weak, careless.strengths().len()), (vec![Part::All], 0));
    let others = careless.rows.iter().filter(|row| row.part != Part::All && row.rate.count > 0);
    assert!(others.into_iter().all(|row| (row.relative() - 1.0).abs() < 1e-6));

    let chosen = practice(&read);
    assert!(chosen.len() == 50.min(chosen.len()) && !chosen.is_empty());
    for (line, mistake) in epd(&chosen).lines().zip(&chosen) {
        let (position, rest) = line.split_once(" bm ").unwrap();
        let position = Chess::from_position(&format!("{position} 0 1"), &Default::default()).unwrap();
        let better = position.parse_move(rest.split(';').next().unwrap()).unwrap();
        assert!(better == mistake.better[0] && better != mistake.played, "{line}");
    }
}

#[test]
fn players_with_other_mistakes_are_told_apart() {
    let (records, extracted) = mistakes();
    let read: Vec<Mistake<'_>> = records.iter().filter_map(Mistake::read).collect();
    let vectors = Vectors::by_hand(&read);
    let search = KMeans { groups: 4, starts: 2, seed: 1 };
    let model = Model::fit(&read, &vectors, &extracted, "random moves".to_owned(), search).model;
    // One who errs early, and one who errs late; and two who play the same games in another order.
    let part = |keep: &dyn Fn(&Mistake<'_>) -> bool| -> Vec<Mistake<'_>> {
        read.iter().filter(|mistake| keep(mistake)).cloned().collect()
    };
    let chance = |one: Vec<Mistake<'_>>, other: Vec<Mistake<'_>>| {
        let [of_one, of_other] = [&one, &other].map(|mistakes| Vectors::by_hand(mistakes));
        split_half(&[(&one, &of_one), (&other, &of_other)], &model, 99, 7)
    };
    let different = chance(part(&|mistake| mistake.record.ply < 25), part(&|mistake| mistake.record.ply >= 25));
    assert_eq!(different.chance, 0.01, "{different:?}");
    let found = &different.distances;
    assert!(found.gap > 0.0 && found.others[0].1 > found.own[0].max(found.own[1]));
    let alike = chance(part(&|mistake| mistake.record.game % 4 < 2), part(&|mistake| mistake.record.game % 4 >= 2));
    assert!(alike.chance > 0.05 && alike.distances.gap < found.gap, "{alike:?}");
}
