//! A generation in one line, and what its instruments say, and its rating, if there is one, in others.

use alfil_core::numbers::count;
use alfil_nn::learning::{Loss, Losses};
use alfil_selfplay::probe::Measured;
use alfil_train::run::Metrics;

use crate::counters::rate;
use crate::time::clock;

/// What the numbers of a generation are, line by line.
const HEADING: &str = " gen    time  games plies  W/D/L %   policy      value       gate
     ends won/drawn/resigned/adjudicated, time games/training/probe/gate/rating";

/// The same where all is learnt from folders of games.
const FOLDER_HEADING: &str = " gen    time epochs  pos/s   policy      value      top-1 %  gate
     time training/probe/gate/rating";

/// What the numbers of a generation are, with games of self-play or without.
pub fn heading(plays_games: bool) -> &'static str {
    if plays_games { HEADING } else { FOLDER_HEADING }
}

/// Losses, and shares of right moves, are of training and of held-out games; what was not measured is a dash.
pub fn summary(metrics: &Metrics) -> String {
    let Metrics { generation, seconds, selfplay, learning, gate, promoted, .. } = metrics;
    let pair = |part: &dyn Fn(&Losses) -> String| {
        [learning.training, learning.held_out].map(|losses| losses.as_ref().map_or("-".to_owned(), part))
    };
    let loss = |loss: Loss| {
        let [training, held_out] = pair(&|losses| format!("{:.3}", losses[loss]));
        format!("{training:>5}/{held_out:<5}")
    };
    let gate = gate.map_or(String::new(), |gate| {
        let [won, drawn, lost] = gate.results;
        format!("+{won}={drawn}-{lost}")
    });
    let verdict = if *promoted { "new" } else { "-" };
    let (time, policy, value) = (clock(*seconds), loss(Loss::Policy), loss(Loss::Value));
    let line = match metrics.games {
        Some(games) if !metrics.plays_games() => {
            let [training, held_out] = pair(&|losses| format!("{:.1}", 100.0 * losses.agreement));
            let (epochs, speed) = (games.epochs, rate(learning.samples_per_second));
            format!(
                "{generation:>4} {time:>7} {epochs:>6.2} {speed:>6} {policy} {value} {training:>4}/{held_out:<4} {gate:<12} {verdict}"
            )
        }
        _ => {
            let share = |count: u64| 100.0 * count as f64 / selfplay.games.max(1) as f64;
            let [won, drawn, lost] = selfplay.results.map(share);
            let (games, plies) = (selfplay.games, selfplay.length);
            format!(
                "{generation:>4} {time:>7} {games:>6} {plies:>5.1} {won:>3.0}/{drawn:.0}/{lost:<3.0} {policy} {value} {gate:<12} {verdict}"
            )
        }
    };
    line + &row(seen(metrics)) + &row(of_folders(metrics)) + &row(spent(metrics)) + &rated(metrics)
}

/// The rating, if there is one, and whether ratings rise.
fn rated(metrics: &Metrics) -> String {
    let Some(rating) = &metrics.rating else { return String::new() };
    let exam = rating
        .exam
        .map_or(String::new(), |exam| format!(", exam {:.1}/{:.1} %", 100.0 * exam.search, 100.0 * exam.policy));
    let cpu = metrics.cpu_seconds.map_or(String::new(), |cpu| format!(", CPU {}", clock(cpu)));
    let trend = match &rating.trend {
        Some(trend) => format!(
            "{} over the last half: {:.0} ({:.0} to {:.0}) Elo per hour",
            trend.word(),
            trend.per_hour,
            trend.low,
            trend.high
        ),
        None => "trend not known: fewer than 3 networks of the last half are rated".to_owned(),
    };
    format!("\n     rating {:.0} ({:.0} to {:.0}){exam}{cpu}\n     {trend}", rating.elo, rating.low, rating.high)
}

