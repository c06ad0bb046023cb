//! Charts of the networks' strength.

use alfil_core::numbers::{count, elo, time};

use super::chart::{Bar, Bars, Colour, Line, Lines, Range, Unit, groups, nothing};
use crate::run::{ExamMetrics, Metrics, RatingMetrics, TrendMetrics};

/// Rating, exam and gate.
pub fn charts(metrics: &[Metrics]) -> String {
    rating(metrics) + &exam(metrics) + &gate(metrics)
}

/// Ratings, with the generations after which they were measured.
fn ratings(metrics: &[Metrics]) -> impl Iterator<Item = (u32, &RatingMetrics)> {
    metrics.iter().filter_map(|metrics| Some((metrics.generation, metrics.rating.as_ref()?)))
}

fn rating(metrics: &[Metrics]) -> String {
    // The pool grows, and all ratings move a little: the last ones count.
    let (standings, curve) =
        ratings(metrics).last().map_or((&[][..], &[][..]), |(_, rating)| (&rating.standings, &rating.curve));
    let now = |(generation, rating): (u32, &RatingMetrics)| {
        let point = curve.iter().find(|(network, ..)| *network == rating.network);
        let (_, elo, low, high) = point.copied().unwrap_or((rating.network, rating.elo, rating.low, rating.high));
        (generation, elo, low, high)
    };
    let points = ratings(metrics).map(now).map(|(generation, elo, ..)| (generation, elo));
    let band = ratings(metrics).map(now).map(|(generation, _, low, high)| (generation, low, high));
    let fixed = standings.iter().filter(|(name, _)| !is_generation(name)).cloned();
    let tell = |generation: u32| {
        let metrics = metrics.iter().find(|metrics| metrics.generation == generation);
        let rated = metrics.and_then(|metrics| Some((metrics, metrics.rating.as_ref()?)));
        rated.map_or(String::new(), |(metrics, rating)| {
            let (network, games) = (rating.network, count(rating.games));
            let cpu = metrics.cpu_seconds.map_or(String::new(), |cpu| format!(" (CPU {})", time(cpu)));
            let after = time(metrics.seconds) + &cpu;
            format!("generation {generation}, after {after}\nnetwork of generation {network}, {games} games")
        })
    };
    let trend = ratings(metrics).last().and_then(|(_, rating)| rating.trend);
    let fitted = |metrics: &Metrics| {
        // The last rating ended a moment before its generation did.
        let hours = (metrics.seconds / 3_600.0).min(trend?.hours.1);
        Some((metrics.generation, trend?.at(hours)?))
    };
    let fitted = metrics.iter().filter(|metrics| metrics.rating.is_some()).filter_map(fitted);
    let lines = vec![Line::new("Elo", 0, points).with_band(band), Line::new("trend", 1, fitted).dashed()];
    let note = format!("of the promoted network, in Elo, with its 95 % interval; {}", in_words(trend.as_ref()));
    Lines {
        tell: &tell,
        unit: Unit::Elo,
        range: Range::Numbers,
        levels: fixed.collect(),
        ..Lines::by_generation("Rating", &note, lines)
    }
    .figure()
}

/// The slope of the last half, in words.
pub fn in_words(trend: Option<&TrendMetrics>) -> String {
    match trend {
        Some(trend) => format!(
            "{} in the last half of the run: {} Elo per hour ({} to {})",
            trend.word(),
            elo(trend.per_hour),
            elo(trend.low),
            elo(trend.high)
        ),
        None => "whether it rises is not known yet".to_owned(),
    }
}

/// Whether a player of the pool is a network of the run.
fn is_generation(name: &str) -> bool {
    name.strip_prefix("generation ").is_some_and(|number| number.parse::<u32>().is_ok())
}

fn exam(metrics: &[Metrics]) -> String {
    let share = |share: fn(&ExamMetrics) -> f64| {
        ratings(metrics).filter_map(move |(generation, rating)| Some((generation, share(rating.exam.as_ref()?))))
    };
    let lines = vec![
        Line::new("with search", 0, share(|exam| exam.search)),
        Line::new("by the policy alone", 1, share(|exam| exam.policy)),
    ];
    if lines.iter().all(|line| line.points.is_empty()) {
        return String::new();
    }
    let note = "moves that keep the value of the game, by an exact solver";
    Lines { unit: Unit::Share, range: Range::Numbers, ..Lines::by_generation("Exam", note, lines) }.figure()
}

fn gate(metrics: &[Metrics]) -> String {
    const TITLE: &str = "Gate";
    if !metrics.is_empty() && metrics.iter().all(|metrics| metrics.gate.is_none()) {
        return nothing(TITLE, "There is no gate: every candidate is promoted.");
    }
    let bars = groups(metrics).filter_map(|group| {
        let (first, last) = (group.first()?, group.last()?);
        let sum = |result: usize| super::total(group.iter().filter_map(|metrics| Some(metrics.gate?.results[result])));
        let promoted = group.iter().filter(|metrics| metrics.promoted).count();
        let [won, drawn, lost] = [0, 1, 2].map(sum);
        let verdict = match (group.len(), promoted) {
            (1, 1) => "promoted".to_owned(),
            (1, _) => "not promoted".to_owned(),
            (all, promoted) => format!("{promoted} of {all} promoted"),
        };
        let name = super::generations(first, last);
        Some(Bar {
            from: first.generation,
            to: last.generation,
            parts: [won, drawn, lost].map(|games| games as f64).to_vec(),
            sign: promoted > 0,
            text: format!("{name}: {verdict}\n{won} won, {drawn} drawn, {lost} lost"),
        })
    });
    Bars {
        title: TITLE,
        note: "the candidate against the network before it",
        names: &[("won", Colour(0)), ("drawn", Colour::GREY), ("lost", Colour(1))],
        sign: Some("promoted"),
        bars: bars.collect(),
        unit: Unit::Share,
    }
    .figure()
}
