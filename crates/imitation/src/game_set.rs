//! Games whose moves are to be predicted.

use std::collections::BinaryHeap;

use alfil_core::seed::derive;
use alfil_game::pgn::PlayerName;
use alfil_game::{First, Game, Score, Side};
use alfil_selfplay::GameRecord;
use alfil_selfplay::replay::is_held_out;

/// Which positions count. Moves that a record has no policy for, as those of the other player in games that were imported for
/// one, never do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Only moves of this player.
    pub player: Option<PlayerName>,
    /// Only games that are not learnt from where this share of games is held out.
    pub held_out: Option<f64>,
    /// Only this many positions: those with the smallest hashes of their game's number and their ply, which is a fair sample, the
    /// same in whatever order games are read, and part of every larger one.
    pub positions: Option<usize>,
}

/// Games, and which of their positions count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameSet {
    /// The games with such positions, in the order in which they were read.
    pub games: Vec<PlayedGame>,
    /// Records that are not games by the rules.
    pub illegal: u64,
}

impl GameSet {
    /// Positions that count.
    pub fn positions(&self) -> u64 {
        self.games.iter().map(|game| game.chosen.len() as u64).sum()
    }
}

/// A game, as small as it can be: there may be a million of them in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// Where it began; empty for the start position.
    start: String,
    /// The codes of its moves, which are legal.
    codes: Vec<u16>,
    /// The positions that count, by the moves before them, in order.
    chosen: Vec<u32>,
    /// Its result.
    score: First<Score>,
    /// The first player and the second.
    players: [PlayerTag; 2],
}

/// What a record says of a player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerTag {
    /// The name.
    pub name: Option<String>,
    /// The rating.
    pub elo: Option<u32>,
}

impl PlayedGame {
    /// How many of its positions count.
    pub fn positions(&self) -> usize {
        self.chosen.len()
    }

    /// Who plays a side.
    pub fn player(&self, side: Side) -> &PlayerTag {
        &self.players[side as usize]
    }

    /// The result.
    pub fn score(&self) -> First<Score> {
        self.score
    }

    /// Calls `see` with every position that counts, the moves before it, the legal moves and the number of the one that was played.
    pub(crate) fn replay<G: Game, E>(
        &self,
        rules: &G::Rules,
        mut see: impl FnMut(&G, u32, &[G::Move], usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let begun = if self.start.is_empty() { Some(G::new(rules)) } else { G::from_position(&self.start, rules).ok() };
        let Some(mut game) = begun else { return Ok(()) };
        let mut moves = Vec::new();
        let (mut chosen, mut ply) = (self.chosen.iter().copied().peekable(), 0);
        for code in &self.codes {
            if chosen.peek().is_none() {
                break;
            }
            if chosen.next_if_eq(&ply).is_some() {
                game.generate(&mut moves);
                let Some(played) = moves.iter().position(|&m| m.into() == *code) else { break };
                see(&game, ply, &moves, played)?;
            }
            let Ok(m) = G::Move::try_from(*code) else { break };
            game.play(m);
            ply += 1;
        }
        Ok(())
    }
}

/// Collects games one by one. With a limit on positions, memory grows with the limit, not with the games that are read.
pub struct SetBuilder<G: Game> {
    selection: Selection,
    rules: G::Rules,
    set: GameSet,
    /// The number of each game in the set, from which the hashes of its positions follow.
    numbers: Vec<u64>,
    /// The smallest hashes so far, at most as many as positions are wanted.
    smallest: BinaryHeap<u64>,
}

impl<G: Game> SetBuilder<G> {
    /// An empty set of games by these rules.
    pub fn new(selection: Selection, rules: G::Rules) -> SetBuilder<G> {
        SetBuilder { selection, rules, set: GameSet::default(), numbers: Vec::new(), smallest: BinaryHeap::new() }
    }

    /// Adds the positions of a game that count.
    pub fn add(&mut self, record: &GameRecord) {
        if self.selection.held_out.is_some_and(|share| !is_held_out(record.number, share)) {
            return;
        }
        let players = players(record);
        let counts = [Side::First, Side::Second].map(|side| self.is_wanted(&players[side as usize]));
        if counts == [false; 2] {
            return;
        }
        let mut ply = 0;
        let mut chosen = Vec::new();
        let replayed = record.replay::<G>(&self.rules, |game, _, played| {
            if counts[game.side() as usize] && played.has_policy() {
                chosen.push(ply);
            }
            ply += 1;
        });
        if replayed.is_none() {
            self.set.illegal += 1;
            return;
        }
        if let Some(most) = self.selection.positions {
            chosen.retain(|ply| admit(&mut self.smallest, hash(record.number, *ply), most));
        }
        if chosen.is_empty() {
            return;
        }
        let codes = record.plies.iter().map(|ply| ply.code).collect();
        self.numbers.push(record.number);
        self.set.games.push(PlayedGame { start: record.start.clone(), codes, chosen, score: record.score(), players });
        // Positions that were among the smallest when they came, and no longer are.
        if self.numbers.len() > 2 * self.smallest.len().max(1024) && self.selection.positions.is_some() {
            self.prune();
        }
    }

    fn is_wanted(&self, player: &PlayerTag) -> bool {
        let Some(wanted) = &self.selection.player else { return true };
        player.name.as_ref().is_some_and(|name| wanted.matches(name))
    }

    /// Drops positions whose hashes are no longer among the smallest, and games that have no others.
    fn prune(&mut self) {
        let Some(&largest) = self.smallest.peek() else { return };
        let mut numbers = std::mem::take(&mut self.numbers).into_iter();
        let kept = &mut self.numbers;
        self.set.games.retain_mut(|game| {
            let number = numbers.next().unwrap_or_default();
            game.chosen.retain(|ply| hash(number, *ply) <= largest);
            if !game.chosen.is_empty() {
                kept.push(number);
            }
            !game.chosen.is_empty()
        });
    }

    /// The set.
    pub fn finish(mut self) -> GameSet {
        if self.selection.positions.is_some() {
            self.prune();
        }
        self.set
    }
}

/// Whether a hash is among the `most` smallest so far, of which it then is one.
fn admit(smallest: &mut BinaryHeap<u64>, hash: u64, most: usize) -> bool {
    if smallest.len() < most {
        smallest.push(hash);
        return true;
    }
    let is_smaller = smallest.peek().is_some_and(|largest| hash < *largest);
    if is_smaller {
        smallest.pop();
        smallest.push(hash);
    }
    is_smaller
}

fn hash(number: u64, ply: u32) -> u64 {
    derive(number, &[ply.into()])
}

fn players(record: &GameRecord) -> [PlayerTag; 2] {
    let tag = |name: &str| record.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.clone());
    [("White", "WhiteElo"), ("Black", "BlackElo")]
        .map(|(name, elo)| PlayerTag { name: tag(name), elo: tag(elo).and_then(|elo| elo.parse().ok()) })
}
