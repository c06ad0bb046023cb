//! Lanes, records and chunks.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use alfil_nn::Cpu;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use alfil_game::chess::Chess;
use alfil_game::connect4::Connect4;
use alfil_game::tictactoe::TicTacToe;
use alfil_game::{FullGame, Game, Knowledge, Mover, Score, Wdl};
use alfil_search::Evaluator;
use alfil_search::evaluators::{Cache, CacheMemory, Handcrafted, Kind, Rollout, Uniform};
use alfil_selfplay::{
    Cheap, ChunkHeader, End, Gallery, GameRecord, Lane, LaneContext, Resign, SearchKind, SearchSettings,
    SelfplaySettings, Session, Surprise, Temperature, Tickets, chunks, next_number, read_chunk, read_header,
    write_chunk,
};

const GUMBEL: SearchSettings = SearchSettings {
    kind: SearchKind::Gumbel,
    visits: 16,
    considered: 8,
    visits_per_move: 2,
    gumbel_scale: 1.0,
    gumbel_rescale: false,
    noise_share: 0.25,
    noise_alpha: 1.0,
    forced: 2.0,
};
const PUCT: SearchSettings = SearchSettings { kind: SearchKind::Puct, visits: 40, ..GUMBEL };

fn play<G: FullGame>(
    settings: SelfplaySettings,
    evaluator: Box<dyn Evaluator<G>>,
    games: usize,
    seed: u64,
) -> (Vec<GameRecord>, Lane<G>) {
    let context = LaneContext::open(settings, G::Rules::default(), Arc::new(Tickets::endless()), seed).unwrap();
    let mut lane = Lane::new(context, evaluator);
    let mut records = Vec::new();
    while records.len() < games {
        lane.step(&mut |record| records.push(record)).unwrap();
    }
    (records, lane)
}

fn small(search: SearchSettings) -> SelfplaySettings {
    SelfplaySettings {
        at_once: 8,
        search,
        temperature: Temperature { plies: 6, ..Temperature::ALPHA_ZERO },
        ..SelfplaySettings::default()
    }
}

/// Every record is a whole game of its kind, with policies that add up to 1.
fn check<G: FullGame>(records: &[GameRecord]) {
    for record in records {
        let mut plies = 0;
        record
            .replay::<G>(&G::Rules::default(), |_, moves, ply| {
                plies += 1;
                let shares = ply.policy(moves).unwrap();
                assert!(!ply.has_policy() || (shares.iter().sum::<f32>() - 1.0).abs() < 1e-3);
                let Mover(Wdl { win, draw, loss }) = ply.wdl();
                assert!(win >= 0.0 && draw >= 0.0 && loss >= 0.0 && (win + draw + loss - 1.0).abs() < 1e-5);
            })
            .unwrap();
        assert_eq!(plies, record.plies.len());
        let mut game: G = record.begin(&G::Rules::default()).unwrap();
        for ply in &record.plies {
            assert!(game.outcome().is_none(), "nothing is played after the end");
            game.play(ply.code.try_into().ok().unwrap());
        }
        match record.end {
            End::Rules => assert_eq!(game.outcome().unwrap().score, record.score()),
            _ => assert!(game.outcome().is_none()),
        }
    }
}

#[test]
fn games_of_every_kind_are_whole() {
    for search in [GUMBEL, PUCT] {
        let (records, lane) = play::<TicTacToe>(small(search), Box::new(Rollout::new(1, 1)), 60, 2);
        check::<TicTacToe>(&records);
        let counts = lane.counts();
        assert_eq!(counts.games as usize, records.len());
        assert_eq!(counts.results.iter().sum::<u64>(), counts.games);
        assert_eq!(counts.positions as usize, records.iter().map(|record| record.plies.len()).sum::<usize>());
        assert!(counts.evaluations > counts.positions && counts.policies == counts.positions);
        assert!(counts.mean_entropy() > 0.0 && counts.mean_entropy() < 9f64.ln());
        assert!(counts.mean_length() >= 5.0 && counts.mean_length() <= 9.0);
        let (records, _) = play::<Connect4>(small(search), Box::new(Rollout::new(1, 1)), 20, 2);
        check::<Connect4>(&records);
        // The first positions are about even, but random games are hardly ever drawn.
        let draws = records.iter().map(|record| record.plies[0].wdl().0.draw).fold(0.0, f32::max);
        assert!(draws < 0.1, "{draws}");
    }
    check::<Chess>(&play::<Chess>(small(GUMBEL), Box::new(Handcrafted::new(Knowledge::Full)), 8, 2).0);
}

