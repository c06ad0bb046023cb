//! Chess as a [`Game`].

use std::fmt;
use std::path::Path;

use arrayvec::ArrayVec;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Board, CastlingMode, Color, EnPassantMode, Position, Square};

use super::moves::Move;
use super::polyglot::{self, Polyglot};
use super::rules::Rules;
use super::syzygy::{self, Syzygy};
use super::{board_text, captures, diagram, endings, evaluation, exchange, fen, san};
use crate::book::{CountedBook, read_book};
use crate::diagram::Diagram;
use crate::repetitions::Repetitions;
use crate::rules::ply_cap_text;
use crate::{
    Book, Endings, Estimates, Examples, Game, Knowledge, Language, MoveError, Notation, Outcome, Pictures,
    PositionError, ReferenceError, References, Side, Step, Tablebase, Turns,
};

/// Reversible plies after which either side may claim a draw; here the game ends.
const FIFTY_MOVES: u32 = 100;

/// Earlier positions that the largest encoding looks at.
const HISTORY: usize = 7;

/// A game of chess. A third repetition, the fiftieth move without progress and insufficient material end it at once.
///
/// ```
/// use alfil_game::{Game, chess::Chess, play_line};
///
/// let mut game = Chess::new(&Default::default());
/// play_line(&mut game, "f3 e5 g4 Qh4").unwrap();
/// assert_eq!(game.outcome().unwrap().reason, "checkmate");
/// ```
#[derive(Clone, Debug)]
pub struct Chess {
    position: shakmaty::Chess,
    key: u64,
    /// How often this position has been on the board before.
    repetitions: u8,
    ply: u32,
    ply_cap: u32,
    /// Whether the first position was the orthodox start.
    from_start: bool,
    /// Keys of the earlier positions since the last capture or pawn move. Where play goes on after 100 reversible
    /// plies, which the rules above do not allow but game collections contain, the oldest are forgotten.
    reversible: Repetitions<{ FIFTY_MOVES as usize }>,
    /// The latest earlier positions, newest first.
    history: ArrayVec<Snapshot, HISTORY>,
    /// Whether earlier positions are remembered, besides their keys.
    remembers: bool,
}

/// What encodings need of an earlier position.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    pub board: Board,
    /// The square that a pawn can be captured on in passing.
    pub en_passant: Option<Square>,
    /// The square that a pawn has just passed, capturable or not.
    pub double_step: Option<Square>,
    pub repetitions: u8,
}

impl Chess {
    /// The start position of Chess960 with this number (0 to 959, 518 being the orthodox one), or `None`.
    pub fn chess960(number: u32, rules: &Rules) -> Option<Chess> {
        if number >= 960 {
            return None;
        }
        let board = Board::chess960(number);
        let setup = shakmaty::Setup { castling_rights: board.rooks(), board, ..shakmaty::Setup::initial() };
        Some(Chess::from_shakmaty(setup.position(CastlingMode::Chess960).ok()?, rules))
    }

    pub(super) fn from_shakmaty(position: shakmaty::Chess, rules: &Rules) -> Chess {
        let key = zobrist(&position);
        Chess {
            from_start: position == shakmaty::Chess::new(),
            position,
            key,
            repetitions: 0,
            ply: 0,
            ply_cap: rules.ply_cap,
            reversible: Repetitions::default(),
            history: ArrayVec::new(),
            remembers: true,
        }
    }

    /// The position in the terms of the `shakmaty` crate.
    pub fn shakmaty(&self) -> &shakmaty::Chess {
        &self.position
    }

    /// Whether castling is written as king takes rook.
    pub fn is_chess960(&self) -> bool {
        self.position.castles().mode() == CastlingMode::Chess960
    }

    /// Whether the game's first position was the orthodox start position.
    pub(super) fn began_at_the_start(&self) -> bool {
        self.from_start
    }

    /// This position and the ones before it, newest first, as far as they are remembered.
    pub(super) fn snapshots(&self) -> impl Iterator<Item = Snapshot> {
        std::iter::once(self.snapshot()).chain(self.history.iter().cloned())
    }

    /// Whether mirroring the files changes nothing: while a side may castle, its king and rooks have sides.
    pub(super) fn can_be_mirrored(&self) -> bool {
        !self.position.castles().any()
    }

