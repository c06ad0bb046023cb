//! `alfil book`

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use alfil_core::numbers::count;
use alfil_game::book::{self, BookMaker, CountedBook};
use alfil_game::chess::write_polyglot;
use alfil_game::{Book, BookMove, FullGame, registry, with_game};
use alfil_games::{ImportError, read_records};
use alfil_selfplay::GameRecord;
use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::game::{Place, RulesText};
use crate::{Verdict, stop, terminal};

#[derive(Subcommand)]
pub enum BookCommand {
    /// Make an opening book from self-play, matches or games of people
    Make(MakeCommand),
    /// Show what a book knows about a position
    Show(ShowCommand),
}

#[derive(Args)]
pub struct MakeCommand {
    /// Folders of games (self-play, imported) and PGN files, packed or not
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Write the book here
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The game's name
    #[arg(long, default_value = registry::DEFAULT)]
    game: String,
    #[command(flatten)]
    rules: RulesText,
    /// Moves of each game that are counted
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    plies: u32,
    /// Only moves that at least this many games have
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    min_games: u32,
    /// Write it in Polyglot's format, for other chess programs
    #[arg(long)]
    polyglot: bool,
}

#[derive(Args)]
pub struct ShowCommand {
    /// A book of alfil book make, or one in Polyglot's format
    book: PathBuf,
    #[command(flatten)]
    place: Place,
}

pub fn run(command: BookCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        BookCommand::Make(command) => with_game!(&command.game, G => make::<G>(&command, out))?,
        BookCommand::Show(command) => {
            let bytes = book::read_book(&command.book)?;
            // Polyglot's books are for chess, and do not say so.
            let game = CountedBook::game(&bytes).unwrap_or(alfil_game::registry::DEFAULT).to_owned();
            with_game!(&game, G => show::<G>(&command, &bytes, out))?
        }
    }
}

fn make<G: FullGame>(command: &MakeCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let rules = command.rules.read::<G>()?;
    let name: fn(&G, G::Move) -> (u64, u16) = match command.polyglot {
        true => |game, m| game.polyglot_entry(m).unwrap_or_default(),
        false => |game, m| (game.key(), m.into()),
    };
    if command.polyglot {
        let start = G::new(&rules);
        let mut moves = Vec::new();
        start.generate(&mut moves);
        let has_format = moves.first().is_some_and(|m| start.polyglot_entry(*m).is_some());
        ensure!(has_format, "Polyglot's format is for chess: leave out --polyglot for {}", G::NAME);
    }
    let stop = stop::flag()?;
    let style = ProgressStyle::with_template("{bar:30} {percent} % of {msg}, {eta} left")?;
    let bar = terminal::bar(ProgressBar::new(0).with_style(style));
    let mut maker = BookMaker::new(command.plies as usize);
    let (mut games, mut others) = (0u64, 0u64);
    for path in &command.games {
        let mut full = None;
        let mut take = |record: GameRecord| match moves_of::<G>(record, &rules, command.plies as usize) {
            Some((start, moves, score)) if full.is_none() => {
                games += 1;
                full = maker.add(&start, moves, score, name).err();
                if full.is_some() {
                    stop.store(true, Relaxed);
                }
            }
            Some(_) => {}
            None => others += 1,
        };
        let shown = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut tell = |progress: alfil_games::Progress<'_>| {
            bar.set_length(progress.bytes);
            bar.set_position(progress.read);
            bar.set_message(format!("{shown}, {} games", count(progress.games)));
        };
        let read = read_records::<G>(path, &rules, &mut take, &mut tell, &stop);
        if let Some(full) = full {
            bail!(full);
        }
        match read {
            Err(ImportError::Stopped) => bail!("stopped before all games were read: there is no book"),
            read => read?,
        };
    }
    bar.finish_and_clear();
    if others > 0 {
        terminal::say(&format!("{} records are not games of {} by these rules", count(others), G::NAME));
    }
    let known = maker.entries(command.min_games).count();
    ensure!(
        known > 0,
        "no move was played in {} of these {} games: take more games, or a smaller --min-games",
        command.min_games,
        count(games)
    );
    let bytes = if command.polyglot {
        let entries: Vec<_> =
            maker.entries(command.min_games).map(|(key, code, counts)| (key, code, counts.weight())).collect();
        write_polyglot(&entries)
    } else {
        maker.finish::<G>(command.min_games)
    };
    let path = &command.output;
    alfil_core::disk::write_whole(path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
    writeln!(out, "{} moves of {} games, in {}", count(known as u64), count(games), path.display())?;
    Ok(Verdict::Fine)
}

