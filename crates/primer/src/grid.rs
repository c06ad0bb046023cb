//! A token learns its way through a small world from rewards alone.
//!
//! It reaches the goal, which is worth 1, or leaves the path, which costs 0.5; either ends the walk. Each step slips with some
//! probability: it then goes to the next direction clockwise. The value of a step in a cell is the mean of what the walks through
//! it were worth, γ per step away from their end, the oldest of which fade; steps are chosen ε-greedily, with ε falling from 1 to 0. [`World::solve`] has the
//! exact values, by iteration, to compare them with.
//!
//! The book's own map is lost; this one has its size, corners and distance.

use alfil_core::svg::{Axis, Plot, Unit};

use crate::board::{Board, Square};
use crate::random::Random;

/// The reward of reaching the goal.
pub const GOAL: f64 = 1.0;
/// The reward of leaving the path.
pub const OUTSIDE: f64 = -0.5;

/// Up, right, down, left: clockwise.
const STEPS: [(isize, isize); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const ARROWS: [char; 4] = ['↑', '→', '↓', '←'];

/// S is the start, G the goal, . the path; # is outside.
const MAP: &str = "S...\n.#.#\n....\n#..G";

/// A value is the mean of its first walks, this many; then older ones fade: they went on as they knew no better.
const MEMORY: u32 = 300;

/// Longer walks end without a reward.
const LONGEST: usize = 100;

/// The values of one cell's steps.
type Values = [f64; 4];

/// A map, and what steps do.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    board: Board,
    path: Vec<bool>,
    start: Square,
    goal: Square,
    /// What a reward is worth one step earlier.
    pub gamma: f64,
    /// The probability that a step goes to the next direction clockwise.
    pub slip: f64,
}

/// What a step leads to.
enum Next {
    Cell(Square),
    End(f64),
}

/// What was learnt.
#[derive(Clone, Debug, PartialEq)]
pub struct Learnt {
    /// By cell, the mean of the walks that took each step from it; 0 for those never taken.
    pub values: Vec<Values>,
    /// How often each was taken.
    pub taken: Vec<[u32; 4]>,
    /// What each walk was worth at the start.
    pub returns: Vec<f64>,
}

impl World {
    /// The usual map.
    pub fn new(gamma: f64, slip: f64) -> World {
        let rows: Vec<&str> = MAP.lines().collect();
        let board = Board { files: rows[0].len(), ranks: rows.len() };
        let at = |square: Square| rows[rows.len() - 1 - square.rank].as_bytes()[square.file];
        let squares = || (0..board.len()).map(|index| board.at(index));
        let find = |mark| squares().find(|square| at(*square) == mark).unwrap_or(Square { file: 0, rank: 0 });
        let path = squares().map(|square| at(square) != b'#').collect();
        World { board, path, start: find(b'S'), goal: find(b'G'), gamma, slip }
    }

    fn next(&self, from: Square, step: usize) -> Next {
        match self.board.step(from, STEPS[step]) {
            Some(to) if to == self.goal => Next::End(GOAL),
            Some(to) if self.path[self.board.index(to)] => Next::Cell(to),
            _ => Next::End(OUTSIDE),
        }
    }

    /// The cells from which steps are made.
    fn cells(&self) -> impl Iterator<Item = Square> {
        let squares = (0..self.board.len()).map(|index| self.board.at(index));
        squares.filter(|square| self.path[self.board.index(*square)] && *square != self.goal)
    }

    /// The exact values of all steps, if the best ones follow them.
    pub fn solve(&self) -> Vec<Values> {
        let mut values = vec![[0.0; 4]; self.board.len()];
        // Values of later steps count at most γ: whatever is missing after n rounds is smaller than γⁿ.
        for _ in 0..2_000 {
            let worth = |step: Next| match step {
                Next::Cell(to) => largest(&values[self.board.index(to)]),
                Next::End(reward) => reward,
            };
            let mut better = values.clone();
            for cell in self.cells() {
                better[self.board.index(cell)] = [0, 1, 2, 3].map(|step| {
                    let there = worth(self.next(cell, step));
                    let slipped = worth(self.next(cell, (step + 1) % 4));
                    self.gamma * ((1.0 - self.slip) * there + self.slip * slipped)
                });
            }
            values = better;
        }
        values
    }