    /// The position with its files mirrored, without history, if [it can be](Chess::can_be_mirrored).
    pub(super) fn mirrored(&self) -> Option<Chess> {
        if !self.can_be_mirrored() {
            return None;
        }
        let mut setup = self.position.to_setup(EnPassantMode::Always);
        setup.board.flip_horizontal();
        setup.promoted = setup.promoted.flip_horizontal();
        setup.ep_square = setup.ep_square.map(Square::flip_horizontal);
        let position = setup.position(self.position.castles().mode()).ok()?;
        let rules = Rules { chess960: self.is_chess960(), ply_cap: self.ply_cap };
        Some(Chess { from_start: self.from_start, ..Chess::from_shakmaty(position, &rules) })
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            board: self.position.board().clone(),
            en_passant: self.position.legal_ep_square(),
            double_step: self.position.maybe_ep_square(),
            repetitions: self.repetitions,
        }
    }

    pub(super) fn play_shakmaty(&mut self, m: shakmaty::Move) {
        if self.remembers {
            if self.history.is_full() {
                self.history.pop();
            }
            self.history.insert(0, self.snapshot());
        }
        self.reversible.remember(self.key);

        let key = self.position.update_zobrist_hash(Zobrist64(self.key), m, EnPassantMode::Legal);
        self.position.play_unchecked(m);
        self.key = key.map_or_else(|| zobrist(&self.position), |key: Zobrist64| key.0);
        self.ply += 1;
        if self.position.halfmoves() == 0 {
            self.reversible.forget();
        }
        self.repetitions = self.reversible.of(self.key);
    }
}

