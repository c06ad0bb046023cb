//! `alfil review`

use std::io::Write;
use std::path::{Path, PathBuf};

use alfil_arena::player::{GRAMMAR, LabelSettings};
use alfil_core::disk::write_whole;
use alfil_core::numbers::count;
use alfil_core::wording::{cut, one_line};
use alfil_game::{FullGame, registry, with_game};
use alfil_insight::chess::Tactic;
use alfil_insight::review::{self, Count, GameReview, HEADER, Reviewed};
use alfil_insight::{Class, Limits, PlayerName, Review, judge_line};
use alfil_nn::Bundled;
use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value, json};

use crate::game::RulesText;
use crate::insight::{bytes_bar, check_outputs};
use crate::match_command::Arena;
use crate::{Verdict, stop, terminal};

/// Games that are printed one by one.
const SHOWN: usize = 20;

/// Characters of a name in the table.
const NAME: usize = 24;

#[derive(Args)]
#[command(after_help = GRAMMAR)]
pub struct ReviewCommand {
    /// Files of games: .pgn, .pgn.gz or .pgn.zst
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Who judges: any player that says what positions are worth [default: the bundled network with 800 visits]
    #[arg(long, value_name = "PLAYER")]
    engine: Option<String>,
    /// A network that judges, with 800 visits
    #[arg(long, value_name = "FILE", conflicts_with = "engine")]
    net: Option<String>,
    /// Only this player's mistakes; other games are left out
    #[arg(long, value_name = "NAME")]
    player: Option<PlayerName>,
    /// With --player: games that he played together with others count as well
    #[arg(long, requires = "player")]
    with_partners: bool,
    /// Write the games with marks, evaluations and better lines
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Write a table with every move
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a page with graphs and boards
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The game's name
    #[arg(long, default_value = registry::DEFAULT)]
    game: String,
    #[command(flatten)]
    rules: RulesText,
    /// Judges that work side by side, each at a game [default: as many as there are cores for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: &ReviewCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    with_game!(&command.game, G => judge::<G>(command, out))?
}

fn judge<G: FullGame>(command: &ReviewCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    check_outputs(&command.files, [&command.pgn, &command.csv, &command.html].into_iter().flatten())?;
    let line = match (&command.engine, &command.net) {
        (Some(engine), _) => engine.clone(),
        (None, Some(net)) => format!("{net}:visits=800"),
        (None, None) if Bundled::default_of(G::NAME).is_some() => "trained:visits=800".to_owned(),
        (None, None) => "handcrafted:visits=800".to_owned(),
    };
    let judge = judge_line(&line, Limits::Long)?.teacher::<G>(&LabelSettings::default())?;
    let player = command.player.as_ref().map(|player| PlayerName::new(player.text(), command.with_partners));
    let review = Review {
        files: &command.files,
        rules: command.rules.read::<G>()?,
        judge: &judge,
        threads: command.threads.map_or_else(|| Arena::threads(judge.threads), |threads| threads as usize),
        player,
    };
    let stop = stop::flag()?;
    let bar = bytes_bar()?;
    let reviewed = review.run(
        &mut |progress| {
            bar.set_length(progress.bytes);
            bar.set_position(progress.read);
            bar.set_message(format!("{} games", count(progress.games)));
        },
        &stop,
    );
    bar.finish_and_clear();
    let reviewed = reviewed?;
    let Reviewed { games, unreadable, is_stopped } = &reviewed;
    if games.is_empty() {
        match &command.player {
            _ if *is_stopped => bail!("stopped before the first game was judged: nothing was written"),
            Some(player) => bail!("there is no game of {} in these files", one_line(player.text())),
            None => bail!("there is no {} game in these files{}", G::NAME, unread(*unreadable)),
        }
    }
    write_files(command, games, &judge.name)?;
    if command.json {
        let report = json!({
            "judge": judge.name,
            "games": games.iter().map(game_json).collect::<Vec<Value>>(),
            "unreadable": unreadable,
            "stopped": is_stopped,
        });
        writeln!(out, "{report}")?;
        return Ok(Verdict::Fine);
    }
    print(games, out)?;
    if *unreadable > 0 {
        terminal::say(&format!("left out{}", unread(*unreadable)));
    }
    if *is_stopped {
        writeln!(out, "stopped before the end")?;
    }
    Ok(Verdict::Fine)
}

