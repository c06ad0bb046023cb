//! Reading an engine's replies.

use alfil_game::{Mover, Wdl};

use crate::player::{MoveScore, Opinion};

/// Options that are read from an engine; no engine has nearly as many.
pub(super) const MOST_OPTIONS: usize = 4096;

/// The highest number of a line that is read; no game has nearly as many moves.
const MOST_LINES: usize = 4096;

/// Moves of a line that are kept.
const LONGEST_LINE: usize = 64;

/// What an `info` line says about one of the lines that an engine looks at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// Its number, the best line being 1.
    pub number: usize,
    /// The evaluation. It may be a bound where the search ended before it was sure.
    pub opinion: Opinion,
    /// Shares of win, draw and loss, if the engine tells them.
    pub wdl: Option<Mover<Wdl>>,
    /// Whether the evaluation is only a bound.
    pub is_bound: bool,
    /// Its moves as the engine writes them; there may be none.
    pub moves: Vec<String>,
}

/// The name in `option name X type …`.
pub(super) fn option_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("option name ")?;
    let end = rest.find(" type ").unwrap_or(rest.len());
    Some(rest[..end].trim())
}

/// The default in `option name X type combo default Y var …`.
pub(super) fn option_default(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(" default ")?;
    let end = [" var ", " min ", " max "].iter().filter_map(|word| rest.find(word)).min().unwrap_or(rest.len());
    Some(rest[..end].trim())
}

/// The choices in `option name X type combo default Y var A var B`.
pub(super) fn option_choices(line: &str) -> Vec<String> {
    line.split(" var ").skip(1).map(|choice| choice.trim().to_owned()).collect()
}

/// The line that an `info` line is about, if it has an evaluation.
pub(super) fn line(text: &str) -> Option<Line> {
    let mut words = text.split_whitespace();
    if words.next() != Some("info") {
        return None;
    }
    let (mut number, mut depth, mut score, mut wdl) = (1, 0, None, None);
    let (mut is_bound, mut moves) = (false, Vec::new());
    while let Some(word) = words.next() {
        match word {
            "depth" => depth = words.next()?.parse().ok()?,
            "multipv" => number = words.next()?.parse().ok().filter(|number| (1..=MOST_LINES).contains(number))?,
            "score" => score = Some(read_score(words.next()?, words.next()?.parse().ok()?)?),
            "wdl" => wdl = Some(read_wdl([words.next()?, words.next()?, words.next()?])?),
            "lowerbound" | "upperbound" => is_bound = true,
            // Moves and free text follow to the end of the line.
            "pv" => {
                moves = words.take(LONGEST_LINE).map(str::to_owned).collect();
                break;
            }
            "string" => break,
            _ => {}
        }
    }
    Some(Line { number, opinion: Opinion { score: score?, depth }, wdl, is_bound, moves })
}

/// Thousandths of win, draw and loss for the mover.
fn read_wdl(words: [&str; 3]) -> Option<Mover<Wdl>> {
    let read = |word: &str| word.parse::<u16>().ok().filter(|share| *share <= 1000).map(f32::from);
    let [win, draw, loss] = words.map(read);
    let shares = [win?, draw?, loss?];
    let sum: f32 = shares.iter().sum();
    (sum > 0.0).then(|| Mover(shares.map(|share| share / sum).into()))
}

/// `cp` counts hundredths of a pawn, `mate` moves: the mover's own if it mates, the other's if it is mated.
fn read_score(unit: &str, number: i32) -> Option<MoveScore> {
    Some(match unit {
        "cp" => MoveScore::Hundredths(number),
        "mate" if number > 0 => MoveScore::Win(number.unsigned_abs().saturating_mul(2).saturating_sub(1)),
        "mate" => MoveScore::Loss(number.unsigned_abs().saturating_mul(2)),
        _ => return None,
    })
}

/// The move in `bestmove X …`.
pub(super) fn best_move(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    if words.next() != Some("bestmove") {
        return None;
    }
    Some(words.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let read = |text| line(text).map(|line| line.opinion.to_string());
        let text = "info depth 12 seldepth 18 multipv 1 score cp 35 nodes 9 nps 1 pv e2e4 score cp 7";
        assert_eq!(read(text).unwrap(), "+0.35/12");
        assert_eq!(read("info score mate 3 depth 7").unwrap(), "+M3/7");
        assert_eq!(read("info depth 7 score mate -2 upperbound").unwrap(), "-M2/7");
        for nothing in ["", "info", "info string score cp 1", "info depth x score cp 1", "info score cp", "score cp 1"]
        {
            assert_eq!(read(nothing), None, "{nothing}");
        }
        assert_eq!(read("info score cp 99999999999"), None);
        assert_eq!(read("info score mate -2147483648").unwrap(), "-M2147483648/0");
        assert_eq!(best_move("bestmove e2e4 ponder e7e5"), Some("e2e4"));
        assert_eq!(best_move("bestmove"), Some(""));
        assert_eq!(best_move("bestmoves e2e4"), None);
        assert_eq!(option_name("option name Skill Level type spin default 20"), Some("Skill Level"));
        assert_eq!(option_name("option name Odd"), Some("Odd"));
        assert_eq!(option_name("id name X"), None);
        let variants = "option name UCI_Variant type combo default chess var chess var shogi";
        assert_eq!(option_default(variants), Some("chess"));
        assert_eq!(option_choices(variants), ["chess", "shogi"]);
        assert!(option_choices("option name UCI_Variant type string default chess").is_empty());
        assert_eq!(option_default("option name Threads type spin default 1 min 1 max 9"), Some("1"));
        assert_eq!(option_default("option name Clear Hash type button"), None);
    }

    #[test]
    fn lines_have_numbers_shares_and_moves() {
        let text = "info depth 7 seldepth 6 multipv 2 score cp 73 wdl 228 772 0 upperbound nodes 1008 pv f3g5 c8b7";
        let opinion = Opinion { score: MoveScore::Hundredths(73), depth: 7 };
        let wdl = Some(Mover(Wdl { win: 0.228, draw: 0.772, loss: 0.0 }));
        let moves = vec!["f3g5".to_owned(), "c8b7".to_owned()];
        assert_eq!(line(text), Some(Line { number: 2, opinion, wdl, is_bound: true, moves }));
        let rounded = line("info score cp 1 wdl 333 333 333").unwrap();
        assert!((rounded.wdl.unwrap().0.draw - 1.0 / 3.0).abs() < 1e-6);
        assert_eq!((rounded.number, rounded.is_bound, rounded.moves), (1, false, Vec::new()));
        for wrong in ["wdl 1 2", "wdl 0 0 0", "wdl 1001 0 0", "wdl -1 1 1", "wdl a b c", "multipv 0", "multipv 99999"] {
            assert_eq!(line(&format!("info score cp 1 {wrong}")), None, "{wrong}");
        }
    }
}
