//! `alfil net identify`

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_core::numbers::{count, percent};
use alfil_game::pgn::PlayerName;
use alfil_game::{FullGame, with_game};
use alfil_imitation::{Confusion, Likelihoods, Mean, Predictor, Selection, confusion, posterior};
use alfil_search::evaluators::Kind;
use anyhow::{bail, ensure};
use clap::Args;
use serde_json::{Value, json};

use super::game_set::{GamesOptions, predictors, read_set, say_stopped, short_name, with_margin};
use crate::match_command::progress;
use crate::{Verdict, stop};

/// Characters of the first column.
const NAME: usize = 24;

#[derive(Args)]
pub struct IdentifyCommand {
    /// Networks, one for each player that it may be
    #[arg(value_name = "NET", required = true)]
    nets: Vec<String>,
    /// Games: a folder, or a PGN file, which may be packed (.gz, .zst). Once for each network, in their order, to see how often
    /// players are recognised
    #[arg(long, value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,
    /// Only the moves of this player, such as Tal or 'Tal, Mikhail'; once, or once for each --games
    #[arg(long, value_name = "NAME")]
    player: Vec<PlayerName>,
    #[command(flatten)]
    options: GamesOptions,
    /// Random pools of games of each player
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pools: u64,
    /// Games in a pool
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pool_size: u32,
    /// The seed of the pools
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: &IdentifyCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let IdentifyCommand { nets, games, player, .. } = command;
    ensure!(nets.len() > 1, "name at least two networks to choose from");
    ensure!(
        [1, nets.len()].contains(&games.len()),
        "there are {} networks and {} --games: name one, or one for each network in their order",
        nets.len(),
        games.len()
    );
    ensure!(
        [0, 1, games.len()].contains(&player.len()),
        "there are {} --games and {} --player: name one, or one for each of the games in their order",
        games.len(),
        player.len()
    );
    let (kinds, game) = command.options.evaluators(nets)?;
    with_game!(&game, G => identify::<G>(command, &kinds, out))?
}

fn identify<G: FullGame>(command: &IdentifyCommand, kinds: &[Kind], out: &mut impl Write) -> anyhow::Result<Verdict> {
    let rules = command.options.rules.read::<G>()?;
    let mut predictors = predictors::<G>(&command.nets, kinds)?;
    let stop = stop::flag()?;
    let mut found = Vec::new();
    for number in 0..command.games.len() {
        let likelihoods = of_games(command, number, &mut predictors, &rules, &stop)?;
        if stop.load(Relaxed) {
            break;
        }
        found.push(likelihoods);
    }
    if found.is_empty() {
        bail!("stopped before the moves of all games were predicted");
    }
    let confusion = confusion_of(command, &found);
    let is_stopped = stop.load(Relaxed);
    if command.json {
        writeln!(out, "{}", to_json(command, &found, confusion.as_ref(), is_stopped))?;
    } else {
        print(command, &found, confusion.as_ref(), out)?;
        say_stopped(is_stopped, out)?;
    }
    Ok(Verdict::Fine)
}

/// How likely the moves of one of `--games` are.
fn of_games<G: FullGame>(
    command: &IdentifyCommand,
    number: usize,
    predictors: &mut [Predictor<G>],
    rules: &G::Rules,
    stop: &AtomicBool,
) -> anyhow::Result<Likelihoods> {
    let selection = Selection {
        player: command.player.get(number).or_else(|| command.player.first()).cloned(),
        held_out: command.options.held_out(),
        positions: None,
    };
    let path = &command.games[number];
    let Some(set) = read_set::<G>(path, selection, rules, stop)? else { return Ok(Likelihoods::default()) };
    let several = command.games.len() > 1;
    ensure!(
        !several || set.games.len() >= command.pool_size as usize,
        "{} has {} such games, fewer than a pool of {}: use a smaller --pool-size",
        path.display(),
        set.games.len(),
        command.pool_size
    );
    let bar = progress(0)?;
    bar.set_message(format!("positions of {}", short_name(&path.to_string_lossy(), NAME)));
    let mut tell = |done: u64, of: u64| {
        bar.set_length(of);
        bar.set_position(done);
    };
    let found = Likelihoods::of(predictors, &set, rules, &mut tell, stop);
    bar.finish_and_clear();
    Ok(found?)
}

