//! Games that commands have networks predict.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use alfil_core::numbers::count;
use alfil_core::wording::cut;
use alfil_game::{FullGame, registry};
use alfil_games::{ImportError, read_records};
use alfil_imitation::{GameSet, Mean, Predictor, Selection, SetBuilder};
use alfil_nn::Cpu;
use alfil_search::evaluators::Kind;
use alfil_selfplay::replay::Sampling;
use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::game::RulesText;
use crate::{evaluator, terminal};

/// Which games, and by which rules.
#[derive(Args)]
pub struct GamesOptions {
    #[arg(long, help = format!("The game's name [default: the first network's, or {}]", registry::DEFAULT))]
    game: Option<String>,
    #[command(flatten)]
    pub rules: RulesText,
    /// Only games that training holds out: by default the share of 0.03 that it holds out by default
    #[arg(long, value_name = "SHARE", num_args = 0..=1, require_equals = true, value_parser = share)]
    held_out: Option<Option<f64>>,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "it should be a share above 0, up to 1".to_owned())
}

impl GamesOptions {
    /// The share of games that are held out, if only those count.
    pub fn held_out(&self) -> Option<f64> {
        self.held_out.map(|share| share.unwrap_or(Sampling::default().held_out))
    }

    /// The evaluators that texts name, and the game that they all play.
    pub fn evaluators(&self, texts: &[String]) -> anyhow::Result<(Vec<Kind>, String)> {
        let first = texts.first().map_or("", String::as_str);
        let (first, game) = evaluator::kind_and_game(first, self.game.as_deref())?;
        let others =
            texts.iter().skip(1).map(|text| evaluator::kind(text, &game)).collect::<anyhow::Result<Vec<_>>>()?;
        Ok((std::iter::once(first).chain(others).collect(), game))
    }
}

/// Evaluators on all cores.
pub fn predictors<G: FullGame>(texts: &[String], kinds: &[Kind]) -> anyhow::Result<Vec<Predictor<G>>> {
    let predictor = |(text, kind): (&String, &Kind)| {
        let backend = kind.backend::<G>(&Cpu).with_context(|| format!("cannot use {text}"))?;
        Ok(Predictor::new(&*backend, alfil_core::cores())?)
    };
    texts.iter().zip(kinds).map(predictor).collect()
}

/// The positions of a folder or a file that count. `None` if it was stopped.
pub fn read_set<G: FullGame>(
    path: &Path,
    selection: Selection,
    rules: &G::Rules,
    stop: &AtomicBool,
) -> anyhow::Result<Option<GameSet>> {
    let style = ProgressStyle::with_template("{bar:30} {percent} % of {msg}, {eta} left")?;
    let bar = terminal::bar(ProgressBar::new(0).with_style(style));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut builder = SetBuilder::<G>::new(selection, rules.clone());
    let mut tell = |progress: alfil_games::Progress<'_>| {
        bar.set_length(progress.bytes);
        bar.set_position(progress.read);
        bar.set_message(format!("{name}, {} games", count(progress.games)));
    };
    let read = read_records::<G>(path, rules, &mut |record| builder.add(&record), &mut tell, stop);
    bar.finish_and_clear();
    match read {
        Err(ImportError::Stopped) => return Ok(None),
        read => read?,
    };
    let set = builder.finish();
    if set.illegal > 0 {
        terminal::say(&format!("{} records are not games of {} by these rules", count(set.illegal), G::NAME));
    }
    if set.games.is_empty() {
        bail!("{} has no finished games whose moves count: name other games, or ask for more of them", path.display());
    }
    Ok(Some(set))
}

/// A network's name in tables: its file's, without folder and ending.
pub fn short_name(text: &str, longest: usize) -> String {
    let name = Path::new(text).file_name().map_or(text.into(), |name| name.to_string_lossy());
    let endings = [".safetensors", ".pb.gz", ".pb", ".pgn.zst", ".pgn.gz", ".pgn"];
    cut(endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name), longest)
}

/// A mean with half the width of its interval, `scale` times as large.
pub fn with_margin(mean: &Mean, scale: f64, digits: usize) -> String {
    let value = format!("{:.digits$}", scale * mean.value);
    match mean.margin() {
        Some(margin) => format!("{value} ±{:.digits$}", scale.abs() * margin),
        None => value,
    }
}

/// Says that a command ended early, after what it has found.
pub fn say_stopped(is_stopped: bool, out: &mut impl Write) -> anyhow::Result<()> {
    if is_stopped {
        writeln!(out, "stopped before the end")?;
    }
    Ok(())
}
