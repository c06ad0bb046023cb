//! What pages have in common.

use alfil_core::svg::escape;
use alfil_game::drawing::{Arrow, STYLE as BOARDS, board_with_arrows};
use alfil_game::{Pictures, Step};

const STYLE: &str = include_str!("style.css");

/// A page that needs no other file and no script.
pub fn page(title: &str, under: &str, body: &str) -> String {
    let (title, under) = (escape(title), escape(under));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} – Alfil</title>\n\
         <style>\n{STYLE}{BOARDS}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p class=\"under\">{under}</p>\n{body}</body>\n</html>\n"
    )
}

/// A position with an arrow for the move that was played and one for the better one.
pub fn board<G: Pictures>(position: &G, played: Option<G::Move>, better: Option<G::Move>) -> String {
    let arrow = |m: Option<G::Move>, class| {
        let cells: Vec<String> = position
            .steps(m?)
            .into_iter()
            .filter_map(|step| match step {
                Step::Touch(cells) => cells.into_iter().next(),
                Step::Choose { .. } => None,
            })
            .collect();
        match &cells[..] {
            [from, .., to] => Some(Arrow { from: from.clone(), to: to.clone(), class }),
            _ => None,
        }
    };
    let arrows: Vec<Arrow> = [arrow(better, "good"), arrow(played, "bad")].into_iter().flatten().collect();
    board_with_arrows(position, &arrows)
}
