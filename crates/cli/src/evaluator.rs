//! Evaluators by name.

use std::path::Path;
use std::sync::Arc;

use alfil_game::{Knowledge, registry};
use alfil_nn::{Bundled, Device, FixedCpu, Network, Precision};
use alfil_search::evaluators::Kind;
use anyhow::{Context, bail, ensure};

use crate::torch;
use crate::train::device_group;

/// The evaluator that a text names, and its game: the one that is asked for, else the network file's, else the default.
pub fn kind_and_game(text: &str, game: Option<&str>) -> anyhow::Result<(Kind, String)> {
    let kind = kind(text, game.unwrap_or(registry::DEFAULT))?;
    let game = match (game, &kind) {
        (Some(game), _) => game.to_owned(),
        (None, Kind::Network(network)) => network.origin.game.clone(),
        (None, _) => registry::DEFAULT.to_owned(),
    };
    Ok((kind, game))
}

/// What computes an evaluator: our CPU engine with some precision, or libtorch on the device with this name.
pub fn device(kind: &Kind, name: Option<&str>, precision: Precision) -> anyhow::Result<Box<dyn Device>> {
    Ok(match (name, kind) {
        (Some(name), Kind::Network(_)) => {
            let libtorch = torch::require()?;
            Box::new(device_group(libtorch, &libtorch.devices(name)?)?)
        }
        (Some(_), _) => bail!("--device is for networks"),
        (None, _) => Box::new(FixedCpu { precision }),
    })
}

/// The evaluator that a text names, for a game: a word, a network file or the name of a bundled network.
pub fn kind(text: &str, game: &str) -> anyhow::Result<Kind> {
    let games =
        text.strip_prefix("rollout:").map(|games| games.parse().ok().filter(|games| (1..=10_000).contains(games)));
    Ok(match (text, games) {
        ("uniform", _) => Kind::Uniform,
        ("rollout", _) => Kind::Rollout(1),
        (_, Some(Some(games))) => Kind::Rollout(games),
        (_, Some(None)) => bail!("'{text}' should name from 1 to 10000 games, as in rollout:10"),
        ("material", _) => Kind::Handcrafted(Knowledge::Material),
        ("handcrafted", _) => Kind::Handcrafted(Knowledge::Full),
        ("trained", _) => Kind::Network(Arc::new(trained(game)?)),
        _ => {
            let path = Path::new(text);
            ensure!(
                path.exists() || Bundled::named(text).is_some(),
                "there is no evaluator or network file '{text}': use trained, handcrafted, material, uniform, rollout, \
                 a network file or the name of a bundled network"
            );
            Kind::Network(Arc::new(Network::open(path)?))
        }
    })
}

/// The stronger of `trained` and `handcrafted`.
pub fn strongest(game: &str) -> &'static str {
    let is_stronger = Bundled::default_of(game).is_some_and(|bundled| bundled.is_stronger_than_handcrafted);
    if is_stronger { "trained" } else { "handcrafted" }
}

fn trained(game: &str) -> anyhow::Result<Network> {
    let bundled = Bundled::default_of(game)
        .with_context(|| format!("no network for {game} is bundled with this program: name a network file"))?;
    Ok(bundled.network()?)
}
