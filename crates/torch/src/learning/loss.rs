//! How far what a network says is from what it should say.

use std::ops::Range;

use alfil_nn::learning::{LearnError, LossWeights, Samples};
use alfil_nn::{Architecture, PolicyShape, ValueOutput};
use tch::{Device, Kind, Reduction, Tensor};

use super::network::RawOutputs;
use crate::TorchError;
use crate::evaluator::channels_last;

/// Plies are counted by the twenty, as Leela does, so that their loss is of the size of the others.
const PLIES: f64 = 20.0;
/// Beyond 10 plies the loss of an error grows in proportion: Leela's.
const HUBER_DELTA: f64 = 10.0 / PLIES;
/// The logit of a move that does not exist. Finite, so that a position without moves has no loss instead of no number.
const NO_MOVE: f64 = -1e9;
/// The longest list of moves is rounded up to a multiple of this, so that few sizes of tensors come up.
const ROUND_UP: usize = 16;
/// Columns of the targets before the shares of the moves: win, draw, loss, plies.
const COLUMNS: usize = 4;

/// How samples are laid out for a network.
pub struct Form {
    planes: usize,
    height: usize,
    width: usize,
    value: ValueOutput,
    /// The output of the policy head for each policy index.
    head_outputs: Vec<i64>,
}

impl Form {
    /// `head_output` says which output of a convolutional policy head holds a policy index.
    pub fn new(architecture: &Architecture, policy_size: usize, head_output: fn(usize) -> usize) -> Form {
        let dense = matches!(architecture.policy, PolicyShape::Dense { .. });
        let output = |index| if dense { index } else { head_output(index) };
        Form {
            planes: architecture.planes,
            height: architecture.height,
            width: architecture.width,
            value: architecture.value.output,
            head_outputs: (0..policy_size).map(|index| output(index) as i64).collect(),
        }
    }

    /// Refuses samples of something else.
    pub fn check(&self, samples: &Samples) -> Result<(), LearnError> {
        let sample = self.planes * self.height * self.width;
        let batch = samples.batch();
        let known = |index: &u32| (*index as usize) < self.head_outputs.len();
        let fits = batch.planes().len() == samples.len() * sample
            && (0..samples.len()).all(|sample| batch.indices(sample).iter().all(known));
        if fits { Ok(()) } else { Err(LearnError::Samples) }
    }

    /// Puts samples that have been checked on a device.
    pub fn load(&self, samples: &Samples, range: Range<usize>, device: Device) -> Result<LoadedSamples, TorchError> {
        let batch = samples.batch();
        let sample = self.planes * self.height * self.width;
        let shape = [range.len() as i64, self.planes as i64, self.height as i64, self.width as i64];
        let numbers = &batch.planes()[range.start * sample..range.end * sample];
        let planes = channels_last(&Tensor::f_from_slice(numbers)?.f_view(shape)?.f_to_device(device)?)?;

        let longest = range.clone().map(|sample| batch.indices(sample).len()).max().unwrap_or(0);
        let longest = longest.max(1).next_multiple_of(ROUND_UP);
        let mut outputs = Vec::with_capacity(range.len() * longest);
        let mut targets = Vec::with_capacity(range.len() * (COLUMNS + longest));
        for (row, sample) in range.enumerate() {
            outputs.extend(batch.indices(sample).iter().map(|&index| self.head_outputs[index as usize]));
            outputs.resize((row + 1) * longest, -1);
            targets.extend(<[f32; 3]>::from(samples.wdl()[sample].0));
            targets.push(samples.moves_left()[sample]);
            targets.extend_from_slice(samples.policy(sample));
            targets.resize((row + 1) * (COLUMNS + longest), 0.0);
        }
        let table = |columns: usize| [-1, columns as i64];
        Ok(LoadedSamples {
            planes,
            outputs: Tensor::f_from_slice(&outputs)?.f_view(table(longest))?.f_to_device(device)?,
            targets: Tensor::f_from_slice(&targets)?.f_view(table(COLUMNS + longest))?.f_to_device(device)?,
            value: self.value,
        })
    }
}

/// Samples on a device.
pub struct LoadedSamples {
    pub planes: Tensor,
    /// Which outputs of the policy head the legal moves have, a row a sample; -1 behind the last one.
    outputs: Tensor,
    /// Win, draw, loss, plies to the end, then the shares of the moves; a row a sample.
    targets: Tensor,
    value: ValueOutput,
}

