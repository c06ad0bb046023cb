//! `alfil worker` and `alfil fleet`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alfil_core::disk::read_text;
use alfil_core::numbers::count;
use alfil_core::wording::{cut, one_line};
use alfil_fleet::{Address, Ended, Queues, Status, Trainer, WorkerCard, WorkerSettings, drain, forgive, status, work};
use alfil_nn::{Cpu, Device};
use alfil_train::RunDirectory;
use alfil_train::fleet::Fleet;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::counters::rate;
use crate::train::device_group;
use crate::{Verdict, stop, terminal, torch};

/// Where a fleet's server is if nothing else is said.
const HERE: &str = "nats://localhost:4222";

#[derive(Args)]
pub struct WorkerCommand {
    /// The fleet's server, such as nats://host, or tls://host if it encrypts
    #[arg(value_name = "ADDRESS", default_value = HERE)]
    address: String,
    #[command(flatten)]
    login: Login,
    /// Its name: letters, digits, - and _ [default: the machine's name and a number]
    #[arg(long)]
    name: Option<String>,
    /// Compute networks on libtorch instead of our CPU engine: cpu, cuda, cuda:N or auto
    #[arg(long)]
    device: Option<String>,
    /// Threads that play, each with an evaluator; 0 is one per core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    lanes: u16,
}

