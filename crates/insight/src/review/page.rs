//! Reviews as a page for the browser.

use std::fmt::Write;

use alfil_core::numbers::count;
use alfil_core::svg::{Axis, Colour, Picture, Plot, Unit, escape};
use alfil_game::{FullGame, MoveNumbers, Side};

use super::{Class, Count, GameReview, line_text};
use crate::chess::told;
use crate::{Phase, page as frame};

/// Games that a page shows.
const GAMES: usize = 50;

/// Boards that it shows of a game: those of its worst moves.
const BOARDS: usize = 12;

// The graph, in pixels.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 230.0;

/// Reviews as a page that needs no other file. `judge` is the name of who judged.
pub fn page<G: FullGame>(reviews: &[GameReview<G>], judge: &str) -> String {
    let mut body = String::new();
    if reviews.len() > GAMES {
        let all = count(reviews.len() as u64);
        let _ = writeln!(body, "<p>The first {GAMES} of {all} games. The table and the PGN file have all of them.</p>");
    }
    for review in reviews.iter().take(GAMES) {
        body.push_str(&game(review));
    }
    let title = match reviews {
        [one] => one.title(),
        _ => format!("{} games reviewed", count(reviews.len() as u64)),
    };
    frame::page(&title, &format!("Every move judged by {judge}."), &body)
}

fn game<G: FullGame>(review: &GameReview<G>) -> String {
    let mut out = format!("<section>\n<h2>{}</h2>\n", escape(&review.title()));
    if let Some(ply) = review.turning_point {
        let _ = writeln!(out, "<p>The game turned with <b>{}</b>.</p>", escape(&review.move_name(ply)));
    }
    out.push_str(&graph(review));
    out.push_str(&table(review));
    out.push_str(&moves(review));
    out.push_str(&boards(review));
    out + "</section>\n"
}

/// Expected points of the first side, ply by ply.
fn graph<G: FullGame>(review: &GameReview<G>) -> String {
    let plies = review.moves.len();
    let plot = Plot {
        x: Axis::between(0.0, plies.max(1) as f64, ((plies / 100 + 1) * 10) as f64),
        y: Axis::between(0.0, 1.0, 0.25),
        left: 56.0,
        right: WIDTH - 12.0,
        top: 10.0,
        bottom: HEIGHT - 40.0,
    };
    let [first, second] = G::SIDES;
    let mut picture = Picture::within_page(WIDTH, HEIGHT, &format!("expected points of {first} after each ply"));
    plot.draw_y_axis(&mut picture, Unit::Number);
    plot.draw_x_axis(&mut picture, Unit::Number);
    plot.name_x_axis(&mut picture, &format!("ply; expected points of {first}: 1 is a win for {first}, 0 for {second}"));
    let begin = review.moves.first().map_or(0.5, |judged| {
        let points = f64::from(judged.before.points());
        if judged.side == Side::First { points } else { 1.0 - points }
    });
    let points = |ply: usize| f64::from(review.moves[ply].first_after().points());
    let line: Vec<(f64, f64)> = std::iter::once(plot.at(0.0, begin))
        .chain((0..plies).map(|ply| plot.at(ply as f64 + 1.0, points(ply))))
        .collect();
    let band: Vec<(f64, f64, f64)> = line.iter().map(|&(x, y)| (x, y, plot.y(0.5))).collect();
    picture.band("band c1", &band);
    picture.line("line c1", line);
    if let Some(ply) = review.turning_point {
        let x = plot.x(ply as f64 + 1.0);
        picture.line("turn", [(x, plot.top), (x, plot.bottom)]);
    }
    for (ply, judged) in review.moves.iter().enumerate() {
        let Some(class) = judged.class else { continue };
        let colour = match class {
            Class::Inaccuracy => Colour(4),
            Class::Mistake => Colour(1),
            Class::Blunder => Colour(3),
            Class::MissedWin | Class::MissedMate => Colour(2),
        };
        let title = format!("{}{}: {}", review.move_name(ply), class.mark(), class.name());
        picture.dot(&format!("dot {}", colour.class()), plot.at(ply as f64 + 1.0, points(ply)), 4.5, &title);
    }
    format!("<figure>{}</figure>\n", picture.finish())
}

