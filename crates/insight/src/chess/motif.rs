//! Tactics, by rule.

use std::fmt;

use alfil_game::Game;
use alfil_game::chess::{Chess, Move};
use shakmaty::{Bitboard, Board, Color, Position, Rank, Role, Square, attacks};

use super::exchange::{balance, exchange, worth};

/// What has to be won, in pawns, for a tactic to count.
const WON: i32 = 2;

/// What a line that mates is said to win.
const MATE: i32 = 50;

/// Moves of a line in which what a motif promises has to be taken.
const SOON: usize = 6;

/// A kind of tactics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Motif {
    /// A piece can be taken for nothing, or for less than it is worth.
    HangingPiece,
    /// One piece attacks two.
    Fork,
    /// A piece cannot move, or must not, because of what is behind it.
    Pin,
    /// A piece has to move, and what is behind it is taken.
    Skewer,
    /// A piece moves out of the way of another, which attacks.
    DiscoveredAttack,
    /// The king has no way out of his first rank.
    BackRank,
    /// A piece has to guard two things.
    Overload,
    /// A piece is attacked and has nowhere to go.
    TrappedPiece,
    /// Mate.
    Mate,
}

impl Motif {
    /// All motifs.
    pub const ALL: [Motif; 9] = [
        Motif::HangingPiece,
        Motif::Fork,
        Motif::Pin,
        Motif::Skewer,
        Motif::DiscoveredAttack,
        Motif::BackRank,
        Motif::Overload,
        Motif::TrappedPiece,
        Motif::Mate,
    ];

    /// Its name in words.
    pub fn name(self) -> &'static str {
        match self {
            Motif::HangingPiece => "hanging piece",
            Motif::Fork => "fork",
            Motif::Pin => "pin",
            Motif::Skewer => "skewer",
            Motif::DiscoveredAttack => "discovered attack",
            Motif::BackRank => "back rank",
            Motif::Overload => "overload",
            Motif::TrappedPiece => "trapped piece",
            Motif::Mate => "mate",
        }
    }
}

/// A motif where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tactic {
    /// The motif.
    pub motif: Motif,
    /// For mate, the moves that it takes, the last one included.
    pub mate_in: Option<u32>,
}

impl fmt::Display for Tactic {
    /// "fork", or "mate in 3".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.motif.name())?;
        self.mate_in.map_or(Ok(()), |moves| write!(f, " in {moves}"))
    }
}

/// The tactics of a line from a position: what its first moves use. The line is that of somebody who looks ahead, such as an engine:
/// it shows whether something is won, and the rules say how.
pub fn tactics(position: &Chess, line: &[Move]) -> Vec<Tactic> {
    let Some(line) = Line::new(position, line) else { return Vec::new() };
    let found = Motif::ALL.into_iter().filter(|motif| line.is(*motif));
    let mate_in = |motif| (motif == Motif::Mate).then(|| line.steps.len().div_ceil(2) as u32);
    found.map(|motif| Tactic { motif, mate_in: mate_in(motif) }).collect()
}

/// Whether a motif is among tactics.
pub fn has(tactics: &[Tactic], motif: Motif) -> bool {
    tactics.iter().any(|tactic| tactic.motif == motif)
}

/// Tactics in words.
pub fn told(tactics: &[Tactic]) -> String {
    tactics.iter().map(Tactic::to_string).collect::<Vec<_>>().join(", ")
}

/// A move of a line.
#[derive(Clone, Copy)]
struct Step {
    from: Square,
    to: Square,
    /// The piece that moves.
    role: Role,
}

/// A line, and the positions that it goes through.
struct Line {
    /// The side that begins.
    side: Color,
    steps: Vec<Step>,
    /// The position before the first move, and after each.
    positions: Vec<shakmaty::Chess>,
    /// What the line wins, in pawns, at the worse of its last two positions: it may end in an exchange.
    gain: i32,
}

impl Line {
    /// Plays a line as far as its moves are legal; none if the first is not.
    fn new(position: &Chess, line: &[Move]) -> Option<Line> {
        let mut now = position.clone();
        let (mut positions, mut steps, mut moves) = (vec![now.shakmaty().clone()], Vec::new(), Vec::new());
        for &m in line {
            now.generate(&mut moves);
            if !moves.contains(&m) {
                break;
            }
            let role = now.shakmaty().board().role_at(m.from())?;
            now.play(m);
            steps.push(Step { from: m.from(), to: m.to(), role });
            positions.push(now.shakmaty().clone());
        }
        let (first, last) = (positions.first()?, positions.last()?);
        let side = first.turn();
        let won = |position: &shakmaty::Chess| balance(position.board(), side) - balance(first.board(), side);
        let gain = match steps.len() {
            0 => return None,
            _ if last.is_checkmate() => {
                if last.turn() == side {
                    -MATE
                } else {
                    MATE
                }
            }
            count => positions[count.max(2) - 1..].iter().map(won).min().unwrap_or(0),
        };
        Some(Line { side, steps, positions, gain })
    }

