//! What a network learns from.

use alfil_game::{Encoding, Game, Mover, Wdl};

use crate::{Architecture, Batch};

/// What a network should have said about a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target<'a> {
    /// The share of each legal move, in the order of the moves; empty where no policy is to be learnt.
    pub policy: &'a [f32],
    /// Shares of win, draw and loss.
    pub wdl: Mover<Wdl>,
    /// Plies to the end; none where the game did not end by its rules, so that nobody knows how many were left.
    pub moves_left: Option<f32>,
    /// What the opponent's next policy should be: policy indices as the opponent sees them, and their shares; empty where the
    /// game ends or the mover has another move before that.
    pub reply: &'a [(u32, f32)],
}

/// Positions with what a network should say about them.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    batch: Batch,
    policies: Vec<f32>,
    has_policy: Vec<bool>,
    wdl: Vec<Mover<Wdl>>,
    moves_left: Vec<Option<f32>>,
    replies: Vec<Vec<(u32, f32)>>,
}

impl Samples {
    /// No samples yet, for networks of this architecture.
    pub fn new(architecture: &Architecture) -> Samples {
        Samples { batch: Batch::new(architecture), ..Samples::default() }
    }

    /// Forgets the samples, keeps the memory.
    pub fn clear(&mut self) {
        self.batch.clear();
        self.policies.clear();
        self.has_policy.clear();
        self.wdl.clear();
        self.moves_left.clear();
        self.replies.clear();
    }

    /// Adds a position with its legal moves, turned by one of the encoding's symmetries where `symmetry` names one.
    pub fn push<E: Encoding>(
        &mut self,
        game: &E::Game,
        moves: &[<E::Game as Game>::Move],
        target: Target<'_>,
        symmetry: Option<usize>,
    ) {
        let Target { policy, wdl, moves_left, reply } = target;
        debug_assert!(policy.is_empty() || policy.len() == moves.len());
        self.batch.push::<E>(game, moves);
        let mut reply = reply.to_vec();
        if let Some(symmetry) = symmetry.and_then(|number| E::SYMMETRIES.get(number)) {
            self.batch.turn_last(symmetry);
            reply.iter_mut().for_each(|(index, _)| *index = (symmetry.index)(*index as usize) as u32);
        }
        self.has_policy.push(!policy.is_empty());
        self.policies.extend_from_slice(policy);
        self.policies.resize(self.policies.len() + moves.len() - policy.len(), 0.0);
        self.wdl.push(wdl);
        self.moves_left.push(moves_left);
        self.replies.push(reply);
    }

    /// Adds the samples of another batch.
    pub fn append(&mut self, other: &Samples) {
        self.batch.append(&other.batch);
        self.policies.extend_from_slice(&other.policies);
        self.has_policy.extend_from_slice(&other.has_policy);
        self.wdl.extend_from_slice(&other.wdl);
        self.moves_left.extend_from_slice(&other.moves_left);
        self.replies.extend_from_slice(&other.replies);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.wdl.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.wdl.is_empty()
    }

    /// The positions with their legal moves.
    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// The share of each legal move of a sample; all 0 where no policy is to be learnt.
    pub fn policy(&self, sample: usize) -> &[f32] {
        &self.policies[self.batch.span(sample)]
    }

    /// Whether a sample has a policy to be learnt.
    pub fn has_policy(&self, sample: usize) -> bool {
        self.has_policy[sample]
    }

    /// Shares of win, draw and loss, one per sample.
    pub fn wdl(&self) -> &[Mover<Wdl>] {
        &self.wdl
    }

    /// Plies to the end, one per sample; none where they are not to be learnt.
    pub fn moves_left(&self) -> &[Option<f32>] {
        &self.moves_left
    }

    /// The opponent's replies, one list per sample: policy indices as the opponent sees them, and their shares. Empty where
    /// there is none to be learnt.
    pub fn replies(&self) -> &[Vec<(u32, f32)>] {
        &self.replies
    }
}
