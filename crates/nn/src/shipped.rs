//! Networks that come with the program.

use crate::Network;

/// Files of `models/`, by the games that they play.
const MODELS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// Games whose networks lose to the handcrafted evaluation, one a line.
const WEAK: &str = include_str!("../../../models/weaker-than-handcrafted.txt");

impl Network {
    /// The network that comes with the program for a game, if there is one.
    pub fn shipped(game: &str) -> Option<Network> {
        let (_, bytes) = MODELS.iter().find(|(name, _)| *name == game)?;
        // They are parts of the program, and tested.
        Network::from_bytes(bytes).ok()
    }

    /// Whether a network comes with the program for a game that a search plays better with than with the handcrafted evaluation.
    pub fn is_shipped_strong(game: &str) -> bool {
        MODELS.iter().any(|(name, _)| *name == game) && !WEAK.lines().any(|weak| weak == game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_with_the_program_can_be_read_and_is_for_the_game_of_its_name() {
        for (game, bytes) in MODELS {
            let network = Network::from_bytes(bytes).unwrap_or_else(|error| panic!("{game}: {error}"));
            assert_eq!(network.origin.game, *game);
        }
        assert!(Network::shipped("checkers").is_none() && !Network::is_shipped_strong("checkers"));
        let weak = |name: &str| MODELS.iter().any(|(game, _)| *game == name) && !Network::is_shipped_strong(name);
        assert!(WEAK.lines().all(weak), "{WEAK}");
    }
}
