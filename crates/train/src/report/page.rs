//! The page.

use std::fmt::Write;

use alfil_core::numbers::{count, elo, percent, time};
use alfil_core::svg::escape;
use alfil_game::drawing::STYLE as BOARDS;

use super::{Report, games, instruments, learning, play, speed, strength};
use crate::run::{FolderMetrics, Phase};

const STYLE: &str = include_str!("style.css");

/// The whole page.
pub fn page(report: &Report) -> String {
    let Report { name, config, metrics, plays_games, .. } = report;
    let title = escape(name);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} – Alfil</title>\n<style>\n{STYLE}{BOARDS}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n<p class=\"under\">{}</p>\n{}",
        escape(&progress(report)),
        facts(report)
    );
    for (title, charts) in [
        ("Strength", strength::charts(metrics)),
        ("Instruments", instruments::charts(metrics)),
        ("Learning", learning::charts(metrics)),
        ("Self-play", if *plays_games { play::charts(metrics) } else { String::new() }),
        ("Speed", speed::charts(metrics, *plays_games)),
    ] {
        if charts.is_empty() {
            continue;
        }
        let _ = write!(out, "<section>\n<h2>{title}</h2>\n<div class=\"charts\">\n{charts}</div>\n</section>\n");
    }
    if *plays_games {
        let games = games::newest(&report.game, &report.rules, &report.replay);
        let _ = write!(out, "<section>\n<h2>Newest games</h2>\n<div class=\"games\">\n{games}</div>\n</section>\n");
    }
    let config = escape(config);
    let _ = write!(out, "<details>\n<summary>Configuration</summary>\n<pre>{config}</pre>\n</details>\n");
    out + "</body>\n</html>\n"
}

/// The progress of the run, in a sentence.
fn progress(report: &Report) -> String {
    let Report { state, game, generations, .. } = report;
    if report.is_complete() {
        return format!("A run of {game}, complete.");
    }
    let phase = match state.phase {
        Phase::Selfplay => "self-play",
        Phase::Learn => "training",
        Phase::Gate => "gate",
        Phase::Rate => "rating",
    };
    let of = if *generations > 0 { format!(" of {generations}") } else { String::new() };
    format!("A run of {game}, in generation {}{of}: {phase}.", state.generation)
}

/// The main numbers of the run.
fn facts(report: &Report) -> String {
    let Report { state, metrics, .. } = report;
    let played = super::total(metrics.iter().map(|metrics| metrics.selfplay.games));
    let steps = metrics.last().map_or(state.steps, |last| last.learning.steps);
    let champion = match state.champion {
        0 => "the untrained one".to_owned(),
        generation => format!("generation {generation}"),
    };
    let promoted = state.promoted.len().saturating_sub(1);
    let mut out = "<dl class=\"facts\">\n".to_owned();
    let mut fact = |name: &str, what: &str, more: &str| {
        let more = if more.is_empty() { String::new() } else { format!("<small>{}</small>", escape(more)) };
        let _ = writeln!(out, "<div><dt>{name}</dt><dd>{}{more}</dd></div>", escape(what));
    };
    fact("Game", &report.game, &report.encoding);
    fact("Network", &report.size, "filters x blocks");
    fact("Generations", &count(metrics.len() as u64), &format!("{} promoted", count(promoted as u64)));
    let folders = metrics.iter().rev().find_map(|metrics| metrics.games);
    if report.plays_games {
        fact("Games", &count(played), "");
        let positions = super::total(metrics.iter().map(|metrics| metrics.selfplay.positions));
        fact("Positions", &count(positions), "");
    }
    if let Some(FolderMetrics { epochs, games, positions, .. }) = folders {
        fact("Folders", &format!("{} games", count(games)), &format!("{} positions", count(positions)));
        fact("Epochs", &format!("{epochs:.2}"), "each position of the folders once in each");
    }
    fact("Steps", &count(steps), "");
    let cpu = state.cpu_seconds.map_or(String::new(), |cpu| format!("CPU time {}", time(cpu)));
    fact("Time", &time(state.seconds), &cpu);
    fact("Promoted network", &champion, &format!("networks/{:06}.safetensors", state.champion));
    let rated = metrics.iter().rev().find_map(|metrics| Some((metrics.generation, metrics.rating.as_ref()?)));
    match rated {
        Some((generation, rating)) => {
            let interval = format!("{} to {} (95 %)", elo(rating.low), elo(rating.high));
            let network = format!("{interval}; generation {}, rated after {generation}", rating.network);
            fact("Elo", &elo(rating.elo), &network);
            if let Some(trend) = &rating.trend {
                fact("Trend", trend.word(), &strength::in_words(Some(trend)));
            }
            if let Some(exam) = rating.exam {
                let policy =
                    format!("{} by the policy alone; {} positions", percent(exam.policy), count(exam.positions));
                fact("Exam", &percent(exam.search), &policy);
            }
        }
        None => fact("Elo", "–", "not rated yet"),
    }
    out + "</dl>\n"
}
