//! A finished game, whatever kind of file it comes from.

use alfil_core::checksum::Fnv;
use alfil_game::pgn::PgnGame;
use alfil_game::{First, Mover, Notation, Score, Side, Wdl};
use alfil_selfplay::{End, GameRecord, Ply};

/// Tags that a record keeps.
const KEPT: [&str; 9] =
    ["Event", "Date", "White", "Black", "WhiteElo", "BlackElo", "TimeControl", "ECO", "Termination"];

/// Bytes of a tag that are kept.
const LONGEST_TAG: usize = 200;

/// Games of fewer plies are the same only if players and year are the same too: short draws are played again and again.
const LONG: usize = 30;

/// Bits of a fingerprint that a game's number leaves out: runs count games in fewer than 64.
const SPARE_BITS: u32 = 24;

/// A finished game with what its file says of it.
pub struct FinishedGame {
    /// Its record, which has no tags yet.
    pub record: GameRecord,
    /// Who moves at each ply.
    pub sides: Vec<Side>,
    /// Names and values.
    pub tags: Vec<(String, String)>,
    /// The result as PGN writes it.
    pub result: &'static str,
}

impl FinishedGame {
    /// A game of a PGN file with a result: policies are all on the moves that were played, values are the result.
    pub fn from_pgn<G: Notation>(game: PgnGame<G>, score: First<Score>) -> FinishedGame {
        let mut now = game.start.clone();
        let (mut plies, mut sides) = (Vec::with_capacity(game.moves.len()), Vec::with_capacity(game.moves.len()));
        for &m in &game.moves {
            let (code, side) = (m.into(), now.side());
            plies.push(Ply::new(code, [(code, 1.0)], Mover(Wdl::from_score(score.to_mover(side).0))));
            sides.push(side);
            now.play(m);
        }
        let end = match now.legal_moves(&mut Vec::new()) {
            Some(outcome) if outcome.score == score => End::Rules,
            _ if score.0 == Score::DRAW => End::Adjudicated,
            _ => End::Resigned,
        };
        let begins_elsewhere = game.tag("FEN").is_some() || game.tag("SetUp").is_some();
        let start = if begins_elsewhere { game.start.position() } else { String::new() };
        let result = game.result_text();
        FinishedGame { record: GameRecord::new(0, start, plies, score, end), sides, tags: game.tags, result }
    }

    /// The value of a tag, if it says anything.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let value = self.tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name))?.1.trim();
        (!matches!(value, "" | "?" | "-" | "????.??.??")).then_some(value)
    }

    /// What tells it from other games: its moves from its start, and its result. Of the players of a short game only the family
    /// names count, and of its date the year: databases differ in the rest. Two different games have the same with a chance of one
    /// in 2^64.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fnv::default();
        hash.feed(self.record.start.as_bytes());
        self.record.plies.iter().for_each(|ply| hash.feed(&ply.code.to_le_bytes()));
        hash.feed(self.result.as_bytes());
        if self.record.plies.len() < LONG {
            for name in ["White", "Black"] {
                hash.feed(&[0]);
                hash.feed(family_name(self.tag(name).unwrap_or_default()).as_bytes());
            }
            let year = self.tag("Date").unwrap_or_default().bytes().take_while(u8::is_ascii_digit);
            hash.feed(&year.collect::<Vec<u8>>());
        }
        hash.finish()
    }

    /// The number of its record.
    pub fn number(&self) -> u64 {
        self.fingerprint() >> SPARE_BITS
    }

    /// The record of the game. Moves of the sides that are not `learnt` lose their policy. Its number follows from its
    /// fingerprint, and which games are held out from their numbers: a game is held out in every folder, or in none.
    pub fn into_record(mut self, learnt: impl Fn(Side) -> bool) -> GameRecord {
        self.record.number = self.number();
        let kept = KEPT.iter().filter_map(|&name| Some((name.to_owned(), cut(self.tag(name)?).to_owned())));
        self.record.tags = kept.collect();
        for (ply, _) in self.record.plies.iter_mut().zip(self.sides).filter(|(_, side)| !learnt(*side)) {
            *ply = Ply::new(ply.code, [], ply.wdl());
        }
        self.record
    }
}

/// The letters of a family name, in lower case: what stands before a comma, or else the last word that is no initial.
fn family_name(name: &str) -> String {
    let is_whole = |word: &&str| word.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
    let family = match name.split_once(',') {
        Some((family, _)) => family,
        None => name.split([' ', '.', '_']).rfind(is_whole).unwrap_or(name),
    };
    family.chars().filter(|letter| letter.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_TAG)]
}
