//! `alfil game`

use std::io::Write;
use std::time::Instant;

use alfil_game::conformance::{Check, Effort, check_encoding, check_game};
use alfil_game::perft::divide;
use alfil_game::{Encoding, FullGame, Game, Score, for_each_encoding, for_each_game, play_line, read_rules, with_game};
use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::{Verdict, terminal};

#[derive(Subcommand)]
pub enum GameCommand {
    /// List the games and their encodings
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Count move paths, by first move and in all
    Perft {
        /// The game's name
        game: String,
        /// How many plies deep
        #[arg(value_parser = clap::value_parser!(u32).range(0..=20))]
        depth: u32,
        #[command(flatten)]
        place: Place,
    },
    /// Check that a game and its encodings keep their promises
    Check {
        /// The game's name
        game: String,
        /// Random games to check on
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        games: u32,
        /// The seed of the random games
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        rules: RulesText,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Draw a position and list its legal moves
    Show {
        /// The game's name
        game: String,
        #[command(flatten)]
        place: Place,
    },
    /// Show the exact result of every move, if the game has a solver
    Solve {
        /// The game's name
        game: String,
        #[command(flatten)]
        place: Place,
    },
}

/// The options of the rules.
#[derive(Args)]
pub struct RulesText {
    /// Options of the game's rules, with commas between them [default: the usual rules]
    #[arg(long, value_name = "KEY=VALUE", default_value = "", hide_default_value = true)]
    rules: String,
}

impl RulesText {
    pub fn read<G: FullGame>(&self) -> anyhow::Result<G::Rules> {
        Ok(read_rules::<G>(&self.rules)?)
    }

    /// The text as it was given.
    pub fn text(&self) -> &str {
        &self.rules
    }
}

/// A position, and how to report on it.
#[derive(Args)]
pub struct Place {
    #[command(flatten)]
    rules: RulesText,
    /// A position in the game's notation (chess: FEN, or chess960:N) [default: the start position]
    #[arg(long, value_name = "P")]
    position: Option<String>,
    /// Moves to play from there, as programs or people write them: "e4 c7c5 Nf3"
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    moves: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Place {
    /// The position.
    pub fn reach<G: FullGame>(&self) -> anyhow::Result<G> {
        let rules = self.rules.read::<G>()?;
        let mut game = match self.position.as_deref() {
            None | Some("start" | "startpos") => G::new(&rules),
            Some(text) => G::from_position(text, &rules)?,
        };
        let before = game.ply();
        if let Err(error) = play_line(&mut game, &self.moves) {
            let played = game.ply() - before;
            return Err(error).with_context(|| format!("move {} of --moves", played + 1));
        }
        Ok(game)
    }
}

pub fn run(command: GameCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        GameCommand::List { json } => list(json, out),
        GameCommand::Perft { game, depth, place } => with_game!(&game, G => perft::<G>(depth, place, out))?,
        GameCommand::Check { game, games, seed, rules, json } => {
            check(&game, &rules, Effort { games: games as usize, seed }, json, out)
        }
        GameCommand::Show { game, place } => with_game!(&game, G => show::<G>(place, out))?,
        GameCommand::Solve { game, place } => with_game!(&game, G => solve::<G>(place, out))?,
    }
}

fn list(json: bool, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let mut games = Vec::new();
    for_each_game!(G => games.push(Listed::new::<G>()));
    if json {
        let games: Vec<_> = games.iter().map(Listed::json).collect();
        writeln!(out, "{}", serde_json::Value::from(games))?;
        return Ok(Verdict::Fine);
    }
    for Listed { name, title, solver, encodings } in games {
        writeln!(out, "{name:<13} {title}{}", if solver { " (with an exact solver)" } else { "" })?;
        for Shape { name, planes, height, width, policy, .. } in encodings {
            writeln!(out, "    {name:<20} {planes:>3} planes of {height}x{width}, {policy} policy indices")?;
        }
    }
    Ok(Verdict::Fine)
}

/// What the list says about a game.
struct Listed {
    name: &'static str,
    title: &'static str,
    solver: bool,
    encodings: Vec<Shape>,
}

/// What the list says about an encoding.
struct Shape {
    name: &'static str,
    version: u32,
    planes: usize,
    height: usize,
    width: usize,
    policy: usize,
}

impl Listed {
    fn new<G: FullGame>() -> Listed {
        let mut encodings = Vec::new();
        for_each_encoding!(E => if <E as Encoding>::Game::NAME == G::NAME {
            encodings.push(Shape {
                name: E::NAME,
                version: E::VERSION,
                planes: E::PLANES,
                height: E::HEIGHT,
                width: E::WIDTH,
                policy: E::POLICY_SIZE,
            });
        });
        Listed { name: G::NAME, title: G::TITLE, solver: G::oracle().is_some(), encodings }
    }

    fn json(&self) -> serde_json::Value {
        let shape = |shape: &Shape| {
            let Shape { name, version, planes, height, width, policy } = shape;
            json!({
                "name": name, "version": version, "planes": planes, "height": height, "width": width, "policy": policy,
            })
        };
        let encodings: Vec<_> = self.encodings.iter().map(shape).collect();
        json!({"name": self.name, "title": self.title, "solver": self.solver, "encodings": encodings})
    }
}

/// Names of a game's encodings, its usual one first.
pub fn encoding_names(game: &str) -> anyhow::Result<Vec<&'static str>> {
    let listed = with_game!(game, G => Listed::new::<G>())?;
    Ok(listed.encodings.iter().map(|encoding| encoding.name).collect())
}

