//! Reading an engine's replies.

use crate::player::{MoveScore, Opinion};

/// Options that are read from an engine; no engine has nearly as many.
pub(super) const MOST_OPTIONS: usize = 4096;

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

/// The evaluation in an `info` line, if it is about the best line.
pub(super) fn opinion(line: &str) -> Option<Opinion> {
    let mut words = line.split_whitespace();
    if words.next() != Some("info") {
        return None;
    }
    let (mut depth, mut score) = (0, None);
    while let Some(word) = words.next() {
        match word {
            "depth" => depth = words.next()?.parse().ok()?,
            "multipv" if words.next()? != "1" => return None,
            "score" => score = Some(read_score(words.next()?, words.next()?.parse().ok()?)?),
            // Moves and free text follow to the end of the line.
            "pv" | "string" => break,
            _ => {}
        }
    }
    Some(Opinion { score: score?, depth })
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
        let read = |line| opinion(line).map(|opinion| opinion.to_string());
        let line = "info depth 12 seldepth 18 multipv 1 score cp 35 nodes 9 nps 1 pv e2e4 score cp 7";
        assert_eq!(read(line).unwrap(), "+0.35/12");
        assert_eq!(read("info score mate 3 depth 7").unwrap(), "+M3/7");
        assert_eq!(read("info depth 7 score mate -2 upperbound").unwrap(), "-M2/7");
        assert_eq!(read("info depth 7 multipv 2 score cp 1"), None);
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
}
