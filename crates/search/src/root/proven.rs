//! What proofs make of a policy to learn.

use crate::tree::Child;

/// The policy where moves are proven to win: all of it on them, in equal parts. A search ends as soon as a win is proven; the winning
/// move may then have only one visit. `None` if there is no such move.
pub(super) fn proven_wins(children: &[Child]) -> Option<Vec<f32>> {
    let wins = |child: &Child| child.proof.is_some_and(|proof| proof.is_win());
    let winners = children.iter().filter(|child| wins(child)).count();
    let share = |child: &Child| if wins(child) { 1.0 / winners as f32 } else { 0.0 };
    (winners > 0).then(|| children.iter().map(share).collect())
}

/// Takes the shares of moves that are proven to lose and gives them to the others, in proportion to their own, or in equal parts if they
/// have none. If all moves lose, nothing changes.
pub(super) fn leave_out_losses(children: &[Child], shares: &mut [f32]) {
    let loses = |child: &Child| child.proof.is_some_and(|proof| proof.is_loss());
    let open = children.iter().filter(|child| !loses(child)).count();
    if open == 0 || open == children.len() {
        return;
    }
    let kept: f32 = children.iter().zip(&*shares).filter(|(child, _)| !loses(child)).map(|(_, share)| share).sum();
    for (child, share) in children.iter().zip(shares) {
        *share = match kept > 0.0 {
            _ if loses(child) => 0.0,
            true => *share / kept,
            false => 1.0 / open as f32,
        };
    }
}
