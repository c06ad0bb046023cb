//! Varied play: games that look like games, with mistakes by chance. For positions to learn from or to measure on.

use alfil_game::{First, FullGame, Knowledge, Mover, Score};
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, GameNode};
use rand::RngExt;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Shares of random moves after the opening: a game has one of these.
const RANDOM: [f64; 3] = [0.05, 0.15, 0.3];

/// Random plies that a game begins with, at most.
const OPENING: u32 = 10;

/// One game in this many begins at a random ending, where the game has them.
const ENDINGS: u32 = 4;

/// Plies of a game at most. It is a draw then.
const LONGEST: u32 = 160;

/// A game in which a side is ahead by more than this, in hundredths of its smallest piece, is no longer played and is won by that
/// side: whatever happens then changes no value.
const DECIDED: i32 = 1_200;

/// A game of varied play: random moves at first, then some random ones among those that look a ply ahead. All moves are random where
/// the game has no [estimates](alfil_game::Estimates).
#[derive(Clone, Debug)]
pub struct VariedGame<G: FullGame> {
    /// Where it begins.
    pub start: G,
    /// Whether that is the game's start position, and not a random ending.
    pub is_from_start: bool,
    /// Its moves.
    pub moves: Vec<G::Move>,
    /// How many of them are the opening.
    pub opening: usize,
    /// Its result.
    pub score: First<Score>,
}

impl<G: FullGame> VariedGame<G> {
    /// The game that follows from a seed. `has_estimates` says whether the game [has](has_estimates) all its estimates.
    pub fn new(rules: &G::Rules, has_estimates: bool, seed: u64) -> VariedGame<G> {
        VariedGame::play(rules, has_estimates, &mut Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub(crate) fn play(rules: &G::Rules, has_estimates: bool, random: &mut Xoshiro256PlusPlus) -> VariedGame<G> {
        let is_ending = random.random_range(0..ENDINGS) == 0;
        let ending = is_ending.then(|| G::random_ending(rules, &mut |limit| random.random_range(0..limit))).flatten();
        let opening = if ending.is_some() { 0 } else { random.random_range(0..=OPENING) };
        let errors = RANDOM.choose(random).copied().filter(|_| has_estimates).unwrap_or(1.0);
        let is_from_start = ending.is_none();
        let start = ending.unwrap_or_else(|| G::new(rules));
        let settings = AlphaBetaSettings { ordering: true, quiescence: true, ..AlphaBetaSettings::PLAIN };
        let mut player = AlphaBeta::new(settings);
        let (mut game, mut played, mut moves) = (start.clone(), Vec::new(), Vec::new());
        let score = loop {
            if let Some(outcome) = game.legal_moves(&mut moves) {
                break outcome.score;
            }
            let lead = game.evaluate(Knowledge::Material);
            if lead.abs() > DECIDED {
                break Mover(if lead > 0 { Score::WIN } else { Score::LOSS }).to_first(game.side());
            }
            let ply = played.len() as u32;
            if ply >= LONGEST {
                break First(Score::DRAW);
            }
            let best = match ply < opening || random.random_bool(errors) {
                true => None,
                false => {
                    player.search(&GameNode { game: game.clone(), knowledge: Knowledge::Full }, 1).line.first().copied()
                }
            };
            let Some(m) = best.or_else(|| moves.choose(random).copied()) else { break First(Score::DRAW) };
            played.push(m);
            game.play(m);
        };
        let opening = played.len().min(opening as usize);
        VariedGame { start, is_from_start, moves: played, opening, score }
    }
}

/// Whether the game has estimates that look at this much: some position of a random game is not even.
pub fn has_estimates<G: FullGame>(rules: &G::Rules, knowledge: Knowledge) -> bool {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let (mut game, mut moves) = (G::new(rules), Vec::new());
    while game.legal_moves(&mut moves).is_none() {
        if game.evaluate(knowledge) != 0 {
            return true;
        }
        match moves.choose(&mut random) {
            Some(m) => game.play(*m),
            None => break,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use alfil_game::chess::Chess;
    use alfil_game::connect4::Connect4;
    use alfil_game::{Estimates, Game};

    use super::*;

    fn games<G: FullGame>(seeds: std::ops::Range<u64>) -> Vec<VariedGame<G>> {
        let rules = G::Rules::default();
        let has_estimates = has_estimates::<G>(&rules, Knowledge::Full);
        seeds.map(|seed| VariedGame::new(&rules, has_estimates, seed)).collect()
    }

    fn end<G: FullGame>(game: &VariedGame<G>) -> G {
        game.moves.iter().fold(game.start.clone(), |mut position, m| {
            position.play(*m);
            position
        })
    }

    #[test]
    fn games_follow_from_their_seeds_and_differ() {
        let (first, again) = (games::<Chess>(0..20), games::<Chess>(0..20));
        assert!(first.iter().zip(&again).all(|(a, b)| a.moves == b.moves && a.score == b.score));
        assert!(first.iter().zip(&first[1..]).all(|(a, b)| a.moves != b.moves));
        let from_start = first.iter().filter(|game| game.is_from_start).count();
        assert!((8..20).contains(&from_start), "{from_start}");
    }

    #[test]
    fn results_are_those_of_the_rules_or_of_a_clear_lead() {
        for game in games::<Chess>(0..40) {
            let end = end(&game);
            match end.outcome() {
                Some(outcome) => assert_eq!(outcome.score, game.score),
                None if game.score == First(Score::DRAW) => assert_eq!(game.moves.len(), LONGEST as usize),
                None => {
                    let lead = end.evaluate(Knowledge::Material);
                    assert!(lead.abs() > DECIDED);
                    assert_eq!(game.score.to_mover(end.side()).0 == Score::WIN, lead > 0);
                }
            }
        }
        assert!(
            games::<Connect4>(0..40).iter().all(|game| end(game).outcome().map(|end| end.score) == Some(game.score))
        );
    }
}