#[test]
fn a_lane_whose_games_may_not_begin_yet_ends_those_under_way_and_waits() {
    let tickets = Arc::new(Tickets::limited(5.., 3));
    let mut lane = Lane::new(
        LaneContext::<TicTacToe>::open(small(GUMBEL), (), Arc::clone(&tickets), 1).unwrap(),
        Box::new(Uniform::default()),
    );
    let mut numbers = Vec::new();
    for (allowed, games) in [(0, 3), (10, 13)] {
        tickets.allow(allowed);
        lane.step(&mut |record| numbers.push(record.number)).unwrap();
        while !lane.is_waiting() {
            lane.step(&mut |record| numbers.push(record.number)).unwrap();
        }
        let batches = lane.counts().batches;
        lane.step(&mut |record| numbers.push(record.number)).unwrap();
        assert!(lane.is_busy() && lane.counts().batches == batches);
        numbers.sort_unstable();
        assert_eq!(numbers, (5..5 + games).collect::<Vec<u64>>());
    }
}

#[test]
fn hits_of_a_cache_are_counted() {
    let cache = Cache::new(Uniform::default(), Arc::new(CacheMemory::new(1 << 20, 9)));
    let counts = play::<TicTacToe>(small(GUMBEL), Box::new(cache), 60, 2).1.counts();
    assert!(counts.cache_share() > 0.3 && counts.cache_hits < counts.evaluations, "{counts:?}");
    assert!(counts.mean_batch() <= 8.0);
    let (_, lane) = play::<TicTacToe>(small(GUMBEL), Box::new(Uniform::default()), 10, 2);
    assert_eq!(lane.counts().cache_hits, 0);
}

#[test]
fn the_same_seed_gives_the_same_games() {
    let games = |seed| play::<Connect4>(small(PUCT), Box::new(Rollout::new(1, 7)), 12, seed).0;
    assert_eq!(games(5), games(5));
    assert_ne!(games(5), games(6));
}

#[test]
fn good_searches_draw_tic_tac_toe() {
    let draws = |visits| {
        let search = SearchSettings { visits, considered: 9, ..GUMBEL };
        let (records, _) = play::<TicTacToe>(small(search), Box::new(Rollout::new(2, 3)), 100, 4);
        records.iter().filter(|record| record.score().0 == Score::DRAW).count() as f64 / records.len() as f64
    };
    let (few, many) = (draws(2), draws(200));
    assert!(few < 0.35 && many > 0.5, "{few} {many}");
}

#[test]
fn temperature_makes_games_differ() {
    // How many different first four plies 40 games have.
    let openings = |search, temperature| {
        let settings = SelfplaySettings { temperature, ..small(search) };
        let (records, _) = play::<Connect4>(settings, Box::new(Handcrafted::new(Knowledge::Full)), 40, 5);
        let first: HashSet<Vec<u16>> =
            records.iter().map(|record| record.plies.iter().take(4).map(|ply| ply.code).collect()).collect();
        first.len()
    };
    let quiet = SearchSettings { noise_share: 0.0, forced: 0.0, ..PUCT };
    assert_eq!(openings(quiet, Temperature::NONE), 1, "only the temperature is random");
    assert!(openings(quiet, Temperature::ALPHA_ZERO) > 20);
    let fading = Temperature { first: 0.75, plies: 0, last: 0.15, half_life: 19.0 };
    assert!(openings(quiet, fading) > 20);
    // Gumbel search has its own noise, but takes the best of what it draws.
    let weak = SearchSettings { visits: 8, considered: 2, gumbel_scale: 0.02, ..GUMBEL };
    assert!(openings(weak, Temperature::ALPHA_ZERO) > 20);
    assert!(openings(weak, Temperature::NONE) > 1);
}

#[test]
fn cheap_searches_leave_no_policy() {
    let cheap = Cheap { share: 0.75, visits: 8, ..Cheap::default() };
    let (records, _) = play::<Connect4>(SelfplaySettings { cheap, ..small(PUCT) }, Box::new(Uniform::default()), 40, 5);
    check::<Connect4>(&records);
    let (mut with, mut all) = (0, 0);
    for ply in records.iter().flat_map(|record| &record.plies) {
        with += u32::from(ply.has_policy());
        all += 1;
    }
    assert!((0.2..0.3).contains(&(f64::from(with) / f64::from(all))), "{with} of {all}");
}