/// What the samples of a whole batch are, however many devices share them.
#[derive(Clone, Copy)]
pub struct Counts {
    pub samples: usize,
    pub policies: usize,
}

impl Counts {
    pub fn of(samples: &Samples) -> Counts {
        let policies = (0..samples.len()).filter(|&sample| samples.has_policy(sample)).count();
        Counts { samples: samples.len(), policies }
    }
}

/// Sums over samples.
pub struct LossSums {
    policy: Tensor,
    value: Tensor,
    moves_left: Tensor,
    /// Samples whose best move is the network's.
    agreement: Tensor,
}

impl LossSums {
    /// Numbers in [`stacked`](LossSums::stacked).
    pub const LEN: usize = 4;

    pub fn new(raw: &RawOutputs, samples: &LoadedSamples, learning: bool) -> Result<LossSums, TorchError> {
        let column = |start: usize, count: usize| samples.targets.f_narrow(1, start as i64, count as i64);
        let shares = column(COLUMNS, samples.targets.size()[1] as usize - COLUMNS)?;
        let missing = samples.outputs.f_lt(0)?;
        let logits = raw.policy.f_gather(1, &samples.outputs.f_clamp_min(0)?, false)?;
        let logits = logits.f_to_kind(Kind::Float)?.f_masked_fill(&missing, NO_MOVE)?;
        let policy = cross_entropy(&logits, &shares)?;

        let value = raw.value.f_to_kind(Kind::Float)?;
        let value = match samples.value {
            ValueOutput::Wdl => cross_entropy(&value, &column(0, 3)?)?,
            ValueOutput::Tanh => {
                let expected = column(0, 1)?.f_sub(&column(2, 1)?)?;
                value.f_tanh()?.f_mse_loss(&expected, Reduction::Sum)?
            }
        };
        let moves_left = match &raw.moves_left {
            None => policy.f_zeros_like()?,
            Some(plies) => {
                let plies = plies.f_to_kind(Kind::Float)?;
                // Who plays takes less than nothing for nothing. Who learns does not: there would be no gradient, and a
                // head that has fallen below 0 would stay there.
                let plies = if learning { plies } else { plies.f_relu()? };
                let expected = column(3, 1)?.f_mul_scalar(1.0 / PLIES)?;
                plies.f_mul_scalar(1.0 / PLIES)?.f_huber_loss(&expected, Reduction::Sum, HUBER_DELTA)?
            }
        };
        let _no_gradients = tch::no_grad_guard();
        let (most, _) = shares.f_max_dim(1, true)?;
        let chosen = shares.f_gather(1, &logits.f_argmax(1, true)?, false)?;
        let agrees = chosen.f_ge_tensor(&most)?.f_logical_and(&most.f_gt(0)?)?;
        Ok(LossSums { policy, value, moves_left, agreement: agrees.f_sum(Kind::Float)? })
    }

    /// What is to be made small, times `scale`. The parts of a batch add up to the loss of the whole.
    pub fn objective(&self, counts: Counts, weights: LossWeights, scale: f64) -> Result<Tensor, TorchError> {
        let (samples, policies) = (counts.samples.max(1) as f64, counts.policies.max(1) as f64);
        let policy = self.policy.f_mul_scalar(scale * weights.policy / policies)?;
        let value = self.value.f_mul_scalar(scale * weights.value / samples)?;
        let moves_left = self.moves_left.f_mul_scalar(scale * weights.moves_left / samples)?;
        Ok(policy.f_add(&value)?.f_add(&moves_left)?)
    }

    /// All sums in one tensor: policy, value, moves left, agreement.
    pub fn stacked(&self) -> Result<Tensor, TorchError> {
        let sums = [&self.policy, &self.value, &self.moves_left, &self.agreement];
        Ok(Tensor::f_stack(&sums, 0)?.f_detach()?)
    }
}

/// The sum over all rows.
fn cross_entropy(logits: &Tensor, shares: &Tensor) -> Result<Tensor, TorchError> {
    Ok(logits.f_log_softmax(1, None)?.f_mul(shares)?.f_sum(None)?.f_neg()?)
}

/// The mean entropy of the policies to learn.
pub fn policy_entropy(samples: &Samples, counts: Counts) -> f64 {
    let term = |&share: &f32| if share > 0.0 { -f64::from(share) * f64::from(share).ln() } else { 0.0 };
    let sum: f64 = (0..samples.len()).flat_map(|sample| samples.policy(sample)).map(term).sum();
    sum / counts.policies.max(1) as f64
}
