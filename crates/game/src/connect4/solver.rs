//! An exact solver: alpha-beta on bitboards with a transposition table.
//!
//! Values count how much of the board a win leaves unused: 22 minus the stones the winner has placed at the end,
//! negated if that is the opponent, 0 for a draw. A larger value is a sooner win or a later loss, so the value gives
//! both result and distance.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::game::Connect4;
use super::grid::{self, COLUMNS, ROWS};
use crate::{Game, Judgement, Mover, Oracle, Score};

/// One more than the stones a side has.
const NO_WIN: i32 = (ROWS * COLUMNS / 2) as i32 + 1;

/// Columns from the middle outwards: stones there take part in more lines.
const COLUMN_ORDER: [usize; COLUMNS] = [3, 2, 4, 1, 5, 0, 6];

/// Solves any position. Keeps its table for the next one.
pub struct Solver {
    table: BoundTable,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver { table: BoundTable::new() }
    }
}

impl Solver {
    /// The value of a game that is not over; none once `stop` is set.
    fn solve(&mut self, own: u64, occupied: u64, stop: &AtomicBool) -> Option<i32> {
        let own_stones = own.count_ones() as i32;
        let other_stones = (occupied ^ own).count_ones() as i32;
        if grid::winning_cells(own, occupied) & grid::landing(occupied) != 0 {
            return Some(NO_WIN - (own_stones + 1));
        }
        // Halve the interval with null windows, looking at the draw first: most questions depend on it.
        let mut low = (other_stones + 1 - NO_WIN).min(0);
        let mut high = (NO_WIN - own_stones - 2).max(0);
        while low < high {
            let mut middle = low + (high - low) / 2;
            if middle <= 0 && low / 2 < middle {
                middle = low / 2;
            } else if middle >= 0 && high / 2 > middle {
                middle = high / 2;
            }
            let value = self.search(own, occupied, middle, middle + 1, stop);
            if stop.load(Relaxed) {
                return None;
            }
            if value <= middle {
                high = value;
            } else {
                low = value;
            }
        }
        Some(low)
    }

    /// Fail-soft alpha-beta. The mover must have no win at once. Once `stop` is set, any number, which nobody may use.
    fn search(&mut self, own: u64, occupied: u64, mut alpha: i32, mut beta: i32, stop: &AtomicBool) -> i32 {
        let other = occupied ^ own;
        let own_stones = own.count_ones() as i32;
        let other_stones = other.count_ones() as i32;

        let landing = grid::landing(occupied);
        let mut moves = landing;
        let threats = grid::winning_cells(other, occupied);
        let forced = landing & threats;
        if forced != 0 {
            if forced & (forced - 1) != 0 {
                return -(NO_WIN - (other_stones + 1)); // two threats cannot both be parried
            }
            moves = forced;
        }
        moves &= !(threats >> 1); // never play just below a cell that the opponent wins with
        if moves == 0 {
            // Every move loses at once, or the board is full.
            return if landing == 0 { 0 } else { -(NO_WIN - (other_stones + 1)) };
        }
        if occupied.count_ones() as usize >= ROWS * COLUMNS - 2 {
            return 0; // two stones left, and neither wins
        }

        // Neither side wins with its next stone, so the value lies between these.
        let worst = -(NO_WIN - (other_stones + 2));
        let best = NO_WIN - (own_stones + 2);
        let key = own + occupied;
        let (known_low, known_high) = self.table.get(key).unwrap_or((worst, best));
        if known_low >= beta || known_low == known_high {
            return known_low;
        }
        if known_high <= alpha {
            return known_high;
        }
        alpha = alpha.max(known_low);
        beta = beta.min(known_high);
        let (window_low, window_high) = (alpha, beta);

        // Moves that make the most threats first; among equals, the middle first.
        let mut ordered = [(0u32, 0u64); COLUMNS];
        let mut count = 0;
        for column in COLUMN_ORDER {
            let cell = moves & grid::column(column);
            if cell != 0 {
                let threats = grid::winning_cells(own | cell, occupied | cell).count_ones();
                let mut at = count;
                while at > 0 && ordered[at - 1].0 < threats {
                    ordered[at] = ordered[at - 1];
                    at -= 1;
                }
                ordered[at] = (threats, cell);
                count += 1;
            }
        }

        let mut value = -NO_WIN;
        for &(_, cell) in &ordered[..count] {
            value = value.max(-self.search(other, occupied | cell, -beta, -alpha, stop));
            if stop.load(Relaxed) {
                return 0;
            }
            if value >= beta {
                break;
            }
            alpha = alpha.max(value);
        }
        let low = if value > window_low { value } else { known_low };
        let high = if value < window_high { value } else { known_high };
        self.table.put(key, low, high);
        value
    }
}

impl Oracle<Connect4> for Solver {
    fn quick_from(&self) -> u32 {
        16
    }

    fn judge(&mut self, game: &Connect4) -> Judgement {
        // Without anybody to stop it, it always knows.
        self.judge_unless(game, &AtomicBool::new(false)).unwrap_or(Judgement { score: Mover(Score::DRAW), plies: 0 })
    }

    fn judge_unless(&mut self, game: &Connect4, stop: &AtomicBool) -> Option<Judgement> {
        let (own, occupied) = (game.own(), game.occupied());
        let value = self.solve(own, occupied, stop)?;
        let winner_stones = NO_WIN - value.abs();
        let own_stones = own.count_ones() as i32;
        let other_stones = (occupied ^ own).count_ones() as i32;
        let (score, plies) = match value {
            1.. => (Score::WIN, 2 * (winner_stones - own_stones) - 1),
            0 => (Score::DRAW, (ROWS * COLUMNS) as i32 - game.ply() as i32),
            _ => (Score::LOSS, 2 * (winner_stones - other_stones)),
        };
        Some(Judgement { score: Mover(score), plies: plies.max(0) as u32 })
    }
}

/// Bounds of positions searched before; newer ones replace older ones.
struct BoundTable {
    /// 50 bits of key, then lower and upper bound of 7 bits each, shifted to be positive. Zero is empty.
    entries: Vec<u64>,
}

const TABLE_BITS: u32 = 22; // 32 MB
const BOUND_SHIFT: i32 = 32;

impl BoundTable {
    fn new() -> BoundTable {
        BoundTable { entries: vec![0; 1 << TABLE_BITS] }
    }

    fn slot(key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - TABLE_BITS)) as usize
    }

    fn get(&self, key: u64) -> Option<(i32, i32)> {
        let entry = self.entries[BoundTable::slot(key)];
        let bound = |bits: u64| (bits & 127) as i32 - BOUND_SHIFT;
        (entry >> 14 == key && entry != 0).then(|| (bound(entry >> 7), bound(entry)))
    }

    fn put(&mut self, key: u64, low: i32, high: i32) {
        let bits = |bound: i32| (bound + BOUND_SHIFT) as u64 & 127;
        self.entries[BoundTable::slot(key)] = key << 14 | bits(low) << 7 | bits(high);
    }
}
