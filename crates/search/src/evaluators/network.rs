//! Networks as evaluators.

use std::marker::PhantomData;

use alfil_game::{Encoding, Game, Mover, Wdl};
use alfil_nn::{
    Architecture, Batch, BatchSizes, Device, EncodedNetwork, EvaluatorError, Inference, LoadedNetwork, Network, Outputs,
};

use super::BackendError;
use crate::{Backend, Evaluation, Evaluator};

/// A network on a device, ready to be used by any number of threads.
pub struct NetworkBackend<E: Encoding> {
    loaded: Box<dyn LoadedNetwork>,
    architecture: Architecture,
    device: String,
    batch_sizes: BatchSizes,
    encoding: PhantomData<fn() -> E>,
}

impl<E: Encoding> NetworkBackend<E> {
    /// Fails if the network has another encoding, or the device cannot compute it.
    pub fn new(network: &Network, device: &dyn Device) -> Result<NetworkBackend<E>, BackendError> {
        let loaded = device.load(&EncodedNetwork::new::<E>(network)?)?;
        Ok(NetworkBackend {
            batch_sizes: loaded.batch_sizes().unwrap_or(device.batch_sizes()),
            loaded,
            architecture: network.architecture.clone(),
            device: device.name(),
            encoding: PhantomData,
        })
    }
}

impl<E: Encoding> Backend<E::Game> for NetworkBackend<E> {
    fn evaluator(&self, _: u64) -> Result<Box<dyn Evaluator<E::Game>>, EvaluatorError> {
        Ok(Box::new(NetworkEvaluator::<E> {
            inference: self.loaded.inference()?,
            device: self.device.clone(),
            batch: Batch::new(&self.architecture),
            outputs: Outputs::default(),
            encoding: PhantomData,
        }))
    }

    fn batch_sizes(&self) -> BatchSizes {
        self.batch_sizes
    }
}

/// Runs a network, one batch at a time.
struct NetworkEvaluator<E: Encoding> {
    inference: Box<dyn Inference>,
    device: String,
    batch: Batch,
    outputs: Outputs,
    encoding: PhantomData<fn() -> E>,
}

impl<E: Encoding> Evaluator<E::Game> for NetworkEvaluator<E> {
    fn add(&mut self, game: &E::Game, moves: &[<E::Game as Game>::Move]) {
        self.batch.push::<E>(game, moves);
    }

    fn len(&self) -> usize {
        self.batch.len()
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) -> Result<(), EvaluatorError> {
        let computed = self.inference.evaluate(&self.batch, &mut self.outputs);
        let positions = self.batch.len();
        self.batch.clear();
        computed?;
        if !self.outputs.is_finite() {
            // Otherwise a search would go on with visits and priors that count for nothing.
            return Err(EvaluatorError::on(&self.device, "an output of the network is not a number"));
        }
        for number in 0..positions {
            let wdl = match self.outputs.wdl.get(number) {
                Some(wdl) => *wdl,
                None => Mover(Wdl::from_value(self.outputs.values[number])),
            };
            let moves_left = self.outputs.moves_left.get(number).copied();
            take(number, Evaluation { priors: self.outputs.priors(number), wdl, moves_left });
        }
        Ok(())
    }
}
