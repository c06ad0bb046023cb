//! `alfil bench fleet`

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use alfil_core::disk::{make_folder, read_text, remove_folder, write_whole};
use alfil_core::numbers::count;
use alfil_fleet::{Address, Simulation, Trainer};
use alfil_game::tictactoe::{Stones, TicTacToe};
use alfil_game::{Encoding, Game};
use alfil_nn::{Cpu, Network, NetworkSettings};
use alfil_search::evaluators::Kind;
use alfil_selfplay::{
    Counts, Filing, GameRecord, LaneContext, Lanes, SelfplaySettings, Tickets, chunks, read_chunk, unpack_chunk,
};
use alfil_train::fleet::{Fleet, FleetSettings, Judge, Order, Played, Referee, Task, TaskKind, Terms};
use alfil_train::run::{Clock, RunError};
use anyhow::{Context, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::Verdict;
use crate::counters::rate;

/// Games that are sent again and again.
const GAMES: u64 = 2048;

/// Leases that wait for each worker, so that none is without one: what is measured is how long it takes to get it.
const AHEAD: u64 = 3;

/// Games of a lease.
const LEASE: u64 = 64;

#[derive(Args)]
pub struct FleetBench {
    /// Numbers of worker processes, measured one after the other
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [1u16, 2, 4, 8], value_parser = clap::value_parser!(u16).range(1..=64))]
    workers: Vec<u16>,
    /// Workers that each process stands for
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4000))]
    simulated: u16,
    /// How long a worker takes to play a lease of 64 games, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0)]
    play: u64,
    /// Seconds per measurement
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Be the workers of the fleet at this address: used by the command itself
    #[arg(long, hide = true, value_name = "ADDRESS")]
    be_workers: Option<String>,
}

/// One measurement.
struct Measured {
    processes: u16,
    games: f64,
    positions: f64,
    /// Of the trainer, as a share of a core.
    cpu: f64,
    /// Seconds until a lease was there: the median and the 99th percentile.
    waits: [f64; 2],
    /// Leases that were waited for.
    leases: usize,
    /// Bytes of results per position, and of all that goes over the workers' connections, where `ss` tells.
    bytes_per_position: f64,
    wire_per_position: Option<f64>,
    /// Megabytes of memory, of the server and the trainer.
    server: f64,
    trainer: f64,
}

pub fn run(bench: &FleetBench, out: &mut impl Write) -> anyhow::Result<Verdict> {
    ensure!(bench.seconds > 0.0 && bench.seconds <= 3600.0, "--seconds must be more than 0 and at most 3600");
    let games = games()?;
    if let Some(address) = &bench.be_workers {
        return be_workers(bench, address, games, out);
    }
    let server = Server::start()?;
    let Disk { by_time: disk, by_cpu, per_game } = read_speed(&games, &server.folder)?;
    let mut rows = Vec::new();
    for processes in &bench.workers {
        rows.push(measure(bench, &server, *processes)?);
    }
    if bench.json {
        let row = |row: &Measured| {
            json!({
                "processes": row.processes, "workers": u32::from(row.processes) * u32::from(bench.simulated),
                "games_per_second": row.games, "positions_per_second": row.positions, "of_disk": row.positions / disk,
                "of_disk_by_cpu": row.positions / row.cpu.max(1e-9) / by_cpu,
                "trainer_cpu": row.cpu, "trainer_cpu_per_1000_positions": 1000.0 * row.cpu / row.positions.max(1.0),
                "lease_p50": row.waits[0], "lease_p99": row.waits[1], "leases": row.leases,
                "bytes_per_position": row.bytes_per_position, "wire_bytes_per_position": row.wire_per_position,
                "server_megabytes": row.server, "trainer_megabytes": row.trainer,
            })
        };
        let rows: Vec<Value> = rows.iter().map(row).collect();
        writeln!(
            out,
            "{}",
            json!({"disk_positions_per_second": disk, "disk_positions_per_cpu_second": by_cpu, "rows": rows})
        )?;
        return Ok(Verdict::Fine);
    }
    writeln!(
        out,
        "games of tic-tac-toe that are ready, {per_game:.1} positions each; the same chunks are read from the disk at"
    )?;
    writeln!(out, "{} positions/s, {} per second of CPU time\n", count(disk as u64), count(by_cpu as u64))?;
    writeln!(
        out,
        "workers   games/s  positions/s  of disk, by CPU  trainer CPU  per 1000/s  lease p50, p99  bytes/pos, wire  server, trainer"
    )?;
    for row in &rows {
        let workers = u32::from(row.processes) * u32::from(bench.simulated);
        writeln!(
            out,
            "{workers:>7} {:>9} {:>12} {:>7.2}x {:>6.2}x {:>11.0}% {:>10.1}% {:>7.1} {:>5.0} ms {:>9.1} {:>5} {:>6.0} {:>5.0} MB",
            rate(row.games),
            rate(row.positions),
            row.positions / disk,
            row.positions / row.cpu.max(1e-9) / by_cpu,
            100.0 * row.cpu,
            100_000.0 * row.cpu / row.positions.max(1.0),
            1000.0 * row.waits[0],
            1000.0 * row.waits[1],
            row.bytes_per_position,
            row.wire_per_position.map_or("?".to_owned(), |bytes| format!("{bytes:.1}")),
            row.server,
            row.trainer
        )?;
    }
    Ok(Verdict::Fine)
}

