//! What networks are made of: layers that compute, and tell how a small change of what they were given would change the loss.
//!
//! `forward` gives a layer's outputs. `backward` takes the gradient of the loss by these outputs, returns the one by the inputs, and
//! adds the one by the layer's own parameters to its gradients; optimizers then move the parameters. [`gradient_error`] compares
//! that with differences of the loss itself.

use alfil_core::seed::derive;
use alfil_core::svg::{Axis, Picture, Plot, Unit};

use crate::random::Random;
use crate::softmax::normalise;

/// A layer with whatever it has to remember between forward and backward.
pub trait Layer {
    /// The outputs for these inputs.
    fn forward(&mut self, inputs: &[f64]) -> Vec<f64>;

    /// The gradient by the inputs of the last [`forward`](Layer::forward), for this gradient by its outputs.
    fn backward(&mut self, outputs: &[f64]) -> Vec<f64>;

    /// The parameters, each with its gradient.
    fn parameters(&mut self) -> Vec<(&mut f64, &mut f64)> {
        Vec::new()
    }
}

/// Perceptrons side by side: `b + Σ w x` for each.
pub struct Dense {
    /// By output, then by input.
    pub weights: Vec<Vec<f64>>,
    /// By output.
    pub biases: Vec<f64>,
    inputs: Vec<f64>,
    gradients: Vec<Vec<f64>>,
    bias_gradients: Vec<f64>,
}

impl Dense {
    /// With these weights, by output and then by input, and biases.
    pub fn new(weights: Vec<Vec<f64>>, biases: Vec<f64>) -> Dense {
        let gradients = weights.iter().map(|row| vec![0.0; row.len()]).collect();
        Dense { gradients, bias_gradients: vec![0.0; biases.len()], inputs: Vec::new(), weights, biases }
    }

    /// With random weights, smaller the more inputs there are, and biases of 0.
    pub fn random(inputs: usize, outputs: usize, seed: u64) -> Dense {
        let mut random = Random::new(seed);
        let scale = (1.0 / inputs as f64).sqrt();
        let weights = (0..outputs).map(|_| (0..inputs).map(|_| scale * random.normal()).collect()).collect();
        Dense::new(weights, vec![0.0; outputs])
    }
}

impl Layer for Dense {
    fn forward(&mut self, inputs: &[f64]) -> Vec<f64> {
        self.inputs = inputs.to_vec();
        let sum = |row: &Vec<f64>| row.iter().zip(inputs).map(|(weight, input)| weight * input).sum::<f64>();
        self.weights.iter().zip(&self.biases).map(|(row, bias)| bias + sum(row)).collect()
    }

    fn backward(&mut self, outputs: &[f64]) -> Vec<f64> {
        let mut by_input = vec![0.0; self.inputs.len()];
        for (output, gradient) in outputs.iter().enumerate() {
            self.bias_gradients[output] += gradient;
            for (input, by_input) in by_input.iter_mut().enumerate() {
                self.gradients[output][input] += gradient * self.inputs[input];
                *by_input += gradient * self.weights[output][input];
            }
        }
        by_input
    }

    fn parameters(&mut self) -> Vec<(&mut f64, &mut f64)> {
        let weights = self.weights.iter_mut().flatten().zip(self.gradients.iter_mut().flatten());
        weights.chain(self.biases.iter_mut().zip(&mut self.bias_gradients)).collect()
    }
}

/// One kernel that slides over a square of numbers.
pub struct Convolution {
    /// By row, then by column.
    pub kernel: Vec<Vec<f64>>,
    /// Added to every output.
    pub bias: f64,
    /// How far the kernel goes at each step.
    pub stride: usize,
    /// Zeros around the input on each side.
    pub padding: usize,
    side: usize,
    inputs: Vec<f64>,
    gradients: Vec<Vec<f64>>,
    bias_gradient: f64,
}

