//! Networks that come with the program.

use crate::Network;

/// Files of `models/`, by the games that they play.
const MODELS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

impl Network {
    /// The network that comes with the program for a game, if there is one.
    pub fn shipped(game: &str) -> Option<Network> {
        let (_, bytes) = MODELS.iter().find(|(name, _)| *name == game)?;
        // They are parts of the program, and tested.
        Network::from_bytes(bytes).ok()
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
        assert!(Network::shipped("checkers").is_none());
    }
}