#[test]
fn surprising_positions_are_copied() {
    for search in [GUMBEL, PUCT] {
        let cheap = Cheap { share: 0.3, visits: 8, ..Cheap::default() };
        let settings = SelfplaySettings { surprise: Surprise { share: 0.5 }, cheap, ..small(search) };
        let records = play::<Connect4>(settings.clone(), Box::new(Handcrafted::new(Knowledge::Full)), 60, 5).0;
        let plies = || records.iter().flat_map(|record| &record.plies);
        let mean = plies().map(|ply| f64::from(ply.copies)).sum::<f64>() / plies().count() as f64;
        assert!((mean - 1.0).abs() < 0.05, "{mean}");
        assert!(plies().any(|ply| ply.copies >= 3) && plies().any(|ply| ply.copies == 0));
        assert!(plies().filter(|ply| !ply.has_policy()).all(|ply| ply.copies == 1));
        // All priors are the same here: the sharper the policy, the larger the surprise.
        let largest = |copies: fn(u8) -> bool| {
            let shares = plies().filter(|ply| ply.has_policy() && copies(ply.copies));
            let largest = shares.map(|ply| ply.shares().fold(0.0, f32::max));
            let (sum, count) = largest.fold((0.0, 0.0), |(sum, count), share| (sum + share, count + 1.0));
            sum / count
        };
        assert!(largest(|copies| copies >= 2) > largest(|copies| copies == 0), "{search:?}");
        let off = SelfplaySettings { surprise: Surprise::default(), ..settings };
        let records = play::<Connect4>(off, Box::new(Handcrafted::new(Knowledge::Full)), 10, 5).0;
        assert!(records.iter().flat_map(|record| &record.plies).all(|ply| ply.copies == 1));
    }
}

#[test]
fn hopeless_games_are_resigned_except_some() {
    let resign = Resign { below: -0.6, moves: 2, play_through: 0.3 };
    let settings = SelfplaySettings { resign, ..small(PUCT) };
    let (records, lane) = play::<Connect4>(settings, Box::new(Rollout::new(4, 5)), 120, 6);
    check::<Connect4>(&records);
    let counts = lane.counts();
    println!("{counts:?}");
    assert!(counts.resigned > 10 && counts.played_through > 5, "{counts:?}");
    assert!(counts.false_resignations <= counts.played_through);
    assert_eq!(records.iter().filter(|record| record.end == End::Resigned).count() as u64, counts.resigned);
}