impl Convolution {
    /// For inputs of `side` rows and columns.
    pub fn new(kernel: Vec<Vec<f64>>, bias: f64, side: usize, stride: usize, padding: usize) -> Convolution {
        let gradients = kernel.iter().map(|row| vec![0.0; row.len()]).collect();
        Convolution {
            kernel,
            bias,
            stride: stride.max(1),
            padding,
            side,
            inputs: Vec::new(),
            gradients,
            bias_gradient: 0.0,
        }
    }

    /// Rows and columns of the output.
    pub fn output_side(&self) -> usize {
        (self.side + 2 * self.padding).checked_sub(self.kernel.len()).map_or(0, |room| room / self.stride + 1)
    }

    /// Which input each number of the kernel meets at an output: (kernel row, kernel column, input).
    fn meets(&self, output: usize) -> Vec<(usize, usize, usize)> {
        let (row, column) = (output / self.output_side() * self.stride, output % self.output_side() * self.stride);
        let size = self.kernel.len();
        let kernel = (0..size).flat_map(|down| (0..size).map(move |right| (down, right)));
        let inside = |at: usize| at.checked_sub(self.padding).filter(|at| *at < self.side);
        kernel
            .filter_map(|(down, right)| Some((down, right, inside(row + down)? * self.side + inside(column + right)?)))
            .collect()
    }
}

impl Layer for Convolution {
    fn forward(&mut self, inputs: &[f64]) -> Vec<f64> {
        self.inputs = inputs.to_vec();
        let sum = |output| {
            self.meets(output).iter().map(|(row, column, at)| self.kernel[*row][*column] * inputs[*at]).sum::<f64>()
        };
        (0..self.output_side().pow(2)).map(|output| self.bias + sum(output)).collect()
    }

    fn backward(&mut self, outputs: &[f64]) -> Vec<f64> {
        let mut by_input = vec![0.0; self.inputs.len()];
        for (output, gradient) in outputs.iter().enumerate() {
            self.bias_gradient += gradient;
            for (row, column, at) in self.meets(output) {
                self.gradients[row][column] += gradient * self.inputs[at];
                by_input[at] += gradient * self.kernel[row][column];
            }
        }
        by_input
    }

    fn parameters(&mut self) -> Vec<(&mut f64, &mut f64)> {
        let kernel = self.kernel.iter_mut().flatten().zip(self.gradients.iter_mut().flatten());
        kernel.chain([(&mut self.bias, &mut self.bias_gradient)]).collect()
    }
}

/// What a pool makes of the numbers in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolKind {
    /// The largest.
    Max,
    /// The mean.
    Average,
}

/// Squares of numbers, each of which becomes one.
pub struct Pool {
    kind: PoolKind,
    side: usize,
    size: usize,
    inputs: Vec<f64>,
}

impl Pool {
    /// For inputs of `side` rows and columns, of which `size` by `size` become one.
    pub fn new(kind: PoolKind, side: usize, size: usize) -> Pool {
        Pool { kind, side, size: size.max(1), inputs: Vec::new() }
    }

    fn members(&self, output: usize) -> impl Iterator<Item = usize> + use<> {
        let (side, size, across) = (self.side, self.size, self.side / self.size);
        let (row, column) = (output / across * size, output % across * size);
        (0..size * size).map(move |member| (row + member / size) * side + column + member % size)
    }

    /// How much each member of an output counts.
    fn shares(&self, output: usize) -> Vec<(usize, f64)> {
        match self.kind {
            PoolKind::Average => self.members(output).map(|member| (member, 1.0 / self.size.pow(2) as f64)).collect(),
            PoolKind::Max => {
                let largest =
                    self.members(output).max_by(|one, other| self.inputs[*one].total_cmp(&self.inputs[*other]));
                largest.into_iter().map(|member| (member, 1.0)).collect()
            }
        }
    }
}

