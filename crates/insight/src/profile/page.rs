//! Profiles and models as pages for the browser.

use std::fmt::Write;

use alfil_core::numbers::{count, number, percent};
use alfil_core::svg::{Axis, Picture, Plot, Unit, escape};
use alfil_game::Game;
use alfil_game::chess::Chess;

use super::{CLEAR, Fitted, Model, Part, Profile, Row, Sample, practice};
use crate::chess::{self, Mistake};
use crate::cluster::{Cell, heat_map};
use crate::{page as frame, review};

/// Boards of positions to practise.
const BOARDS: usize = 12;

/// Rows of a part, at most.
const ROWS: usize = 24;

// In pixels.
const WIDTH: f64 = 900.0;
const LABELS: f64 = 300.0;
const STEP: f64 = 24.0;

/// A player's profile as a page that needs no other file.
pub fn page(profile: &Profile, mistakes: &[Mistake<'_>], model: &Model) -> String {
    let mut body = String::new();
    body.push_str("<section>\n<h2>What to train next</h2>\n");
    let weak = profile.weaknesses();
    if weak.is_empty() {
        body.push_str("<p>Nothing is worse than the player's level predicts by more than chance.</p>\n");
    } else {
        body.push_str("<ol>\n");
        for row in weak.iter().take(5) {
            let _ =
                writeln!(body, "<li>{} <span class=\"note\">{}</span></li>", escape(&row.advice()), escape(&told(row)));
        }
        body.push_str("</ol>\n");
    }
    let strong = profile.strengths();
    if !strong.is_empty() {
        let names: Vec<String> = strong.iter().take(5).map(|row| format!("{} ({})", row.name, told(row))).collect();
        let _ = writeln!(body, "<p>Better than the player's level predicts: {}.</p>", escape(&names.join("; ")));
    }
    body.push_str("</section>\n");
    for part in Part::ALL {
        let rows: Vec<&Row> = profile.part(part).take(ROWS).collect();
        if !rows.is_empty() {
            let _ = write!(
                body,
                "<section>\n<h2>{}</h2>\n<figure>{}</figure>\n</section>\n",
                part.title(),
                bars(part.title(), &rows)
            );
        }
    }
    body.push_str("<section>\n<h2>Positions to practise</h2>\n<p>Find the better move (green); red is what was played.</p>\n<div class=\"cards\">\n");
    for mistake in practice(mistakes).into_iter().take(BOARDS) {
        let numbers = alfil_game::MoveNumbers::of(&mistake.position);
        let better = review::line_text(&mistake.position, numbers, &mistake.better);
        let _ = writeln!(
            body,
            "<article>{}\n<p>Played {}, better {}. <span class=\"note\">{}</span></p></article>",
            frame::board(&mistake.position, Some(mistake.played), mistake.better.first().copied()),
            escape(&mistake.record.played),
            escape(&better),
            chess::told(&mistake.missed)
        );
    }
    body.push_str("</div>\n</section>\n");
    let all = profile.rows.first().map_or(0, |row| row.rate.of);
    let under = format!(
        "{} games, {} moves, compared with {}. Bars are mistakes per 100 moves with 95 % intervals; grey lines are the corpus. \
         The player's level is how often he makes mistakes of any kind: coloured bars differ by {CLEAR} standard errors or more \
         from what it predicts.",
        count(profile.games),
        count(all),
        model.corpus
    );
    frame::page(&format!("The mistakes of {}", profile.player), &under, &body)
}

/// "endgame: 4.1 % of moves, 2.9 % in the corpus, 1.2 times what the level predicts"
fn told(row: &Row) -> String {
    let relative = match row.part {
        Part::All => String::new(),
        _ => format!(", {:.2} times what the level predicts", row.relative()),
    };
    let (rate, base) = (percent(row.rate.share()), percent(row.base.share()));
    format!("{}: {rate} of moves, {base} in the corpus{relative}", row.name)
}

/// The rates of rows as bars.
fn bars(title: &str, rows: &[&Row]) -> String {
    let ends = rows
        .iter()
        .flat_map(|row| [row.rate.share(), row.base.share(), row.rate.interval().1.min(3.0 * row.rate.share() + 0.01)]);
    let plot = Plot {
        x: Axis::around(ends.chain([0.0]), 5),
        y: Axis::between(0.0, 1.0, 1.0),
        left: LABELS,
        right: WIDTH - 30.0,
        top: 8.0,
        bottom: 8.0 + STEP * rows.len() as f64,
    };
    let mut picture = Picture::within_page(WIDTH, plot.bottom + 26.0, title);
    plot.draw_x_axis(&mut picture, Unit::Share);
    for (index, row) in rows.iter().enumerate() {
        let top = plot.top + STEP * index as f64;
        let middle = top + STEP / 2.0;
        let class = match row.relatively_above() {
            above if above >= CLEAR => "c2",
            above if above <= -CLEAR => "c3",
            _ => "c1",
        };
        let name = alfil_core::wording::cut(&row.name, 46);
        picture.text("end", (LABELS - 8.0, middle + 4.0), &name);
        let told = format!(
            "{}; {} mistakes; {:+.1} standard errors",
            told(row),
            count(row.rate.count),
            row.relatively_above()
        );
        picture.bar(class, (plot.x(0.0), top + 5.0), (plot.x(row.rate.share()), top + STEP - 5.0), &told);
        let (low, high) = row.rate.interval();
        picture.line(&format!("line {class}"), [(plot.x(low), middle), (plot.x(high), middle)]);
        picture.line("line c6", [(plot.x(row.base.share()), top + 2.0), (plot.x(row.base.share()), top + STEP - 2.0)]);
    }
    picture.finish()
}

/// A model as a page: how many clusters it takes, what tells them apart, and what they look like.
pub fn model_page(fitted: &Fitted, elbow: &[(usize, f64)]) -> String {
    let Fitted { model, scores, .. } = fitted;
    let mut body = String::new();
    if elbow.len() > 1 {
        let _ = write!(
            body,
            "<section>\n<h2>How many clusters</h2>\n<figure>{}</figure>\n</section>\n",
            elbow_chart(elbow)
        );
    }
    let all: u64 = model.base.clusters.iter().sum();
    body.push_str("<section>\n<h2>Clusters</h2>\n");
    for (at, cluster) in model.clusters.iter().enumerate() {
        let size = model.base.clusters.get(at).copied().unwrap_or(0);
        let share = percent(size as f64 / all.max(1) as f64);
        let _ = writeln!(
            body,
            "<h3>{}. {} <span class=\"note\">{share}</span></h3>\n<div class=\"cards\">",
            at + 1,
            escape(&cluster.name)
        );
        cluster.samples.iter().for_each(|sample| body.push_str(&sample_board(sample)));
        body.push_str("</div>\n");
    }
    body.push_str("</section>\n");
    let differentiation: Vec<(String, Vec<Cell>)> = rows(scores, |score| Cell {
        heat: score.differentiation,
        text: format!("{:.0}", 100.0 * score.differentiation),
    });
    let modes = rows(scores, |score| Cell { heat: score.share, text: score.mode.to_string() });
    for (title, note, map) in [
        (
            "What tells clusters apart",
            "differentiation in hundredths: 100 where a label has one value that others have not",
            differentiation,
        ),
        ("What clusters are like", "the most frequent value of each label; darker where more members have it", modes),
    ] {
        let map = heat_map(title, &map);
        let _ = write!(
            body,
            "<section>\n<h2>{title}</h2>\n<p class=\"note\">{note}</p>\n<figure>{map}</figure>\n</section>\n"
        );
    }
    frame::page("Clusters of mistakes", &format!("Made from {}.", model.corpus), &body)
}

fn rows(
    scores: &[(String, Vec<crate::cluster::LabelScore>)],
    cell: impl Fn(&crate::cluster::LabelScore) -> Cell,
) -> Vec<(String, Vec<Cell>)> {
    scores.iter().map(|(name, scores)| (name.clone(), scores.iter().map(&cell).collect())).collect()
}

fn sample_board(sample: &Sample) -> String {
    let Ok(position) = Chess::from_position(&sample.position, &Default::default()) else { return String::new() };
    let played = position.parse_move(&sample.played).ok();
    let better = position.parse_move(&sample.better).ok();
    format!("<article>{}</article>\n", frame::board(&position, played, better))
}

fn elbow_chart(elbow: &[(usize, f64)]) -> String {
    let plot = Plot {
        x: Axis::around(elbow.iter().map(|(groups, _)| *groups as f64), 6),
        y: Axis::around(elbow.iter().map(|(_, inertia)| *inertia).chain([0.0]), 4),
        left: 70.0,
        right: 580.0,
        top: 10.0,
        bottom: 210.0,
    };
    let mut picture = Picture::within_page(600.0, 250.0, "sum of squared distances by number of clusters");
    plot.draw_x_axis(&mut picture, Unit::Number);
    plot.draw_y_axis(&mut picture, Unit::Number);
    plot.name_x_axis(&mut picture, "clusters; the sum of squared distances falls");
    picture.line("line c1", elbow.iter().map(|(groups, inertia)| plot.at(*groups as f64, *inertia)));
    for (groups, inertia) in elbow {
        picture.dot("dot c1", plot.at(*groups as f64, *inertia), 3.5, &format!("{groups}: {}", number(*inertia)));
    }
    picture.finish()
}
