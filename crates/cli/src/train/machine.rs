//! What a configuration computes with on this machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use alfil_nn::Network;
use alfil_nn::learning::LearnError;
use alfil_search::evaluators::Inference;
use alfil_train::config::Mode;
use alfil_train::{Config, Machine, MakeInference};

use crate::torch::{self, Libtorch};

/// Lanes a CUDA device: while one computes, the other gathers.
const LANES_A_DEVICE: usize = 2;

/// What a configuration computes with on this machine. Needs libtorch.
pub fn machine(config: &Config) -> anyhow::Result<Machine> {
    let libtorch = torch::require()?;
    let devices = libtorch.devices(&config.machine.device)?;
    let on_cuda = is_cuda(&devices);
    let usual_lanes = if on_cuda { LANES_A_DEVICE * devices.len() } else { cores() };
    let learning = learning_devices(devices.clone(), config.machine.replicas);
    Ok(Machine {
        learner: Arc::new(move |architecture, encoding, settings, seed| {
            let learner = libtorch.learner(architecture, encoding, settings, &learning, seed);
            learner.map_err(|error| LearnError::Device(format!("{error:#}")))
        }),
        inference: on_cuda.then(|| inference(libtorch, devices)),
        lanes: if config.machine.lanes == 0 { usual_lanes } else { config.machine.lanes },
        overlap: match config.machine.mode {
            Mode::Auto => on_cuda,
            Mode::Alternate => false,
            Mode::Overlap => true,
        },
        cache: config.machine.cache << 20,
    })
}

/// Networks on libtorch: on each of these devices in turn.
pub fn inference(libtorch: &'static dyn Libtorch, devices: Vec<String>) -> Arc<MakeInference> {
    let next = AtomicUsize::new(0);
    Arc::new(move |network: &Network| -> Result<Inference, String> {
        let device = &devices[next.fetch_add(1, Relaxed) % devices.len()];
        let mut evaluate = libtorch.evaluator(network, device, true).map_err(|error| format!("{error:#}"))?;
        Ok(Box::new(move |batch, outputs| {
            if let Err(error) = evaluate(batch, outputs) {
                // Nothing that was finished is lost: the same command goes on when the device is back.
                eprintln!("alfil: the device failed: {error:#}");
                std::process::exit(2);
            }
        }))
    })
}

/// What a learner splits its batches among: the devices, or so many threads of the CPU, where 0 is one a core.
pub fn learning_devices(devices: Vec<String>, replicas: usize) -> Vec<String> {
    if is_cuda(&devices) {
        return devices;
    }
    // On the CPU a device stands for a thread.
    vec![devices[0].clone(); if replicas == 0 { cores() } else { replicas }]
}

fn is_cuda(devices: &[String]) -> bool {
    devices.iter().any(|device| device.starts_with("cuda"))
}

fn cores() -> usize {
    alfil_core::cores()
}