/// Cheap games, always the same ones.
fn games() -> anyhow::Result<Vec<GameRecord>> {
    let backend = Kind::Uniform.backend::<TicTacToe>(&Cpu)?;
    let mut settings = SelfplaySettings::default();
    (settings.search.visits, settings.search.considered) = (8, 8);
    let context = LaneContext::<TicTacToe>::open(settings, (), Arc::new(Tickets::new(GAMES)), 1)?;
    let mut games = Vec::new();
    let lanes = Lanes { context, lanes: 1, backend: &*backend, stop: &AtomicBool::new(false) };
    lanes.run::<alfil_nn::EvaluatorError>(&mut |record, _: &Counts| {
        games.extend(record);
        Ok(())
    })?;
    games.sort_by_key(|game| game.number);
    Ok(games)
}

/// How this machine reads games from chunks.
struct Disk {
    /// Positions per second,
    by_time: f64,
    /// and per second of CPU time, which does not depend on what else the machine does.
    by_cpu: f64,
    /// Positions per game.
    per_game: f64,
}

fn read_speed(games: &[GameRecord], folder: &Path) -> anyhow::Result<Disk> {
    let folder = folder.join("chunks");
    make_folder(&folder)?;
    let mut filing = Filing::<TicTacToe>::open(&folder)?;
    for games in games.chunks(256) {
        filing.add(games.iter().cloned());
        filing.write()?;
    }
    let (began, mut clock, mut positions) = (Instant::now(), Clock::start(), 0);
    while began.elapsed() < Duration::from_secs(1) {
        for path in chunks(&folder)? {
            positions += read_chunk::<TicTacToe>(&path)?.iter().map(|game| game.plies.len()).sum::<usize>();
        }
    }
    let all: usize = games.iter().map(|game| game.plies.len()).sum();
    let seconds = began.elapsed().as_secs_f64();
    let cpu = clock.lap().cpu_seconds.unwrap_or(seconds);
    Ok(Disk {
        by_time: positions as f64 / seconds,
        by_cpu: positions as f64 / cpu.max(1e-9),
        per_game: all as f64 / games.len() as f64,
    })
}