fn zobrist(position: &shakmaty::Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

pub(super) fn side_of(color: Color) -> Side {
    match color {
        Color::White => Side::First,
        Color::Black => Side::Second,
    }
}

impl Game for Chess {
    type Move = Move;
    type Rules = Rules;

    const NAME: &'static str = "chess";
    const TITLE: &'static str = "chess and Chess960";
    const SIDES: [&'static str; 2] = ["white", "black"];

    fn chosen_rules(&self) -> String {
        // The variant says whether it is Chess960, and elsewhere games without a cap are the usual ones.
        ply_cap_text(self.ply_cap, Rules::default().ply_cap)
    }

    fn new(rules: &Rules) -> Chess {
        let mut setup = shakmaty::Setup::initial();
        setup.castling_rights = setup.board.rooks();
        let mode = CastlingMode::from_chess960(rules.chess960);
        Chess::from_shakmaty(setup.position(mode).unwrap_or_default(), rules)
    }

    fn from_position(text: &str, rules: &Rules) -> Result<Chess, PositionError> {
        fen::parse(text, rules)
    }

    fn position(&self) -> String {
        fen::write(&self.position)
    }

    fn side(&self) -> Side {
        side_of(self.position.turn())
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn ply_cap(&self) -> u32 {
        self.ply_cap
    }

    fn generate(&self, moves: &mut Vec<Move>) {
        moves.clear();
        // By reference: an iterator that owns the list checks the room for every move.
        moves.extend(self.position.legal_moves().iter().map(|&m| Move::from_shakmaty(m)));
    }

    fn verdict(&self, generated: &[Move]) -> Option<Outcome> {
        if generated.is_empty() {
            return Some(if self.position.is_check() {
                Outcome::win(!self.side(), "checkmate")
            } else {
                Outcome::draw("stalemate")
            });
        }
        if self.repetitions >= 2 {
            Some(Outcome::draw("threefold repetition"))
        } else if self.position.halfmoves() >= FIFTY_MOVES {
            Some(Outcome::draw("50-move rule"))
        } else if self.position.is_insufficient_material() {
            Some(Outcome::draw("insufficient material"))
        } else if self.ply >= self.ply_cap {
            Some(Outcome::draw("ply cap"))
        } else {
            None
        }
    }

    fn repeated_after(&self) -> Option<u32> {
        (self.repetitions > 0).then(|| self.reversible.last(self.key)).flatten()
    }

    fn play(&mut self, m: Move) {
        match m.to_shakmaty(&self.position) {
            Some(m) => self.play_shakmaty(m),
            None => debug_assert!(false, "{m:?} was not generated in {}", self.position()),
        }
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn same_position(&self, other: &Chess) -> bool {
        self.position == other.position
    }

    fn move_text(&self, m: Move) -> String {
        match m.to_shakmaty(&self.position) {
            Some(m) => m.to_uci(self.position.castles().mode()).to_string(),
            None => format!("{m:?}"),
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        match shakmaty::uci::UciMove::from_ascii(text.as_bytes()) {
            Ok(uci) => match uci.to_move(&self.position) {
                Ok(m) => Ok(Move::from_shakmaty(m)),
                Err(_) => Err(MoveError::Illegal(text.to_owned())),
            },
            Err(_) => san::parse(self, text, san::Language::English),
        }
    }
}

impl Notation for Chess {
    fn from_loose_position(text: &str, rules: &Rules) -> Result<Chess, PositionError> {
        fen::parse_loosely(text, rules)
    }

    fn move_name(&self, m: Move) -> String {
        san::write(self, m, san::Language::English)
    }

    fn parse_typed(&self, text: &str, language: Language) -> Result<Move, MoveError> {
        match language {
            Language::English => self.parse_move(text),
            // Coordinates, and the English letter of the king, are no Spanish.
            Language::Spanish => {
                san::parse(self, text, language).or_else(|spanish| self.parse_move(text).map_err(|_| spanish))
            }
        }
    }

    fn move_number(&self) -> u32 {
        self.position.fullmoves().get()
    }

    fn variant(&self) -> Option<&'static str> {
        self.is_chess960().then_some("Chess960")
    }

    fn variant_rules(variant: &str, rules: &Rules) -> Option<Rules> {
        match variant.to_ascii_lowercase().replace([' ', '-'], "").as_str() {
            "chess960" | "fischerandom" | "fischerrandom" => Some(Rules { chess960: true, ..rules.clone() }),
            "chess" | "standard" | "normal" | "fromposition" => Some(rules.clone()),
            _ => None,
        }
    }
}

impl Estimates for Chess {
    fn evaluate(&self, knowledge: Knowledge) -> i32 {
        evaluation::evaluate(&self.position, knowledge)
    }

    fn gain(&self, m: Move) -> i32 {
        evaluation::gain(&self.position, m)
    }

    fn exchange(&self, m: Move) -> i32 {
        exchange::exchange(&self.position, m)
    }

    fn is_in_check(&self) -> bool {
        self.position.is_check()
    }

    fn lean(&self) -> Chess {
        Chess {
            position: self.position.clone(),
            reversible: self.reversible.clone(),
            history: ArrayVec::new(),
            remembers: false,
            ..*self
        }
    }

    fn may_be_over(&self) -> bool {
        self.repetitions >= 2
            || self.position.halfmoves() >= FIFTY_MOVES
            || self.ply >= self.ply_cap
            || self.position.is_insufficient_material()
    }

    fn generate_gains(&self, moves: &mut Vec<Move>) {
        captures::generate(&self.position, moves);
    }

    fn passed(&self) -> Option<Chess> {
        evaluation::may_pass(&self.position).then(|| self.position.clone().swap_turn().ok()).flatten().map(|position| {
            let rules = Rules { chess960: self.is_chess960(), ply_cap: self.ply_cap };
            Chess { ply: self.ply + 1, remembers: self.remembers, ..Chess::from_shakmaty(position, &rules) }
        })
    }
}

impl Pictures for Chess {
    fn diagram(&self) -> Option<Diagram> {
        Some(diagram::diagram(&self.position))
    }

    fn steps(&self, m: Move) -> Vec<Step> {
        let mut to = vec![m.to().to_string()];
        if let (CastlingMode::Standard, Some(castling @ shakmaty::Move::Castle { .. })) =
            (self.position.castles().mode(), m.to_shakmaty(&self.position))
            && let shakmaty::uci::UciMove::Normal { to: king, .. } = castling.to_uci(CastlingMode::Standard)
        {
            to.insert(0, king.to_string());
        }
        let promotion = m.promotion().and_then(|role| Step::choose_chessman(role.char()));
        [Step::touch(m.from()), Step::Touch(to)].into_iter().chain(promotion).collect()
    }

    fn alarm(&self) -> Option<String> {
        let king = self.position.board().king_of(self.position.turn())?;
        self.position.is_check().then(|| king.to_string())
    }
}

impl Turns for Chess {}

impl Endings for Chess {
    fn without_history(&self) -> Option<Chess> {
        let setup = shakmaty::Setup { halfmoves: 0, ..self.position.to_setup(EnPassantMode::Always) };
        let position = setup.position(self.position.castles().mode()).ok()?;
        Some(Chess::from_shakmaty(position, &Rules { chess960: self.is_chess960(), ply_cap: self.ply_cap }))
    }

    fn random_ending(rules: &Rules, below: &mut dyn FnMut(u32) -> u32) -> Option<Chess> {
        endings::random(rules, below)
    }
}

impl References for Chess {
    const TABLEBASE: Option<&'static str> = Some(syzygy::NAME);

    fn tablebase(folders: &str) -> Result<Box<dyn Tablebase<Chess>>, ReferenceError> {
        Ok(Box::new(Syzygy::open(folders)?))
    }

    fn book(path: &Path) -> Result<Box<dyn Book<Chess>>, ReferenceError> {
        let bytes = read_book(path)?;
        match CountedBook::is_one(&bytes) {
            true => Ok(Box::new(CountedBook::read::<Chess>(&bytes)?)),
            false => Ok(Box::new(Polyglot::read(&bytes)?)),
        }
    }

    fn polyglot_entry(&self, m: Move) -> Option<(u64, u16)> {
        Some(polyglot::entry(self, m))
    }
}

impl Examples for Chess {
    const PROBES: &'static [(&'static str, &'static str)] = &[
        ("a queen up", "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        ("a queen down", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1"),
        ("even", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ];
    const TEST_POSITIONS: &'static [&'static str] = &[
        // The usual perft suite: castling, pins, en passant, promotions.
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        // En passant possible at once, one with a pin that forbids it.
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        "8/8/8/K2pP2r/8/8/8/7k w - d6 0 2",
        // Under-promotions for both sides.
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        // Chess960: castling over short and long ways, king beside its rook, inner rook with the right.
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
        "rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w EAea - 0 1",
        "5r1k/8/8/8/8/8/8/1R1RK1R1 w GD - 0 1",
        // Few pieces: repetitions, the 50-move rule, insufficient material.
        "8/8/4k3/8/8/3K1R2/8/8 w - - 95 80",
        "8/8/4k3/8/8/3KB3/4p3/8 b - - 0 60",
    ];

    fn swapped(&self) -> Option<Chess> {
        let mirrored = self.position.to_setup(EnPassantMode::Always).into_mirrored();
        let position = mirrored.position(self.position.castles().mode()).ok()?;
        let rules = Rules { chess960: self.is_chess960(), ply_cap: self.ply_cap };
        Some(Chess { from_start: self.from_start, ..Chess::from_shakmaty(position, &rules) })
    }
}

impl fmt::Display for Chess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        board_text::draw(&self.position, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play_line;

    fn after(text: &str) -> Chess {
        let mut game = Chess::new(&Rules::default());
        play_line(&mut game, text).unwrap();
        game
    }

    #[test]
    fn the_third_occurrence_draws() {
        let shuffle = "Nf3 Nf6 Ng1 Ng8 ";
        assert_eq!(after(shuffle).outcome(), None);
        assert_eq!(after(&format!("{}Nf3 Nf6 Ng1", shuffle)).outcome(), None);
        assert_eq!(after(&shuffle.repeat(2)).outcome().unwrap().reason, "threefold repetition");
    }

    #[test]
    fn lost_castling_rights_make_another_position() {
        // The third time that the pieces stand so, but the first time White could still castle.
        let game = after("e4 e5 Nf3 Nf6 Be2 Be7 Rg1 Rg8 Rh1 Rh8 Rg1 Rg8 Rh1 Rh8");
        assert_eq!(game.outcome(), None);
    }

    #[test]
    fn fifty_moves_without_progress_draw_unless_the_last_one_mates() {
        let rules = Rules::default();
        let mut quiet = Chess::from_position("7k/8/8/8/8/8/R7/K7 w - - 99 80", &rules).unwrap();
        play_line(&mut quiet, "Ra3").unwrap();
        assert_eq!(quiet.outcome().unwrap().reason, "50-move rule");
        let mut mate = Chess::from_position("7k/8/6K1/8/8/8/R7/8 w - - 99 80", &rules).unwrap();
        play_line(&mut mate, "Ra8").unwrap();
        assert_eq!(mate.outcome().unwrap().reason, "checkmate");
    }

    #[test]
    fn stalemate_material_and_ply_cap_draw() {
        let ended = |fen: &str, ply_cap| {
            let game = Chess::from_position(fen, &Rules { ply_cap, ..Rules::default() }).unwrap();
            game.outcome().unwrap().reason
        };
        assert_eq!(ended("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 9), "stalemate");
        assert_eq!(ended("7k/8/6K1/8/8/8/8/5N2 b - - 0 1", 9), "insufficient material");
        assert_eq!(ended("7k/8/6K1/8/8/8/8/5R2 b - - 0 1", 0), "ply cap");
    }

    #[test]
    fn play_past_the_fiftieth_move_is_possible() {
        let mut game = Chess::from_position("7k/8/8/8/8/8/R7/K7 w - - 0 1", &Rules::default()).unwrap();
        for _ in 0..60 {
            play_line(&mut game, "Rb2 Kg8 Ra2 Kh8").unwrap();
        }
        assert_eq!(game.shakmaty().halfmoves(), 240);
        assert!(game.outcome().is_some());
    }

    #[test]
    fn chess960_starts_are_numbered_as_usual() {
        let rules = Rules::default();
        assert_eq!(
            Chess::chess960(518, &rules).unwrap().position(),
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        );
        assert_eq!(
            Chess::chess960(0, &rules).unwrap().position(),
            "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"
        );
        assert!(Chess::chess960(960, &rules).is_none());
    }
}
