//! A game of a PGN file as a record of self-play.

use alfil_game::pgn::PgnGame;
use alfil_game::{First, Mover, Notation, Score, Wdl};
use alfil_selfplay::{End, GameRecord, Ply};

use crate::filter::{Learnt, is_learnt};

/// Tags that a record keeps.
const KEPT: [&str; 9] =
    ["Event", "Date", "White", "Black", "WhiteElo", "BlackElo", "TimeControl", "ECO", "Termination"];

/// Bytes of a tag that are kept.
const LONGEST_TAG: usize = 200;

/// The record of a game with a result: policies are all on the moves that were played, values are the result. Moves of a side
/// that is not learnt have no policy.
pub fn record<G: Notation>(game: &PgnGame<G>, score: First<Score>, number: u64, learnt: Learnt) -> GameRecord {
    let mut now = game.start.clone();
    let mut plies = Vec::with_capacity(game.moves.len());
    for &m in &game.moves {
        let code: u16 = m.into();
        let side = now.side();
        let policy = is_learnt(learnt, side).then_some((code, 1.0));
        plies.push(Ply::new(code, policy, Mover(Wdl::from_score(score.to_mover(side).0))));
        now.play(m);
    }
    let mut moves = Vec::new();
    let end = match now.legal_moves(&mut moves) {
        Some(outcome) if outcome.score == score => End::Rules,
        _ if score.0 == Score::DRAW => End::Adjudicated,
        _ => End::Resigned,
    };
    let start = match game.tag("FEN").is_some() || game.tag("SetUp").is_some() {
        true => game.start.position(),
        false => String::new(),
    };
    let mut record = GameRecord::new(number, start, plies, score, end);
    let kept = KEPT.iter().filter_map(|&name| Some((name, game.tag(name)?.trim())));
    let kept = kept.filter(|(_, value)| !matches!(*value, "" | "?" | "????.??.??"));
    record.tags = kept.map(|(name, value)| (name.to_owned(), cut(value).to_owned())).collect();
    record
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_TAG)]
}
