//! What a run computes with.

use std::sync::Arc;

use alfil_core::settings::Findings;
use alfil_core::{choices, settings};
use alfil_game::Encoding;
use alfil_nn::learning::{EncodedArchitecture, LearnError, Learner, LearningSettings};
use alfil_nn::{Architecture, Device, Network};
use alfil_search::Backend;
use alfil_search::evaluators::{NetworkBackend, cached};

use crate::Config;
use crate::fleet::Fleet;
use crate::run::RunError;

choices! {
    /// Which phases run at the same time.
    pub enum Mode {
        /// Overlap where games are played on CUDA, else alternate.
        Auto = "auto",
        /// Games, then training, then the gate.
        Alternate = "alternate",
        /// Self-play continues during training and the gate.
        Overlap = "overlap",
    }
}

settings! {
    /// The devices and threads that a run computes with.
    pub struct MachineSettings {
        /// cpu, cuda, cuda:N, auto, or several with commas between them: training is split among them, and games are
        /// played on all of them.
        pub device: String = "auto".to_owned();
        /// alternate (games, then training, then the gate), overlap (self-play continues meanwhile) or auto: overlap
        /// with CUDA, else alternate.
        pub mode: Mode = Mode::Auto;
        /// Threads that play games, each with its own evaluator; 0 is one per core on the CPU and two per device on CUDA.
        pub lanes: usize = 0, in 0..=1024;
        /// Parts that a batch is split into on the CPU, each trained on a thread of its own; 0 is one per core.
        pub replicas: usize = 0, in 0..=1024;
        /// Size of the evaluation cache of self-play, in megabytes; 0 is no cache. Where the rules depend on history,
        /// as in chess, a position that is reached in another way gets the evaluation of the first, and games depend on
        /// each other a little.
        pub cache: usize = 0, in 0..=1_048_576;
    }
    check MachineSettings::check;
}

impl MachineSettings {
    fn check(&self, found: &mut Findings) {
        for device in self.device.split(',').map(str::trim).filter(|device| !is_device(device)) {
            let known = "use cpu, cuda, cuda:N or auto, or several with commas between them";
            found.error("device", format!("cannot be '{device}': {known}"));
        }
    }
}

/// Whether this is the name of a device, present on this machine or not.
fn is_device(name: &str) -> bool {
    let number = name.strip_prefix("cuda:").map(str::parse::<usize>);
    ["cpu", "cuda", "auto"].contains(&name) || matches!(number, Some(Ok(_)))
}

/// Makes the learner of a run: architecture, settings, seed.
pub type MakeLearner =
    dyn Fn(EncodedArchitecture<'_>, LearningSettings, u64) -> Result<Box<dyn Learner>, LearnError> + Send + Sync;

/// What a run computes with.
#[derive(Clone)]
pub struct Machine {
    /// Makes the learner.
    pub learner: Arc<MakeLearner>,
    /// Evaluates networks in play.
    pub device: Arc<dyn Device>,
    /// Threads that play games.
    pub lanes: usize,
    /// Whether self-play continues during training and the gate.
    pub overlap: bool,
    /// Size of the evaluation cache, in bytes; 0 is no cache.
    pub cache: usize,
    /// Other machines, which play the games in its place.
    pub fleet: Option<Arc<dyn Fleet>>,
}

impl Machine {
    /// The learner of a run with this configuration, and the architecture of its network.
    pub(crate) fn learner<E: Encoding>(
        &self,
        config: &Config,
        seed: u64,
    ) -> Result<(Architecture, Box<dyn Learner>), RunError> {
        let architecture = config.network.architecture::<E>()?;
        let encoded = EncodedArchitecture::new::<E>(&architecture)?;
        let learner = (self.learner)(encoded, config.training.learning.clone(), seed)?;
        Ok((architecture, learner))
    }

    /// Evaluators of a network.
    pub fn plain_backend<E: Encoding>(&self, network: &Network) -> Result<Arc<dyn Backend<E::Game>>, RunError> {
        Ok(Arc::new(NetworkBackend::<E>::new(network, &*self.device)?))
    }

    /// Evaluators of a network for self-play, with a cache if there is one.
    pub fn backend<E: Encoding>(&self, network: &Network) -> Result<Arc<dyn Backend<E::Game>>, RunError> {
        let backend = self.plain_backend::<E>(network)?;
        Ok(if self.cache == 0 { backend } else { cached(backend, self.cache)? })
    }
}