/// How both sides played, in all and by phase.
fn table<G: FullGame>(review: &GameReview<G>) -> String {
    let mut out = "<div class=\"scroll\"><table>\n<tr><th></th><th>moves</th><th>accuracy</th><th>loss</th>".to_owned();
    for class in Class::ALL {
        let _ = write!(out, "<th>{}</th>", class.plural());
    }
    out.push_str("</tr>\n");
    let mut row = |name: &str, counted: &Count, has_classes: bool| {
        let Count { moves, accuracy, loss, .. } = counted;
        let _ = write!(
            out,
            "<tr><td>{}</td><td>{moves}</td><td>{accuracy:.1}</td><td>{:.2}</td>",
            escape(name),
            loss / 100.0
        );
        for class in Class::ALL {
            let text = if has_classes { counted.class(class).to_string() } else { String::new() };
            let _ = write!(out, "<td>{text}</td>");
        }
        out.push_str("</tr>\n");
    };
    for side in &review.sides {
        row(&side.name, &side.all, side.is_asked);
        for (phase, counted) in Phase::ALL.into_iter().zip(&side.phases).filter(|(_, counted)| counted.moves > 0) {
            row(&format!("\u{2003}{}", phase.name()), counted, side.is_asked);
        }
    }
    out + "</table></div>\n<p class=\"note\">Accuracy is from 0 to 100; loss is the mean in pawns per move.</p>\n"
}

/// The moves, with marks at the bad ones, which lead to their boards.
fn moves<G: FullGame>(review: &GameReview<G>) -> String {
    let mut out = "<p class=\"moves\">".to_owned();
    let mut now = review.game.start.clone();
    let mut numbers = MoveNumbers::of(&now);
    let shown = worst(review);
    for (ply, judged) in review.moves.iter().enumerate() {
        let number = numbers.next(now.side());
        if number.begins {
            let _ = write!(out, "<i>{number}</i> ");
        }
        let name = escape(&now.move_name(judged.m));
        let _ = match judged.class {
            Some(class) if shown.contains(&ply) => {
                write!(out, "<a href=\"#g{}p{ply}\">{name}{}</a> ", review.number, class.mark())
            }
            Some(class) => write!(out, "<b>{name}{}</b> ", class.mark()),
            None => write!(out, "{name} "),
        };
        now.play(judged.m);
    }
    let _ = writeln!(out, "{}</p>", review.game.result_text());
    out
}

/// The plies of the worst moves, in order.
fn worst<G: FullGame>(review: &GameReview<G>) -> Vec<usize> {
    let mut plies: Vec<usize> = (0..review.moves.len()).filter(|ply| review.moves[*ply].class.is_some()).collect();
    plies.sort_by(|a, b| review.moves[*b].lost().total_cmp(&review.moves[*a].lost()));
    plies.truncate(BOARDS);
    plies.sort_unstable();
    plies
}

fn boards<G: FullGame>(review: &GameReview<G>) -> String {
    let shown = worst(review);
    if shown.is_empty() {
        return "<p>No move was worse than it had to be.</p>\n".to_owned();
    }
    let mut out = "<div class=\"cards\">\n".to_owned();
    let mut numbers = MoveNumbers::of(&review.game.start);
    for (ply, (position, judged)) in review.positions().iter().zip(&review.moves).enumerate() {
        let before = numbers.clone();
        numbers.next(position.side());
        let (true, Some(class)) = (shown.contains(&ply), judged.class) else { continue };
        let name = escape(&review.move_name(ply));
        let _ = write!(
            out,
            "<article id=\"g{}p{ply}\">\n<h3>{name}{} <span class=\"note\">{}</span></h3>\n{}\n",
            review.number,
            class.mark(),
            judged.class_text(),
            frame::board(position, Some(judged.m), judged.better.first().copied())
        );
        let points = |points: f32| format!("{:.0} %", 100.0 * points);
        let _ = writeln!(
            out,
            "<p>{} → {}, from {} to {} of the points.</p>",
            judged.before,
            judged.after,
            points(judged.before.points()),
            points(judged.after.points())
        );
        if !judged.better.is_empty() {
            let line = line_text(position, before.clone(), &judged.better);
            let _ = writeln!(out, "<p><b class=\"good-text\">Better:</b> {}</p>", escape(&line));
        }
        if !judged.reply.is_empty() {
            let mut after = position.clone();
            after.play(judged.m);
            let line = line_text(&after, numbers.clone(), &judged.reply);
            let _ = writeln!(out, "<p><b class=\"bad-text\">Then:</b> {}</p>", escape(&line));
        }
        for (what, tactics) in [("Missed", &judged.missed), ("Allowed", &judged.allowed)] {
            if !tactics.is_empty() {
                let _ = writeln!(out, "<p class=\"note\">{what}: {}.</p>", told(tactics));
            }
        }
        out.push_str("</article>\n");
    }
    out + "</div>\n"
}
