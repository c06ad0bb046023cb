//! What `alfil train` prints while it runs.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use alfil_core::pace::Pace;
use alfil_core::wording::one_line;
use alfil_nn::learning::Loss;
use alfil_train::config::Stages;
use alfil_train::run::{Phase, State};
use alfil_train::{Config, Event, RunDirectory};
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use serde_json::{Value, json};

use super::summary::{heading, summary};
use crate::counters::{Counters, rate};
use crate::terminal;
use crate::time::clock;

/// How often the progress of a phase is printed where there are no bars.
const REMINDER: Duration = Duration::from_secs(30);

/// How often bars are redrawn if nothing happens.
const TICK: Duration = Duration::from_millis(500);

/// Lines go to the output, and bars, if there are any, to the terminal.
pub struct Screen<'a> {
    out: &'a mut dyn Write,
    kind: Kind,
    /// When this process began; other times are relative to it.
    began: Instant,
    /// When progress was last printed.
    last: Instant,
    /// The speed of the phase, and the unit that it counts.
    pace: Pace,
    unit: &'static str,
    /// Games at once per lane.
    at_once: usize,
    /// What the numbers of generations are.
    heading: &'static str,
}

enum Kind {
    Bars(Bars),
    Plain,
    Json,
}

impl<'a> Screen<'a> {
    pub fn bars(out: &'a mut dyn Write, config: &Config) -> Screen<'a> {
        Screen::new(out, config, Kind::Bars(Bars::new(config.generations)))
    }

    pub fn plain(out: &'a mut dyn Write, config: &Config) -> Screen<'a> {
        Screen::new(out, config, Kind::Plain)
    }

    pub fn json(out: &'a mut dyn Write, config: &Config) -> Screen<'a> {
        Screen::new(out, config, Kind::Json)
    }

    fn new(out: &'a mut dyn Write, config: &Config, kind: Kind) -> Screen<'a> {
        let (now, at_once) = (Instant::now(), config.selfplay.at_once);
        let heading = heading(config.plays_games());
        Screen { out, kind, began: now, last: now, pace: Pace::default(), unit: "", at_once, heading }
    }

    /// Says where the run is, and what its stages are.
    pub fn begin(&mut self, directory: &RunDirectory, resumed: bool, state: &State, stages: &Stages) {
        let path = directory.path().display();
        let cpu = state.cpu_seconds.map_or(String::new(), |cpu| format!(" (CPU {})", clock(cpu)));
        let line = match resumed {
            true => format!("resuming {path}: generation {}, {} so far{cpu}", state.generation, clock(state.seconds)),
            false => format!("a new run in {path}"),
        };
        let object =
            json!({"event": "begin", "run": directory.path(), "resumed": resumed, "generation": state.generation});
        self.line(&line, object);
        for stage in stages.iter() {
            let text = one_line(&stage.to_string());
            self.line(&format!("stage {text}"), json!({"event": "stage", "text": text}));
        }
        self.line(self.heading, Value::Null);
        if let Kind::Bars(bars) = &mut self.kind {
            bars.begin(resumed, state);
        }
    }

    /// Says where the run's page is.
    #[cfg(feature = "web")]
    pub fn page(&mut self, address: &str) {
        self.line(&format!("the page is {address}"), json!({"event": "page", "address": address}));
    }

    pub fn end(&mut self, directory: &RunDirectory, complete: bool, state: &State) {
        if let Kind::Bars(bars) = &self.kind {
            bars.end();
        }
        let network = directory.network(state.champion);
        let line = match complete {
            true => format!("complete: the network is {}", network.display()),
            false => format!(
                "stopped in generation {}: the same command resumes it; the network so far is {}",
                state.generation,
                network.display()
            ),
        };
        let object = json!({"event": "end", "complete": complete, "generation": state.generation, "network": network});
        self.line(&line, object);
    }

    pub fn tell(&mut self, event: &Event<'_>) {
        match event {
            Event::Start { network, new_heads } => {
                let random = match new_heads {
                    [] => String::new(),
                    heads => format!(
                        "; random weights for the head{}: {}",
                        if heads.len() > 1 { "s" } else { "" },
                        heads.join(", ")
                    ),
                };
                let object = json!({"event": "start", "network": network, "new_heads": new_heads});
                self.line(&format!("begins with the network {}{random}", one_line(network)), object);
            }
            Event::Grow { from, to } => {
                let text = format!("a network of {to} learns now; that of {from} plays until it passes the gate");
                self.line(&text, json!({"event": "grow", "from": from.to_string(), "to": to.to_string()}));
            }
            Event::Phase { generation, phase } => self.phase(*generation, *phase),
            Event::Games { games, of, counts, seconds } => {
                let counters = Counters { counts, seconds: *seconds, at_once: self.at_once };
                self.progress("games", *games, *of, || (counters.lines().to_vec(), counters.json()));
            }
            Event::Step { step, of, losses, batch } => {
                let samples = self.pace.per_second().unwrap_or(0.0) * *batch as f64;
                self.progress("steps", *step, *of, || {
                    let mut text = format!("{} samples/s", rate(samples));
                    let mut details = json!({"samples_per_second": samples});
                    // A term is 0 where the network has no such head.
                    for loss in Loss::ALL.into_iter().filter(|loss| losses[*loss] != 0.0) {
                        let _ = write!(text, ", {} {:.3}", loss.name(), losses[loss]);
                    }
                    Loss::ALL.into_iter().for_each(|loss| details[loss.name()] = losses[loss].into());
                    (vec![text], details)
                });
            }
            Event::Gate { report, of } => self.progress("games", report.games(), *of, || {
                let [low, high] = [report.pairs.elo().low, report.pairs.elo().high];
                let details = json!({"results": [report.wins, report.draws, report.losses], "low": low, "high": high});
                (vec![report.brief()], details)
            }),
            Event::Rating { games, of } => self.progress("games", *games, *of, || (Vec::new(), json!({}))),
            Event::Exam { positions, of } => {
                self.progress("positions by the solver", *positions, *of, || (Vec::new(), json!({})));
            }
            Event::MissingPlayer { player, why } => self.warn(&format!("ratings are without {player}: {why}")),
            Event::Damaged(damage) => self.warn(&format!("{}; set aside as {}", damage.why, damage.path.display())),
            Event::DamagedCheckpoint { path } => {
                self.warn(&format!(
                    "a damaged checkpoint was set aside as {}: using the one before it",
                    path.display()
                ));
            }
            Event::LostSteps { steps, lost } => self.warn(&format!(
                "training resumes from step {steps}: the {lost} steps after it are taken again in the next training"
            )),
            Event::Warning(text) => self.warn(text),
            Event::SetAside { path, why } => self.warn(&format!("{why}; set aside as {}", path.display())),
            Event::Generation(metrics) => {
                let object = serde_json::to_value(metrics).unwrap_or_default();
                let heading = heading(metrics.plays_games());
                if self.heading != heading {
                    self.heading = heading;
                    self.line(heading, Value::Null);
                }
                self.line(&summary(metrics), json!({"event": "generation", "metrics": object}));
                if let Kind::Bars(bars) = &self.kind {
                    bars.finish_generation(metrics.generation);
                }
            }
        }
    }

    fn phase(&mut self, generation: u32, phase: Phase) {
        self.last = Instant::now();
        self.unit = "";
        let name = match phase {
            Phase::Selfplay => "self-play",
            Phase::Learn => "training",
            Phase::Gate => "gate",
            Phase::Rate => "rating",
        };
        match &mut self.kind {
            Kind::Bars(bars) => bars.enter(generation, name),
            Kind::Plain => {}
            Kind::Json => self.line("", json!({"event": "phase", "generation": generation, "phase": phase})),
        }
    }

    /// Reports that `done` units of the phase are finished. `more` gives further lines of text, and the details for
    /// JSON.
    fn progress(&mut self, unit: &'static str, done: u64, of: u64, more: impl FnOnce() -> (Vec<String>, Value)) {
        let now = self.began.elapsed().as_secs_f64();
        if self.unit != unit {
            (self.unit, self.pace) = (unit, Pace::default());
        }
        self.pace.note(done, now);
        let is_due = self.last.elapsed() >= REMINDER;
        if !is_due && !matches!(self.kind, Kind::Bars(_)) {
            return;
        }
        let (mut lines, details) = more();
        let (per_second, left) = (self.pace.per_second(), self.pace.left(of, now));
        let mut speed = unit.to_owned();
        if let (Some(per_second), Some(left)) = (per_second, left) {
            // Writing to a string cannot fail.
            let _ = write!(speed, ", {}/s, {} left", rate(per_second), clock(left));
        }
        lines.insert(0, speed);
        if let Kind::Bars(bars) = &self.kind {
            return bars.progress(done, of, &lines);
        }
        self.last = Instant::now();
        let progress = json!({
            "event": "progress", "done": done, "of": of, "unit": unit, "per_second": per_second, "left": left,
            "details": details,
        });
        self.line(&format!("      {done}/{of} {}", lines.join("\n      ")), progress);
    }

    pub fn warn(&mut self, text: &str) {
        self.line(&format!("warning: {}", one_line(text)), json!({"event": "warning", "text": text}));
    }

    /// Prints a line of text, or an object. The run continues even if the output is closed.
    fn line(&mut self, text: &str, object: Value) {
        let out = &mut self.out;
        let mut write = |text: &str| drop(writeln!(out, "{text}").and_then(|()| out.flush()));
        match &self.kind {
            Kind::Bars(bars) => bars.all.suspend(|| write(text)),
            Kind::Plain => write(text),
            Kind::Json if object.is_null() => {}
            Kind::Json => write(&object.to_string()),
        }
    }
}

/// Bars for the whole run, the generation with its phases, and the phase.
struct Bars {
    all: MultiProgress,
    whole: ProgressBar,
    generation: ProgressBar,
    phase: ProgressBar,
    /// The speed of generations, in seconds since the bar of the whole run began.
    pace: Arc<Mutex<Pace>>,
    /// The generation, its phase, and its earlier phases with their times.
    at: (u32, &'static str, String),
}

impl Bars {
    fn new(generations: u32) -> Bars {
        let all = terminal::bars();
        let whole = match generations {
            0 => ProgressBar::no_length(),
            generations => ProgressBar::new(generations.into()),
        };
        let [generation, phase] = [ProgressBar::no_length(), ProgressBar::new(1)];
        let [whole, generation, phase] = [whole, generation, phase].map(|bar| all.add(bar));
        [&whole, &generation, &phase].into_iter().for_each(terminal::note);
        let elapsed = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = out.write_str(&clock(state.elapsed().as_secs_f64()));
        };
        generation.set_style(style("generation {msg} {time}").with_key("time", elapsed));
        phase.set_style(style("{prefix:10} {pos}/{len} {bar:16} {msg}"));
        Bars { all, whole, generation, phase, pace: Arc::default(), at: (0, "", String::new()) }
    }

    fn begin(&self, resumed: bool, state: &State) {
        let (pace, before) = (Arc::clone(&self.pace), state.seconds);
        if !resumed {
            pace.lock().unwrap_or_else(PoisonError::into_inner).note(0, 0.0);
        }
        let time = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let now = state.elapsed().as_secs_f64();
            let _ = out.write_str(&clock(before + now));
            let left = pace.lock().unwrap_or_else(PoisonError::into_inner).left(state.len().unwrap_or(0), now);
            if let (Some(left), Some(_)) = (left, state.len()) {
                let _ = write!(out, ", {} left", clock(left));
            }
        };
        let template = match self.whole.length() {
            Some(_) => "run        {pos}/{len} generations {bar:16} {time}",
            None => "run        {pos} generations {time}",
        };
        self.whole.set_style(style(template).with_key("time", time));
        self.whole.reset_elapsed();
        self.whole.set_position(state.generation.saturating_sub(1).into());
        for bar in [&self.whole, &self.generation, &self.phase] {
            bar.enable_steady_tick(TICK);
        }
    }

    fn enter(&mut self, generation: u32, name: &'static str) {
        let (last, phase, before) = &mut self.at;
        if *last == generation {
            let _ = write!(before, "{phase} {}, ", clock(self.generation.elapsed().as_secs_f64()));
        } else {
            before.clear();
        }
        (*last, *phase) = (generation, name);
        self.generation.reset_elapsed();
        self.generation.set_message(format!("{generation}: {before}{name}"));
        self.phase.reset();
        self.phase.set_length(1);
        self.phase.set_prefix(name);
        self.phase.set_message("");
    }

    /// The first line stands beside the bar, the others below it.
    fn progress(&self, done: u64, of: u64, lines: &[String]) {
        self.phase.set_length(of);
        self.phase.set_position(done);
        self.phase.set_message(lines.join("\n  "));
    }

    fn finish_generation(&self, generation: u32) {
        let now = self.whole.elapsed().as_secs_f64();
        self.pace.lock().unwrap_or_else(PoisonError::into_inner).note(generation.into(), now);
        self.whole.set_position(generation.into());
    }

    fn end(&self) {
        for bar in [&self.phase, &self.generation, &self.whole] {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar())
}