/// Who is taken for whom, if there are games of each player.
fn confusion_of(command: &IdentifyCommand, found: &[Likelihoods]) -> Option<Confusion> {
    let is_complete = found.len() == command.nets.len();
    is_complete.then(|| confusion(found, command.pools, command.pool_size as usize, command.seed))
}

fn to_json(command: &IdentifyCommand, found: &[Likelihoods], confusion: Option<&Confusion>, is_stopped: bool) -> Value {
    let games = |(path, found): (&PathBuf, &Likelihoods)| {
        let network = |((net, mean), (behind, posterior)): ((&String, Mean), (Mean, f64))| {
            let interval = |mean: Mean| mean.interval.map(|(low, high)| [low, high]);
            json!({
                "net": net, "log_likelihood": mean.value, "log_likelihood_interval": interval(mean),
                "behind": behind.value, "behind_interval": interval(behind), "posterior": posterior,
            })
        };
        let rest = found.behind().into_iter().zip(posterior(&found.sums()));
        let networks: Vec<Value> = command.nets.iter().zip(found.means()).zip(rest).map(network).collect();
        json!({
            "games": path.display().to_string(), "count": found.games(), "positions": found.positions(),
            "identified": command.nets[found.best()], "networks": networks,
        })
    };
    let all: Vec<Value> = command.games.iter().zip(found).map(games).collect();
    let mut report = json!({"nets": command.nets, "games": all});
    if let Some(confusion) = confusion {
        let IdentifyCommand { pools, pool_size, seed, .. } = command;
        report["confusion"] = json!({
            "pools": pools, "pool_size": pool_size, "seed": seed, "counts": confusion.counts,
            "right": confusion.right(), "chance": 1.0 / command.nets.len() as f64,
        });
    }
    if is_stopped {
        report["stopped"] = json!(true);
    }
    report
}

fn print(
    command: &IdentifyCommand,
    found: &[Likelihoods],
    confusion: Option<&Confusion>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    for (path, found) in command.games.iter().zip(found) {
        let name = short_name(&path.to_string_lossy(), 40);
        writeln!(out, "{name}: {} moves of {} games", count(found.positions()), count(found.games() as u64))?;
        writeln!(out, "{:<NAME$} {:>18} {:>18} {:>10}", "", "ln(prior) per move", "behind the best", "posterior")?;
        let rest = found.behind().into_iter().zip(posterior(&found.sums()));
        for ((net, mean), (behind, posterior)) in command.nets.iter().zip(found.means()).zip(rest) {
            let (net, mean) = (short_name(net, NAME), with_margin(&mean, 1.0, 4));
            let behind = if behind.value < 0.0 { with_margin(&behind, -1.0, 4) } else { String::new() };
            writeln!(out, "{net:<NAME$} {mean:>18} {behind:>18} {:>10}", percent(posterior))?;
        }
        writeln!(out, "most likely: {}\n", short_name(&command.nets[found.best()], 60))?;
    }
    let Some(Confusion { counts }) = confusion else { return Ok(()) };
    let IdentifyCommand { pools, pool_size, .. } = command;
    writeln!(out, "{pools} random pools of {pool_size} games of each player, by the network that was identified")?;
    let columns: String = (1..=counts.len()).map(|number| format!("{number:>5}")).collect();
    writeln!(out, "{:<19}{columns}", "")?;
    for (number, (path, row)) in (1..).zip(command.games.iter().zip(counts)) {
        let name = short_name(&path.to_string_lossy(), 15);
        let cells: String = row.iter().map(|pools| format!("{pools:>5}")).collect();
        writeln!(out, "{number:>2} {name:<15} {cells}")?;
    }
    let (right, chance) = (confusion.map_or(0.0, Confusion::right), 1.0 / counts.len() as f64);
    writeln!(out, "{} are right; {} would be by chance", percent(right), percent(chance))?;
    Ok(())
}
