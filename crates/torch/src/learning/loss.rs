//! How far the outputs of a network are from their targets.

use std::ops::Range;

use alfil_nn::learning::{EncodedArchitecture, LearnError, Loss, LossWeights, Losses, Over, Samples};
use alfil_nn::{PolicyShape, ValueOutput};
use tch::{Device, Kind, Reduction, Tensor};

use super::network::RawOutputs;
use crate::TorchError;
use crate::evaluator::channels_last;

/// Plies are counted in units of 20, as in lc0's training, so that their loss is of the size of the others.
const PLIES: f64 = 20.0;
/// Beyond an error of 10 plies the loss grows linearly, as in lc0's training.
const HUBER_DELTA: f64 = 10.0 / PLIES;
/// The logit of a move that does not exist. Finite, so that a position without moves has a loss of 0 instead of NaN.
const NO_MOVE: f64 = -1e9;
/// The longest list of moves is rounded up to a multiple of this, so that there are few different sizes of tensors.
const ROUND_UP: usize = 16;
/// Columns of the targets before the shares of the moves: win, draw, loss, plies.
const COLUMNS: usize = 4;
/// Stands for an unknown number of plies.
const UNKNOWN: f32 = -1.0;

/// How samples are laid out for a network.
pub struct SampleLayout {
    planes: usize,
    height: usize,
    width: usize,
    value: ValueOutput,
    /// The output of the policy head for each policy index.
    head_outputs: Vec<i64>,
    /// Whether the opponent's reply is learnt.
    reply: bool,
}

impl SampleLayout {
    pub fn new(encoded: EncodedArchitecture<'_>, reply: bool) -> SampleLayout {
        let architecture = encoded.architecture();
        let dense = matches!(architecture.policy, PolicyShape::Dense { .. });
        let output = |(index, output)| if dense { index } else { output } as i64;
        SampleLayout {
            planes: architecture.planes,
            height: architecture.height,
            width: architecture.width,
            value: architecture.value.output,
            head_outputs: encoded.head_outputs().enumerate().map(output).collect(),
            reply,
        }
    }

    /// Refuses samples of another encoding.
    pub fn check(&self, samples: &Samples) -> Result<(), LearnError> {
        let sample = self.planes * self.height * self.width;
        let batch = samples.batch();
        let known = |index: &u32| (*index as usize) < self.head_outputs.len();
        let fits = batch.planes().len() == samples.len() * sample
            && (0..samples.len()).all(|sample| batch.indices(sample).iter().all(known))
            && samples.replies().iter().flatten().all(|(index, _)| known(index));
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
        for (row, sample) in range.clone().enumerate() {
            outputs.extend(batch.indices(sample).iter().map(|&index| self.head_outputs[index as usize]));
            outputs.resize((row + 1) * longest, -1);
            targets.extend(<[f32; 3]>::from(samples.wdl()[sample].0));
            targets.push(samples.moves_left()[sample].unwrap_or(UNKNOWN));
            targets.extend_from_slice(samples.policy(sample));
            targets.resize((row + 1) * (COLUMNS + longest), 0.0);
        }
        let table = |columns: usize| [-1, columns as i64];
        let replies = if self.reply { Some(self.load_replies(&samples.replies()[range], device)?) } else { None };
        Ok(LoadedSamples {
            planes,
            outputs: Tensor::f_from_slice(&outputs)?.f_view(table(longest))?.f_to_device(device)?,
            targets: Tensor::f_from_slice(&targets)?.f_view(table(COLUMNS + longest))?.f_to_device(device)?,
            replies,
            value: self.value,
        })
    }

    /// The outputs of the reply head that have a share in the opponent's policy, and their shares, one row per sample; the first
    /// output, with a share of 0, after the last one.
    fn load_replies(&self, replies: &[Vec<(u32, f32)>], device: Device) -> Result<[Tensor; 2], TorchError> {
        let longest = replies.iter().map(Vec::len).max().unwrap_or(0).max(1).next_multiple_of(ROUND_UP);
        let (mut outputs, mut shares) = (Vec::new(), Vec::new());
        for (reply, end) in replies.iter().zip((1..).map(|rows| rows * longest)) {
            outputs.extend(reply.iter().map(|(index, _)| self.head_outputs[*index as usize]));
            outputs.resize(end, 0);
            shares.extend(reply.iter().map(|(_, share)| share));
            shares.resize(end, 0.0);
        }
        let rows = [-1, longest as i64];
        Ok([
            Tensor::f_from_slice(&outputs)?.f_view(rows)?.f_to_device(device)?,
            Tensor::f_from_slice(&shares)?.f_view(rows)?.f_to_device(device)?,
        ])
    }
}

