//! What a run shows while it goes on.

use std::io::Write;
use std::time::{Duration, Instant};

use alfil_train::run::{Metrics, Phase, State};
use alfil_train::{Config, Event, RunDirectory};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::time::clock;

/// Where there are no bars, a phase tells how far it is every so often.
const REMINDER: Duration = Duration::from_secs(30);

pub struct Screen<'a> {
    out: &'a mut dyn Write,
    kind: Kind,
    last: Instant,
    /// When the phase began.
    began: Instant,
    /// The first step of training that was seen in it: others may have been taken before an interruption.
    first_step: Option<u64>,
}

enum Kind {
    Bars { multi: MultiProgress, whole: ProgressBar, phase: ProgressBar },
    Plain,
    Json,
}

impl<'a> Screen<'a> {
    pub fn bars(out: &'a mut dyn Write, config: &Config) -> Screen<'a> {
        let multi = MultiProgress::new();
        let style = |template: &str| ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar());
        let whole = multi.add(match config.generations {
            0 => ProgressBar::no_length().with_style(style("generation {pos}  {elapsed}")),
            all => {
                ProgressBar::new(all.into()).with_style(style("generation {pos}/{len} {bar:20} {elapsed}, {eta} left"))
            }
        });
        let phase = multi.add(ProgressBar::new(1).with_style(style("  {prefix:9} {bar:16} {pos}/{len} {msg}  {eta}")));
        phase.enable_steady_tick(Duration::from_millis(500));
        Screen::new(out, Kind::Bars { multi, whole, phase })
    }