impl Layer for Pool {
    fn forward(&mut self, inputs: &[f64]) -> Vec<f64> {
        self.inputs = inputs.to_vec();
        let sum = |output| self.shares(output).iter().map(|(member, share)| share * inputs[*member]).sum();
        (0..(self.side / self.size).pow(2)).map(sum).collect()
    }

    fn backward(&mut self, outputs: &[f64]) -> Vec<f64> {
        let mut by_input = vec![0.0; self.inputs.len()];
        for (output, gradient) in outputs.iter().enumerate() {
            for (member, share) in self.shares(output) {
                by_input[member] += gradient * share;
            }
        }
        by_input
    }
}

/// What bends the line between two layers: without it, they would be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bend {
    /// Nothing below 0: `max(0, x)`.
    Relu,
    /// From 0 to 1: `1 / (1 + e^-x)`.
    Sigmoid,
    /// From -1 to 1.
    Tanh,
}

/// A [`Bend`] as a layer.
pub struct Activation {
    bend: Bend,
    inputs: Vec<f64>,
}

impl Activation {
    /// For any number of inputs.
    pub fn new(bend: Bend) -> Activation {
        Activation { bend, inputs: Vec::new() }
    }
}

impl Bend {
    fn of(self, x: f64) -> f64 {
        match self {
            Bend::Relu => x.max(0.0),
            Bend::Sigmoid => 1.0 / (1.0 + (-x).exp()),
            Bend::Tanh => x.tanh(),
        }
    }

    fn slope(self, x: f64) -> f64 {
        let y = self.of(x);
        match self {
            Bend::Relu => f64::from(u8::from(x > 0.0)),
            Bend::Sigmoid => y * (1.0 - y),
            Bend::Tanh => 1.0 - y * y,
        }
    }
}

impl Layer for Activation {
    fn forward(&mut self, inputs: &[f64]) -> Vec<f64> {
        self.inputs = inputs.to_vec();
        inputs.iter().map(|x| self.bend.of(*x)).collect()
    }

    fn backward(&mut self, outputs: &[f64]) -> Vec<f64> {
        self.inputs.iter().zip(outputs).map(|(x, gradient)| self.bend.slope(*x) * gradient).collect()
    }
}

/// Numbers with their mean and spread taken out, then scaled and moved as is learnt: `γ (x - μ) / σ + β`. Here over all inputs,
/// which stand for what one channel gives over a batch.
pub struct BatchNorm {
    /// γ and β.
    pub scale: [f64; 2],
    gradients: [f64; 2],
    normal: Vec<f64>,
    deviation: f64,
}

impl BatchNorm {
    /// Keeps equal inputs from being divided by 0.
    const EPSILON: f64 = 1e-5;

    /// With γ and β.
    pub fn new(gamma: f64, beta: f64) -> BatchNorm {
        BatchNorm { scale: [gamma, beta], gradients: [0.0; 2], normal: Vec::new(), deviation: 1.0 }
    }
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len().max(1) as f64;
    numbers.sum::<f64>() / count
}

impl Layer for BatchNorm {
    fn forward(&mut self, inputs: &[f64]) -> Vec<f64> {
        let middle = mean(inputs.iter().copied());
        self.deviation = (mean(inputs.iter().map(|x| (x - middle).powi(2))) + BatchNorm::EPSILON).sqrt();
        self.normal = inputs.iter().map(|x| (x - middle) / self.deviation).collect();
        self.normal.iter().map(|x| self.scale[0] * x + self.scale[1]).collect()
    }

    fn backward(&mut self, outputs: &[f64]) -> Vec<f64> {
        let along = |numbers: &[f64]| mean(numbers.iter().zip(&self.normal).map(|(gradient, x)| gradient * x));
        self.gradients[0] += along(outputs) * outputs.len() as f64;
        self.gradients[1] += outputs.iter().sum::<f64>();
        // Moving all inputs together, or stretching them, changes nothing.
        let (moved, stretched) = (mean(outputs.iter().copied()), along(outputs));
        let by_input =
            |(gradient, x): (&f64, &f64)| self.scale[0] * (gradient - moved - x * stretched) / self.deviation;
        outputs.iter().zip(&self.normal).map(by_input).collect()
    }

