//! Runs of tic-tac-toe over a real server. Each test has a server of its own.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alfil_fleet::{Address, Ended, FleetError, Trainer, drain, forgive, status};
use alfil_game::tictactoe::{Stones, TicTacToe};
use alfil_game::{Game, Mover, Wdl};
use alfil_selfplay::{GameRecord, Ply, pack_chunk, unpack_chunk};
use alfil_train::run::Metrics;
use alfil_train::{Config, Finish, RunDirectory};
use common::client::{Client, capture};
use common::{Folder, HangingDevice, Server, Worker, config, machine, numbers, train, window};

fn trainer(server: &Server) -> Trainer {
    trainer_at(&server.address())
}

/// The server may just be away.
fn trainer_at(address: &Address) -> Trainer {
    loop {
        match Trainer::connect(address.clone(), "test", "home", Box::new(|_| {})) {
            Ok(trainer) => return trainer,
            Err(FleetError::Connect { .. } | FleetError::Server { .. }) => {
                std::thread::sleep(Duration::from_millis(100))
            }
            Err(why) => panic!("{why}"),
        }
    }
}

fn never() -> Arc<AtomicBool> {
    Arc::default()
}

/// The promise of a fleet: where a game is played makes no difference.
#[test]
fn a_run_of_a_fleet_is_the_run_of_one_machine() {
    let Some(server) = Server::start("a_run_of_a_fleet_is_the_run_of_one_machine") else { return };
    let (alone, together) = (Folder::new("alone"), Folder::new("together"));
    assert_eq!(train(&alone.0, config(&[]), machine(false, None), &never()), Finish::Complete);
    let workers = ["one", "two", "three"].map(|name| Worker::start(server.address(), name));
    let fleet = machine(false, Some(trainer(&server)));
    assert_eq!(train(&together.0, config(&[]), fleet, &never()), Finish::Complete);
    for worker in workers {
        assert_eq!(worker.stop().unwrap(), Ended::Stopped);
    }
    // Every game is the same, bit by bit, and so is the network after two generations with their gates.
    assert_eq!(window(&alone.0), window(&together.0));
    assert_eq!(numbers(&together.0), Vec::from_iter(0..80));
    let metrics = |folder: &Folder| Metrics::load(&RunDirectory::new(&folder.0)).unwrap();
    let (alone, together) = (metrics(&alone), metrics(&together));
    for (one, many) in alone.iter().zip(&together) {
        assert_eq!((one.promoted, one.learning.window), (many.promoted, many.learning.window));
        assert_eq!(one.selfplay.results, many.selfplay.results);
        assert_eq!(one.gate.as_ref().map(|gate| gate.results), many.gate.as_ref().map(|gate| gate.results));
        let elo = |metrics: &Metrics| metrics.rating.as_ref().map(|rating| (rating.games, rating.elo.to_bits()));
        assert_eq!(elo(one), elo(many));
        let fleet = many.fleet.as_ref().unwrap();
        assert_eq!(fleet.workers.values().map(|worker| worker.games).sum::<u64>(), 40);
        assert!(fleet.workers.values().map(|worker| worker.pairs).sum::<u64>() > 0, "gate and rating");
        assert_eq!((fleet.stale_share, fleet.workers.values().map(|worker| worker.refused).sum::<u64>()), (0.0, 0));
    }
}

/// What ends in the middle of a run, and is there again.
#[derive(Clone, Copy)]
enum Fault {
    Worker,
    Trainer,
    Server,
    /// The server with all that it has stored.
    Store,
}

const FAULTS: [Fault; 6] = [Fault::Worker, Fault::Server, Fault::Trainer, Fault::Store, Fault::Trainer, Fault::Server];

