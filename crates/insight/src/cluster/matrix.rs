//! Rows of numbers, and the file format of numpy.

/// Vectors of one size, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    columns: usize,
    values: Vec<f32>,
}

impl Matrix {
    /// No rows yet.
    pub fn new(columns: usize) -> Matrix {
        Matrix { columns, values: Vec::new() }
    }

    /// Adds a row; what is missing from it is 0, and what is too much is left out.
    pub fn push(&mut self, row: &[f32]) {
        let given = row.len().min(self.columns);
        self.values.extend_from_slice(&row[..given]);
        self.values.resize(self.values.len() + self.columns - given, 0.0);
    }

    /// The length of a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A row; an empty one beyond the last.
    pub fn row(&self, index: usize) -> &[f32] {
        self.values.get(index * self.columns..(index + 1) * self.columns).unwrap_or_default()
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(self.columns.max(1))
    }

    /// The matrix as a file that numpy loads.
    pub fn npy(&self) -> Vec<u8> {
        let shape =
            format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", self.len(), self.columns);
        // Magic, version and length take ten bytes; with them the header ends at a multiple of 64.
        let length = (10 + shape.len() + 1).next_multiple_of(64) - 10;
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend_from_slice(&(length as u16).to_le_bytes());
        file.extend_from_slice(shape.as_bytes());
        file.resize(10 + length - 1, b' ');
        file.push(b'\n');
        self.values.iter().for_each(|value| file.extend_from_slice(&value.to_le_bytes()));
        file
    }
}

/// The square of the distance between two points.
pub fn distance(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from((a - b) * (a - b))).sum()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn rows_have_the_same_length() {
        let mut matrix = Matrix::new(2);
        for row in [&[1.0][..], &[2.0, 3.0], &[4.0, 5.0, 6.0]] {
            matrix.push(row);
        }
        assert_eq!(matrix.rows().collect::<Vec<_>>(), [[1.0, 0.0], [2.0, 3.0], [4.0, 5.0]]);
        assert_eq!((matrix.len(), matrix.row(1), matrix.row(3).len()), (3, &[2.0, 3.0][..], 0));
    }

    #[test]
    fn numpy_reads_the_file() {
        let mut matrix = Matrix::new(3);
        matrix.push(&[1.5, -2.0, 0.0]);
        matrix.push(&[4.0, 5.0, 6.0]);
        let file = matrix.npy();
        assert_eq!((&file[..8], (file.len() - 24) % 64), (&b"\x93NUMPY\x01\x00"[..], 0));
        let program = "import numpy, sys, io; print(numpy.load(io.BytesIO(sys.stdin.buffer.read())).tolist())";
        let python = Command::new("python3").args(["-c", "import numpy"]).stderr(Stdio::null()).status();
        if !python.is_ok_and(|status| status.success()) {
            return alfil_skipped::skip("matrices read by numpy", "numpy (pip install numpy)");
        }
        let mut child =
            Command::new("python3").args(["-c", program]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&file).unwrap();
        let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        assert_eq!(said.trim(), "[[1.5, -2.0, 0.0], [4.0, 5.0, 6.0]]");
    }
}