fn measure(bench: &FleetBench, server: &Server, processes: u16) -> anyhow::Result<Measured> {
    let folder = server.folder.join(format!("games-{processes}"));
    make_folder(&folder)?;
    let trainer = Trainer::connect(server.address()?, "bench", "here", Box::new(crate::terminal::say))?;
    let architecture =
        NetworkSettings { size: "8x1".to_owned(), ..NetworkSettings::default() }.architecture::<Stones>()?;
    let network = Arc::new(Network::random::<Stones>(architecture, 1));
    let workers_in_all = u64::from(processes) * u64::from(bench.simulated);
    let tickets = Tickets::limited(0.., AHEAD * LEASE * workers_in_all.max(100));
    let mut referee =
        BenchReferee { filing: Filing::open(&folder)?, tickets: &tickets, kept: Counts::default(), first: None };
    let mut workers = Workers(Vec::new());
    for _ in 0..processes {
        workers.0.push(server.spawn_workers(bench)?);
    }
    let task = Task {
        terms: Terms {
            encoding: Stones::NAME.to_owned(),
            encoding_version: Stones::VERSION,
            rules: String::new(),
            seed: 1,
        },
        // The number of processes makes each measurement a job of its own.
        kind: TaskKind::Games { settings: format!("# {processes} {}", bench.simulated), listed: Vec::new() },
    };
    let (stop, mut clock) = (stop_after(bench.seconds), Clock::start());
    let began = Instant::now();
    let order = Order {
        task,
        networks: &|| vec![Arc::clone(&network)],
        next: &|| tickets.take(),
        stop: &|| stop.load(Relaxed),
        settings: FleetSettings {
            lease_games: LEASE,
            // Simulated workers do not extend their leases.
            lease_seconds: (60 + 3 * bench.play / 1000).min(3600),
            replay_share: 0.0,
            ..FleetSettings::default()
        },
    };
    trainer.play(&order, &mut referee)?;
    let seconds = referee.first.map_or(bench.seconds, |first| first.elapsed().as_secs_f64());
    let cpu = clock.lap().cpu_seconds.unwrap_or(0.0) / began.elapsed().as_secs_f64();
    let wire = server.wire(&workers);
    let [server_memory, own] = [Some(server.child.id()), None].map(memory);
    let seen = workers.end()?;
    let positions = seen.iter().map(|seen| seen.2).sum::<u64>();
    let mut waits: Vec<f64> = seen.iter().flat_map(|seen| seen.0.clone()).collect();
    waits.sort_by(f64::total_cmp);
    let quantile = |share: f64| waits.get((waits.len() as f64 * share) as usize).copied().unwrap_or(0.0);
    Ok(Measured {
        processes,
        games: referee.kept.games as f64 / seconds,
        positions: referee.kept.positions as f64 / seconds,
        cpu,
        waits: [quantile(0.5), quantile(0.99)],
        leases: waits.len(),
        bytes_per_position: seen.iter().map(|seen| seen.1).sum::<u64>() as f64 / positions.max(1) as f64,
        wire_per_position: wire.map(|bytes| bytes as f64 / positions.max(1) as f64),
        server: server_memory,
        trainer: own,
    })
}

/// Set after this time, or by ctrl-C.
fn stop_after(seconds: f64) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let late = Arc::clone(&flag);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs_f64(seconds));
        late.store(true, Relaxed);
    });
    flag
}

/// Keeps games as a run does, except that it knows nothing of where they begin.
struct BenchReferee<'a> {
    filing: Filing<TicTacToe>,
    tickets: &'a Tickets,
    kept: Counts,
    /// When the first games were kept: before that, workers were starting.
    first: Option<Instant>,
}

impl Referee for BenchReferee<'_> {
    fn read(&self, bytes: &[u8]) -> Result<Vec<Played>, String> {
        Ok(unpack_chunk::<TicTacToe>(bytes)?.into_iter().map(|game| Played::Game(Box::new(game))).collect())
    }

    fn check(&mut self, played: &Played) -> Result<(), String> {
        let Played::Game(record) = played else { return Err("it is of a match".to_owned()) };
        let mut last = None;
        record.replay::<TicTacToe>(&(), |game, _, _| last = Some(game.ply())).ok_or("it has an illegal move")?;
        last.map(drop).ok_or_else(|| "it has no moves".to_owned())
    }

    fn judge(&self) -> Option<Box<dyn Judge>> {
        None
    }

    fn arithmetic(&mut self, _: &[Arc<Network>]) -> Result<u64, RunError> {
        Ok(0)
    }

    fn keep(&mut self, played: Vec<Played>) -> Result<(), RunError> {
        let games = played.len() as u64;
        if self.first.is_some() {
            played.iter().for_each(|played| self.kept.positions += played.positions());
            self.kept.games += games;
        }
        self.first.get_or_insert_with(Instant::now);
        self.filing.add(played.into_iter().filter_map(|played| match played {
            Played::Game(record) => Some(*record),
            Played::Pair(_) => None,
        }));
        self.filing.write()?;
        self.tickets.allow(games);
        Ok(())
    }
}

