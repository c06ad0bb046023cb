//! The devices and threads of a configuration on this machine.

use std::sync::Arc;

use alfil_nn::learning::LearnError;
use alfil_nn::{DeviceGroup, FixedCpu};
use alfil_train::{Config, Machine, Mode};
use anyhow::{Context, ensure};

use crate::doctor::{Memory, memory};
use crate::torch::{self, Libtorch};

/// Lanes per CUDA device: while one computes, the other gathers positions.
const LANES_PER_DEVICE: usize = 2;

/// The devices and threads of a configuration on this machine. Needs libtorch.
pub fn machine(config: &Config) -> anyhow::Result<Machine> {
    let libtorch = torch::require()?;
    let devices = libtorch.devices(&config.machine.device)?;
    let on_cuda = is_cuda(&devices);
    let usual_lanes = if on_cuda { LANES_PER_DEVICE * devices.len() } else { cores() };
    let cpu = FixedCpu { precision: config.selfplay.precision };
    let learning = learning_devices(devices.clone(), config.machine.replicas);
    Ok(Machine {
        learner: Arc::new(move |architecture, settings, seed| {
            let learner = libtorch.learner(architecture, settings, &learning, seed);
            learner.map_err(|error| LearnError::Device(format!("{error:#}")))
        }),
        device: if on_cuda { Arc::new(device_group(libtorch, &devices)?) } else { Arc::new(cpu) },
        lanes: if config.machine.lanes == 0 { usual_lanes } else { config.machine.lanes },
        overlap: match config.machine.mode {
            Mode::Auto => on_cuda,
            Mode::Alternate => false,
            Mode::Overlap => true,
        },
        cache: cache_bytes(config)?,
        fleet: None,
    })
}

/// The size of the evaluation cache. The system would give more than there is, and kill the program when it is used.
pub fn cache_bytes(config: &Config) -> anyhow::Result<usize> {
    let bytes = config.machine.cache << 20;
    if let Some(Memory { all, .. }) = memory() {
        let most = all >> 20;
        ensure!(
            bytes as u64 <= all,
            "machine.cache cannot be {}: this machine has {most} megabytes",
            config.machine.cache
        );
    }
    Ok(bytes)
}

/// Several devices of libtorch, which threads take in turn.
pub fn device_group(libtorch: &dyn Libtorch, names: &[String]) -> anyhow::Result<DeviceGroup> {
    let mut devices = names.iter().map(|name| libtorch.open(name)).collect::<Result<Vec<_>, _>>()?.into_iter();
    let first = devices.next().context("there is no device")?;
    Ok(DeviceGroup::new(first, devices))
}

/// What a learner splits its batches among: the CUDA devices, or `replicas` threads of the CPU, where 0 is one per
/// core.
pub fn learning_devices(devices: Vec<String>, replicas: usize) -> Vec<String> {
    if is_cuda(&devices) {
        return devices;
    }
    // On the CPU every entry stands for a thread.
    vec![devices[0].clone(); if replicas == 0 { cores() } else { replicas }]
}

fn is_cuda(devices: &[String]) -> bool {
    devices.iter().any(|device| device.starts_with("cuda"))
}

fn cores() -> usize {
    alfil_core::cores()
}
