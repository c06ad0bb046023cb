//! Evaluators chosen at run time.

use std::sync::Arc;

use alfil_game::{Encoded, Encoding, EncodingFn, EncodingList, Estimates, Game, Knowledge};
use alfil_nn::{FileError, Network};

use super::{Cache, CacheMemory, Handcrafted, Inference, NetworkEvaluator, Rollout, Uniform};
use crate::Evaluator;

/// What judges positions.
#[derive(Clone)]
pub enum Kind {
    /// Nothing: every move is as good as the other.
    Uniform,
    /// So many random games from every position.
    Rollout(u32),
    /// The game's own evaluation.
    Handcrafted(Knowledge),
    /// A network on the CPU engine.
    Network(Arc<Network>),
}

/// Makes evaluators of one kind, one for each thread. The number makes those that use chance differ.
pub type Maker<G> = Box<dyn Fn(u64) -> Box<dyn Evaluator<G>> + Send + Sync>;

impl Kind {
    /// A maker of such evaluators. Only a network for another game can fail.
    pub fn maker<G: Encoded + Estimates>(&self) -> Result<Maker<G>, FileError> {
        Ok(match self {
            Kind::Uniform => Box::new(|_| Box::new(Uniform::default())),
            Kind::Rollout(games) => {
                let games = *games;
                Box::new(move |seed| Box::new(Rollout::new(games, seed)))
            }
            Kind::Handcrafted(knowledge) => {
                let knowledge = *knowledge;
                Box::new(move |_| Box::new(Handcrafted::new(knowledge)))
            }
            Kind::Network(network) => network_maker(network, None)?,
        })
    }
}

/// Positions with more moves are not remembered: three times as many as at the start, which is few positions of any game that
/// we have, but from 64 (entries of 288 bytes) to 128 (544 bytes).
pub fn cached_moves<G: Game>() -> usize {
    let mut moves = Vec::new();
    G::new(&G::Rules::default()).generate(&mut moves);
    (3 * moves.len()).clamp(64, 128)
}

/// A maker of evaluators that remember each other's answers, in so many bytes.
pub fn cached<G: Game>(maker: Maker<G>, bytes: usize) -> Maker<G> {
    let memory = Arc::new(CacheMemory::new(bytes, cached_moves::<G>()));
    Box::new(move |seed| Box::new(Cache::new(maker(seed), Arc::clone(&memory))))
}

/// A maker of evaluators of a network that something other than the CPU engine computes; `infer` is called for each of them.
pub fn maker_on<G: Encoded>(
    network: &Network,
    infer: impl Fn() -> Inference + Send + Sync + 'static,
) -> Result<Maker<G>, FileError> {
    network_maker(network, Some(Box::new(infer)))
}

/// A maker of evaluators of a network on the CPU engine, or on what `infer` makes. The network's encoding has to be one of `G`.
fn network_maker<G: Encoded>(network: &Network, infer: Option<Box<MakeInference>>) -> Result<Maker<G>, FileError> {
    let encoding = &network.origin.encoding;
    let wrong = || FileError::Encoding { found: encoding.clone(), expected: G::NAME.to_owned() };
    G::Encodings::with(encoding, NetworkMaker { network, infer }).ok_or_else(wrong)?
}

type MakeInference = dyn Fn() -> Inference + Send + Sync;

struct NetworkMaker<'a> {
    network: &'a Network,
    infer: Option<Box<MakeInference>>,
}

impl<G: Game> EncodingFn<G> for NetworkMaker<'_> {
    type Output = Result<Maker<G>, FileError>;

    fn call<E: Encoding<Game = G>>(self) -> Result<Maker<G>, FileError> {
        let NetworkMaker { network, infer } = self;
        Ok(match infer {
            None => {
                let model = NetworkEvaluator::<E>::model(network)?;
                Box::new(move |_| Box::new(NetworkEvaluator::<E>::new(Arc::clone(&model))))
            }
            Some(infer) => {
                let architecture = network.architecture.clone();
                Box::new(move |_| Box::new(NetworkEvaluator::<E>::on(&architecture, infer())))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::chess::Az21;
    use alfil_game::tictactoe::TicTacToe;
    use alfil_nn::Architecture;

    use super::*;

    #[test]
    fn a_network_for_another_game_is_refused() {
        let network = Network::random::<Az21>(Architecture::new::<Az21>("8x1".parse().unwrap()), 1);
        let kind = Kind::Network(Arc::new(network));
        assert!(kind.maker::<alfil_game::chess::Chess>().is_ok());
        let error = kind.maker::<TicTacToe>().err().unwrap().to_string();
        assert_eq!(error, "it was made for chess/az21, but tictactoe is needed");
    }
}
