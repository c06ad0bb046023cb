//! Reports to the chess program.

use std::fmt::Write;

use alfil_game::{FullGame, Mover, Wdl};
use alfil_search::parallel::{Line, SearchReport};
use alfil_search::tree::Child;

use crate::options::Options;

/// One line of information for each move that is reported on.
pub(crate) fn lines<G: FullGame>(report: &SearchReport, root: &G, options: &Options) -> Vec<String> {
    // A random choice among moves needs more lines than are asked for.
    let shown = &report.lines[..report.lines.len().min(options.multi_pv.max(1) as usize)];
    let several = shown.len() > 1;
    (1..).zip(shown).map(|(number, line)| info(report, number, several, line, root, options)).collect()
}

fn info<G: FullGame>(
    report: &SearchReport,
    number: u32,
    several: bool,
    line: &Line,
    root: &G,
    options: &Options,
) -> String {
    let mut text = format!(
        "info depth {} seldepth {} time {} nodes {}",
        report.depth.max(1),
        report.longest.max(1),
        report.elapsed.as_millis(),
        report.looked_at()
    );
    // Writing to a string does not fail.
    let _ = write!(text, " score {}", score(line, root));
    if options.show_wdl {
        let [win, draw, loss] = thousandths(line);
        let _ = write!(text, " wdl {win} {draw} {loss}");
    }
    let _ = write!(text, " nps {:.0} hashfull {:.0}", report.speed(), 1_000.0 * report.fill.min(1.0));
    if several || options.multi_pv > 1 {
        let _ = write!(text, " multipv {number}");
    }
    let _ = write!(text, " pv{}", moves(&line.codes, root));
    text
}

/// `mate` in moves where the result is proven, else hundredths of a pawn.
fn score<G: FullGame>(line: &Line, root: &G) -> String {
    match (line.proof, line.turns_left(root)) {
        (Some(proof), Some(turns)) if proof.is_win() => format!("mate {turns}"),
        (Some(proof), Some(turns)) if proof.is_loss() => format!("mate -{turns}"),
        _ => format!("cp {}", line.estimate.unwrap_or_else(|| centipawns(line.value()))),
    }
}

/// An expected result in the unit that chess programs expect: lc0's conversion, which makes a value of 0.5 about a
/// pawn.
pub fn centipawns(value: f32) -> i32 {
    (90.0 * (1.563_754_2 * f64::from(value.clamp(-1.0, 1.0))).tan()).round() as i32
}

/// Whether a win in at most this many moves has been found.
pub(crate) fn is_mate_within<G: FullGame>(moves: u32, report: &SearchReport, root: &G) -> bool {
    let wins = |line: &&Line| line.proof.is_some_and(|proof| proof.is_win());
    report.lines.first().filter(wins).and_then(|line| line.turns_left(root)).is_some_and(|turns| turns <= moves)
}

fn thousandths(line: &Line) -> [u32; 3] {
    let Mover(Wdl { win, loss, .. }) = line.chances();
    let [win, loss] = [win, loss].map(|part| (1_000.0 * part).round() as u32);
    [win, 1_000u32.saturating_sub(win + loss), loss]
}

/// Moves as the protocol writes them, each with a space before it.
fn moves<G: FullGame>(codes: &[u16], root: &G) -> String {
    let mut game = root.clone();
    let mut text = String::new();
    for m in codes.iter().map_while(|code| G::Move::try_from(*code).ok()) {
        let _ = write!(text, " {}", game.move_text(m));
        game.play(m);
    }
    text
}

/// Visits, prior and value of every move, the best last, which is easiest to read in a log.
pub(crate) fn move_stats<G: FullGame>(children: &[Child], root: &G) -> Vec<String> {
    let line = |child: &Child| {
        let value = child.value().map_or("-".to_owned(), |value| format!("{value:+.4}"));
        let prior = 100.0 * child.prior;
        let text = G::Move::try_from(child.code).map_or(String::new(), |m| root.move_text(m));
        format!("info string {text:<6} N {:>8} P {prior:>6.2}% Q {value}", child.visits)
    };
    children.iter().rev().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_centipawns() {
        assert_eq!(centipawns(0.0), 0);
        assert!((85..=95).contains(&centipawns(0.5)));
        assert_eq!(centipawns(-0.5), -centipawns(0.5));
        assert!(centipawns(1.0) > 10_000);
    }
}