fn unread(games: u64) -> String {
    if games == 0 {
        String::new()
    } else {
        format!(": {} games cannot be read (alfil pgn check says why)", count(games))
    }
}

fn write_files<G: FullGame>(command: &ReviewCommand, games: &[GameReview<G>], judge: &str) -> anyhow::Result<()> {
    let write = |path: &Option<PathBuf>, text: &dyn Fn() -> String| {
        let Some(path) = path else { return Ok(()) };
        let show = |path: &Path| format!("cannot write {}", path.display());
        write_whole(path, text().as_bytes()).with_context(|| show(path))
    };
    write(&command.pgn, &|| {
        games.iter().map(|game| review::annotated(game, &format!("Alfil with {judge}"))).collect()
    })?;
    write(&command.csv, &|| HEADER.to_owned() + &games.iter().map(review::rows).collect::<String>())?;
    write(&command.html, &|| review::page(games, judge))
}

fn print<G: FullGame>(games: &[GameReview<G>], out: &mut impl Write) -> anyhow::Result<()> {
    for (index, game) in games.iter().enumerate().take(SHOWN) {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", cut(&one_line(&game.title()), 79))?;
        writeln!(
            out,
            "{:<NAME$} {:>5} {:>8} {:>6}  ?! / ? / ?? / wins / mates missed",
            "", "moves", "accuracy", "loss"
        )?;
        for side in &game.sides {
            let Count { moves, accuracy, loss, classes } = &side.all;
            let classes = classes.map(|number| number.to_string()).join(" / ");
            let classes = if side.is_asked { classes.as_str() } else { "" };
            let name = cut(&one_line(&side.name), NAME);
            writeln!(out, "{name:<NAME$} {moves:>5} {accuracy:>8.1} {:>6.2}  {classes}", loss / 100.0)?;
        }
        if let Some(ply) = game.turning_point {
            writeln!(out, "the game turned with {}", game.move_name(ply))?;
        }
        let mut now = game.game.start.clone();
        for (ply, judged) in game.moves.iter().enumerate() {
            if let Some(class) = judged.class {
                let better = judged.better.first().map_or(String::new(), |&m| format!(", better {}", now.move_name(m)));
                let name = format!("{}{}", game.move_name(ply), class.mark());
                writeln!(out, "  {name:<14} {} to {}{better} ({})", judged.before, judged.after, judged.class_text())?;
            }
            now.play(judged.m);
        }
    }
    if games.len() > SHOWN {
        let (shown, all) = (SHOWN, count(games.len() as u64));
        writeln!(out, "\nthe first {shown} of {all} games are shown; --pgn, --csv and --html have the others")?;
    }
    Ok(())
}

fn game_json<G: FullGame>(game: &GameReview<G>) -> Value {
    let classes = |counted: &Count| -> Value {
        Class::ALL.into_iter().map(|class| (class.plural().replace(' ', "_"), json!(counted.class(class)))).collect()
    };
    let counted = |counted: &Count| json!({"moves": counted.moves, "accuracy": counted.accuracy, "loss": counted.loss, "classes": classes(counted)});
    let side = |side: &review::SideReview| {
        let phases: Value = alfil_insight::Phase::ALL
            .into_iter()
            .zip(&side.phases)
            .map(|(phase, of_phase)| (phase.name().to_owned(), counted(of_phase)))
            .collect();
        json!({"player": side.name, "all": counted(&side.all), "phases": phases})
    };
    let errors = game.moves.iter().enumerate().filter_map(|(ply, judged)| {
        let class = judged.class?;
        let names = |tactics: &[Tactic]| tactics.iter().map(Tactic::to_string).collect::<Vec<_>>();
        Some(json!({
            "ply": ply + 1,
            "move": game.move_name(ply),
            "class": class.name(),
            "before": alfil_insight::hundredths(judged.before),
            "after": alfil_insight::hundredths(judged.after),
            "mate_in": (class == Class::MissedMate).then(|| judged.before.own_turns()).flatten(),
            "missed": names(&judged.missed),
            "allowed": names(&judged.allowed),
        }))
    });
    json!({
        "number": game.number,
        "title": game.title(),
        "sides": game.sides.iter().map(side).collect::<Vec<_>>(),
        "turning_point": game.turning_point.map(|ply| ply + 1),
        "errors": errors.collect::<Vec<_>>(),
    })
}