#[derive(Args)]
pub struct Login {
    /// A file with the lines user = "…" and password = "…", and perhaps ca = "…", a certificate
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum FleetCommand {
    /// Show the workers of a fleet, and what waits on its server
    Status {
        /// The fleet's server
        #[arg(value_name = "ADDRESS", default_value = HERE)]
        address: String,
        #[command(flatten)]
        login: Login,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Let a worker finish what it has begun, and leave
    Drain {
        /// Its name, as alfil fleet status shows it
        worker: String,
        /// The fleet's server
        #[arg(value_name = "ADDRESS", default_value = HERE)]
        address: String,
        #[command(flatten)]
        login: Login,
    },
    /// Let a worker come back that the run has shut out
    Forgive {
        /// Its name, as alfil fleet status shows it
        worker: String,
        /// The fleet's server
        #[arg(value_name = "ADDRESS", default_value = HERE)]
        address: String,
        #[command(flatten)]
        login: Login,
    },
}

pub fn run_worker(command: WorkerCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let address = Address::new(&command.address, command.login.credentials.as_deref())?;
    let device: Arc<dyn Device> = match &command.device {
        Some(name) => {
            let libtorch = torch::require()?;
            Arc::new(device_group(libtorch, &libtorch.devices(name)?)?)
        }
        None => Arc::new(Cpu),
    };
    let machine = machine_name();
    let settings = WorkerSettings {
        name: command.name.unwrap_or_else(|| default_name(&machine)),
        machine,
        lanes: if command.lanes == 0 { alfil_core::cores() } else { command.lanes.into() },
        device,
    };
    let name = settings.name.clone();
    let stop = stop::flag()?;
    let ended = work(&address, settings, &stop, &|text| terminal::say(text))?;
    match ended {
        Ended::Stopped => writeln!(out, "{name} stopped: what it had begun is given to others")?,
        Ended::Drained => writeln!(out, "{name} has finished what it had begun, and leaves")?,
    }
    Ok(Verdict::Fine)
}

pub fn run(command: FleetCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        FleetCommand::Status { address, login, json } => {
            let found = status(&Address::new(&address, login.credentials.as_deref())?)?;
            if json {
                print_json(&found, out)?
            } else {
                print(&found, out)?
            }
            Ok(Verdict::Fine)
        }
        FleetCommand::Drain { worker, address, login } => {
            if drain(&Address::new(&address, login.credentials.as_deref())?, &worker)? {
                writeln!(out, "{worker} finishes what it has begun, and leaves")?;
                return Ok(Verdict::Fine);
            }
            writeln!(out, "there is no worker {worker}: alfil fleet status shows them")?;
            Ok(Verdict::Failed)
        }
        FleetCommand::Forgive { worker, address, login } => {
            if forgive(&Address::new(&address, login.credentials.as_deref())?, &worker)? {
                writeln!(out, "{worker} may come back: start it again")?;
                return Ok(Verdict::Fine);
            }
            writeln!(out, "the run has not shut out {worker}: alfil fleet status shows who is")?;
            Ok(Verdict::Failed)
        }
    }
}

/// The fleet that plays for a run.
pub fn trainer(address: &str, credentials: Option<&Path>, run: &RunDirectory) -> anyhow::Result<Arc<dyn Fleet>> {
    let address = Address::new(address, credentials)?;
    let name = run.path().file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let folder = std::path::absolute(run.path()).unwrap_or_else(|_| run.path().to_owned());
    let home = format!("{}, {}", machine_name(), folder.display());
    Ok(Arc::new(Trainer::connect(address, &name, &home, Box::new(terminal::say))?))
}

fn print(found: &Status, out: &mut impl Write) -> anyhow::Result<()> {
    let Status { trainer, workers, queues: Queues { leases, held, results } } = found;
    match trainer {
        Some(card) => {
            writeln!(
                out,
                "run        {}: {} games, {} positions, {} positions/s",
                plain(&card.run, 40),
                count(card.games),
                count(card.positions),
                rate(card.per_second)
            )?;
            let stale = 100.0 * card.stale_share;
            writeln!(out, "           {} to be played, {stale:.1} % of positions stale", count(card.open))?;
            if card.refused > 0 || !card.shut.is_empty() {
                let shut = if card.shut.is_empty() { "none".to_owned() } else { card.shut.join(", ") };
                writeln!(out, "           {} messages refused; shut out: {}", card.refused, plain(&shut, 60))?;
            }
        }
        None => writeln!(out, "run        no trainer is there")?,
    }
    writeln!(out, "queues     {leases} leases wait, {held} are held; {results} results are not kept yet")?;
    if workers.is_empty() {
        writeln!(out, "workers    none: start some with alfil worker ADDRESS")?;
        return Ok(());
    }
    writeln!(
        out,
        "\n{:<20} {:<12} {:<6} {:<8} {:>5} {:>6} {:>9} {:>7} {:>7} {:>5}",
        "worker", "machine", "device", "version", "lanes", "leases", "done", "per s", "pos/s", "seen"
    )?;
    for (card, age) in workers {
        let WorkerCard { name, machine, device, program, lanes, leases, games, pairs, per_second, .. } = card;
        let leaves = if card.leaves { "  leaves" } else { "" };
        writeln!(
            out,
            "{:<20} {:<12} {:<6} {:<8} {lanes:>5} {leases:>6} {:>9} {:>7} {:>7} {:>4.0}s{leaves}",
            plain(name, 20),
            plain(machine, 12),
            plain(device, 6),
            plain(program, 8),
            count(games.saturating_add(*pairs)),
            rate(*per_second),
            rate(card.positions_per_second),
            age
        )?;
    }
    Ok(())
}

fn print_json(found: &Status, out: &mut impl Write) -> anyhow::Result<()> {
    let Status { trainer, workers, queues } = found;
    let worker = |(card, age): &(WorkerCard, f64)| {
        let mut object = json!(card);
        object["seen"] = json!(age);
        object
    };
    let workers: Vec<_> = workers.iter().map(worker).collect();
    writeln!(out, "{}", json!({"trainer": trainer, "workers": workers, "queues": queues}))?;
    Ok(())
}

/// What others say, so that it cannot control a terminal.
fn plain(text: &str, longest: usize) -> String {
    cut(&one_line(&cut(text, longest)), longest)
}

/// What the system calls this machine.
fn machine_name() -> String {
    let name = read_text(Path::new("/proc/sys/kernel/hostname"), 256).unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "unknown".to_owned() } else { plain(name, 40) }
}

/// A name that no other worker of this machine has at this time.
fn default_name(machine: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let machine: String = machine.chars().map(plain).collect();
    format!("{machine}-{}", std::process::id())
}
