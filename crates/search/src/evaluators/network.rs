//! A network.

use std::marker::PhantomData;
use std::sync::Arc;

use alfil_game::{Encoding, Game, Mover, Wdl};
use alfil_nn::{Architecture, Batch, Engine, FileError, Model, Network, Outputs};

use crate::{Evaluation, Evaluator};

/// What computes a network: the CPU engine, or another device's.
pub type Inference = Box<dyn FnMut(&Batch, &mut Outputs) + Send>;

/// Asks a network, one batch at a time. One evaluator a thread; all share the model.
pub struct NetworkEvaluator<E: Encoding> {
    infer: Inference,
    batch: Batch,
    outputs: Outputs,
    encoding: PhantomData<fn() -> E>,
}

impl<E: Encoding> NetworkEvaluator<E> {
    /// Makes a network ready to be shared by evaluators on the CPU engine.
    pub fn model(network: &Network) -> Result<Arc<Model>, FileError> {
        Ok(Arc::new(Model::new::<E>(network)?))
    }

    /// An evaluator that runs `model`, which was made for the same encoding, on the CPU engine.
    pub fn new(model: Arc<Model>) -> NetworkEvaluator<E> {
        let architecture = model.architecture().clone();
        let mut engine = Engine::new(model);
        NetworkEvaluator::on(&architecture, Box::new(move |batch, outputs| engine.evaluate(batch, outputs)))
    }

    /// An evaluator that has a network of this architecture, for the same encoding, computed by `infer`.
    pub fn on(architecture: &Architecture, infer: Inference) -> NetworkEvaluator<E> {
        NetworkEvaluator { infer, batch: Batch::new(architecture), outputs: Outputs::default(), encoding: PhantomData }
    }
}

impl<E: Encoding> Evaluator<E::Game> for NetworkEvaluator<E> {
    fn add(&mut self, game: &E::Game, moves: &[<E::Game as Game>::Move]) {
        self.batch.push::<E>(game, moves);
    }

    fn len(&self) -> usize {
        self.batch.len()
    }

    fn run(&mut self, take: &mut dyn FnMut(usize, Evaluation<'_>)) {
        (self.infer)(&self.batch, &mut self.outputs);
        for number in 0..self.batch.len() {
            let wdl = match self.outputs.wdl.get(number) {
                Some(wdl) => *wdl,
                None => Mover(Wdl::from_value(self.outputs.values[number])),
            };
            let moves_left = self.outputs.moves_left.get(number).copied();
            take(number, Evaluation { priors: self.outputs.priors(number), wdl, moves_left });
        }
        self.batch.clear();
    }
}