    fn parameters(&mut self) -> Vec<(&mut f64, &mut f64)> {
        self.scale.iter_mut().zip(&mut self.gradients).collect()
    }
}

/// What the outputs should have been, and how far off they are.
#[derive(Clone, Debug, PartialEq)]
pub enum Loss {
    /// The mean of the squares of the differences.
    Squares(Vec<f64>),
    /// `-Σ y ln p` for the probabilities p that softmax makes of the outputs.
    CrossEntropy(Vec<f64>),
}

impl Loss {
    /// The loss, and its gradient by the outputs.
    pub fn of(&self, outputs: &[f64]) -> (f64, Vec<f64>) {
        match self {
            Loss::Squares(targets) => {
                let off = || outputs.iter().zip(targets).map(|(output, target)| output - target);
                let count = outputs.len().max(1) as f64;
                (off().map(|off| off * off).sum::<f64>() / count, off().map(|off| 2.0 * off / count).collect())
            }
            Loss::CrossEntropy(targets) => {
                let mut shares = outputs.to_vec();
                normalise(&mut shares, 1.0);
                // 0 ln 0 is 0.
                let terms = shares.iter().zip(targets).filter(|(_, target)| **target > 0.0);
                let loss = -terms.map(|(share, target)| target * share.ln()).sum::<f64>();
                let all: f64 = targets.iter().sum();
                (loss, shares.iter().zip(targets).map(|(share, target)| all * share - target).collect())
            }
        }
    }
}

/// Layers one after the other.
#[derive(Default)]
pub struct Network {
    layers: Vec<Box<dyn Layer>>,
}

impl Network {
    /// With these layers, from inputs to outputs.
    pub fn new(layers: Vec<Box<dyn Layer>>) -> Network {
        Network { layers }
    }
}

impl Layer for Network {
    fn forward(&mut self, inputs: &[f64]) -> Vec<f64> {
        self.layers.iter_mut().fold(inputs.to_vec(), |numbers, layer| layer.forward(&numbers))
    }

    fn backward(&mut self, outputs: &[f64]) -> Vec<f64> {
        self.layers.iter_mut().rev().fold(outputs.to_vec(), |gradient, layer| layer.backward(&gradient))
    }

    fn parameters(&mut self) -> Vec<(&mut f64, &mut f64)> {
        self.layers.iter_mut().flat_map(|layer| layer.parameters()).collect()
    }
}

/// How parameters follow their gradients.
pub enum Optimizer {
    /// Against the gradient, this far.
    Sgd(f64),
    /// By the mean of past gradients over the root of the mean of their squares, both corrected for having begun with 0 (Kingma
    /// and Ba 2014).
    Adam(Adam),
}

/// What Adam remembers.
#[derive(Default)]
pub struct Adam {
    rate: f64,
    steps: i32,
    moments: Vec<[f64; 2]>,
}

impl Optimizer {
    /// Adam with this learning rate.
    pub fn adam(rate: f64) -> Optimizer {
        Optimizer::Adam(Adam { rate, ..Adam::default() })
    }

    /// Moves all parameters of a layer once, and sets their gradients to 0.
    pub fn step(&mut self, layer: &mut dyn Layer) {
        const DECAY: [f64; 2] = [0.9, 0.999];
        let parameters = layer.parameters();
        match self {
            Optimizer::Sgd(rate) => {
                for (parameter, gradient) in parameters {
                    *parameter -= *rate * std::mem::take(gradient);
                }
            }
            Optimizer::Adam(adam) => {
                adam.steps += 1;
                adam.moments.resize(parameters.len(), [0.0; 2]);
                for ((parameter, gradient), moments) in parameters.into_iter().zip(&mut adam.moments) {
                    let gradient = std::mem::take(gradient);
                    let seen = [gradient, gradient * gradient];
                    let corrected: [f64; 2] = std::array::from_fn(|power| {
                        moments[power] = DECAY[power] * moments[power] + (1.0 - DECAY[power]) * seen[power];
                        moments[power] / (1.0 - DECAY[power].powi(adam.steps))
                    });
                    *parameter -= adam.rate * corrected[0] / (corrected[1].sqrt() + 1e-8);
                }
            }
        }
    }
}