/// Samples on a device.
pub struct LoadedSamples {
    pub planes: Tensor,
    /// The outputs of the policy head for the legal moves, one row per sample; -1 after the last one.
    outputs: Tensor,
    /// Win, draw, loss, plies to the end, then the shares of the moves; one row per sample.
    targets: Tensor,
    /// Outputs of the reply head and their shares, if it is learnt.
    replies: Option<[Tensor; 2]>,
    value: ValueOutput,
}

impl LoadedSamples {
    /// Some columns of the targets.
    fn column(&self, start: usize, count: usize) -> Result<Tensor, TorchError> {
        Ok(self.targets.f_narrow(1, start as i64, count as i64)?)
    }

    /// The shares of the legal moves in the policy to learn, one row per sample.
    fn shares(&self) -> Result<Tensor, TorchError> {
        self.column(COLUMNS, self.targets.size()[1] as usize - COLUMNS)
    }

    /// A network's logits of the legal moves, one row per sample.
    fn logits(&self, raw: &RawOutputs) -> Result<Tensor, TorchError> {
        let missing = self.outputs.f_lt(0)?;
        let logits = raw.policy.f_gather(1, &self.outputs.f_clamp_min(0)?, false)?;
        Ok(logits.f_to_kind(Kind::Float)?.f_masked_fill(&missing, NO_MOVE)?)
    }
}

/// The sizes of a whole batch, however many devices share it.
#[derive(Clone, Copy)]
pub struct Counts {
    samples: usize,
    policies: usize,
    lengths: usize,
    replies: usize,
}

impl Counts {
    pub fn of(samples: &Samples) -> Counts {
        let policies = (0..samples.len()).filter(|&sample| samples.has_policy(sample)).count();
        let lengths = samples.moves_left().iter().flatten().count();
        let replies = samples.replies().iter().filter(|reply| !reply.is_empty()).count();
        Counts { samples: samples.len(), policies, lengths, replies }
    }

    /// What a mean is divided by: at least 1.
    fn over(self, over: Over) -> f64 {
        let count = match over {
            Over::Samples => self.samples,
            Over::Policies => self.policies,
            Over::Lengths => self.lengths,
            Over::Replies => self.replies,
        };
        count.max(1) as f64
    }
}

/// Sums over samples.
pub struct LossSums {
    /// One per [`Loss`], in the order of [`Loss::ALL`].
    terms: Vec<Tensor>,
    /// Samples whose best move is also the network's.
    agreement: Tensor,
}

impl LossSums {
    /// Numbers in [`stacked`](LossSums::stacked).
    pub const LEN: usize = Loss::ALL.len() + 1;

    pub fn new(raw: &RawOutputs, samples: &LoadedSamples, learning: bool) -> Result<LossSums, TorchError> {
        let logits = samples.logits(raw)?;
        let term = |loss| match loss {
            Loss::Policy => cross_entropy(&logits, &samples.shares()?),
            Loss::Value => value_loss(raw, samples),
            Loss::MovesLeft => moves_left_loss(raw, samples, learning),
            Loss::Reply => reply_loss(raw, samples),
        };
        let terms = Loss::ALL.into_iter().map(term).collect::<Result<Vec<_>, _>>()?;
        Ok(LossSums { terms, agreement: agreement(&logits, &samples.shares()?)? })
    }

    /// The loss to minimise, times `scale`. The parts of a batch add up to the loss of the whole.
    pub fn objective(&self, counts: Counts, weights: LossWeights, scale: f64) -> Result<Tensor, TorchError> {
        let mut objective = self.agreement.f_zeros_like()?;
        for (loss, sum) in Loss::ALL.into_iter().zip(&self.terms) {
            objective = objective.f_add(&sum.f_mul_scalar(scale * weights[loss] / counts.over(loss.over()))?)?;
        }
        Ok(objective)
    }

