//! Fewer columns where most numbers are 0.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::matrix::Matrix;

/// Columns with a smaller share of numbers other than 0 are merged with others.
const SPARSE: f64 = 0.05;

/// A merged column with a larger share takes no further columns.
const FULL: f64 = 0.10;

/// Random orders that are tried.
const ORDERS: usize = 1000;

/// Which columns of a matrix become which: the thesis's way to drop what is never used and to merge what seldom is. Where two merged
/// columns are not 0 in the same row, their sum counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SparseMerge {
    /// How many columns are read.
    from: usize,
    /// The old columns of each new one.
    columns: Vec<Vec<usize>>,
}

impl SparseMerge {
    /// Finds an order of the sparse columns in which merged ones overlap little.
    pub fn fit(points: &Matrix, seed: u64) -> SparseMerge {
        let rows = points.len();
        let used: Vec<Vec<usize>> = (0..points.columns())
            .map(|column| (0..rows).filter(|row| points.row(*row)[column] != 0.0).collect())
            .collect();
        let share = |column: usize| used[column].len() as f64 / rows.max(1) as f64;
        let alive = || (0..points.columns()).filter(|column| !used[*column].is_empty());
        let mut columns: Vec<Vec<usize>> =
            alive().filter(|column| share(*column) >= SPARSE).map(|column| vec![column]).collect();
        let mut order: Vec<usize> = alive().filter(|column| share(*column) < SPARSE).collect();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut best = merge(&order, &used, rows);
        for _ in 1..ORDERS {
            if best.1 == 0 {
                break;
            }
            order.shuffle(&mut random);
            let found = merge(&order, &used, rows);
            if found.1 < best.1 {
                best = found;
            }
        }
        columns.extend(best.0);
        SparseMerge { from: points.columns(), columns }
    }

    /// How many columns are left.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// How many columns are read.
    pub fn from(&self) -> usize {
        self.from
    }

    /// A row in the new columns. Columns that it does not have count as 0.
    pub fn apply(&self, row: &[f32]) -> Vec<f32> {
        let value = |column: &usize| row.get(*column).copied().unwrap_or(0.0);
        self.columns.iter().map(|merged| merged.iter().map(value).sum()).collect()
    }

    /// A matrix in the new columns.
    pub fn apply_all(&self, points: &Matrix) -> Matrix {
        let mut merged = Matrix::new(self.columns());
        points.rows().for_each(|row| merged.push(&self.apply(row)));
        merged
    }
}

/// Merges columns one after the other, and counts the rows in which two of them overlap.
fn merge(order: &[usize], used: &[Vec<usize>], rows: usize) -> (Vec<Vec<usize>>, usize) {
    let (mut columns, mut cost) = (Vec::new(), 0);
    let (mut taken, mut count, mut members) = (vec![false; rows], 0, Vec::new());
    for &column in order {
        for &row in &used[column] {
            if std::mem::replace(&mut taken[row], true) {
                cost += 1;
            } else {
                count += 1;
            }
        }
        members.push(column);
        if count as f64 > FULL * rows as f64 {
            columns.push(std::mem::take(&mut members));
            (taken, count) = (vec![false; rows], 0);
        }
    }
    if !members.is_empty() {
        columns.push(members);
    }
    (columns, cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A full column, a dead one, and sparse ones of which some are used in the same rows.
    fn points() -> Matrix {
        let mut points = Matrix::new(8);
        for row in 0..100 {
            let mut values = [0.0; 8];
            values[0] = 1.0;
            for (column, value) in values.iter_mut().enumerate().skip(2) {
                if row % 25 == column / 2 {
                    *value = column as f32;
                }
            }
            points.push(&values);
        }
        points
    }

    #[test]
    fn dead_columns_go_and_sparse_ones_are_merged() {
        let merge = SparseMerge::fit(&points(), 1);
        let all: Vec<usize> = {
            let mut all = merge.columns.concat();
            all.sort_unstable();
            all
        };
        assert_eq!(all, [0, 2, 3, 4, 5, 6, 7]);
        assert!(merge.columns() < 7 && merge.columns[0] == [0], "{merge:?}");
        let merged = merge.apply_all(&points());
        assert_eq!((merged.columns(), merged.len()), (merge.columns(), 100));
        let sum = |matrix: &Matrix| matrix.rows().flatten().sum::<f32>();
        assert_eq!(sum(&merged), sum(&points()), "overlapping values are added");
        assert_eq!(merge.apply(&[1.0]).iter().sum::<f32>(), 1.0, "a short row");
    }

    #[test]
    fn the_order_found_is_no_worse_than_the_first() {
        let points = points();
        let used: Vec<Vec<usize>> =
            (0..8).map(|column| (0..100).filter(|row| points.row(*row)[column] != 0.0).collect()).collect();
        let cost = |columns: &[Vec<usize>]| -> usize {
            let overlap = |column: &Vec<usize>| {
                (0..100)
                    .map(|row| column.iter().filter(|c| used[**c].contains(&row)).count().saturating_sub(1))
                    .sum::<usize>()
            };
            columns.iter().map(overlap).sum()
        };
        let first = merge(&[2, 3, 4, 5, 6, 7], &used, 100);
        assert_eq!(cost(&first.0), first.1);
        let found = SparseMerge::fit(&points, 5);
        assert!(cost(&found.columns) < first.1, "{found:?}");
    }
}
