//! A copy of the network on one device, which computes the gradient of a part of each batch.

use std::ops::Range;
use std::thread;

use alfil_nn::learning::{LossWeights, Samples};
use alfil_nn::{Architecture, EvaluatorError, spawn_scoped};
use tch::{Device, Kind, Tensor};

use super::layout::Layout;
use super::loss::{Counts, LossSums, SampleLayout};
use super::network::{Norms, RawOutputs, TrainingNetwork};
use super::precision::TrainingPrecision;
use crate::TorchError;

/// The share of a batch in the running statistics; PyTorch's default.
const STATISTICS_SHARE: f64 = 0.1;

pub struct Replica {
    pub device: Device,
    network: TrainingNetwork,
    /// The parameters of the network, in the order of the layout.
    leaves: Vec<Tensor>,
    /// The flat tensors that the leaves are views of. On the learner's device they are the learner's own.
    parameters: Tensor,
    statistics: Tensor,
}

/// What to compute.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub form: &'a SampleLayout,
    pub samples: &'a Samples,
    pub counts: Counts,
    pub weights: LossWeights,
    /// What the loss is multiplied by.
    pub scale: f64,
    pub precision: TrainingPrecision,
}

/// What has been computed, on the device of the replica.
pub struct Computed {
    /// The gradient of all parameters, times the scale.
    pub gradient: Tensor,
    /// The [`LossSums`].
    pub sums: Tensor,
}

impl Replica {
    /// A replica of a network that has these parameters and statistics.
    pub fn new(
        architecture: &Architecture,
        layout: &Layout,
        parameters: &Tensor,
        statistics: &Tensor,
        device: Device,
    ) -> Result<Replica, TorchError> {
        let parameters = parameters.f_to_device(device)?;
        let statistics = statistics.f_to_device(device)?.f_zeros_like()?;
        let leaf = |flat: &Tensor| Ok::<_, TorchError>(flat.f_detach()?.f_set_requires_grad(true)?);
        let mut leaves = Vec::with_capacity(layout.parameters.len());
        for slot in &layout.parameters {
            leaves.push(leaf(&slot.view(&parameters)?)?);
        }
        let network = TrainingNetwork::new(architecture, layout, &leaves, &statistics)?;
        Ok(Replica { device, network, leaves, parameters, statistics })
    }

    /// Takes over the learner's parameters and statistics.
    pub fn update(&mut self, parameters: &Tensor, statistics: &Tensor) -> Result<(), TorchError> {
        let _no_gradients = tch::no_grad_guard();
        if parameters.device() != self.device {
            self.parameters.f_copy_(parameters)?;
        }
        Ok(self.statistics.f_copy_(statistics)?)
    }

    /// The gradient of some of the samples, and their losses.
    pub fn compute(&mut self, task: Task<'_>, range: Range<usize>) -> Result<Computed, TorchError> {
        let loaded = task.form.load(task.samples, range, self.device)?;
        let raw = self.forward(&loaded.planes, task.precision)?;
        let sums = LossSums::new(&raw, &loaded, true)?;
        let objective = sums.objective(task.counts, task.weights, task.scale)?;
        let gradients = Tensor::f_run_backward(&[objective], &self.leaves, false, false)?;
        Ok(Computed { gradient: Tensor::f_flatten_dense_tensors(&gradients)?, sums: sums.stacked()? })
    }

    /// The gradient of the sum of the outputs, to see how long that takes.
    pub fn differentiate_sum(&mut self, planes: &Tensor, precision: TrainingPrecision) -> Result<(), TorchError> {
        let raw = self.forward(planes, precision)?;
        let outputs = [Some(raw.policy), Some(raw.value), raw.moves_left, raw.reply];
        let sums = outputs.into_iter().flatten().map(|output| output.f_sum(Kind::Float));
        let sums = sums.collect::<Result<Vec<_>, _>>()?;
        let objective = Tensor::f_stack(&sums, 0)?.f_sum(None)?;
        Tensor::f_run_backward(&[objective], &self.leaves, false, false)?;
        Ok(())
    }

    fn forward(&self, planes: &Tensor, precision: TrainingPrecision) -> Result<RawOutputs, TorchError> {
        let norms = Norms::Batch { share: STATISTICS_SHARE };
        let planes = planes.f_to_kind(precision.input())?;
        tch::autocast(precision == TrainingPrecision::Half, || self.network.forward(&planes, norms))
    }

    /// The running statistics after the batches that it has seen.
    pub fn statistics(&self) -> &Tensor {
        &self.statistics
    }
}

/// The gradients of all samples, each replica taking a part of the same size. There are fewer results than replicas if
/// there are fewer samples.
pub fn compute_together(replicas: &mut [Replica], task: Task<'_>) -> Result<Vec<Computed>, TorchError> {
    let samples = task.samples.len();
    let parts = replicas.len().min(samples);
    let range = move |part: usize| samples * part / parts..samples * (part + 1) / parts;
    let Some((first, others)) = replicas[..parts].split_first_mut() else { return Ok(Vec::new()) };
    thread::scope(|scope| {
        // If one cannot start, the scope waits for those that have.
        let threads = others
            .iter_mut()
            .enumerate()
            .map(|(other, replica)| spawn_scoped("training", scope, move || replica.compute(task, range(other + 1))))
            .collect::<Result<Vec<_>, _>>()?;
        let own = first.compute(task, range(0));
        // All threads have ended before any failure is returned.
        let others: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        let mut computed = vec![own?];
        for other in others {
            computed.push(other.map_err(|panic| EvaluatorError::panicked("training", &*panic))??);
        }
        Ok(computed)
    })
}
