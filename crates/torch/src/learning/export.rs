//! From a network in training to one that plays: batch norms get statistics and are folded.

use std::collections::HashMap;

use alfil_nn::learning::Samples;
use alfil_nn::{Architecture, FileError, Weights};
use tch::{Kind, Tensor};

use super::layout::{Layout, is_normed};
use super::loss::SampleLayout;
use super::network::{EPSILON, Norms, TrainingNetwork};
use super::numbers;
use crate::TorchError;

/// The norms of [`gather_statistics`] as in training: each batch is normalised by its own statistics.
pub const AS_IN_TRAINING: Norms = Norms::Batch { share: 1.0 };

/// The statistics of all batch norms over all samples, with norms that store those of each batch. The batches have been
/// checked. `None` without samples.
pub fn gather_statistics(
    architecture: &Architecture,
    layout: &Layout,
    form: &SampleLayout,
    parameters: &Tensor,
    norms: Norms,
    batches: &mut dyn Iterator<Item = Samples>,
) -> Result<Option<Tensor>, TorchError> {
    let _no_gradients = tch::no_grad_guard();
    let device = parameters.device();
    let of_batch = Tensor::f_from_slice(&layout.initial_statistics())?.f_to_device(device)?;
    let views = layout.parameters.iter().map(|slot| slot.view(parameters)).collect::<Result<Vec<_>, _>>()?;
    let network = TrainingNetwork::new(architecture, layout, &views, &of_batch)?;
    // E[x] and E[x^2], which unlike variances can be averaged.
    let mut moments = of_batch.f_to_kind(Kind::Double)?.f_zeros_like()?;
    let mut seen = 0;
    for batch in batches.filter(|batch| !batch.is_empty()) {
        let loaded = form.load(&batch, 0..batch.len(), device)?;
        network.forward(&loaded.planes, norms)?;
        let [mean, variance] = halves(&of_batch.f_to_kind(Kind::Double)?)?;
        // libtorch divides the variance by n - 1.
        let n = (batch.len() * architecture.cells()) as f64;
        let square = variance.f_mul_scalar((n - 1.0) / n)?.f_add(&mean.f_square()?)?;
        let of_batch = Tensor::f_cat(&[mean, square], 0)?;
        seen += batch.len();
        let _ = moments.f_lerp_(&of_batch, batch.len() as f64 / seen as f64)?;
    }
    if seen == 0 {
        return Ok(None);
    }
    let [mean, square] = halves(&moments)?;
    let variance = square.f_sub(&mean.f_square()?)?.f_clamp_min(0.0)?;
    Ok(Some(Tensor::f_cat(&[mean, variance], 0)?.f_to_kind(Kind::Float)?))
}

fn halves(flat: &Tensor) -> Result<[Tensor; 2], TorchError> {
    let half = flat.size()[0] / 2;
    Ok([flat.f_narrow(0, 0, half)?, flat.f_narrow(0, half, half)?])
}

/// The weights of a network file: each batch norm becomes a factor of the weights before it and a bias.
pub fn fold(
    architecture: &Architecture,
    layout: &Layout,
    parameters: &Tensor,
    statistics: &Tensor,
) -> Result<Weights, TorchError> {
    let (parameters, statistics) = (numbers(parameters)?, numbers(statistics)?);
    let mut named: HashMap<&str, &[f32]> = HashMap::new();
    named.extend(layout.parameters.iter().map(|slot| (slot.name.as_str(), slot.part(&parameters))));
    named.extend(layout.statistics.iter().map(|slot| (slot.name.as_str(), slot.part(&statistics))));
    let find = |name: &str| {
        let missing = || FileError::Tensor { name: name.to_owned(), problem: "is missing".to_owned() };
        named.get(name).copied().ok_or_else(missing)
    };
    // For each channel, the factor and the bias that a batch norm is folded into.
    let norm = |layer: &str| -> Result<Vec<(f64, f64)>, FileError> {
        let part = |part: &str| find(&format!("{layer}.norm.{part}"));
        let (gamma, beta, mean, variance) = (part("gamma")?, part("beta")?, part("mean")?, part("variance")?);
        let fold = |channel: usize| {
            let [gamma, beta, mean, variance] = [gamma, beta, mean, variance].map(|part| f64::from(part[channel]));
            let factor = gamma / (variance + EPSILON).sqrt();
            (factor, beta - mean * factor)
        };
        Ok((0..gamma.len()).map(fold).collect())
    };
    let weights = Weights::from_tensors(architecture, |name, shape| {
        let (layer, part) = name.rsplit_once('.').unwrap_or((name, ""));
        match part {
            _ if !is_normed(layer) => Ok(find(name)?.to_vec()),
            "bias" => Ok(norm(layer)?.iter().map(|(_, bias)| *bias as f32).collect()),
            _ => {
                let kernels = find(name)?.chunks_exact(shape[1..].iter().product());
                let scaled = kernels.zip(norm(layer)?).flat_map(|(kernel, (factor, _))| {
                    kernel.iter().map(move |&weight| (f64::from(weight) * factor) as f32)
                });
                Ok::<_, FileError>(scaled.collect())
            }
        }
    })?;
    Ok(weights)
}