/// Faults of all parts, one after the other, and still the run of one machine.
#[test]
fn faults_change_nothing() {
    let Some(mut server) = Server::start("faults_change_nothing") else { return };
    let settings = ["selfplay.games=300", "selfplay.visits=24", "gate.games=40", "rating.every=0"];
    let (alone, together) = (Folder::new("faultless"), Folder::new("faulty"));
    assert_eq!(train(&alone.0, config(&settings), machine(false, None), &never()), Finish::Complete);

    let stop = never();
    let address = server.address();
    let mut lame = Some(Worker::start(address.clone(), "lame"));
    let lasting = Worker::start(address.clone(), "lasting");
    std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let mut trained = 0;
            loop {
                // Whoever stops the trainer has it started again.
                let finish = train(&together.0, config(&settings), machine(false, Some(trainer_at(&address))), &stop);
                trained += 1;
                if finish == Finish::Complete || trained > 6 {
                    return (finish, trained);
                }
                stop.store(false, Relaxed);
            }
        });
        let mut round = 0;
        while !run.is_finished() {
            std::thread::sleep(Duration::from_millis(1500));
            match FAULTS.get(round) {
                Some(Fault::Worker) => {
                    lame.take().map(Worker::stop);
                    lame = Some(Worker::start(address.clone(), &format!("lame-{round}")));
                }
                Some(Fault::Server) => {
                    server.kill();
                    server.go_on();
                }
                Some(Fault::Trainer) => stop.store(true, Relaxed),
                Some(Fault::Store) => server.lose_everything(),
                None => {}
            }
            round += 1;
        }
        assert_eq!(run.join().unwrap().0, Finish::Complete);
    });
    lame.take().map(Worker::stop);
    lasting.stop().unwrap();
    assert_eq!(window(&alone.0), window(&together.0));
    assert_eq!(numbers(&together.0), Vec::from_iter(0..600));
}

/// Somebody who has a worker's password and sends what is not a result.
#[test]
fn whoever_sends_nonsense_is_shut_out() {
    let Some(server) = Server::start("whoever_sends_nonsense_is_shut_out") else { return };
    let settings = ["generations=1", "rating.every=0", "gate.kind=none", "fleet.replay_share=1", "fleet.strikes=1"];
    let (first, second) = (Folder::new("honest"), Folder::new("attacked"));
    let (captured, client) = capture(&server, || {
        let worker = Worker::start(server.address(), "honest");
        let fleet = machine(false, Some(trainer(&server)));
        assert_eq!(train(&first.0, config(&settings), fleet, &never()), Finish::Complete);
        worker.stop().unwrap();
    });
    assert!(!captured.is_empty());

    // The same run again, which nobody plays for at first: what comes first is wrong.
    let send = |worker: &str, change: &dyn Fn(&[u8]) -> Vec<u8>| {
        for (number, message) in captured.iter().enumerate() {
            let mut headers = message.headers.clone().unwrap();
            // Otherwise the server knows it as what has been sent before.
            headers.insert("Nats-Msg-Id", format!("{worker}-{number}"));
            client.publish(&format!("alfil.result.games.{worker}"), Some(headers), change(&message.payload));
        }
    };
    let said = Arc::new(Mutex::new(Vec::new()));
    let sayings = Arc::clone(&said);
    let say = Box::new(move |text: &str| sayings.lock().unwrap().push(text.to_owned()));
    let fleet = Trainer::connect(server.address(), "test", "home", say).unwrap();
    let flip = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        *bytes.last_mut().unwrap() ^= 1;
        bytes
    };
    send("flips", &flip);
    send("cuts", &|bytes| bytes[..bytes.len() / 2].to_vec());
    send("talks", &|_| b"hello".to_vec());
    // Whole chunks of legal games that were not played like this.
    let altered = |change: fn(&mut GameRecord)| {
        move |bytes: &[u8]| {
            let mut games = unpack_chunk::<TicTacToe>(bytes).unwrap();
            games.iter_mut().for_each(change);
            pack_chunk::<TicTacToe>(&games).unwrap()
        }
    };
    send("moves", &altered(|game| game.plies[1].code = game.plies[0].code));
    send("ends", &altered(|game| drop(game.plies.pop())));
    send("begins", &altered(|game| game.start = "xo......./x".to_owned()));
    // Last: numbers that are being judged are not looked at twice.
    send("cheats", &altered(|game| game.plies[0].copies = 7));
    let worker = Worker::start(server.address(), "late");
    assert_eq!(train(&second.0, config(&settings), machine(false, Some(fleet)), &never()), Finish::Complete);
    worker.stop().unwrap();
    assert_eq!(window(&first.0), window(&second.0));
    let metrics = Metrics::load(&RunDirectory::new(&second.0)).unwrap().remove(0).fleet.unwrap();
    for liar in ["flips", "cuts", "talks", "moves", "ends", "begins"] {
        assert!(metrics.workers[liar].refused >= 1 && metrics.workers[liar].games == 0, "{liar}: {metrics:?}");
    }
    assert_eq!((metrics.workers["late"].games, metrics.replayed), (40, 40));
    let said = said.lock().unwrap();
    let is_said = |words: &str| said.iter().any(|text| text.contains(words));
    assert!(is_said("the worker cheats is shut out: game") && is_said("goes on in another way"), "{said:?}");
    // Nor can they come back.
    for liar in ["cheats", "flips"] {
        let why = Worker::start(server.address(), liar).end().unwrap_err().to_string();
        assert!(why.starts_with("the run has shut out this worker"), "{why}");
    }
}