    fn is(&self, motif: Motif) -> bool {
        // The mate itself is the point of a line of one move, except on the back rank.
        let goes_on = !self.positions[1].is_checkmate();
        let wins = self.gain >= WON;
        match motif {
            Motif::HangingPiece => goes_on && self.takes_hanging_piece(),
            Motif::Fork => goes_on && wins && self.forks(),
            Motif::Pin => goes_on && wins && self.uses_pin(),
            Motif::Skewer => goes_on && wins && self.skewers(),
            Motif::DiscoveredAttack => goes_on && wins && self.discovers(),
            Motif::BackRank => self.uses_back_rank(),
            Motif::Overload => goes_on && self.overloads(),
            Motif::TrappedPiece => goes_on && wins && self.traps(),
            Motif::Mate => self.positions.last().is_some_and(|last| last.is_checkmate() && last.turn() != self.side),
        }
    }

    fn before(&self) -> &Board {
        self.positions[0].board()
    }

    fn after(&self) -> &Board {
        self.positions[1].board()
    }

    fn first(&self) -> Step {
        self.steps[0]
    }

    /// The moves of the side that begins, after its first, with the number of moves before them.
    fn own_later(&self) -> impl Iterator<Item = (usize, &Step)> {
        self.steps.iter().enumerate().skip(2).step_by(2)
    }

    fn takes_hanging_piece(&self) -> bool {
        let Step { from, to, .. } = self.first();
        let is_piece = self.before().role_at(to).is_some_and(|role| role != Role::Pawn);
        is_piece
            && self.before().color_at(to) == Some(!self.side)
            && exchange(self.before(), to, self.side, Some(from)) >= WON
    }

    fn forks(&self) -> bool {
        let at = self.first().to;
        if self.steps.get(1).is_some_and(|reply| reply.to == at) {
            return false;
        }
        let board = self.after();
        let is_target = |&target: &Square| match board.role_at(target) {
            None | Some(Role::Pawn) => false,
            Some(Role::King) => true,
            Some(_) => exchange(board, target, self.side, Some(at)) >= WON,
        };
        (board.attacks_from(at) & board.by_color(!self.side)).into_iter().filter(is_target).count() >= 2
    }

    fn uses_pin(&self) -> bool {
        let (board, first) = (self.after(), self.first());
        let before = rays(self.before(), self.side);
        rays(board, self.side).into_iter().any(|ray| {
            let Ray { slider, front, behind } = ray;
            let (Some(front_role), Some(behind_role)) = (board.role_at(front), board.role_at(behind)) else {
                return false;
            };
            if matches!(front_role, Role::King | Role::Pawn) || worth(behind_role) <= worth(front_role) {
                return false;
            }
            let is_absolute = behind_role == Role::King;
            // The pinned piece stays where it is, and is taken.
            let stays = self.steps.iter().skip(1).take(4).position(|step| step.from == front || step.to == front);
            let is_taken = stays.is_some_and(|at| at % 2 == 1 && self.steps[at + 1].to == front);
            // Or it seems to guard the square that the first move goes to.
            let line = attacks::ray(slider, behind);
            let guards = is_absolute
                && board.attacks_from(front).contains(first.to)
                && !line.contains(first.to)
                && (self.before().role_at(first.to).is_some() || self.positions[1].is_check());
            is_taken && (slider == first.to || is_absolute || before.contains(&ray)) || guards
        })
    }

    fn skewers(&self) -> bool {
        let board = self.after();
        let at = self.first().to;
        let [_, reply, taking, ..] = self.steps[..] else { return false };
        rays(board, self.side).into_iter().filter(|ray| ray.slider == at).any(|Ray { front, behind, .. }| {
            let (Some(front_role), Some(behind_role)) = (board.role_at(front), board.role_at(behind)) else {
                return false;
            };
            front_role != Role::Pawn
                && behind_role != Role::Pawn
                && worth(front_role) >= worth(behind_role)
                && reply.from == front
                && (taking.from, taking.to) == (at, behind)
        })
    }