    /// Learns from `walks` walks.
    pub fn learn(&self, walks: u32, seed: u64) -> Learnt {
        let mut random = Random::new(seed);
        let cells = self.board.len();
        let mut learnt = Learnt { values: vec![[0.0; 4]; cells], taken: vec![[0; 4]; cells], returns: Vec::new() };
        for walk in 0..walks {
            // From 1 down to 0, and 0 in the last fifth.
            let epsilon = (1.0 - 1.25 * f64::from(walk) / f64::from(walks)).max(0.0);
            let choose = |values: &Values, random: &mut Random| {
                if random.part() < epsilon { random.below(4) } else { best(values) }
            };
            self.walk(&mut learnt, &mut random, &choose);
        }
        learnt
    }

    /// Walks once, and learns from it. `choose` gives the step to try.
    fn walk(&self, learnt: &mut Learnt, random: &mut Random, choose: &dyn Fn(&Values, &mut Random) -> usize) {
        let (mut at, mut reward) = (self.start, 0.0);
        let mut steps = Vec::new();
        while steps.len() < LONGEST {
            let index = self.board.index(at);
            let step = choose(&learnt.values[index], random);
            steps.push((index, step));
            let slipped = random.part() < self.slip;
            match self.next(at, if slipped { (step + 1) % 4 } else { step }) {
                Next::Cell(to) => at = to,
                Next::End(end) => {
                    reward = end;
                    break;
                }
            }
        }
        for (number, (cell, step)) in steps.iter().enumerate() {
            // Only the first time that a walk takes a step in a cell: later ones are no independent samples.
            if !steps[..number].contains(&(*cell, *step)) {
                let worth = reward * self.gamma.powi((steps.len() - number) as i32);
                let (value, taken) = (&mut learnt.values[*cell][*step], &mut learnt.taken[*cell][*step]);
                *taken += 1;
                *value += (worth - *value) / f64::from((*taken).min(MEMORY));
            }
        }
        learnt.returns.push(reward * self.gamma.powi(steps.len() as i32));
    }

    /// The map with the best step of every cell.
    pub fn text(&self, values: &[Values]) -> String {
        self.board.text(|square| {
            if square == self.goal {
                "G".to_owned()
            } else if self.path[self.board.index(square)] {
                ARROWS[best(&values[self.board.index(square)])].to_string()
            } else {
                "#".to_owned()
            }
        })
    }

    /// The value of the start.
    pub fn value_of_start(&self, values: &[Values]) -> f64 {
        largest(&values[self.board.index(self.start)])
    }

    /// The map with values and best steps, and the returns of the walks below it.
    pub fn svg(&self, learnt: &Learnt) -> String {
        const CURVE: f64 = 160.0;
        let (mut picture, drawn) = self.board.picture(CURVE + 90.0, false);
        for square in (0..self.board.len()).map(|index| self.board.at(index)) {
            let values = &learnt.values[self.board.index(square)];
            let (corner, opposite) = drawn.corners(square);
            let (x, y) = drawn.centre(square);
            if square == self.goal {
                picture.bar("heat c3 h9", corner, opposite, "the goal");
                picture.text("middle ink", (x, y + 5.0), "goal");
            } else if !self.path[self.board.index(square)] {
                picture.bar("heat c6 h6", corner, opposite, "outside");
            } else {
                let value = largest(values);
                let class = if value < 0.0 { "heat c2" } else { "heat c3" };
                let heat = (9.0 * value.abs()).round().min(9.0);
                let title = format!("{square}: {}", steps_text(values));
                picture.bar(&format!("{class} h{heat:.0}"), corner, opposite, &title);
                picture.text("middle title ink", (x, y), &ARROWS[best(values)].to_string());
                picture.text("middle", (x, y + 18.0), &format!("{value:.2}"));
            }
        }
        let (left, top) = drawn.below();
        picture.text("ink", (left, top), "what walks were worth: mean of 50");
        let chunks: Vec<f64> =
            learnt.returns.chunks(50).map(|chunk| chunk.iter().sum::<f64>() / chunk.len() as f64).collect();
        let plot = Plot {
            x: Axis::around([0.0, learnt.returns.len() as f64], 4),
            y: Axis::between(-0.5, 1.0, 0.5),
            left: left + 30.0,
            right: drawn.corners(Square { file: self.board.files - 1, rank: 0 }).1.0,
            top: top + 14.0,
            bottom: top + 14.0 + CURVE,
        };
        plot.draw_x_axis(&mut picture, Unit::Number);
        plot.draw_y_axis(&mut picture, Unit::Number);
        let points = chunks.iter().enumerate().map(|(at, mean)| plot.at(50.0 * at as f64, *mean));
        picture.line("line c1", points);
        picture.finish()
    }
}

fn steps_text(values: &Values) -> String {
    ARROWS.iter().zip(values).map(|(arrow, value)| format!("{arrow} {value:.2}")).collect::<Vec<_>>().join("  ")
}