/// How a network that learns from self-play as well does on the held-out games of the folders.
fn of_folders(metrics: &Metrics) -> Vec<String> {
    let known = metrics.games.and_then(|games| Some((games.epochs, games.held_out?)));
    known.map_or(Vec::new(), |(epochs, losses)| {
        let Losses { policy, value, agreement, .. } = losses;
        let top = 100.0 * agreement;
        vec![format!("folders: epochs {epochs:.2}, held out policy {policy:.3}, value {value:.3}, top-1 {top:.1} %")]
    })
}

/// What the network and the searches see, and what is memorised: the probe, KL from prior to target, and the losses on held-out
/// games minus those of training, of policy and value.
fn seen(metrics: &Metrics) -> Vec<String> {
    let probe = metrics.probe.unwrap_or_default();
    let number = |name: &str, measured: Option<Measured>| measured.map(|found| format!("{name} {:.2}", found.value));
    let excess = |loss| metrics.learning.excess(loss);
    let parts = [
        number("gap", probe.gap),
        number("correlation", probe.correlation),
        probe.blunders.map(|found| format!("blunders {:.1} %", 100.0 * found.value)),
        number("KL", metrics.selfplay.policy_divergence),
        excess(Loss::Policy)
            .zip(excess(Loss::Value))
            .map(|(policy, value)| format!("held out {policy:+.2}/{value:+.2}")),
    ];
    parts.into_iter().flatten().collect()
}

/// How games ended, and where the time went.
fn spent(metrics: &Metrics) -> Vec<String> {
    let percent = |share: f64| format!("{:.0}", 100.0 * share);
    let ends = metrics.selfplay.ends().map(|share| share.map(percent));
    let ends = match ends {
        [Some(won), Some(drawn), Some(resigned), Some(adjudicated)] => {
            Some(format!("ends {won}/{drawn}/{resigned}/{adjudicated} %"))
        }
        _ => None,
    };
    let positions = metrics.positions_per_hour().map(|positions| format!("{} positions/h", count(positions as u64)));
    let time: f64 = metrics.phases().iter().sum();
    let phases = &metrics.phases()[usize::from(!metrics.plays_games())..];
    let shares = phases.iter().map(|phase| percent(phase / time)).collect::<Vec<_>>().join("/");
    let time = (time > 0.0).then(|| format!("time {shares} %"));
    [ends, positions, time].into_iter().flatten().collect()
}

/// A line of its own, if there is something to tell.
fn row(parts: Vec<String>) -> String {
    if parts.is_empty() { String::new() } else { format!("\n     {}", parts.join(", ")) }
}

#[cfg(test)]
mod tests {
    use alfil_train::run::{
        ExamMetrics, FolderMetrics, LearningMetrics, ProbeMetrics, RatingMetrics, SelfplayMetrics, TrendMetrics,
    };

    use super::*;

    #[test]
    fn a_rating_says_whether_the_curve_rises() {
        let trend = TrendMetrics { per_hour: 41.6, low: -3.2, high: 86.4, ..TrendMetrics::default() };
        let exam = Some(ExamMetrics { positions: 10, search: 0.977, policy: 0.925 });
        let rating = RatingMetrics { elo: 645.2, low: 503.0, high: 787.4, exam, ..RatingMetrics::default() };
        let mut metrics = Metrics { rating: Some(rating), ..Metrics::default() };
        let lines = |metrics: &Metrics| summary(metrics).lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        let unknown = "     trend not known: fewer than 3 networks of the last half are rated";
        assert_eq!(lines(&metrics), ["     rating 645 (503 to 787), exam 97.7/92.5 %", unknown]);
        metrics.cpu_seconds = Some(7_384.0);
        metrics.rating.as_mut().unwrap().trend = Some(trend);
        let flat = "     flat over the last half: 42 (-3 to 86) Elo per hour";
        assert_eq!(lines(&metrics), ["     rating 645 (503 to 787), exam 97.7/92.5 %, CPU 2:03:04", flat]);
        metrics.rating.as_mut().unwrap().trend = Some(TrendMetrics { low: 0.1, ..trend });
        assert!(lines(&metrics)[1].starts_with("     rising "), "{:?}", lines(&metrics));
    }

