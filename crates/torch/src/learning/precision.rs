//! The precision that gradients are computed in. Weights, losses and the statistics of batch norms always have 32 bits.

use std::time::{Duration, Instant};

use alfil_nn::Architecture;
use tch::{Kind, Tensor};

use super::layout::Layout;
use super::replica::Replica;
use crate::TorchError;

/// The precision of convolutions and dense layers, forward and backward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainingPrecision {
    /// 32 bits.
    Single,
    /// float16 where libtorch finds it safe, on CUDA. Its range is so small that losses have to be scaled.
    Half,
    /// bfloat16, which has the range of 32 bits, on processors that compute with it.
    Bfloat16,
}

/// Networks with fewer filters are not timed: their gradients take so little that the answer would be chance, and the same seed
/// has to give the same network.
const TIMED_FILTERS: usize = 32;

/// Positions of a batch that is timed.
const TIMED: i64 = 128;

/// Gradients that are timed in each precision, after one that is not: libtorch prepares its kernels in the first.
const ROUNDS: usize = 3;

/// How much faster bfloat16 has to be to be used: less is within what such a measurement is off by.
const WORTHWHILE: f64 = 1.15;

impl TrainingPrecision {
    /// The precision that is the fastest on these devices whatever a measurement says; none if that has to be measured.
    pub fn certain(architecture: &Architecture, devices: &[tch::Device]) -> Option<TrainingPrecision> {
        if devices.iter().all(|device| matches!(device, tch::Device::Cuda(_))) {
            return Some(TrainingPrecision::Half);
        }
        let any_gpu = devices.iter().any(|device| matches!(device, tch::Device::Cuda(_)));
        let is_single = any_gpu || !computes_bfloat16() || architecture.filters < TIMED_FILTERS;
        is_single.then_some(TrainingPrecision::Single)
    }

    /// The fastest precision on CPUs that compute with bfloat16, measured for less than a second.
    pub fn measured(architecture: &Architecture, layout: &Layout) -> Result<TrainingPrecision, TorchError> {
        let single = time(architecture, layout, TrainingPrecision::Single)?;
        let bfloat16 = time(architecture, layout, TrainingPrecision::Bfloat16)?;
        let is_faster = single.as_secs_f64() > WORTHWHILE * bfloat16.as_secs_f64();
        Ok(if is_faster { TrainingPrecision::Bfloat16 } else { TrainingPrecision::Single })
    }

    /// The kind of tensors that the network is given. Layers compute in the kind of their input.
    pub fn input(self) -> Kind {
        match self {
            TrainingPrecision::Single | TrainingPrecision::Half => Kind::Float,
            TrainingPrecision::Bfloat16 => Kind::BFloat16,
        }
    }
}

/// Whether the processor has instructions for bfloat16. Those with AMX have these too.
pub fn computes_bfloat16() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512bf16");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// The shortest time of a gradient on the CPU.
pub fn time(
    architecture: &Architecture,
    layout: &Layout,
    precision: TrainingPrecision,
) -> Result<Duration, TorchError> {
    let flat = |numbers: &[f32]| Tensor::f_from_slice(numbers);
    let (parameters, statistics) = (flat(&layout.initial_parameters(0))?, flat(&layout.initial_statistics())?);
    let mut replica = Replica::new(architecture, layout, &parameters, &statistics, tch::Device::Cpu)?;
    let shape = [TIMED, architecture.planes as i64, architecture.height as i64, architecture.width as i64];
    let planes = Tensor::f_ones(shape, (Kind::Float, tch::Device::Cpu))?;
    let mut shortest = Duration::MAX;
    for round in 0..=ROUNDS {
        let began = Instant::now();
        replica.differentiate_sum(&planes, precision)?;
        if round > 0 {
            shortest = shortest.min(began.elapsed());
        }
    }
    Ok(shortest)
}