    fn discovers(&self) -> bool {
        let (before, after, first) = (self.before(), self.after(), self.first());
        let sliders = (after.sliders() & after.by_color(self.side)).into_iter();
        let stood = |slider: &Square| *slider != first.to && before.piece_at(*slider) == after.piece_at(*slider);
        sliders.filter(stood).any(|slider| {
            let new = after.attacks_from(slider) & !before.attacks_from(slider) & after.by_color(!self.side);
            let opened = |target: &Square| attacks::between(slider, *target).contains(first.from);
            new.into_iter().filter(opened).any(|target| match after.role_at(target) {
                None | Some(Role::Pawn) => false,
                Some(Role::King) => true,
                Some(_) if self.positions[1].is_check() => {
                    self.steps.get(2).is_some_and(|taking| (taking.from, taking.to) == (slider, target))
                }
                Some(_) => exchange(after, target, self.side, Some(slider)) >= WON,
            })
        })
    }

    fn uses_back_rank(&self) -> bool {
        let home = if self.side.is_white() { Rank::Eighth } else { Rank::First };
        let shielded = |board: &Board, king: Square| {
            let front = attacks::king_attacks(king) & !Bitboard::from(home);
            (front, !(front & board.pawns() & board.by_color(!self.side)).is_empty())
        };
        let is_home = |board: &Board| board.king_of(!self.side).filter(|king| king.rank() == home);
        if is_home(self.before()).is_none_or(|king| !shielded(self.before(), king).1) {
            return false;
        }
        self.steps.iter().enumerate().step_by(2).take(4).any(|(at, step)| {
            let now = &self.positions[at + 1];
            let board = now.board();
            let Some(king) = is_home(board) else { return false };
            let (front, has_pawns) = shielded(board, king);
            let shut = |square: Square| {
                board.color_at(square) == Some(!self.side)
                    || !board.attacks_to(square, self.side, board.occupied()).is_empty()
            };
            matches!(step.role, Role::Rook | Role::Queen)
                && step.to.rank() == home
                && now.is_check()
                && has_pawns
                && front.into_iter().all(shut)
                && (now.is_checkmate() || self.gain >= WON)
        })
    }

    fn overloads(&self) -> bool {
        let [first, reply, taking, ..] = self.steps[..] else { return false };
        let took = reply.to == first.to && self.after().role_at(first.to).is_some();
        let guarded = self.before().attacks_from(reply.from).contains(taking.to)
            || self.after().attacks_from(reply.from).contains(taking.to);
        let board = self.positions[2].board();
        let takes = board.role_at(taking.to).is_some() && self.gain >= WON;
        took && guarded
            && !board.attacks_from(reply.to).contains(taking.to)
            && (takes || self.positions[3].is_checkmate())
    }

    fn traps(&self) -> bool {
        let after = &self.positions[1];
        if after.is_check() {
            return false;
        }
        let board = after.board();
        let pieces = board.by_color(!self.side) & !board.pawns() & !board.kings();
        pieces.into_iter().any(|piece| {
            let stays = self.own_later().take_while(|(at, _)| *at < SOON).any(|(_, step)| step.to == piece);
            let flees =
                matches!(self.steps[..], [_, reply, taking, ..] if reply.from == piece && taking.to == reply.to);
            (stays || flees)
                && exchange(board, piece, self.side, None) >= WON
                && after.legal_moves().iter().filter(|m| m.from() == Some(piece)).all(|&m| {
                    let got = m.capture().map_or(0, worth);
                    let mut next = after.clone();
                    next.play_unchecked(m);
                    exchange(next.board(), m.to(), self.side, None) - got >= WON
                })
        })
    }
}

/// Two enemy pieces on a line of a slider, with nothing between.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Ray {
    slider: Square,
    front: Square,
    behind: Square,
}

fn rays(board: &Board, side: Color) -> Vec<Ray> {
    let theirs = board.by_color(!side);
    let mut rays = Vec::new();
    for slider in board.sliders() & board.by_color(side) {
        for front in board.attacks_from(slider) & theirs {
            let beyond = (attacks::ray(slider, front) & theirs).into_iter().find(|behind| {
                attacks::between(slider, *behind).contains(front)
                    && (attacks::between(front, *behind) & board.occupied()).is_empty()
            });
            rays.extend(beyond.map(|behind| Ray { slider, front, behind }));
        }
    }
    rays
}
