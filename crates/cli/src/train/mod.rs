//! `alfil train`

mod machine;
#[cfg(feature = "web")]
mod page;
mod screen;
mod summary;

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use alfil_game::{Encoding, with_encoding};
use alfil_nn::Size;
use alfil_train::live::LiveRun;
use alfil_train::{Config, Finish, Machine, Run, RunDirectory};
use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};

use crate::{Verdict, stop, time};

pub use machine::{cache_bytes, device_group, learning_devices, machine};
#[cfg(feature = "web")]
use page::Page;
use screen::Screen;

/// Where everything is kept that the page shows.
#[cfg(feature = "web")]
pub const DATA: &str = "data";

/// Where runs are kept.
pub const RUNS: &str = "data/runs";

#[derive(Args)]
pub struct TrainCommand {
    /// The configuration file: see configs/ and alfil config explain
    config: PathBuf,
    /// The run's name, or a path with a slash in it [default: the configuration's name]
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Stop after this time, such as 90s, 20m or 1h30m (a bare number is seconds); the same command resumes the run. A
    /// learning rate that falls along a cosine, without decay_steps and planned, falls over the time that a new run is given
    #[arg(long = "for", value_name = "TIME", value_parser = time::parse)]
    time: Option<Duration>,
    /// Train a larger network, such as 64x6, from the next generation on; it plays as soon as it passes the gate
    #[arg(long, value_name = "SIZE")]
    grow: Option<Size>,
    /// Compute on this device: cpu, cuda, cuda:N or auto
    #[arg(long)]
    device: Option<String>,
    /// Set a key of the configuration, such as training.batch=128; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Show the run on a page for the browser while it goes on, at port 8642 or another one
    #[cfg(feature = "web")]
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "8642")]
    web: Option<u16>,
    /// Have the games played by the workers of a fleet, whose server this is, such as nats://host
    #[cfg(feature = "fleet")]
    #[arg(long, value_name = "ADDRESS")]
    fleet: Option<String>,
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    login: crate::fleet::Login,
    /// How progress is printed
    #[arg(long, value_enum, default_value_t = Log::Text)]
    log: Log,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Log {
    /// Bars in a terminal, else plain lines
    Text,
    /// One JSON object per line
    Json,
}

pub fn run(mut command: TrainCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    command.set.extend(command.device.take().map(|device| format!("machine.device=\"{device}\"")));
    let directory = directory(&command)?;
    // A run keeps the plan that it began with, whatever time is left to it today.
    let hours = match directory.has_begun() {
        true => directory.planned_hours()?,
        false => command.time.map(time::hours),
    };
    let config = Config::load_for(&command.config, &command.set, hours)?;
    #[cfg_attr(not(feature = "fleet"), expect(unused_mut))]
    let mut machine = machine(&config)?;
    #[cfg(feature = "fleet")]
    if let Some(address) = &command.fleet {
        machine.fleet = Some(crate::fleet::trainer(address, command.login.credentials.as_deref(), &directory)?);
    }
    with_encoding!(&config.encoding.clone(), E => train::<E>(command, config, machine, directory, out))?
}

/// The folder of the command's run.
fn directory(command: &TrainCommand) -> anyhow::Result<RunDirectory> {
    let name = match &command.run {
        Some(name) => name.clone(),
        None => command.config.file_stem().context("the configuration has no name")?.to_string_lossy().into_owned(),
    };
    let directory = run_directory(&name)?;
    ensure!(
        directory.has_begun()
            || directory.is_free().with_context(|| format!("cannot list {}", directory.path().display()))?,
        "{} is not a run, and not empty: choose another name with --run",
        directory.path().display()
    );
    Ok(directory)
}

/// The folder of the run with this name, or at this path.
pub fn run_directory(name: &str) -> anyhow::Result<RunDirectory> {
    ensure!(
        !["", ".", ".."].contains(&name),
        "'{name}' cannot be the name of a run: use a word, or a path with a slash in it"
    );
    let is_path = name.contains(std::path::MAIN_SEPARATOR);
    Ok(RunDirectory::new(if is_path { PathBuf::from(name) } else { Path::new(RUNS).join(name) }))
}

/// The names of all runs.
pub fn run_names() -> anyhow::Result<Vec<String>> {
    let paths = match alfil_core::disk::list(Path::new(RUNS)) {
        Err(why) if why.kind() == ErrorKind::NotFound => Vec::new(),
        paths => paths.with_context(|| format!("cannot list {RUNS}"))?,
    };
    let runs = paths.iter().filter(|path| RunDirectory::new(*path).has_begun());
    Ok(runs.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect())
}

fn train<E: Encoding>(
    command: TrainCommand,
    config: Config,
    machine: Machine,
    directory: RunDirectory,
    out: &mut impl Write,
) -> anyhow::Result<Verdict> {
    let mut screen = match command.log {
        Log::Json => Screen::json(out, &config),
        Log::Text if std::io::stderr().is_terminal() => Screen::bars(out, &config),
        Log::Text => Screen::plain(out, &config),
    };
    #[cfg(feature = "web")]
    let page = command.web.map(|port| Page::open(&directory, port)).transpose()?;
    let stop = stop_flag(command.time)?;
    let begun = directory.has_begun();
    let stages = config.stages.clone();
    let mut run = Run::<E>::open(directory.clone(), config, machine, &mut |event| screen.tell(&event))?;
    if let Some(size) = command.grow {
        run.grow(size)?;
    }
    screen.begin(&directory, begun, run.state(), &stages);
    #[cfg(feature = "web")]
    if let Some(page) = &page {
        screen.page(page.address());
    }
    let live = live(&directory, &run, &stop, &mut screen);
    let finish = run.go(&stop, &mut |event| {
        if let Some(live) = &live {
            live.tell(&event);
        }
        screen.tell(&event);
    })?;
    screen.end(&directory, finish == Finish::Complete, run.state());
    Ok(Verdict::Fine)
}

/// Lets others watch the run. It goes on without them where that is not possible.
fn live<E: Encoding>(
    directory: &RunDirectory,
    run: &Run<E>,
    stop: &Arc<AtomicBool>,
    screen: &mut Screen<'_>,
) -> Option<LiveRun> {
    let live = LiveRun::open(directory, run.state(), Arc::clone(run.gallery()), Arc::clone(stop));
    let warn = |why: &std::io::Error| {
        screen.warn(&format!("the run cannot be watched while it goes on: {}: {why}", directory.live().display()));
    };
    let live = live.inspect_err(warn).ok()?;
    if let Some(fleet) = run.fleet() {
        live.show_fleet(fleet);
    }
    Some(live)
}

/// Set by ctrl-C, SIGTERM, or when the time is over.
fn stop_flag(time: Option<Duration>) -> anyhow::Result<Arc<AtomicBool>> {
    let stop = stop::flag()?;
    if let Some(time) = time {
        let flag = Arc::clone(&stop);
        std::thread::spawn(move || {
            std::thread::sleep(time);
            flag.store(true, Relaxed);
        });
    }
    Ok(stop)
}
