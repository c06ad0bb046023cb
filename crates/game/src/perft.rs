//! Counting move paths: the standard test of a move generator.

use crate::Game;

/// The number of move paths of `depth` plies.
///
/// ```
/// use alfil_game::{Game, chess::Chess, perft::perft};
///
/// assert_eq!(perft(&Chess::new(&Default::default()), 3), 8_902);
/// ```
pub fn perft<G: Game>(game: &G, depth: u32) -> u64 {
    divide(game, depth).into_iter().map(|(_, count)| count).sum::<u64>().max(u64::from(depth == 0))
}

/// [`perft`] by first move, to find where two generators differ.
pub fn divide<G: Game>(game: &G, depth: u32) -> Vec<(G::Move, u64)> {
    let Some(below) = depth.checked_sub(1) else { return Vec::new() };
    let mut moves = Vec::new();
    game.generate(&mut moves);
    // One list per level, reused by all nodes of that level.
    let mut lists = vec![Vec::new(); below as usize];
    moves
        .into_iter()
        .map(|m| {
            let mut after = game.clone();
            after.play(m);
            (m, count(&after, &mut lists))
        })
        .collect()
}

fn count<G: Game>(game: &G, lists: &mut [Vec<G::Move>]) -> u64 {
    let Some((moves, below)) = lists.split_first_mut() else { return 1 };
    game.generate(moves);
    if below.is_empty() {
        return moves.len() as u64;
    }
    let mut total = 0;
    for &m in moves.iter() {
        let mut after = game.clone();
        after.play(m);
        total += count(&after, below);
    }
    total
}