/// The largest difference between the gradients that a layer computes, by inputs and parameters, and the slopes of the loss
/// between two points nearby; in relation to the larger of them, if that is above 1.
pub fn gradient_error(layer: &mut dyn Layer, inputs: &[f64], loss: &Loss) -> f64 {
    const NEARBY: f64 = 1e-5;
    let at = |layer: &mut dyn Layer, inputs: &[f64]| loss.of(&layer.forward(inputs)).0;
    let outputs = layer.forward(inputs);
    layer.parameters().into_iter().for_each(|(_, gradient)| *gradient = 0.0);
    let by_input = layer.backward(&loss.of(&outputs).1);
    let by_parameter: Vec<f64> = layer.parameters().into_iter().map(|(_, gradient)| std::mem::take(gradient)).collect();
    let mut worst: f64 = 0.0;
    let mut compare = |computed: f64, [low, high]: [f64; 2]| {
        let slope = (high - low) / (2.0 * NEARBY);
        worst = worst.max((computed - slope).abs() / computed.abs().max(slope.abs()).max(1.0));
    };
    for (number, computed) in by_input.iter().enumerate() {
        let moved = [-NEARBY, NEARBY].map(|by| {
            let mut inputs = inputs.to_vec();
            inputs[number] += by;
            at(layer, &inputs)
        });
        compare(*computed, moved);
    }
    for (number, computed) in by_parameter.iter().enumerate() {
        let moved = [-NEARBY, NEARBY].map(|by| {
            let before = *layer.parameters()[number].0;
            *layer.parameters()[number].0 = before + by;
            let loss = at(layer, inputs);
            *layer.parameters()[number].0 = before;
            loss
        });
        compare(*computed, moved);
    }
    worst
}

/// The inputs of "one or the other, but not both", each with its answer: what one perceptron cannot learn.
pub const XOR: [([f64; 2], f64); 4] = [([0.0, 0.0], 0.0), ([0.0, 1.0], 1.0), ([1.0, 0.0], 1.0), ([1.0, 1.0], 0.0)];

/// A network for [`XOR`]: two inputs, four hidden units, one output.
pub fn xor_network(seed: u64) -> Network {
    Network::new(vec![
        Box::new(Dense::random(2, 4, derive(seed, &[0]))),
        Box::new(Activation::new(Bend::Tanh)),
        Box::new(Dense::random(4, 1, derive(seed, &[1]))),
        Box::new(Activation::new(Bend::Sigmoid)),
    ])
}

/// Trains a network on [`XOR`], all four at each step, and returns the loss of every step.
pub fn learn_xor(network: &mut Network, optimizer: &mut Optimizer, steps: usize) -> Vec<f64> {
    let mut step = || {
        let mut loss = 0.0;
        for (inputs, answer) in &XOR {
            let outputs = network.forward(inputs);
            let (value, mut gradient) = Loss::Squares(vec![*answer]).of(&outputs);
            loss += value / XOR.len() as f64;
            gradient.iter_mut().for_each(|gradient| *gradient /= XOR.len() as f64);
            network.backward(&gradient);
        }
        optimizer.step(network);
        loss
    };
    (0..steps).map(|_| step()).collect()
}

