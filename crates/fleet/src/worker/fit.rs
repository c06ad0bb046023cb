//! As many results in a message as it can hold.

use alfil_train::fleet::Played;

use super::playing::Pack;

/// What of some results goes into the next message.
#[derive(Debug, PartialEq)]
pub enum Fit {
    /// The first of them.
    Message {
        /// The message.
        bytes: Vec<u8>,
        /// How many.
        results: usize,
    },
    /// Nothing: the first one alone is too large.
    TooLarge,
}

/// Packs all of these results, or the first half, or half of that, until they have at most this many bytes.
pub fn fit(played: &[Played], room: usize, pack: Pack) -> Result<Fit, String> {
    let mut results = played.len();
    loop {
        let bytes = pack(&played[..results])?;
        if bytes.len() <= room {
            return Ok(Fit::Message { bytes, results });
        }
        if results <= 1 {
            return Ok(Fit::TooLarge);
        }
        results = results.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::{First, Score};
    use alfil_selfplay::{End, GameRecord};

    use super::*;

    fn games(count: usize) -> Vec<Played> {
        let game = |number| GameRecord::new(number, String::new(), Vec::new(), First(Score::WIN), End::Rules);
        (0..count as u64).map(|number| Played::Game(Box::new(game(number)))).collect()
    }

    /// Ten bytes per game, and a head of five.
    fn pack(played: &[Played]) -> Result<Vec<u8>, String> {
        Ok(vec![0; 5 + 10 * played.len()])
    }

    #[test]
    fn as_many_halves_are_taken_as_fit() {
        let taken = |count: usize, room: usize| match fit(&games(count), room, pack).unwrap() {
            Fit::Message { bytes, results } => {
                assert!(bytes.len() == 5 + 10 * results && bytes.len() <= room);
                results
            }
            Fit::TooLarge => 0,
        };
        assert_eq!((taken(64, 1000), taken(64, 644), taken(64, 325), taken(64, 15)), (64, 32, 32, 1));
        assert_eq!((taken(7, 44), taken(3, 34), taken(1, 15)), (2, 2, 1));
        assert_eq!((taken(64, 14), taken(1, 14), taken(1, 0)), (0, 0, 0));
        assert_eq!(fit(&games(2), 100, |_| Err("no".to_owned())), Err("no".to_owned()));
    }
}
