//! `alfil probe`

use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;

use alfil_core::numbers::{minus, percent};
use alfil_core::settings::{Findings, Settings, set_text};
use alfil_game::{FullGame, registry, with_game};
use alfil_nn::Precision;
use alfil_search::evaluators::Kind;
use alfil_selfplay::probe::{Measured, Probe, ValueReport};
use alfil_selfplay::{SearchKind, SearchSettings};
use alfil_train::Config;
use anyhow::{Context, anyhow, ensure};
use clap::Args;
use serde_json::json;

use crate::evaluator::{device, kind_and_game};
use crate::game::RulesText;
use crate::keys::{Flags, Keys};
use crate::match_command::progress;
use crate::{Verdict, stop};

#[derive(Args)]
pub struct ProbeCommand {
    /// What evaluates positions: a network file, trained (the bundled network), handcrafted, material, uniform,
    /// rollout, or rollout:GAMES
    #[arg(value_name = "NET")]
    evaluator: String,
    #[arg(long, help = format!("The game's name [default: the network file's, or {}]", registry::DEFAULT))]
    game: Option<String>,
    #[command(flatten)]
    rules: RulesText,
    /// Count the blunders of another search on the same positions too, as KEY=VALUE with commas between them, such as
    /// visits=64,considered=8; can be repeated
    #[arg(long, value_name = "SETTINGS")]
    also: Vec<String>,
    /// Compute the network on libtorch instead of our CPU engine: cpu, cuda, cuda:N or auto
    #[arg(long)]
    device: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Flags<ProbeKeys>,
}

/// The keys about the probe and about the search of self-play.
struct ProbeKeys;

impl Keys for ProbeKeys {
    fn takes(key: &str) -> bool {
        let is_search = |key: &str| SearchSettings::declarations().iter().any(|declaration| declaration.key == key);
        key == "seed" || key.starts_with("probe.") || key.strip_prefix("selfplay.").is_some_and(is_search)
    }
}

pub fn run(command: ProbeCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let (kind, game) = kind_and_game(&command.evaluator, command.game.as_deref())?;
    with_game!(&game, G => probe::<G>(&command, &kind, out))?
}

fn probe<G: FullGame>(command: &ProbeCommand, kind: &Kind, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let device = device(kind, command.device.as_deref(), Precision::Full)?;
    let backend = kind.backend::<G>(&*device).with_context(|| format!("cannot use {}", command.evaluator))?;
    let rules = command.rules.read::<G>()?;
    let config = &command.settings.config;
    let mut searches = vec![config.selfplay.search];
    for text in &command.also {
        searches.push(changed(config, text)?);
    }
    ensure!(!config.probe.is_off(), "there is nothing to measure: --positions and --pairs are 0");
    ensure!(Probe::<G>::is_possible(&rules), "{} has no handcrafted estimates to probe with", G::NAME);
    let stop = stop::flag()?;
    let bar = progress(0)?;
    let mut count = |done: u64, of: u64| {
        bar.set_length(of);
        bar.set_position(done);
    };
    bar.set_message("positions made");
    let mut found = Found { values: ValueReport::default(), searches: Vec::new(), stopped: false };
    if let Some(mut probe) = Probe::<G>::new(&config.probe, &rules, config.seed, &mut count, &stop)? {
        let mut evaluator = backend.evaluator(config.seed)?;
        found.values = probe.values(&mut *evaluator)?;
        for search in searches {
            bar.set_message(format!("positions searched by {}", name(&search)));
            if let Some(blunders) = probe.blunders(&search, &mut *evaluator, &mut count, &stop)? {
                found.searches.push((search, blunders));
            }
        }
    }
    bar.finish_and_clear();
    found.stopped = stop.load(Relaxed);
    if command.json { found.print_json(out) } else { found.print(out) }
}

/// The settings of self-play's search with some changed.
fn changed(config: &Config, text: &str) -> anyhow::Result<SearchSettings> {
    let (mut search, mut found) = (config.selfplay.search, Findings::default());
    for setting in text.split(',') {
        set_text(&mut search, setting, &mut found).with_context(|| format!("--also {text}"))?;
    }
    Settings::check(&search, &mut found);
    let errors: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
    if errors.is_empty() { Ok(search) } else { Err(anyhow!("--also {text}: {}", errors.join("; "))) }
}

/// A search in a few words.
fn name(search: &SearchSettings) -> String {
    match search.kind {
        SearchKind::Gumbel => format!("gumbel, {} visits, {} considered", search.visits, search.considered),
        SearchKind::Puct => format!("puct, {} visits", search.visits),
    }
}

/// What the command found.
struct Found {
    values: ValueReport,
    searches: Vec<(SearchSettings, Measured)>,
    /// Whether it was stopped before the end.
    stopped: bool,
}

impl Found {
    fn print(&self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let ValueReport { gap, bias, correlation } = self.values;
        let number = |number: f64| minus(&format!("{number:.3}"));
        let mut row = |name: &str, measured: Option<Measured>, text: &dyn Fn(f64) -> String, what: &str| {
            let Some(Measured { value, low, high, count }) = measured else { return Ok(()) };
            let interval = format!("({} to {})", text(low), text(high));
            writeln!(out, "{name:<11} {:>7} {interval:<19} {count:>5} {what}", text(value))
        };
        row("gap", gap, &number, "hanging pieces: |after − before|")?;
        row("bias", bias, &number, "of them: after − before")?;
        row("correlation", correlation, &number, "positions: value and material")?;
        for (search, blunders) in &self.searches {
            row("blunders", Some(*blunders), &percent, &name(search))?;
        }
        if self.stopped {
            writeln!(out, "stopped before the end")?;
        }
        Ok(Verdict::Fine)
    }

    fn print_json(&self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let ValueReport { gap, bias, correlation } = self.values;
        let numbers = |Measured { value, low, high, count }: Measured| json!({"value": value, "low": low, "high": high, "count": count});
        let searches: Vec<_> = self
            .searches
            .iter()
            .map(|(search, blunders)| {
                let SearchSettings { visits, considered, .. } = search;
                json!({
                    "search": name(search), "visits": visits, "considered": considered, "blunders": numbers(*blunders),
                })
            })
            .collect();
        let report = json!({
            "gap": gap.map(numbers), "bias": bias.map(numbers), "correlation": correlation.map(numbers),
            "searches": searches, "stopped": self.stopped,
        });
        writeln!(out, "{report}")?;
        Ok(Verdict::Fine)
    }
}
