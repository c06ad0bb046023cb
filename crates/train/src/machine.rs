//! What a run computes with.

use std::sync::Arc;

use alfil_game::FullGame;
use alfil_nn::learning::{LearnError, Learner, LearningSettings};
use alfil_nn::{Architecture, Network};
use alfil_search::evaluators::{Inference, Kind, Maker, cached, maker_on};

use crate::run::RunError;

/// Makes the learner of a run: architecture, name of the encoding, settings, seed.
pub type MakeLearner =
    dyn Fn(&Architecture, &str, LearningSettings, u64) -> Result<Box<dyn Learner>, LearnError> + Send + Sync;

/// Makes what computes a network on a device, for one lane. Each call may choose another device.
pub type MakeInference = dyn Fn(&Network) -> Result<Inference, String> + Send + Sync;

/// What a run computes with.
#[derive(Clone)]
pub struct Machine {
    /// Makes the learner.
    pub learner: Arc<MakeLearner>,
    /// Makes what computes networks in play; where there is none, that is the CPU engine.
    pub inference: Option<Arc<MakeInference>>,
    /// Threads that play.
    pub lanes: usize,
    /// Whether games go on while the network is trained and tried.
    pub overlap: bool,
    /// Memory of evaluations, in bytes.
    pub cache: usize,
}

impl Machine {
    /// Evaluators of a network.
    pub fn plain_maker<G: FullGame>(&self, network: &Arc<Network>) -> Result<Maker<G>, RunError> {
        match &self.inference {
            None => Ok(Kind::Network(Arc::clone(network)).maker::<G>()?),
            Some(inference) => on_device(inference, network),
        }
    }

    /// Evaluators of a network for self-play, which remember what they were asked.
    pub fn maker<G: FullGame>(&self, network: &Arc<Network>) -> Result<Maker<G>, RunError> {
        let maker = self.plain_maker(network)?;
        Ok(if self.cache == 0 { maker } else { cached(maker, self.cache) })
    }
}

/// Evaluators of a network that a device computes.
pub fn on_device<G: FullGame>(inference: &Arc<MakeInference>, network: &Arc<Network>) -> Result<Maker<G>, RunError> {
    // What cannot be used at all shows here, once.
    drop(inference(network).map_err(RunError::Device)?);
    let (inference, shared) = (Arc::clone(inference), Arc::clone(network));
    Ok(maker_on(network, move || inference(&shared).unwrap_or_else(|why| broken(why)))?)
}

/// A device that was there a moment ago and is no longer: nothing can go on, and nothing that was finished is lost.
fn broken(why: String) -> ! {
    eprintln!("alfil: the device failed: {why}");
    std::process::exit(2)
}
