//! Linear equations with a symmetric, positive definite matrix.

/// The lower triangle L with `A = L Lᵀ`.
pub(super) struct Cholesky {
    size: usize,
    lower: Vec<f64>,
}

impl Cholesky {
    /// Decomposes a matrix of `size` rows, of which only the lower triangle is read.
    pub(super) fn new(size: usize, mut matrix: Vec<f64>) -> Cholesky {
        for row in 0..size {
            for column in 0..=row {
                let products: f64 = (0..column).map(|k| matrix[row * size + k] * matrix[column * size + k]).sum();
                let rest = matrix[row * size + column] - products;
                matrix[row * size + column] = if column < row {
                    rest / matrix[column * size + column]
                } else {
                    rest.max(f64::MIN_POSITIVE).sqrt() // positive except for rounding
                };
            }
        }
        Cholesky { size, lower: matrix }
    }

    /// The x with `A x = b`, in place of b.
    pub(super) fn solve(&self, b: &mut [f64]) {
        let at = |row: usize, column: usize| self.lower[row * self.size + column];
        for row in 0..self.size {
            let known: f64 = (0..row).map(|column| at(row, column) * b[column]).sum();
            b[row] = (b[row] - known) / at(row, row);
        }
        for row in (0..self.size).rev() {
            let known: f64 = (row + 1..self.size).map(|below| at(below, row) * b[below]).sum();
            b[row] = (b[row] - known) / at(row, row);
        }
    }

    /// ln det A.
    pub(super) fn log_determinant(&self) -> f64 {
        (0..self.size).map(|row| 2.0 * self.lower[row * self.size + row].ln()).sum()
    }

    /// The inverse of A, row by row.
    pub(super) fn inverse(&self) -> Vec<f64> {
        let mut inverse = vec![0.0; self.size * self.size];
        for (row, values) in inverse.chunks_exact_mut(self.size.max(1)).enumerate() {
            values[row] = 1.0;
            self.solve(values);
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_times_the_matrix_is_one() {
        let size = 7;
        // A Hilbert matrix with a stronger diagonal.
        let entry = |row: usize, column: usize| 1.0 / (row + column + 1) as f64 + f64::from(u8::from(row == column));
        let matrix: Vec<f64> = (0..size * size).map(|at| entry(at / size, at % size)).collect();
        let inverse = Cholesky::new(size, matrix.clone()).inverse();
        for row in 0..size {
            for column in 0..size {
                let product: f64 = (0..size).map(|k| matrix[row * size + k] * inverse[k * size + column]).sum();
                assert!((product - f64::from(u8::from(row == column))).abs() < 1e-12, "{row} {column}: {product}");
            }
        }
    }

    #[test]
    fn the_determinant_matches_the_formula() {
        let split = Cholesky::new(2, vec![4.0, 2.0, 2.0, 3.0]);
        assert!((split.log_determinant() - 8f64.ln()).abs() < 1e-12);
        assert_eq!(Cholesky::new(0, Vec::new()).log_determinant(), 0.0);
    }
}
