//! The processor as a device.

use std::sync::Arc;

use super::{Engine, Model};
use crate::device::{BatchSizes, Device, EncodedNetwork, EvaluatorError, Inference, LoadedNetwork};
use crate::{Batch, Outputs};

/// The CPU engine. It never fails: all that a network needs is allocated before it runs.
pub struct Cpu;

impl Device for Cpu {
    fn name(&self) -> String {
        "cpu".to_owned()
    }

    fn batch_sizes(&self) -> BatchSizes {
        BatchSizes::default()
    }

    fn load(&self, network: &EncodedNetwork<'_>) -> Result<Box<dyn LoadedNetwork>, EvaluatorError> {
        Ok(Box::new(Arc::new(Model::of(network))))
    }
}

impl LoadedNetwork for Arc<Model> {
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
