//! `alfil match`

use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use alfil_arena::contest::{Archive, Match, MatchSettings, Progress};
use alfil_arena::opening::Openings;
use alfil_arena::player::{Entrant, GRAMMAR, PlayerLine};
use alfil_arena::stats::Sprt;
use alfil_game::{FullGame, registry, with_game};
use alfil_search::{Adjudication, Adjudicator};
use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::game::RulesText;
use crate::{Verdict, stop, terminal};

#[derive(Args)]
#[command(after_help = GRAMMAR)]
pub struct MatchCommand {
    /// A player; results are from its side
    #[arg(value_name = "A", default_value = "trained")]
    a: String,
    /// The other player
    #[arg(value_name = "B", default_value = "alphabeta:depth=3")]
    b: String,
    /// The game's name
    #[arg(long, default_value = registry::DEFAULT)]
    game: String,
    /// Games to play, an even number: every opening is played twice with colours exchanged
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    games: u64,
    #[command(flatten)]
    arena: Arena,
    /// Stop as soon as it is clear that A is not elo1 stronger, or more than elo0, as in elo0=0,elo1=10
    #[arg(long, value_name = "BOUNDS")]
    sprt: Option<String>,
    /// Write all games to a PGN file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// End games by the Syzygy tablebases in these folders (chess)
    #[arg(long, value_name = "FOLDERS")]
    syzygy: Option<String>,
    /// Keep every finished pair here; the same command resumes from it. alfil web shows those in data/contests whose names
    /// end in .jsonl or .journal [default: the PGN's name with .journal]
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Options that all kinds of contests have in common.
#[derive(Args)]
pub struct Arena {
    /// Games at a time, or auto: as many as there are cores for
    #[arg(long, default_value = "auto", value_name = "N")]
    concurrency: Concurrency,
    /// auto: a few random moves, balanced; or a file of positions (EPD, FEN), lines of moves, or PGN
    #[arg(long, default_value = "auto", value_name = "FILE")]
    openings: String,
    /// The seed of the openings and of all other random numbers
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    rules: RulesText,
}

#[derive(Clone, Copy)]
enum Concurrency {
    Auto,
    Games(usize),
}

impl FromStr for Concurrency {
    type Err = String;

    fn from_str(text: &str) -> Result<Concurrency, String> {
        match text.parse() {
            _ if text == "auto" => Ok(Concurrency::Auto),
            Ok(games @ 1..=1024) => Ok(Concurrency::Games(games)),
            _ => Err("it should be auto or a number from 1 to 1024".to_owned()),
        }
    }
}

impl Arena {
    /// Games at a time between players that keep `threads` threads busy.
    pub fn concurrency(&self, threads: u32) -> usize {
        match self.concurrency {
            Concurrency::Auto => Arena::threads(threads),
            Concurrency::Games(games) => games,
        }
    }

    /// How many players the cores are enough for, if each keeps `threads` threads busy.
    pub fn threads(threads: u32) -> usize {
        let cores = alfil_core::cores();
        (cores / threads.max(1) as usize).max(1)
    }

    pub fn openings<G: FullGame>(&self) -> anyhow::Result<Openings<G>> {
        let rules = self.rules.read::<G>()?;
        Ok(match self.openings.as_str() {
            "auto" => Openings::random(self.seed, &rules),
            path => Openings::from_file(path.as_ref(), &rules)?,
        })
    }
}

/// The player that a line names.
pub fn entrant<G: FullGame>(line: &str) -> anyhow::Result<Entrant<G>> {
    Ok(line.parse::<PlayerLine>()?.entrant()?)
}

/// A progress bar for a contest; hidden if there is no terminal.
pub fn progress(games: u64) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template("{pos}/{len} {bar:20} {msg}  {elapsed}, {eta} left")?;
    let bar = terminal::bar(ProgressBar::new(games).with_style(style));
    bar.enable_steady_tick(Duration::from_secs(1));
    Ok(bar)
}

pub fn run(command: MatchCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let game = command.game.clone();
    with_game!(&game, G => play::<G>(command, out))?
}

fn play<G: FullGame>(command: MatchCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let syzygy = command.syzygy.clone().unwrap_or_default();
    let adjudicator = Adjudicator::open(&Adjudication { syzygy, ..Adjudication::default() }).context("--syzygy")?;
    let sprt: Option<Sprt> = command.sprt.as_deref().map(str::parse).transpose().context("--sprt")?;
    let mut openings = command.arena.openings()?;
    let (a, b) = (entrant::<G>(&command.a)?, entrant::<G>(&command.b)?);
    let beside = |pgn: &PathBuf| {
        let mut name = pgn.clone().into_os_string();
        name.push(".journal");
        PathBuf::from(name)
    };
    let journal = command.state.clone().or_else(|| command.pgn.as_ref().map(beside));
    let settings = MatchSettings {
        games: command.games,
        concurrency: command.arena.concurrency(a.threads.max(b.threads)),
        seed: command.arena.seed,
        sprt,
    };
    let stop = stop::flag()?;
    let archive = Archive { journal, pgn: command.pgn };
    let bar = progress(command.games.next_multiple_of(2))?;
    let mut tell = |progress: Progress<'_>| {
        bar.set_message(progress.report.brief());
        bar.set_position(progress.report.games());
    };
    let contest = Match { a: &a, b: &b, openings: &mut openings, settings, adjudicator, archive };
    let report = contest.run(&mut tell, &stop)?;
    bar.finish_and_clear();
    if command.json {
        writeln!(out, "{}", report.json())?
    } else {
        write!(out, "{report}")?
    }
    Ok(if report.faults.is_empty() { Verdict::Fine } else { Verdict::Failed })
}