/// What the workers of a process do: they send games that are ready.
fn be_workers(
    bench: &FleetBench,
    address: &str,
    games: Vec<GameRecord>,
    out: &mut impl Write,
) -> anyhow::Result<Verdict> {
    let simulation = Simulation { workers: bench.simulated.into(), play: Duration::from_millis(bench.play), games };
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        flag.store(true, Relaxed);
    });
    let seen = simulation.run::<TicTacToe>(&Address::new(address, None)?, &stop)?;
    writeln!(out, "{}", json!({"waits": seen.waits, "bytes": seen.bytes, "positions": seen.positions}))?;
    Ok(Verdict::Fine)
}

/// Processes of workers, which end with this.
struct Workers(Vec<Child>);

impl Workers {
    /// Ends them. Returns what each has seen: the seconds that it waited for leases, bytes and positions.
    fn end(mut self) -> anyhow::Result<Vec<(Vec<f64>, u64, u64)>> {
        // Their input ends, and with it their work.
        self.0.iter_mut().for_each(|child| drop(child.stdin.take()));
        let read = |child: Child| -> anyhow::Result<(Vec<f64>, u64, u64)> {
            let output = child.wait_with_output().context("a worker cannot be waited for")?;
            let seen: Value = serde_json::from_slice(&output.stdout).context("a worker failed")?;
            let waits =
                seen["waits"].as_array().map_or(Vec::new(), |waits| waits.iter().filter_map(Value::as_f64).collect());
            Ok((waits, seen["bytes"].as_u64().unwrap_or(0), seen["positions"].as_u64().unwrap_or(0)))
        };
        self.0.drain(..).map(read).collect()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A server with a temporary store, which ends with this.
struct Server {
    child: Child,
    folder: PathBuf,
    port: u16,
}

impl Server {
    fn start() -> anyhow::Result<Server> {
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .context("no port is free")?
            .port();
        let folder = std::env::temp_dir().join(format!("alfil-bench-fleet-{}", std::process::id()));
        make_folder(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let config = folder.join("nats.conf");
        let text =
            format!("listen: 127.0.0.1:{port}\njetstream {{ store_dir: \"{}\" }}\n", folder.join("store").display());
        write_whole(&config, text.as_bytes())?;
        let mut command = Command::new("nats-server");
        command.arg("-c").arg(&config).stdout(Stdio::null()).stderr(Stdio::null());
        let child =
            command.spawn().context("cannot start nats-server: install it (Debian: apt install nats-server)")?;
        let server = Server { child, folder, port };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            ensure!(began.elapsed() < Duration::from_secs(10), "nats-server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    fn address(&self) -> anyhow::Result<Address> {
        Ok(Address::new(&self.url(), None)?)
    }

    /// Bytes that have gone over the connections of these processes so far, both ways, as the system counts them, without the headers
    /// of TCP. None where `ss` does not tell.
    fn wire(&self, workers: &Workers) -> Option<u64> {
        let port = format!("( dport = :{} )", self.port);
        let output = Command::new("ss").args(["-tinpH", "state", "established", &port]).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let ours: Vec<String> = workers.0.iter().map(|child| format!("pid={},", child.id())).collect();
        let (mut sum, mut lines) = (None, text.lines());
        while let (Some(ends), Some(counts)) = (lines.next(), lines.next()) {
            let count = |name: &str| -> u64 {
                let word = counts.split_whitespace().find_map(|word| word.strip_prefix(name));
                word.and_then(|word| word.parse().ok()).unwrap_or(0)
            };
            if ours.iter().any(|process| ends.contains(process)) {
                *sum.get_or_insert(0) += count("bytes_acked:") + count("bytes_received:");
            }
        }
        sum
    }

    fn spawn_workers(&self, bench: &FleetBench) -> anyhow::Result<Child> {
        let mut command = Command::new(std::env::current_exe().context("this program cannot be found")?);
        command.args(["bench", "fleet", "--be-workers", &self.url()]);
        command.args(["--simulated", &bench.simulated.to_string(), "--play", &bench.play.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.spawn().context("cannot start a worker")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = remove_folder(&self.folder);
    }
}

/// Megabytes of memory that a process uses; none is this one. 0 where that is not known.
fn memory(process: Option<u32>) -> f64 {
    let process = process.map_or("self".to_owned(), |process| process.to_string());
    let text = read_text(Path::new(&format!("/proc/{process}/status")), 1 << 16).unwrap_or_default();
    let line =
        text.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix("kB")?.trim().parse().ok());
    line.map_or(0.0, |kilobytes: f64| kilobytes / 1024.0)
}
