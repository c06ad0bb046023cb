//! `alfil insight profile`

use std::io::Write;
use std::path::{Path, PathBuf};

use alfil_arena::player::LabelSettings;
use alfil_core::disk::write_whole;
use alfil_core::numbers::{count, percent};
use alfil_core::wording::{cut, one_line};
use alfil_game::chess::Chess;
use alfil_insight::chess::{Mistake, Vectors};
use alfil_insight::profile::{Model, Part, Profile, Row, epd, page, practice};
use alfil_insight::{Criterion, ErrorRecord, Extracted, Extraction, Limits, PlayerName, judge_line, read_errors};
use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value, json};

use super::{ModelOption, bytes_bar, check_outputs};
use crate::match_command::Arena;
use crate::{Verdict, stop, terminal};

/// The ending of tables.
const TABLE: &str = "csv";

#[derive(Args)]
pub struct ProfileCommand {
    /// Games of the player (.pgn, .pgn.gz, .pgn.zst), or a table of his mistakes that alfil insight extract has written
    file: PathBuf,
    /// The player
    #[arg(long, value_name = "NAME")]
    player: PlayerName,
    /// Games that he played together with others count as well
    #[arg(long)]
    with_partners: bool,
    /// Who judges the games; an engine without limits searches to depth 8, for a quarter of a second at most
    #[arg(long, value_name = "PLAYER", default_value = "uci:stockfish")]
    engine: String,
    /// The table of mistakes that is made from games [default: the games' name with that of the player]
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    #[command(flatten)]
    model: ModelOption,
    /// Write a page with pictures
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write positions to practise
    #[arg(long, value_name = "FILE")]
    epd: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: &ProfileCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let outputs = [&command.html, &command.epd, &command.table].into_iter().flatten();
    check_outputs([Some(&command.file), command.model.path()].into_iter().flatten(), outputs)?;
    let model = command.model.read()?;
    // A network that the model needs and that is not there is missed before games are judged for hours.
    Vectors::of(&model.vectors, &[])?;
    let (records, extracted) = mistakes(command)?;
    let name = command.player.text();
    if extracted.moves == 0 {
        bail!("there is no move of {} to judge in {}", one_line(name), command.file.display());
    }
    let mistakes: Vec<Mistake<'_>> = records.iter().filter_map(Mistake::read).collect();
    let vectors = Vectors::of(&model.vectors, &mistakes)?;
    let profile = Profile::new(name.to_owned(), &mistakes, &vectors, &extracted, &model);
    let write = |path: &Option<PathBuf>, text: &dyn Fn() -> String| {
        let Some(path) = path else { return Ok(()) };
        write_whole(path, text().as_bytes()).with_context(|| format!("cannot write {}", path.display()))
    };
    write(&command.html, &|| page(&profile, &mistakes, &model))?;
    write(&command.epd, &|| epd(&practice(&mistakes)))?;
    if command.json {
        writeln!(out, "{}", to_json(&profile))?;
        return Ok(Verdict::Fine);
    }
    print(&profile, &model, out)
}

/// The mistakes of the player, and the moves that they were among.
fn mistakes(command: &ProfileCommand) -> anyhow::Result<(Vec<ErrorRecord>, Extracted)> {
    let table = if command.file.extension().is_some_and(|ending| ending == TABLE) {
        command.file.clone()
    } else {
        let table = command.table.clone().unwrap_or_else(|| table_of(&command.file, command.player.text()));
        if table.exists() {
            terminal::say(&format!("using the mistakes in {}: remove it to judge the games again", table.display()));
        } else {
            extract(command, &table)?;
        }
        table
    };
    let player = PlayerName::new(command.player.text(), command.with_partners);
    let (mut records, extracted) = (read_errors(&table)?, Extracted::read(&table)?);
    let all = records.len();
    records.retain(|record| player.matches(&record.player));
    if records.len() < all {
        // Its moves are not counted by player.
        bail!("{} has mistakes of other players: alfil insight extract --player makes a table of one", table.display());
    }
    Ok((records, extracted))
}