fn perft<G: FullGame>(depth: u32, place: Place, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let game: G = place.reach()?;
    let started = Instant::now();
    let moves = divide(&game, depth);
    let seconds = started.elapsed().as_secs_f64();
    let total = if depth == 0 { 1 } else { moves.iter().map(|(_, count)| count).sum::<u64>() };
    if place.json {
        let moves: serde_json::Map<_, _> =
            moves.into_iter().map(|(m, count)| (game.move_text(m), count.into())).collect();
        let position = game.position();
        writeln!(out, "{}", json!({"position": position, "depth": depth, "nodes": total, "moves": moves}))?;
    } else {
        for (m, count) in moves {
            writeln!(out, "{:<6} {count}", game.move_text(m))?;
        }
        writeln!(out, "{:.1} million per second\n{total}", total as f64 / seconds.max(1e-9) / 1e6)?;
    }
    Ok(Verdict::Fine)
}

fn check(name: &str, rules: &RulesText, effort: Effort, json: bool, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let game = with_game!(name, G => (G::NAME, check_game::<G>(&rules.read::<G>()?, effort)))?;
    let mut subjects = vec![game];
    for_each_encoding!(E => if <E as Encoding>::Game::NAME == name {
        subjects.push((E::NAME, check_encoding::<E>(&rules.read::<<E as Encoding>::Game>()?, effort)));
    });
    let of = |(subject, checks): (&'static str, Vec<Check>)| checks.into_iter().map(move |check| (subject, check));
    let checks: Vec<_> = subjects.into_iter().flat_map(of).collect();
    let broken = checks.iter().filter(|(_, check)| check.result.is_err()).count();
    if json {
        let checks: Vec<_> = checks
            .iter()
            .map(|(subject, check)| {
                json!({
                    "subject": subject,
                    "promise": check.promise,
                    "cases": check.result.as_ref().ok(),
                    "failure": check.result.as_ref().err(),
                })
            })
            .collect();
        writeln!(out, "{}", json!({"game": name, "passed": broken == 0, "checks": checks}))?;
    } else {
        let mut subject = "";
        for (of, Check { promise, result }) in &checks {
            if *of != subject {
                writeln!(out, "{of}")?;
                subject = of;
            }
            match result {
                Ok(0) => writeln!(out, "  -      none {promise}")?,
                Ok(cases) => writeln!(out, "  ok {cases:>7} {promise}")?,
                Err(error) => writeln!(out, "  BROKEN     {promise}\n             {error}")?,
            }
        }
        let verdict = if broken == 0 { "all promises kept".to_owned() } else { format!("{broken} promises broken") };
        writeln!(out, "{name}: {verdict}")?;
    }
    Ok(if broken == 0 { Verdict::Fine } else { Verdict::Failed })
}

fn show<G: FullGame>(place: Place, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let game: G = place.reach()?;
    let mut moves = Vec::new();
    let outcome = game.legal_moves(&mut moves);
    if place.json {
        let texts: Vec<_> = moves.iter().map(|&m| game.move_text(m)).collect();
        let outcome = outcome.map(|end| json!({"first": end.score.0.points(), "reason": end.reason}));
        let report = json!({
            "game": G::NAME,
            "position": game.position(),
            "side": game.side().to_string(),
            "moves": texts,
            "outcome": outcome,
        });
        writeln!(out, "{report}")?;
        return Ok(Verdict::Fine);
    }
    writeln!(out, "{game}\n{}\n", game.position())?;
    match outcome {
        Some(end) => {
            let points = end.score.0.points();
            writeln!(out, "over: {points} to {}, {}", 1.0 - points, end.reason)?;
        }
        None => {
            writeln!(out, "{} legal moves:", moves.len())?;
            let names: Vec<_> = moves.iter().map(|&m| game.move_name(m)).collect();
            write_columns(&names, out)?;
        }
    }
    Ok(Verdict::Fine)
}

/// Writes words side by side in 78 columns.
pub fn write_columns(words: &[String], out: &mut impl Write) -> anyhow::Result<()> {
    let width = words.iter().map(|word| word.chars().count()).max().unwrap_or(0) + 2;
    for row in words.chunks((78 / width).max(1)) {
        for word in row {
            write!(out, "  {word:<0$}", width - 2)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn solve<G: FullGame>(place: Place, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let Some(mut oracle) = G::oracle() else { bail!("{} has no exact solver", G::NAME) };
    let game: G = place.reach()?;
    if let Some(end) = game.outcome() {
        bail!("the game is over ({}): there is nothing to solve", end.reason);
    }
    if game.ply() < oracle.quick_from() {
        terminal::say("so early in the game this can take minutes…");
    }
    let mut moves = oracle.judge_moves(&game);
    moves.sort_by(|(_, a), (_, b)| b.preference(a));
    let word = |score| match score {
        Score::WIN => "win",
        Score::LOSS => "loss",
        _ => "draw",
    };
    if place.json {
        let moves: Vec<_> = moves
            .iter()
            .map(|(m, judgement)| {
                json!({
                    "move": game.move_text(*m),
                    "result": word(judgement.score.0),
                    "plies": judgement.plies,
                })
            })
            .collect();
        let result = moves.first().map(|best| best["result"].clone());
        writeln!(out, "{}", json!({"position": game.position(), "result": result, "moves": moves}))?;
        return Ok(Verdict::Fine);
    }
    writeln!(out, "{game}")?;
    for (m, judgement) in &moves {
        writeln!(out, "{:<6} {:<4} in {} plies", game.move_name(*m), word(judgement.score.0), judgement.plies)?;
    }
    Ok(Verdict::Fine)
}
