//! The processor as a device.

use std::sync::Arc;

use super::{Engine, Instructions, Model, Precision};
use crate::device::{BatchSizes, Device, EncodedNetwork, EvaluatorError, Inference, LoadedNetwork};
use crate::{Batch, Outputs};

/// The CPU engine with 32-bit numbers, in the way that is the same on all machines with the same instructions. It never
/// fails: all that a network needs is allocated before it runs.
pub struct Cpu;

/// The CPU engine with some precision, in a way that is the same on all machines with the same instructions, for games that
/// can be played again.
pub struct FixedCpu {
    /// How exact it has to be.
    pub precision: Precision,
}

/// The CPU engine in the way that is the fastest on this machine, for play.
pub struct CalibratedCpu {
    /// The instructions to use.
    pub instructions: Instructions,
    /// How exact it has to be.
    pub precision: Precision,
}

impl Device for Cpu {
    fn name(&self) -> String {
        "cpu".to_owned()
    }

    fn batch_sizes(&self) -> BatchSizes {
        BatchSizes::default()
    }

    fn load(&self, network: &EncodedNetwork<'_>) -> Result<Box<dyn LoadedNetwork>, EvaluatorError> {
        Ok(Box::new(Model::fixed(network, Instructions::best(), Precision::Full)))
    }
}

impl Device for FixedCpu {
    fn name(&self) -> String {
        Cpu.name()
    }

    fn batch_sizes(&self) -> BatchSizes {
        Cpu.batch_sizes()
    }

    fn load(&self, network: &EncodedNetwork<'_>) -> Result<Box<dyn LoadedNetwork>, EvaluatorError> {
        let model = Model::fixed(network, Instructions::best(), self.precision);
        tracing::debug!(arithmetic = model.arithmetic(), "network made ready");
        Ok(Box::new(model))
    }
}

impl Device for CalibratedCpu {
    fn name(&self) -> String {
        Cpu.name()
    }

    fn batch_sizes(&self) -> BatchSizes {
        Cpu.batch_sizes()
    }

    fn load(&self, network: &EncodedNetwork<'_>) -> Result<Box<dyn LoadedNetwork>, EvaluatorError> {
        Ok(Box::new(Model::calibrated(network, self.instructions, self.precision)))
    }
}

impl LoadedNetwork for Arc<Model> {
    fn batch_sizes(&self) -> Option<BatchSizes> {
        Some(BatchSizes { preferred: self.plan().preferred(), ..BatchSizes::default() })
    }

    fn inference(&self) -> Result<Box<dyn Inference>, EvaluatorError> {
        Ok(Box::new(Engine::new(Arc::clone(self))))
    }
}

impl Inference for Engine {
    fn evaluate(&mut self, batch: &Batch, outputs: &mut Outputs) -> Result<(), EvaluatorError> {
        Engine::evaluate(self, batch, outputs);
        Ok(())
    }
}