/// `games.pgn.zst` and a player's name make `games.steinitz-william.csv`.
fn table_of(games: &Path, player: &str) -> PathBuf {
    let name = games.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split(".pgn").next().unwrap_or_default();
    let words = player.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let player = words.map(str::to_lowercase).collect::<Vec<_>>().join("-");
    games.with_file_name(format!("{stem}.{player}.{TABLE}"))
}

fn extract(command: &ProfileCommand, table: &Path) -> anyhow::Result<()> {
    let judge = judge_line(&command.engine, Limits::Short)?.teacher::<Chess>(&LabelSettings::default())?;
    let files = [command.file.clone()];
    let extraction = Extraction::<Chess> {
        files: &files,
        rules: Default::default(),
        judge: &judge,
        threads: Arena::threads(judge.threads),
        player: Some(PlayerName::new(command.player.text(), command.with_partners)),
        criterion: Criterion::default(),
        skipped_turns: 5,
        output: table,
    };
    let stop = stop::flag()?;
    let bar = bytes_bar()?;
    let run = extraction.run(
        &mut |progress| {
            bar.set_length(progress.bytes);
            bar.set_position(progress.read);
            bar.set_message(format!("{} games, {} mistakes", count(progress.games), count(progress.errors)));
        },
        &stop,
    );
    bar.finish_and_clear();
    run?;
    Ok(())
}

fn print(profile: &Profile, model: &Model, out: &mut impl Write) -> anyhow::Result<Verdict> {
    writeln!(out, "{}: {} games", one_line(&profile.player), count(profile.games))?;
    writeln!(out, "compared with {}", cut(&one_line(&model.corpus), 65))?;
    writeln!(out, "rates are mistakes per 100 moves; level: times as many as the rate of all mistakes predicts")?;
    for part in Part::ALL {
        let rows: Vec<&Row> = profile.part(part).collect();
        if rows.is_empty() {
            continue;
        }
        writeln!(out, "\n{:<40} {:>7} {:>16} {:>8} {:>6}", part.title(), "rate", "interval", "corpus", "level")?;
        for row in rows {
            let (low, high) = row.rate.interval();
            let interval = format!("{:.2} to {:.2}", 100.0 * low, 100.0 * high);
            let mark = match row.relatively_above() {
                above if above >= alfil_insight::profile::CLEAR => " worse",
                above if above <= -alfil_insight::profile::CLEAR => " better",
                _ => "",
            };
            let name = cut(&one_line(&row.name), 38);
            let (share, base) = (100.0 * row.rate.share(), 100.0 * row.base.share());
            let relative = row.relative();
            writeln!(out, "  {name:<38} {share:>7.2} {interval:>16} {base:>8.2} {relative:>6.2}{mark}")?;
        }
    }
    writeln!(out, "\nWhat to train next")?;
    let weak = profile.weaknesses();
    if weak.is_empty() {
        writeln!(out, "  nothing is worse than the level predicts by more than chance")?;
    }
    for (number, row) in (1..).zip(weak.into_iter().take(5)) {
        let (share, base) = (percent(row.rate.share()), percent(row.base.share()));
        writeln!(out, "  {number}. {} ({share} of moves, {base} in the corpus)", one_line(&row.advice()))?;
    }
    Ok(Verdict::Fine)
}

fn to_json(profile: &Profile) -> Value {
    let row = |row: &Row| {
        let (low, high) = row.rate.interval();
        json!({
            "part": row.part.title(), "name": row.name, "count": row.rate.count, "of": row.rate.of,
            "share": row.rate.share(), "interval": [low, high], "base": row.base.share(), "above": row.above(),
            "relative": row.relative(), "relatively_above": row.relatively_above(),
        })
    };
    let advice: Vec<String> = profile.weaknesses().into_iter().take(5).map(Row::advice).collect();
    json!({
        "player": profile.player, "games": profile.games,
        "rows": profile.rows.iter().map(row).collect::<Vec<_>>(), "advice": advice,
    })
}