#[test]
fn chunks_keep_games_and_detect_any_damage() {
    let folder = std::env::temp_dir().join(format!("alfil-selfplay-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("chunk");
    let (records, _) = play::<TicTacToe>(small(GUMBEL), Box::new(Rollout::new(1, 1)), 20, 2);
    write_chunk::<TicTacToe>(&path, &records).unwrap();
    assert_eq!(read_chunk::<TicTacToe>(&path).unwrap(), records);
    let positions = records.iter().map(|record| record.plies.len() as u64).sum();
    let header = read_header(&path).unwrap();
    assert_eq!(header, ChunkHeader { games: records.len() as u64, positions, ..header });
    let error = read_chunk::<Chess>(&path).unwrap_err().to_string();
    assert!(error.ends_with("they are games of tictactoe, not of chess"), "{error}");
    let bytes = std::fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&path, &damaged).unwrap();
        assert!(read_chunk::<TicTacToe>(&path).unwrap_err().is_damage(), "byte {at}");
        let header = read_header(&path).map_err(|error| error.is_damage());
        assert_eq!(header.err(), (at < 60).then_some(true), "byte {at}");
    }
    // Another version of the program writes other contents.
    let mut other = bytes.clone();
    (other[8], other[70]) = (other[8] + 1, other[70] ^ 1);
    std::fs::write(&path, &other).unwrap();
    for error in [read_chunk::<TicTacToe>(&path).unwrap_err(), read_header(&path).unwrap_err()] {
        assert!(!error.is_damage() && error.to_string().contains("by a newer alfil, in version 5"), "{error}");
    }
    let longer = [&bytes[..], &[0]].concat();
    for length in [0, 7, 59, 60, bytes.len() - 1, bytes.len() + 1] {
        std::fs::write(&path, &longer[..length]).unwrap();
        assert!(read_chunk::<TicTacToe>(&path).is_err(), "{length} bytes");
        assert!(read_header(&path).is_err(), "{length} bytes");
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(write_chunk::<TicTacToe>(&path, &records).is_err());
}

#[test]
fn a_chess_position_takes_less_than_100_bytes() {
    let folder = std::env::temp_dir().join(format!("alfil-selfplay-size-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for search in [GUMBEL, SearchSettings { visits: 100, noise_alpha: 0.3, forced: 0.0, ..PUCT }] {
        let (records, _) = play::<Chess>(small(search), Box::new(Handcrafted::new(Knowledge::Full)), 8, 3);
        let path = folder.join("chunk");
        write_chunk::<Chess>(&path, &records).unwrap();
        let positions: usize = records.iter().map(|record| record.plies.len()).sum();
        let each = std::fs::metadata(&path).unwrap().len() as f64 / positions as f64;
        println!("{each:.1} bytes per position");
        assert!(each < 100.0, "{each}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn only_a_folder_that_is_not_there_counts_as_empty() {
    let path = std::env::temp_dir().join(format!("alfil-selfplay-list-{}", std::process::id()));
    assert!(chunks(&path).unwrap().is_empty());
    assert_eq!(next_number::<TicTacToe>(&path).unwrap(), 0);
    std::fs::write(&path, "").unwrap();
    let error = next_number::<TicTacToe>(&path).unwrap_err().to_string();
    assert!(error.starts_with("cannot list the games in "), "{error}");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_session_plays_as_many_games_as_asked_and_goes_on_in_the_same_folder() {
    let folder = std::env::temp_dir().join(format!("alfil-session-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let backend = Kind::Rollout(1).backend::<TicTacToe>(&Cpu).unwrap();
    let stop = AtomicBool::new(false);
    let mut told = 0;
    for (games, seed) in [(300, 1), (50, 2)] {
        let first = next_number::<TicTacToe>(&folder).unwrap();
        let tickets = Arc::new(Tickets::of(first..first + games));
        let session = Session {
            context: LaneContext::open(small(GUMBEL), (), tickets, seed).unwrap(),
            lanes: 2,
            backend: &*backend,
            stop: &stop,
            folder: &folder,
        };
        let counts = session.run(&mut |_| told += 1).unwrap();
        assert_eq!(counts.games, games);
    }
    let records: Vec<GameRecord> =
        chunks(&folder).unwrap().iter().flat_map(|path| read_chunk::<TicTacToe>(path).unwrap()).collect();
    assert_eq!(records.iter().map(|record| record.number).collect::<HashSet<_>>().len(), 350);
    assert_eq!(next_number::<TicTacToe>(&folder).unwrap(), 350);
    assert!(told > 0 && chunks(&folder).unwrap().len() >= 3);
    check::<TicTacToe>(&records);
    std::fs::remove_dir_all(&folder).unwrap();
    // A folder that is not there stops it with an error, not with lost games.
    let tickets = Arc::new(Tickets::new(10));
    let session = Session {
        context: LaneContext::open(small(GUMBEL), (), tickets, 1).unwrap(),
        lanes: 2,
        backend: &*backend,
        stop: &stop,
        folder: &folder,
    };
    assert!(session.run(&mut |_| {}).is_err());
}

#[test]
fn games_that_are_watched_are_those_that_are_recorded_and_watching_changes_nothing() {
    let gallery = Arc::new(Gallery::default());
    let settings = small(PUCT);
    let context = LaneContext::<Connect4>::open(settings.clone(), (), Arc::new(Tickets::new(12)), 5);
    let context = LaneContext { gallery: Some(Arc::clone(&gallery)), ..context.unwrap() };
    let (mut lane, mut records, mut watched) =
        (Lane::new(context, Box::new(Uniform::default())), Vec::new(), Vec::new());
    while lane.is_busy() {
        lane.step(&mut |record| records.push(record)).unwrap();
        watched.extend(gallery.games().into_iter().filter(|game| game.result.is_some()));
    }
    watched.sort_by_key(|game| game.number);
    watched.dedup_by_key(|game| game.number);
    assert!(watched.len() >= 4, "{}", watched.len());
    for game in &watched {
        let record = records.iter().find(|record| record.number == game.number).unwrap();
        let mut position: Connect4 = record.begin(&Default::default()).unwrap();
        assert_eq!(game.start, position.position());
        let mut texts = Vec::new();
        for ply in &record.plies {
            let m = ply.code.try_into().unwrap();
            texts.push(position.move_text(m));
            position.play(m);
        }
        assert_eq!((&game.moves, game.result), (&texts, Some(record.score().0.points())));
        assert_eq!(game.expected.len(), texts.len());
        let search = game.search.as_ref().unwrap();
        assert!((search.wdl.iter().sum::<f32>() - 1.0).abs() < 1e-3 && !search.moves.is_empty(), "{search:?}");
    }
    let (unwatched, _) = play::<Connect4>(settings, Box::new(Uniform::default()), 12, 5);
    for record in records {
        let other = unwatched.iter().find(|other| other.number == record.number);
        assert!(other.is_none_or(|other| *other == record));
    }
}