    #[test]
    fn what_was_not_measured_is_a_dash() {
        let mut metrics = Metrics { generation: 3, ..Metrics::default() };
        metrics.learning.training = Some(Losses { policy: 1.25, value: 0.5, ..Losses::default() });
        assert!(summary(&metrics).contains(" 1.250/-     0.500/- "), "{}", summary(&metrics));
        assert!(HEADING.lines().all(|line| line.len() <= 80) && summary(&metrics).len() <= 80, "{}", summary(&metrics));
        metrics.learning.held_out = metrics.learning.training.take();
        assert!(summary(&metrics).contains("     -/1.250     -/0.500 "), "{}", summary(&metrics));
    }

    #[test]
    fn instruments_have_lines_of_their_own() {
        let measured = |value| Some(Measured { value, ..Measured::default() });
        let losses = Losses { policy: 2.5, value: 0.75, ..Losses::default() };
        let metrics = Metrics {
            generation: 12,
            seconds: 7_200.0,
            elapsed: 100.0,
            selfplay: SelfplayMetrics {
                seconds: 60.0,
                games: 1_000,
                positions: 45_000,
                results: [400, 300, 300],
                adjudicated: 580,
                won_by_rules: Some(120),
                policy_divergence: measured(0.85),
                ..SelfplayMetrics::default()
            },
            learning: LearningMetrics {
                seconds: 38.0,
                training: Some(losses),
                held_out: Some(Losses { policy: 2.53, value: 0.74, ..losses }),
                ..LearningMetrics::default()
            },
            probe: Some(ProbeMetrics {
                seconds: 2.0,
                gap: measured(0.42),
                correlation: measured(0.61),
                blunders: measured(0.235),
                ..ProbeMetrics::default()
            }),
            ..Metrics::default()
        };
        let text = summary(&metrics);
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "     gap 0.42, correlation 0.61, blunders 23.5 %, KL 0.85, held out +0.03/-0.01",
                "     ends 12/30/0/58 %, 1,620,000 positions/h, time 60/38/2/0/0 %"
            ]
        );
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    }
    #[test]
    fn without_self_play_there_are_epochs_and_right_moves_instead() {
        let losses = Losses { policy: 2.413, value: 0.912, agreement: 0.382, ..Losses::default() };
        let mut metrics = Metrics {
            generation: 120,
            seconds: 45_296.0,
            elapsed: 100.0,
            games: Some(FolderMetrics { epochs: 12.345, share: 1.0, ..FolderMetrics::default() }),
            learning: LearningMetrics {
                seconds: 95.0,
                samples_per_second: 1_456.0,
                training: Some(losses),
                held_out: Some(Losses { policy: 2.431, agreement: 0.379, ..losses }),
                ..LearningMetrics::default()
            },
            probe: Some(ProbeMetrics { seconds: 5.0, ..ProbeMetrics::default() }),
            promoted: true,
            ..Metrics::default()
        };
        let text = summary(&metrics);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                " 120 12:34:56  12.35   1456 2.413/2.431 0.912/0.912 38.2/37.9              new",
                "     held out +0.02/+0.00",
                "     time 95/5/0/0 %"
            ]
        );
        assert!(FOLDER_HEADING.lines().chain(lines).all(|line| line.len() <= 80), "{text}");
        // With a share of self-play its games are shown, and how well the others are remembered.
        let held_out = metrics.learning.held_out;
        metrics.games = Some(FolderMetrics { epochs: 0.314, share: 0.2, held_out, ..FolderMetrics::default() });
        metrics.selfplay = SelfplayMetrics { games: 500, length: 81.5, ..SelfplayMetrics::default() };
        let text = summary(&metrics);
        assert!(text.starts_with(" 120 12:34:56    500  81.5 "), "{text}");
        let folders = "\n     folders: epochs 0.31, held out policy 2.431, value 0.912, top-1 37.9 %\n";
        assert!(text.contains(folders) && text.lines().all(|line| line.len() <= 80), "{text}");
    }
}