/// Where a game began, its first moves and its result; none if it is not a game by these rules.
fn moves_of<G: FullGame>(
    mut record: GameRecord,
    rules: &G::Rules,
    plies: usize,
) -> Option<(G, Vec<G::Move>, alfil_game::First<alfil_game::Score>)> {
    record.plies.truncate(plies);
    let mut played = Vec::with_capacity(record.plies.len());
    record.replay::<G>(rules, |_, moves, ply| {
        played.extend(moves.iter().copied().find(|m| (*m).into() == ply.code));
    })?;
    Some((record.begin::<G>(rules)?, played, record.score()))
}

fn show<G: FullGame>(command: &ShowCommand, bytes: &[u8], out: &mut impl Write) -> anyhow::Result<Verdict> {
    let cannot_use = || format!("cannot use {}", command.book.display());
    let ours =
        CountedBook::is_one(bytes).then(|| CountedBook::read::<G>(bytes)).transpose().with_context(cannot_use)?;
    let size = ours.as_ref().map(CountedBook::len);
    let opened: Box<dyn Book<G>> = match ours {
        Some(book) => Box::new(book),
        None => G::book(&command.book).with_context(cannot_use)?,
    };
    let game: G = command.place.reach()?;
    let mut moves = opened.moves(&game).with_context(cannot_use)?;
    moves.sort_by_key(|found| std::cmp::Reverse((found.weight, found.counts.map(|counts| counts.games))));
    let total: u64 = moves.iter().map(|found| u64::from(found.weight)).sum();
    let share = |found: &BookMove<G::Move>| f64::from(found.weight) / total.max(1) as f64;
    if command.place.json {
        let moves: Vec<_> = moves
            .iter()
            .map(|found| {
                let mut entry = json!({"move": game.move_text(found.m), "weight": found.weight, "share": share(found)});
                if let Some(counts) = found.counts {
                    entry["games"] = json!(counts.games);
                    entry["won"] = json!(counts.won);
                    entry["lost"] = json!(counts.lost);
                }
                entry
            })
            .collect();
        writeln!(out, "{}", json!({"game": G::NAME, "position": game.position(), "entries": size, "moves": moves}))?;
        return Ok(Verdict::Fine);
    }
    match size {
        Some(size) => writeln!(out, "a book of {} with {} moves", G::NAME, count(size as u64))?,
        None => writeln!(out, "a Polyglot book")?,
    }
    if moves.is_empty() {
        writeln!(out, "it has no move here: {}", game.position())?;
        return Ok(Verdict::Fine);
    }
    writeln!(out, "{:<8} {:>7} {:>9} {:>7} {:>7}", "move", "played", "games", "won", "lost")?;
    for found in &moves {
        write!(out, "{:<8} {:>5.1} %", game.move_name(found.m), 100.0 * share(found))?;
        if let Some(counts) = found.counts {
            let part = |part: u32| 100.0 * f64::from(part) / f64::from(counts.games.max(1));
            let (won, lost) = (part(counts.won), part(counts.lost));
            write!(out, " {:>9} {won:>5.1} % {lost:>5.1} %", count(counts.games.into()))?;
        }
        writeln!(out)?;
    }
    Ok(Verdict::Fine)
}