/// The losses of two optimizers, step by step.
pub fn svg(sgd: &[f64], adam: &[f64]) -> String {
    const WIDTH: f64 = 640.0;
    const HEIGHT: f64 = 280.0;
    let (left, top) = (64.0, 92.0);
    let plot = Plot {
        x: Axis::around([0.0, sgd.len().max(adam.len()) as f64], 5),
        y: Axis::around(sgd.iter().chain(adam).copied().chain([0.0]), 4),
        left,
        right: left + WIDTH,
        top,
        bottom: top + HEIGHT,
    };
    let mut picture = Picture::file(WIDTH + left + 24.0, top + HEIGHT + 52.0);
    picture.text("title ink", (left, 24.0), "Learning \"one or the other, but not both\": mean squared error");
    plot.draw_x_axis(&mut picture, Unit::Number);
    plot.draw_y_axis(&mut picture, Unit::Number);
    plot.name_x_axis(&mut picture, "steps");
    for (number, (name, losses)) in [("SGD", sgd), ("Adam", adam)].into_iter().enumerate() {
        let colour = alfil_core::svg::Colour(number);
        picture.key(colour, (left, 50.0 + 20.0 * number as f64), name);
        let points = losses.iter().enumerate().map(|(step, loss)| plot.at(step as f64, *loss));
        picture.line(&format!("line {}", colour.class()), points);
    }
    picture.finish()
}