fn best(values: &Values) -> usize {
    // The first of equals.
    (0..4).rev().max_by(|one, other| values[*one].total_cmp(&values[*other])).unwrap_or(0)
}

fn largest(values: &Values) -> f64 {
    values[best(values)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks with given steps on a world that does not slip.
    fn walk(world: &World, learnt: &mut Learnt, steps: &str) {
        let taken = learnt.returns.len();
        let made = std::cell::Cell::new(0);
        let given = |_: &Values, _: &mut Random| {
            let arrow = steps.chars().nth(made.get()).unwrap();
            made.set(made.get() + 1);
            ARROWS.iter().position(|known| *known == arrow).unwrap()
        };
        world.walk(learnt, &mut Random::new(1), &given);
        assert_eq!((learnt.returns.len(), made.get()), (taken + 1, steps.chars().count()));
    }

    fn nothing(world: &World) -> Learnt {
        world.learn(0, 1)
    }

    /// The book: γ = 0.99, six steps to the goal, so the start is worth 0.94; a second walk leaves the path, and cells that both
    /// have visited get the mean.
    #[test]
    fn the_first_walk_of_the_book() {
        let world = World::new(0.99, 0.0);
        let mut learnt = nothing(&world);
        walk(&world, &mut learnt, "↓↓→→→↓");
        assert_eq!(format!("{:.2}", world.value_of_start(&learnt.values)), "0.94");
        assert!((world.value_of_start(&learnt.values) - 0.99f64.powi(6)).abs() < 1e-12);
        walk(&world, &mut learnt, "↓↓↓");
        let start = learnt.values[world.board.index(world.start)];
        let mean = (0.99f64.powi(6) - 0.5 * 0.99f64.powi(3)) / 2.0;
        assert!((start[2] - mean).abs() < 1e-12, "{start:?}");
        assert_eq!((start[0], learnt.taken[world.board.index(world.start)]), (0.0, [0, 0, 2, 0]));
    }

    #[test]
    fn a_step_taken_twice_counts_once() {
        let world = World::new(0.99, 0.0);
        let mut learnt = nothing(&world);
        walk(&world, &mut learnt, "↓↑↓↑↑");
        let start = world.board.index(world.start);
        assert_eq!(learnt.taken[start], [1, 0, 1, 0]);
        // From the first time on, five steps to the end.
        assert!((learnt.values[start][2] + 0.5 * 0.99f64.powi(5)).abs() < 1e-12);
    }

    #[test]
    fn exact_values_without_slips_count_the_steps() {
        let world = World::new(0.99, 0.0);
        let values = world.solve();
        assert!((world.value_of_start(&values) - 0.99f64.powi(6)).abs() < 1e-12);
        let certain = World::new(1.0, 0.0);
        assert_eq!(certain.value_of_start(&certain.solve()), 1.0);
    }

    #[test]
    fn learnt_values_approach_the_exact_ones() {
        let world = World::new(0.99, 0.1);
        let start = world.value_of_start(&world.solve());
        let last = |world: &World, seed| {
            let learnt = world.learn(20_000, seed);
            learnt.returns.iter().rev().take(2_000).sum::<f64>() / 2_000.0
        };
        for seed in 0..4 {
            // Nothing can be better than the best way; learning may end with the second best, down first.
            let last = last(&world, seed);
            assert!((0.35..start + 0.05).contains(&last), "walks are worth {last}, and the best ones {start}");
        }
        // Without slips there is one way of six steps, or several.
        let certain = World::new(0.99, 0.0);
        assert!((0..4).all(|seed| (last(&certain, seed) - 0.99f64.powi(6)).abs() < 0.03));
        // Slips are one in ten: never slipping is worth more, always more than twice as many slips less.
        assert!(
            start < world.value_of_start(&World::new(0.99, 0.0).solve())
                && start > world.value_of_start(&World::new(0.99, 0.3).solve())
        );
        let learnt = world.learn(20_000, 1);
        let first: f64 = learnt.returns.iter().take(1_000).sum::<f64>() / 1_000.0;
        assert!(first < -0.3, "{first}");
    }

    #[test]
    fn pictures_show_every_cell() {
        let world = World::new(0.99, 0.1);
        let learnt = world.learn(500, 1);
        assert_eq!(world.text(&world.solve()).matches(['↑', '→', '↓', '←']).count(), 12);
        let picture = world.svg(&learnt);
        assert_eq!(picture.matches("<rect class=\"heat").count(), 16);
        assert!(!picture.contains("NaN"));
    }
}