    pub fn plain(out: &'a mut dyn Write) -> Screen<'a> {
        Screen::new(out, Kind::Plain)
    }

    pub fn json(out: &'a mut dyn Write) -> Screen<'a> {
        Screen::new(out, Kind::Json)
    }

    fn new(out: &'a mut dyn Write, kind: Kind) -> Screen<'a> {
        let now = Instant::now();
        Screen { out, kind, last: now, began: now, first_step: None }
    }

    pub fn begin(&mut self, directory: &RunDirectory, resumed: bool, state: &State) {
        let path = directory.path().display();
        let line = match resumed {
            true => format!("going on with {path}: generation {}, {} so far", state.generation, clock(state.seconds)),
            false => format!("a new run in {path}"),
        };
        let object =
            json!({"event": "begin", "run": directory.path(), "resumed": resumed, "generation": state.generation});
        self.line(&line, object);
        if let Kind::Bars { whole, .. } = &self.kind {
            whole.set_position(state.generation.saturating_sub(1).into());
        }
        if !matches!(self.kind, Kind::Json) {
            self.line(HEADING, Value::Null);
        }
    }

    pub fn end(&mut self, directory: &RunDirectory, complete: bool, state: &State) {
        if let Kind::Bars { whole, phase, .. } = &self.kind {
            phase.finish_and_clear();
            whole.finish_and_clear();
        }
        let network = directory.network(state.champion);
        let line = match complete {
            true => format!("complete: the network is {}", network.display()),
            false => format!(
                "stopped in generation {}: the same command goes on; the network so far is {}",
                state.generation,
                network.display()
            ),
        };
        let object = json!({"event": "end", "complete": complete, "generation": state.generation, "network": network});
        self.line(&line, object);
    }

    pub fn tell(&mut self, event: &Event<'_>) {
        match event {
            Event::Phase { generation, phase } => self.phase(*generation, *phase),
            Event::Games { games, of, counts, seconds } => {
                let rate = |count: u64| count as f64 / seconds.max(1e-9);
                let [won, drawn, lost] = counts.results;
                let text = format!(
                    "games  {:.0} pos/s {:.0} evals/s  +{won}={drawn}-{lost}",
                    rate(counts.moves),
                    rate(counts.evaluations)
                );
                let details = json!({
                    "games_per_second": rate(counts.games), "positions_per_second": rate(counts.moves),
                    "evaluations_per_second": rate(counts.evaluations), "batch": counts.mean_batch(),
                    "cache_hits": counts.cache_share(), "evaluator_share": counts.evaluator_share(),
                    "length": counts.mean_length(), "results": counts.results, "resigned": counts.resigned,
                });
                self.progress(*games, *of, text, details);
            }
            Event::Step { step, of, losses, batch } => {
                let first = *self.first_step.get_or_insert(*step);
                let rate = (*step - first) as f64 * *batch as f64 / self.began.elapsed().as_secs_f64().max(1e-9);
                let text = format!("steps  {rate:.0} samples/s  policy {:.3} value {:.3}", losses.policy, losses.value);
                let details = json!({"samples_per_second": rate, "policy": losses.policy, "value": losses.value});
                self.progress(*step, *of, text, details);
            }
            Event::Gate { report, of } => {
                let [low, high] = [report.pairs.elo().low, report.pairs.elo().high];
                let details = json!({"results": [report.wins, report.draws, report.losses], "low": low, "high": high});
                self.progress(report.games(), *of, format!("games  {}", report.brief()), details);
            }
            Event::Rating { games, of } => self.progress(*games, *of, "rating games".to_owned(), json!({})),
            Event::Exam { positions, of } => {
                self.progress(*positions, *of, "positions by the solver".to_owned(), json!({}));
            }
            Event::Damaged(damage) => self.warn(&format!("{}; set aside as {}", damage.why, damage.path.display())),
            Event::BadCheckpoint { path, why } => self.warn(&format!("cannot use {}: {why}", path.display())),
            Event::Generation(metrics) => {
                let object = serde_json::to_value(metrics).unwrap_or_default();
                self.line(&summary(metrics), json!({"event": "generation", "metrics": object}));
                if let Kind::Bars { whole, .. } = &self.kind {
                    whole.set_position(metrics.generation.into());
                }
            }
        }
    }

    fn phase(&mut self, generation: u32, phase: Phase) {
        self.began = Instant::now();
        self.last = self.began;
        self.first_step = None;
        let name = match phase {
            Phase::Selfplay => "self-play",
            Phase::Learn => "training",
            Phase::Gate => "gate",
            Phase::Rate => "rating",
        };
        match &self.kind {
            Kind::Bars { phase, .. } => {
                phase.reset();
                phase.set_prefix(name);
                phase.set_message("");
            }
            Kind::Plain => {}
            Kind::Json => self.line("", json!({"event": "phase", "generation": generation, "phase": phase})),
        }
    }

    fn progress(&mut self, done: u64, of: u64, text: String, details: Value) {
        match &self.kind {
            Kind::Bars { phase, .. } => {
                phase.set_length(of);
                phase.set_position(done);
                phase.set_message(text);
            }
            _ if self.last.elapsed() >= REMINDER => {
                self.last = Instant::now();
                let object = json!({"event": "progress", "done": done, "of": of, "details": details});
                self.line(&format!("      {done}/{of} {text}"), object);
            }
            _ => {}
        }
    }

    fn warn(&mut self, text: &str) {
        self.line(&format!("warning: {text}"), json!({"event": "warning", "text": text}));
    }

    /// A line of text, or an object. Nobody reading is no reason to stop.
    fn line(&mut self, text: &str, object: Value) {
        match &self.kind {
            Kind::Bars { multi, .. } => drop(multi.println(text)),
            Kind::Plain => drop(writeln!(self.out, "{text}").and_then(|()| self.out.flush())),
            Kind::Json if object.is_null() => {}
            Kind::Json => drop(writeln!(self.out, "{object}").and_then(|()| self.out.flush())),
        }
    }
}

const HEADING: &str = " gen    time  games plies  W/D/L %   policy      value       gate              Elo";

/// A generation in one line: losses are those of training and of games that were held out.
fn summary(metrics: &Metrics) -> String {
    let Metrics { generation, seconds, selfplay, learning, gate, promoted, rating } = metrics;
    let share = |count: u64| 100.0 * count as f64 / selfplay.games.max(1) as f64;
    let [won, drawn, lost] = selfplay.results.map(share);
    let (training, held) = (learning.training.unwrap_or_default(), learning.held_out.unwrap_or_default());
    let gate = gate.map_or(String::new(), |gate| {
        let [won, drawn, lost] = gate.results;
        format!("+{won}={drawn}-{lost}")
    });
    let verdict = if *promoted { "new" } else { "-" };
    let rating = rating.as_ref().map_or(String::new(), |rating| {
        let exam = rating
            .exam
            .map_or(String::new(), |exam| format!("  exam {:.1}/{:.1} %", 100.0 * exam.search, 100.0 * exam.policy));
        format!("{:.0} ({:.0} to {:.0}){exam}", rating.elo, rating.low, rating.high)
    });
    let line = format!(
        "{generation:>4} {:>7} {:>6} {:>5.1} {won:>3.0}/{drawn:.0}/{lost:<3.0} {:>5.3}/{:<5.3} {:>5.3}/{:<5.3} {gate:<12} {verdict:<4} {rating}",
        clock(*seconds),
        selfplay.games,
        selfplay.length,
        training.policy,
        held.policy,
        training.value,
        held.value,
    );
    line.trim_end().to_owned()
}