/// The book's example of a convolution: a kernel of 2x2 over 3x3 numbers.
pub fn book_convolution() -> (Convolution, [f64; 9]) {
    let kernel = vec![vec![0.56, -0.54], vec![0.07, 0.32]];
    (Convolution::new(kernel, 1.0, 3, 1, 0), [0.24, 0.12, 0.09, 0.13, 0.13, 0.21, 0.05, 0.12, 0.24])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        (0..count).map(|_| random.normal()).collect()
    }

    /// The book rounds 1.0446 up to 1.05.
    #[test]
    fn the_book_s_convolution() {
        let (mut convolution, inputs) = book_convolution();
        let outputs = convolution.forward(&inputs);
        let rounded: Vec<String> = outputs.iter().map(|output| format!("{output:.4}")).collect();
        assert_eq!(rounded, ["1.1203", "1.0949", "1.0445", "1.0446"]);
    }

    #[test]
    fn stride_and_padding_place_the_kernel() {
        let ones = |stride, padding| Convolution::new(vec![vec![1.0; 3]; 3], 0.0, 4, stride, padding);
        let inputs: Vec<f64> = (0..16).map(f64::from).collect();
        assert_eq!(ones(1, 0).forward(&inputs), [45.0, 54.0, 81.0, 90.0]);
        // The corners of the input meet four numbers, and a stride of 3 goes from corner to corner.
        assert_eq!(ones(3, 1).forward(&inputs), [10.0, 18.0, 42.0, 50.0]);
        assert_eq!(ones(1, 1).output_side(), 4);
    }

    #[test]
    fn pools_take_the_largest_or_the_mean() {
        let inputs: Vec<f64> = (0..16).map(f64::from).collect();
        assert_eq!(Pool::new(PoolKind::Max, 4, 2).forward(&inputs), [5.0, 7.0, 13.0, 15.0]);
        assert_eq!(Pool::new(PoolKind::Average, 4, 2).forward(&inputs), [2.5, 4.5, 10.5, 12.5]);
    }

    #[test]
    fn every_gradient_is_the_slope_of_the_loss() {
        let layers: Vec<(&str, Box<dyn Layer>, usize)> = vec![
            ("dense", Box::new(Dense::random(5, 3, 1)), 5),
            (
                "convolution",
                Box::new(Convolution::new(vec![numbers(3, 1), numbers(3, 2), numbers(3, 3)], 0.3, 5, 2, 1)),
                25,
            ),
            ("max", Box::new(Pool::new(PoolKind::Max, 4, 2)), 16),
            ("average", Box::new(Pool::new(PoolKind::Average, 4, 2)), 16),
            ("relu", Box::new(Activation::new(Bend::Relu)), 6),
            ("sigmoid", Box::new(Activation::new(Bend::Sigmoid)), 6),
            ("tanh", Box::new(Activation::new(Bend::Tanh)), 6),
            ("batch norm", Box::new(BatchNorm::new(1.5, -0.5)), 7),
            ("network", Box::new(xor_network(3)), 2),
        ];
        for (name, mut layer, inputs) in layers {
            let inputs = numbers(inputs, 7);
            let outputs = layer.forward(&inputs).len();
            let targets: Vec<f64> = numbers(outputs, 8).iter().map(|target| target.abs()).collect();
            for loss in [Loss::Squares(targets.clone()), Loss::CrossEntropy(targets)] {
                let error = gradient_error(&mut *layer, &inputs, &loss);
                assert!(error < 1e-6, "{name}: {error}");
            }
        }
    }

    /// The check itself sees a wrong gradient.
    #[test]
    fn a_wrong_gradient_is_seen() {
        struct Wrong(Dense);
        impl Layer for Wrong {
            fn forward(&mut self, inputs: &[f64]) -> Vec<f64> {
                self.0.forward(inputs)
            }
            fn backward(&mut self, outputs: &[f64]) -> Vec<f64> {
                self.0.backward(&outputs.iter().map(|gradient| 1.01 * gradient).collect::<Vec<f64>>())
            }
        }
        let error = gradient_error(&mut Wrong(Dense::random(5, 3, 1)), &numbers(5, 7), &Loss::Squares(numbers(3, 8)));
        assert!(error > 1e-4, "{error}");
    }

    #[test]
    fn losses_are_those_of_textbooks() {
        let (loss, _) = Loss::CrossEntropy(vec![0.0, 1.0, 0.0, 0.0]).of(&[1.0, 4.0, 3.0, 1.0]);
        assert!((loss + (4f64.exp() / 80.12).ln()).abs() < 1e-4, "{loss}");
        assert_eq!(Loss::Squares(vec![1.0, 2.0]).of(&[1.0, 4.0]), (2.0, vec![0.0, 2.0]));
    }

    #[test]
    fn batch_norm_takes_out_mean_and_spread() {
        let outputs = BatchNorm::new(2.0, 1.0).forward(&[1.0, 2.0, 3.0, 4.0]);
        let middle = mean(outputs.iter().copied());
        let spread = mean(outputs.iter().map(|x| (x - middle).powi(2))).sqrt();
        assert!((middle - 1.0).abs() < 1e-9 && (spread - 2.0).abs() < 1e-4, "{middle} {spread}");
    }

    /// The first step of Adam is the learning rate, whatever the size of the gradient.
    #[test]
    fn adam_begins_with_its_rate() {
        for scale in [1e-3, 1.0, 1e3] {
            let mut dense = Dense::new(vec![vec![0.0]], vec![0.0]);
            dense.forward(&[1.0]);
            dense.backward(&[scale]);
            Optimizer::adam(0.1).step(&mut dense);
            assert!((dense.weights[0][0] + 0.1).abs() < 1e-5, "{}", dense.weights[0][0]);
        }
    }

    #[test]
    fn two_layers_learn_what_one_cannot() {
        let mut network = xor_network(1);
        let losses = learn_xor(&mut network, &mut Optimizer::adam(0.05), 1_000);
        assert!(losses[0] > 0.2 && losses[999] < 0.01, "{} {}", losses[0], losses[999]);
        for (inputs, answer) in XOR {
            assert!((network.forward(&inputs)[0] - answer).abs() < 0.2);
        }
        let mut one = Network::new(vec![Box::new(Dense::random(2, 1, 1)), Box::new(Activation::new(Bend::Sigmoid))]);
        assert!(learn_xor(&mut one, &mut Optimizer::adam(0.05), 1_000)[999] > 0.2);
        let slow = learn_xor(&mut xor_network(1), &mut Optimizer::Sgd(0.5), 1_000);
        assert!(slow[999] < slow[0]);
    }
}