/// What is delivered twice, in another order, or from another run counts once or not at all.
#[test]
fn duplicates_and_strangers_do_not_count() {
    let Some(server) = Server::start("duplicates_and_strangers_do_not_count") else { return };
    let settings = ["generations=1", "rating.every=0", "gate.kind=none"];
    let (first, second, third) = (Folder::new("once"), Folder::new("twice"), Folder::new("other"));
    let (captured, client) = capture(&server, || {
        let worker = Worker::start(server.address(), "honest");
        let fleet = machine(false, Some(trainer(&server)));
        assert_eq!(train(&first.0, config(&settings), fleet, &never()), Finish::Complete);
        worker.stop().unwrap();
    });
    for message in captured.iter().rev().chain(&captured) {
        let mut headers = message.headers.clone().unwrap();
        headers.insert("Nats-Msg-Id", format!("{:?}", std::time::Instant::now()));
        client.publish("alfil.result.games.echo", Some(headers), message.payload.to_vec());
    }
    // All that is needed is there already.
    let fleet = machine(false, Some(trainer(&server)));
    assert_eq!(train(&second.0, config(&settings), fleet, &never()), Finish::Complete);
    assert_eq!(window(&first.0), window(&second.0));
    let metrics = Metrics::load(&RunDirectory::new(&second.0)).unwrap().remove(0).fleet.unwrap();
    assert_eq!(metrics.workers["echo"].games, 40);
    // To a run with another seed they are nothing, and nobody's fault.
    let settings = [&settings[..], &["seed=2"]].concat();
    let worker = Worker::start(server.address(), "honest");
    let fleet = machine(false, Some(trainer(&server)));
    assert_eq!(train(&third.0, config(&settings), fleet, &never()), Finish::Complete);
    worker.stop().unwrap();
    assert_ne!(window(&first.0), window(&third.0));
    let metrics = Metrics::load(&RunDirectory::new(&third.0)).unwrap().remove(0).fleet.unwrap();
    assert_eq!(metrics.workers.keys().collect::<Vec<_>>(), ["honest"]);
}

#[test]
fn games_go_on_while_the_network_learns() {
    let Some(server) = Server::start("games_go_on_while_the_network_learns") else { return };
    for stale_share in ["0", "1"] {
        let folder = Folder::new("overlap");
        let bound = format!("fleet.stale_share={stale_share}");
        // Each generation takes ten seconds: games that do not fill a chunk are kept that long before they are written.
        let settings = ["generations=2", "gate.kind=none", "rating.every=0", "selfplay.games=60", &bound];
        let workers = ["one", "two"].map(|name| Worker::start(server.address(), name));
        let fleet = machine(true, Some(trainer(&server)));
        assert_eq!(train(&folder.0, config(&settings), fleet, &never()), Finish::Complete);
        for worker in workers {
            assert_eq!(worker.stop().unwrap(), Ended::Stopped);
        }
        let numbers = numbers(&folder.0);
        assert!(numbers.len() >= 120 && numbers.windows(2).all(|two| two[0] < two[1]), "{numbers:?}");
        for metrics in Metrics::load(&RunDirectory::new(&folder.0)).unwrap() {
            let fleet = metrics.fleet.unwrap();
            assert!(fleet.stale_share <= stale_share.parse().unwrap(), "{fleet:?}");
        }
    }
}

