//! A plain forward pass in double precision: the authority that the engine is compared with.

use alfil_nn::{Activation, Batch, Convolution, Dense, Head, Network, PolicyHead};

pub struct Reference {
    pub value: Vec<f64>,
    pub moves_left: Option<f64>,
    pub priors: Vec<f64>,
    /// The mean of each channel of the tower's output.
    pub means: Vec<f64>,
}

struct Board {
    height: usize,
    width: usize,
}

impl Board {
    fn convolve(&self, layer: &Convolution, input: &[f64], kernel: usize) -> Vec<f64> {
        let cells = self.height * self.width;
        let inputs = input.len() / cells;
        let reach = (kernel / 2) as isize;
        let mut output = vec![0.0; layer.biases.len() * cells];
        for (o, bias) in layer.biases.iter().enumerate() {
            for cell in 0..cells {
                let (row, column) = ((cell / self.width) as isize, (cell % self.width) as isize);
                let mut sum = f64::from(*bias);
                for i in 0..inputs {
                    for ky in 0..kernel {
                        for kx in 0..kernel {
                            let (y, x) = (row + ky as isize - reach, column + kx as isize - reach);
                            if (0..self.height as isize).contains(&y) && (0..self.width as isize).contains(&x) {
                                let weight = layer.weights[((o * inputs + i) * kernel + ky) * kernel + kx];
                                sum += f64::from(weight) * input[i * cells + y as usize * self.width + x as usize];
                            }
                        }
                    }
                }
                output[o * cells + cell] = sum;
            }
        }
        output
    }
}

fn dense(layer: &Dense, input: &[f64]) -> Vec<f64> {
    let rows = layer.weights.chunks_exact(input.len()).zip(&layer.biases);
    rows.map(|(row, bias)| f64::from(*bias) + row.iter().zip(input).map(|(w, x)| f64::from(*w) * x).sum::<f64>())
        .collect()
}

fn activate(activation: Activation, mut values: Vec<f64>) -> Vec<f64> {
    for x in &mut values {
        *x = match activation {
            Activation::Relu => x.max(0.0),
            Activation::Mish => *x * x.exp().ln_1p().tanh(),
        };
    }
    values
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = logits.iter().map(|x| (x - largest).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|x| x / sum).collect()
}

/// Evaluates one position of a batch. `head_output` is the encoding's.
pub fn evaluate(network: &Network, batch: &Batch, position: usize, head_output: fn(usize) -> usize) -> Reference {
    let (a, w) = (&network.architecture, &network.weights);
    let f = a.activation;
    let board = Board { height: a.height, width: a.width };
    let cells = a.cells();
    let planes: Vec<f64> = batch.planes_of(position).iter().map(|x| f64::from(*x)).collect();
    let mut x = activate(f, board.convolve(&w.stem, &planes, 3));
    for block in &w.blocks {
        let inner = activate(f, board.convolve(&block.first, &x, 3));
        let mut y = board.convolve(&block.second, &inner, 3);
        if let Some(squeeze) = &block.squeeze {
            let means: Vec<f64> = y.chunks_exact(cells).map(|plane| plane.iter().sum::<f64>() / cells as f64).collect();
            let gates = dense(&squeeze.expand, &activate(f, dense(&squeeze.reduce, &means)));
            for (channel, plane) in y.chunks_exact_mut(cells).enumerate() {
                let gate = 1.0 / (1.0 + (-gates[channel]).exp());
                plane.iter_mut().for_each(|y| *y = gate * *y + gates[a.filters + channel]);
            }
        }
        x = activate(f, x.iter().zip(&y).map(|(x, y)| x + y).collect());
    }
    let numbers = |head: &Head| {
        let convolved = activate(f, board.convolve(&head.convolution, &x, 1));
        dense(&head.output, &activate(f, dense(&head.hidden, &convolved)))
    };
    let indices = batch.indices(position).iter().map(|&index| index as usize);
    let logits: Vec<f64> = match &w.policy {
        PolicyHead::Convolution { hidden, output } => {
            let all = board.convolve(output, &activate(f, board.convolve(hidden, &x, 3)), 3);
            indices.map(|index| all[head_output(index)]).collect()
        }
        PolicyHead::Dense { hidden, output } => {
            let all = dense(output, &activate(f, board.convolve(hidden, &x, 1)));
            indices.map(|index| all[index]).collect()
        }
    };
    let value = numbers(&w.value);
    Reference {
        value: if value.len() == 3 { softmax(&value) } else { vec![value[0].tanh()] },
        moves_left: w.moves_left.as_ref().map(|head| numbers(head)[0].max(0.0)),
        priors: softmax(&logits),
        means: x.chunks_exact(cells).map(|plane| plane.iter().sum::<f64>() / cells as f64).collect(),
    }
}
