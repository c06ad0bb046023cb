//! Evaluators chosen at run time.

use std::sync::Arc;

use alfil_game::{Encoded, Encoding, EncodingFn, EncodingList, Estimates, Game, Knowledge};
use alfil_nn::{Device, EvaluatorError, FileError, Network};

use super::{CacheMemory, Handcrafted, NetworkBackend, Rollout, Uniform};
use crate::{Backend, Evaluator, PlaySettings};

/// What evaluates positions.
#[derive(Clone)]
pub enum Kind {
    /// Nothing: all moves are equally good.
    Uniform,
    /// The mean of this many random games from every position.
    Rollout(u32),
    /// The game's own evaluation.
    Handcrafted(Knowledge),
    /// A network.
    Network(Arc<Network>),
}

/// Why a backend cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// The network is for something else.
    #[error(transparent)]
    Network(#[from] FileError),
    /// The device cannot compute it.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

impl Kind {
    /// A backend of this kind; networks run on `device`.
    pub fn backend<G: Encoded + Estimates>(&self, device: &dyn Device) -> Result<Arc<dyn Backend<G>>, BackendError> {
        Ok(match self {
            Kind::Uniform => Arc::new(Plain(|_| Uniform::default())),
            Kind::Rollout(games) => {
                let games = *games;
                Arc::new(Plain(move |seed| Rollout::new(games, seed)))
            }
            Kind::Handcrafted(knowledge) => {
                let knowledge = *knowledge;
                Arc::new(Plain(move |_| Handcrafted::new(knowledge)))
            }
            Kind::Network(network) => network_backend(network, device)?,
        })
    }

    /// How such an evaluator is played.
    pub fn play_settings(&self) -> PlaySettings {
        match self {
            Kind::Network(_) => PlaySettings::default(),
            _ => PlaySettings::untempered(),
        }
    }
}

/// Evaluators whose construction cannot fail.
struct Plain<F>(F);

impl<G: Game, V: Evaluator<G> + 'static, F: Fn(u64) -> V + Send + Sync> Backend<G> for Plain<F> {
    fn evaluator(&self, seed: u64) -> Result<Box<dyn Evaluator<G>>, EvaluatorError> {
        Ok(Box::new((self.0)(seed)))
    }
}

/// Positions with more moves are not cached: three times as many as at the start, which few positions of any bundled
/// game have, but between 64 (entries of 288 bytes) and 128 (544 bytes).
pub fn cached_moves<G: Game>() -> usize {
    let mut moves = Vec::new();
    G::new(&G::Rules::default()).generate(&mut moves);
    (3 * moves.len()).clamp(64, 128)
}

/// The same evaluators with a shared cache of at most `bytes` bytes.
pub fn cached<G: Game>(backend: Arc<dyn Backend<G>>, bytes: usize) -> Result<Arc<dyn Backend<G>>, EvaluatorError> {
    let memory = CacheMemory::try_new(bytes, cached_moves::<G>());
    let megabytes = bytes >> 20;
    let none = || EvaluatorError::on("cpu", format!("there is no memory for a cache of {megabytes} megabytes"));
    Ok(crate::backend::with_memory(backend, Arc::new(memory.ok_or_else(none)?)))
}

/// Loads the network, whose encoding has to be one of `G`.
fn network_backend<G: Encoded>(network: &Network, device: &dyn Device) -> Result<Arc<dyn Backend<G>>, BackendError> {
    let encoding = &network.origin.encoding;
    let wrong = || FileError::Encoding { found: encoding.clone(), expected: G::NAME.to_owned() };
    G::Encodings::with(encoding, Load { network, device }).ok_or_else(wrong)?
}

struct Load<'a> {
    network: &'a Network,
    device: &'a dyn Device,
}

impl<G: Game> EncodingFn<G> for Load<'_> {
    type Output = Result<Arc<dyn Backend<G>>, BackendError>;

    fn call<E: Encoding<Game = G>>(self) -> Self::Output {
        Ok(Arc::new(NetworkBackend::<E>::new(self.network, self.device)?))
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::chess::{Az21, Chess};
    use alfil_game::tictactoe::TicTacToe;
    use alfil_nn::{Architecture, Cpu};

    use super::*;

    #[test]
    fn a_network_for_another_game_is_refused() {
        let network = Network::random::<Az21>(Architecture::new::<Az21>("8x1".parse().unwrap()), 1);
        let kind = Kind::Network(Arc::new(network));
        assert!(kind.backend::<Chess>(&Cpu).is_ok());
        let error = kind.backend::<TicTacToe>(&Cpu).err().unwrap().to_string();
        assert_eq!(error, "it was made for chess/az21, but tictactoe is needed");
    }

    #[test]
    fn a_cache_that_does_not_fit_into_memory_is_an_error() {
        let backend = || Kind::Uniform.backend::<TicTacToe>(&Cpu).unwrap();
        assert!(cached(backend(), 1 << 20).is_ok());
        let error = cached(backend(), 1 << 60).err().unwrap().to_string();
        assert!(error.contains("there is no memory for a cache of 1099511627776 megabytes"), "{error}");
    }
}