    /// All sums in one tensor: the terms, then the agreement.
    pub fn stacked(&self) -> Result<Tensor, TorchError> {
        let sums: Vec<&Tensor> = self.terms.iter().chain([&self.agreement]).collect();
        Ok(Tensor::f_stack(&sums, 0)?.f_detach()?)
    }

    /// Means over the samples from [stacked](LossSums::stacked) numbers, with a gradient of 0.
    pub fn means(stacked: &[f32], samples: &Samples, counts: Counts) -> Losses {
        let mean = |place: usize, over: Over| f64::from(stacked[place]) / counts.over(over);
        let mut losses = Losses {
            policy_entropy: policy_entropy(samples) / counts.over(Over::Policies),
            agreement: mean(Loss::ALL.len(), Over::Policies),
            ..Losses::default()
        };
        for (place, loss) in Loss::ALL.into_iter().enumerate() {
            losses[loss] = mean(place, loss.over());
        }
        losses
    }
}

fn value_loss(raw: &RawOutputs, samples: &LoadedSamples) -> Result<Tensor, TorchError> {
    let value = raw.value.f_to_kind(Kind::Float)?;
    match samples.value {
        ValueOutput::Wdl => cross_entropy(&value, &samples.column(0, 3)?),
        ValueOutput::Tanh => {
            let expected = samples.column(0, 1)?.f_sub(&samples.column(2, 1)?)?;
            Ok(value.f_tanh()?.f_mse_loss(&expected, Reduction::Sum)?)
        }
    }
}

/// The loss of a head that is not there.
fn no_loss(samples: &LoadedSamples) -> Result<Tensor, TorchError> {
    Ok(Tensor::f_zeros([] as [i64; 0], (Kind::Float, samples.targets.device()))?)
}

/// Over all outputs of the head: which moves the opponent will have is a part of the answer.
fn reply_loss(raw: &RawOutputs, samples: &LoadedSamples) -> Result<Tensor, TorchError> {
    let (Some(logits), Some([outputs, shares])) = (&raw.reply, &samples.replies) else { return no_loss(samples) };
    let logarithms = logits.f_to_kind(Kind::Float)?.f_log_softmax(1, None)?.f_gather(1, outputs, false)?;
    Ok(logarithms.f_mul(shares)?.f_sum(None)?.f_neg()?)
}

fn moves_left_loss(raw: &RawOutputs, samples: &LoadedSamples, learning: bool) -> Result<Tensor, TorchError> {
    let Some(plies) = &raw.moves_left else { return no_loss(samples) };
    let plies = plies.f_to_kind(Kind::Float)?;
    // In play, predictions below 0 count as 0. In training they do not: there would be no gradient, and a head that has
    // fallen below 0 would stay there.
    let plies = if learning { plies } else { plies.f_relu()? };
    let expected = samples.column(3, 1)?;
    // A prediction that equals its target adds nothing to the loss or its gradient.
    let plies = plies.f_where_self(&expected.f_ge(0)?, &expected)?;
    let expected = expected.f_mul_scalar(1.0 / PLIES)?;
    Ok(plies.f_mul_scalar(1.0 / PLIES)?.f_huber_loss(&expected, Reduction::Sum, HUBER_DELTA)?)
}

/// Samples whose best move is also the network's.
fn agreement(logits: &Tensor, shares: &Tensor) -> Result<Tensor, TorchError> {
    let _no_gradients = tch::no_grad_guard();
    let (most, _) = shares.f_max_dim(1, true)?;
    let chosen = shares.f_gather(1, &logits.f_argmax(1, true)?, false)?;
    let agrees = chosen.f_ge_tensor(&most)?.f_logical_and(&most.f_gt(0)?)?;
    Ok(agrees.f_sum(Kind::Float)?)
}

/// The sum over all rows.
fn cross_entropy(logits: &Tensor, shares: &Tensor) -> Result<Tensor, TorchError> {
    Ok(logits.f_log_softmax(1, None)?.f_mul(shares)?.f_sum(None)?.f_neg()?)
}

/// The sum of the entropies of the policies to learn.
fn policy_entropy(samples: &Samples) -> f64 {
    let term = |&share: &f32| if share > 0.0 { -f64::from(share) * f64::from(share).ln() } else { 0.0 };
    (0..samples.len()).flat_map(|sample| samples.policy(sample)).map(term).sum()
}