#[test]
fn a_worker_that_is_sent_home_finishes_what_it_has_begun() {
    let Some(server) = Server::start("a_worker_that_is_sent_home_finishes_what_it_has_begun") else { return };
    let folder = Folder::new("drain");
    // More games than are ever played: the run is stopped.
    let settings =
        ["generations=1", "gate.kind=none", "rating.every=0", "selfplay.games=1000000", "selfplay.visits=30"];
    let stop = never();
    let leaving = Worker::start(server.address(), "leaving");
    std::thread::scope(|scope| {
        let run = scope.spawn(|| train(&folder.0, config(&settings), machine(false, Some(trainer(&server))), &stop));
        let seen = |name: &str| {
            let Ok(found) = status(&server.address()) else { return false };
            found.workers.iter().any(|(card, _)| card.name == name)
        };
        while !seen("leaving") {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(status(&server.address()).unwrap().trainer.unwrap().run, "test");
        assert!(!drain(&server.address(), "nobody").unwrap());
        assert!(drain(&server.address(), "leaving").unwrap());
        assert_eq!(leaving.end().unwrap(), Ended::Drained);
        // Another one of the same name is not meant.
        let staying = Worker::start(server.address(), "leaving");
        let has_played = || status(&server.address()).unwrap().workers.iter().any(|(card, _)| card.games > 0);
        while !has_played() {
            std::thread::sleep(Duration::from_millis(50));
        }
        stop.store(true, Relaxed);
        assert_eq!(run.join().unwrap(), Finish::Stopped);
        // It has left in good order.
        assert_eq!(status(&server.address()).unwrap().trainer, None);
        staying.stop().unwrap();
    });
    for (name, words) in [("", "''"), ("a b", "'a b'"), ("*", "'*'"), ("a.b", "'a.b'")] {
        let why = drain(&server.address(), name).unwrap_err().to_string();
        assert!(why.starts_with(words) && why.contains("cannot be the name of a worker"), "{why}");
    }
}

/// A worker that is there, extends its leases, and plays nothing.
#[test]
fn a_worker_whose_device_hangs_ends_and_others_play_its_games() {
    const TEST: &str = "a_worker_whose_device_hangs_ends_and_others_play_its_games";
    let Some(server) = Server::start(TEST) else { return };
    let folder = Folder::new("hanging");
    let settings = ["generations=1", "gate.kind=none", "rating.every=0", "fleet.lease_seconds=2"];
    std::thread::scope(|scope| {
        let run = scope.spawn(|| train(&folder.0, config(&settings), machine(false, Some(trainer(&server))), &never()));
        let device = HangingDevice(Arc::new(AtomicUsize::new(20)));
        let hanging = Worker::start_on(server.address(), "hanging", Arc::new(device));
        let why = hanging.end().unwrap_err().to_string();
        assert!(why.contains("no game has gone on for") && why.ends_with("the hanging device hangs"), "{why}");
        let worker = Worker::start(server.address(), "alive");
        assert_eq!(run.join().unwrap(), Finish::Complete);
        worker.stop().unwrap();
    });
    assert_eq!(numbers(&folder.0), Vec::from_iter(0..40));
}

/// A server that takes only small messages.
#[test]
fn what_is_too_large_for_a_message_is_split_or_played_by_the_trainer() {
    const TEST: &str = "what_is_too_large_for_a_message_is_split_or_played_by_the_trainer";
    let Some(server) = Server::start_with(TEST, "max_payload: 6144") else { return };
    let settings = [
        "generations=1",
        "gate.kind=none",
        "rating.every=0",
        "selfplay.games=200",
        "fleet.lease_games=100",
        "selfplay.visits=32",
    ];
    let (first, second) = (Folder::new("small"), Folder::new("large"));
    let (captured, client) = capture(&server, || {
        let worker = Worker::start(server.address(), "halving");
        let fleet = machine(false, Some(trainer(&server)));
        assert_eq!(train(&first.0, config(&settings), fleet, &never()), Finish::Complete);
        worker.stop().unwrap();
    });
    assert_eq!(numbers(&first.0), Vec::from_iter(0..200));
    assert!(captured.iter().all(|message| message.payload.len() <= 5120) && captured.len() >= 4, "{}", captured.len());
    // Nobody can send some of the games.
    let said = Arc::new(Mutex::new(Vec::new()));
    let sayings = Arc::clone(&said);
    let say = Box::new(move |text: &str| sayings.lock().unwrap().push(text.to_owned()));
    let fleet = Trainer::connect(server.address(), "test", "home", say).unwrap();
    for number in ["3", "7", "99999999"] {
        let mut headers = captured[0].headers.clone().unwrap();
        headers.insert("Nats-Msg-Id", format!("large-{number}"));
        headers.insert("Alfil-Too-Large", number);
        client.publish("alfil.result.games.small", Some(headers), Vec::new());
    }
    let worker = Worker::start(server.address(), "rest");
    assert_eq!(train(&second.0, config(&settings), machine(false, Some(fleet)), &never()), Finish::Complete);
    worker.stop().unwrap();
    assert_eq!(window(&first.0), window(&second.0));
    let metrics = Metrics::load(&RunDirectory::new(&second.0)).unwrap().remove(0).fleet.unwrap();
    assert_eq!(metrics.own, 2, "{metrics:?}");
    let said = said.lock().unwrap();
    assert!(
        said.iter().any(|text| text.contains("larger than a message may be (5 kB), and is played here")),
        "{said:?}"
    );
}

/// A worker cannot keep its games from being looked at by what it says of its evaluators.
#[test]
fn who_says_to_compute_otherwise_is_looked_at_as_well() {
    let Some(server) = Server::start("who_says_to_compute_otherwise_is_looked_at_as_well") else { return };
    let settings = ["generations=1", "rating.every=0", "gate.kind=none", "fleet.replay_share=1", "selfplay.visits=16"];
    let (first, second) = (Folder::new("alike"), Folder::new("unlike"));
    let (captured, client) = capture(&server, || {
        let worker = Worker::start(server.address(), "honest");
        let fleet = machine(false, Some(trainer(&server)));
        assert_eq!(train(&first.0, config(&settings), fleet, &never()), Finish::Complete);
        worker.stop().unwrap();
    });
    let said = Arc::new(Mutex::new(Vec::new()));
    let sayings = Arc::clone(&said);
    let say = Box::new(move |text: &str| sayings.lock().unwrap().push(text.to_owned()));
    let fleet = Trainer::connect(server.address(), "test", "home", say).unwrap();
    let send = |worker: &str, change: &dyn Fn(&mut GameRecord)| {
        for (number, message) in captured.iter().enumerate() {
            let mut headers = message.headers.clone().unwrap();
            headers.insert("Nats-Msg-Id", format!("{worker}-{number}"));
            headers.insert("Alfil-Arithmetic", "0123456789abcdef");
            // Each half of the games is sent by one of them.
            let mut games = unpack_chunk::<TicTacToe>(&message.payload).unwrap();
            games.retain(|game| (game.number < 20) == (worker == "liar"));
            games.iter_mut().for_each(change);
            if !games.is_empty() {
                let bytes = pack_chunk::<TicTacToe>(&games).unwrap();
                client.publish(&format!("alfil.result.games.{worker}"), Some(headers), bytes);
            }
        }
    };
    // Legal games whose first values are no search's.
    send("liar", &|game| {
        let first = &game.plies[0];
        let policy: Vec<(u16, f32)> = first.coded_policy().map(|policy| policy.collect()).unwrap_or_default();
        game.plies[0] = Ply::new(first.code, policy, Mover(Wdl { win: 0.0, draw: 0.0, loss: 1.0 }));
    });
    send("gpu", &|_| {});
    assert_eq!(train_on(&second.0, config(&settings), fleet, &server), Finish::Complete);
    let said = said.lock().unwrap();
    assert!(
        said.iter().any(|text| text.contains("the worker liar is shut out: 4 of 4 games begin in another way")),
        "{said:?}"
    );
    assert!(!said.iter().any(|text| text.contains("the worker gpu is shut out")), "{said:?}");
    let metrics = Metrics::load(&RunDirectory::new(&second.0)).unwrap().remove(0).fleet.unwrap();
    assert!(metrics.workers["gpu"].games > 0, "{metrics:?}");
    // Somebody has looked at it, and it may come back.
    assert!(!forgive(&server.address(), "nobody").unwrap());
    assert!(forgive(&server.address(), "liar").unwrap());
    assert!(!forgive(&server.address(), "liar").unwrap());
    let worker = Worker::start(server.address(), "liar");
    let is_seen = || status(&server.address()).unwrap().workers.iter().any(|(card, _)| card.name == "liar");
    while !is_seen() {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(worker.stop().unwrap(), Ended::Stopped);
}

/// Trains with one honest worker beside whatever has been sent.
fn train_on(folder: &Path, config: Config, fleet: Trainer, server: &Server) -> Finish {
    let worker = Worker::start(server.address(), "late");
    let finish = train(folder, config, machine(false, Some(fleet)), &never());
    worker.stop().unwrap();
    finish
}

#[test]
fn a_job_that_no_message_can_hold_is_refused_in_one_sentence() {
    const TEST: &str = "a_job_that_no_message_can_hold_is_refused_in_one_sentence";
    let Some(server) = Server::start_with(TEST, "max_payload: 8192") else { return };
    let folder = Folder::new("starts");
    let list = folder.0.join("starts.txt");
    let positions: Vec<String> = tictactoe_positions(504);
    std::fs::write(&list, positions.join("\n")).unwrap();
    let (file, share) = (format!("selfplay.starts_file=\"{}\"", list.display()), "selfplay.starts_share=0.5");
    let settings = ["generations=1", "gate.kind=none", "rating.every=0", &file, share];
    let fleet = machine(false, Some(trainer(&server)));
    let run = alfil_train::Run::<Stones>::open(RunDirectory::new(&folder.0), config(&settings), fleet, &mut |_| {});
    let why = run.unwrap().go(&never(), &mut |_| {}).unwrap_err().to_string();
    assert!(why.contains("or use fewer positions in selfplay.starts_file"), "{why}");
}

/// The positions after all first two moves and some third ones, as files of positions have them.
fn tictactoe_positions(count: usize) -> Vec<String> {
    let mut all = Vec::new();
    for a in 0..9 {
        for b in (0..9).filter(|b| *b != a) {
            for c in (0..9).filter(|c| *c != a && *c != b) {
                let mut game = TicTacToe::new(&());
                for cell in [a, b, c] {
                    let mut moves = Vec::new();
                    game.generate(&mut moves);
                    let m = *moves.iter().find(|&&m| u16::from(m) == cell).unwrap();
                    game.play(m);
                }
                all.push(game.position());
            }
        }
    }
    all.truncate(count);
    all
}

/// Two runs on one server, with the configuration that ships with the program.
#[test]
fn runs_in_accounts_of_their_own_do_not_meet() {
    let two = |text: String| {
        let block = text.find("    RUN {").unwrap();
        let end = text.rfind('}').unwrap();
        let users = ["trainer", "worker", "operator"];
        let mut other = text[block..end].replacen("RUN", "OTHER", 1);
        for user in users {
            other = other.replace(&format!("user: \"{user}\""), &format!("user: \"{user}2\""));
        }
        format!("{}{}}}\n", &text[..end], other)
    };
    let Some(server) = Server::start_changed("runs_in_accounts_of_their_own_do_not_meet", two) else { return };
    let address = |user: &str, number: &str| {
        let url = server.url().replace("nats://", &format!("nats://{user}{number}:change-me-{user}@"));
        Address::new(&url, None).unwrap()
    };
    std::thread::scope(|scope| {
        for number in ["", "2"] {
            scope.spawn(move || {
                let folder = Folder::new("account");
                let name = format!("run{number}");
                let fleet = Trainer::connect(address("trainer", number), &name, "home", Box::new(|_| {})).unwrap();
                let worker = Worker::start(address("worker", number), "same-name");
                let settings = ["generations=1", "gate.kind=none", "rating.every=0"];
                let machine = machine(false, Some(fleet));
                assert_eq!(train(&folder.0, config(&settings), machine, &never()), Finish::Complete);
                worker.stop().unwrap();
                assert_eq!(numbers(&folder.0), Vec::from_iter(0..40));
            });
        }
    });
}

/// A server whose limits leave no room.
#[test]
fn a_server_without_room_says_so() {
    let small = |text: String| text.replace("max_file_store: 32GB", "max_file_store: 1GB");
    let Some(server) = Server::start_changed("a_server_without_room_says_so", small) else { return };
    let url = server.url().replace("nats://", "nats://trainer:change-me-trainer@");
    let address = Address::new(&url, None).unwrap();
    let why = Trainer::connect(address, "test", "home", Box::new(|_| {})).err().unwrap().to_string();
    assert!(why.contains("raise max_file_store and max_memory_store in nats.conf"), "{why}");
}

#[test]
fn a_fleet_plays_for_one_run_and_one_version() {
    let Some(server) = Server::start("a_fleet_plays_for_one_run_and_one_version") else { return };
    let first = trainer(&server);
    let other = Trainer::connect(server.address(), "other", "home", Box::new(|_| {})).err().unwrap().to_string();
    assert!(other.contains("plays for the run test: stop that one"), "{other}");
    // The same run of another machine, or a copy of it.
    let copy = Trainer::connect(server.address(), "test", "elsewhere", Box::new(|_| {})).err().unwrap().to_string();
    assert!(copy.contains("has another trainer of a run of this name, on home"), "{copy}");
    // The same run, perhaps started again after it was killed. If it was not, it hears of it and stops.
    let second = trainer(&server);
    let folder = Folder::new("taken");
    let config = config(&["generations=1", "selfplay.games=1000000"]);
    let run = alfil_train::Run::<Stones>::open(
        RunDirectory::new(&folder.0),
        config,
        machine(false, Some(first)),
        &mut |_| {},
    );
    let why = run.unwrap().go(&never(), &mut |_| {}).unwrap_err().to_string();
    assert!(why.contains("was taken over by another trainer of a run of this name, on home"), "{why}");
    drop(second);
    let card = br#"{"run": "test", "protocol": 1, "program": "9.9.9", "chunks": 4}"#;
    Client::connect(&server).publish("$KV.alfil.run", None, card.to_vec());
    let why = Worker::start(server.address(), "old").end().unwrap_err().to_string();
    assert!(
        why.contains("is trained by alfil 9.9.9") && why.ends_with("install the same version on both machines"),
        "{why}"
    );
}

/// The configuration that ships with the program, with its users.
#[test]
fn a_worker_can_do_what_it_has_to_and_nothing_else() {
    let Some(server) = Server::start_shipped("a_worker_can_do_what_it_has_to_and_nothing_else") else { return };
    let address = |user: &str| {
        let url = server.url().replace("nats://", &format!("nats://{user}:change-me-{user}@"));
        Address::new(&url, None).unwrap()
    };
    let wrong = Trainer::connect(server.address(), "test", "home", Box::new(|_| {})).err().unwrap().to_string();
    assert!(wrong.contains("give --credentials FILE"), "{wrong}");
    let folder = Folder::new("permissions");
    let worker = Worker::start(address("worker"), "allowed");
    let fleet = Trainer::connect(address("trainer"), "test", "home", Box::new(|_| {})).unwrap();
    assert_eq!(train(&folder.0, config(&["generations=1"]), machine(false, Some(fleet)), &never()), Finish::Complete);
    let is_seen = || status(&address("operator")).unwrap().workers.iter().any(|(card, _)| card.name == "allowed");
    while !is_seen() {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(drain(&address("operator"), "allowed").unwrap());
    assert_eq!(worker.end().unwrap(), Ended::Drained);
    assert_eq!(numbers(&folder.0), Vec::from_iter(0..40));

    let client = Client::connect_to(&server.url().replace("nats://", "nats://worker:change-me-worker@"));
    let forbidden = [
        "alfil.lease.games",
        "$KV.alfil.run",
        "$KV.alfil.job.games",
        "$KV.alfil.shut.allowed",
        "$KV.alfil_presence.trainer",
        "$JS.API.STREAM.DELETE.alfil_results",
        "$JS.API.STREAM.PURGE.alfil_leases",
        "$JS.API.STREAM.MSG.GET.alfil_results",
        "$JS.API.CONSUMER.MSG.NEXT.alfil_results.games",
        "$JS.API.CONSUMER.CREATE.alfil_results",
        "$O.alfil_networks.M.x",
        "$JS.API.CONSUMER.DELETE.alfil_leases.games",
        "$JS.ACK.alfil_results.games.1.1.1.1.1",
    ];
    for subject in forbidden {
        assert!(client.is_refused(subject), "{subject}");
    }
    assert!(!client.is_refused("alfil.result.games.allowed"));
}

/// Makes an authority and a server's certificate signed by it in a folder. False where openssl is not installed.
fn certificates(folder: &Path) -> bool {
    let script = "set -e
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=Fleet' -keyout ca.key -out ca.pem
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout key.pem -out csr.pem
        printf 'subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n' >names
        openssl x509 -req -in csr.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out cert.pem";
    let made = Command::new("sh").args(["-c", script]).current_dir(folder).stderr(Stdio::null()).status();
    made.is_ok_and(|status| status.success())
}

#[test]
fn connections_are_encrypted_where_the_server_asks_for_it() {
    const TEST: &str = "connections_are_encrypted_where_the_server_asks_for_it";
    let keys = Folder::new("keys");
    if !certificates(&keys.0) {
        return alfil_skipped::skip(TEST, "openssl");
    }
    let path = |name: &str| keys.0.join(name).display().to_string();
    let tls = format!("tls {{ cert_file: \"{}\", key_file: \"{}\" }}", path("cert.pem"), path("key.pem"));
    let Some(server) = Server::start_with(TEST, &tls) else { return };
    let url = server.url().replace("nats://", "tls://");
    // Nobody vouches for this server.
    let stranger = Address::new(&url, None).unwrap();
    let why = Trainer::connect(stranger, "test", "home", Box::new(|_| {})).err().unwrap().to_string();
    assert!(why.contains("name the authority that signed its certificate"), "{why}");
    // The authority's file is found beside the one that names it.
    let credentials = keys.0.join("worker.toml");
    std::fs::write(&credentials, "ca = \"ca.pem\"").unwrap();
    let address = Address::new(&url, Some(&credentials)).unwrap();
    let folder = Folder::new("tls");
    let worker = Worker::start(address.clone(), "secret");
    let fleet = machine(false, Some(trainer_at(&address)));
    let settings = ["generations=1", "gate.kind=none", "rating.every=0"];
    assert_eq!(train(&folder.0, config(&settings), fleet, &never()), Finish::Complete);
    worker.stop().unwrap();
}

#[test]
fn wrong_credentials_are_one_sentence() {
    let folder = Folder::new("credentials");
    let file = folder.0.join("worker.toml");
    let refused = |text: &str| {
        std::fs::write(&file, text).unwrap();
        Address::new("nats://host", Some(&file)).unwrap_err().to_string()
    };
    for text in ["user = ", "usr = \"x\"", "user = 3", &"#".repeat(1 << 17)] {
        assert!(
            refused(text).starts_with(&format!("cannot use the credentials {}: ", file.display())),
            "{}",
            refused(text)
        );
    }
    for address in ["", "host", "http://host", "nats://", "nats:// x", "nats://host:99999"] {
        let why = Address::new(address, None).unwrap_err().to_string();
        assert!(why.contains("is not the address of a fleet"), "{address}: {why}");
    }
    let nobody = Address::new("nats://127.0.0.1:1", None).unwrap();
    let why = status(&nobody).unwrap_err().to_string();
    assert!(why.starts_with("cannot connect to nats://127.0.0.1:1: ") && why.contains("nats-server -c"), "{why}");
}
