//! The record of a game.

use alfil_game::{First, Game, Mover, Score, Wdl};
use serde::{Deserialize, Deserializer, Serialize};

/// Shares of a policy are stored as multiples of one over this.
const SHARE_STEPS: f32 = 65_535.0;

/// Values are stored as multiples of one over this.
const VALUE_STEPS: f32 = 32_767.0;

/// Shares of draws are stored as multiples of one over this.
const DRAW_STEPS: f32 = 255.0;

/// Scores are stored in steps of 1/240 point: exact for halves, thirds, quarters and fifths.
const SCORE_STEPS: f32 = 240.0;

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the run, which seeds all its random choices.
    pub number: u64,
    /// Where it began, in the game's notation; empty for the start position under the run's rules.
    #[serde(deserialize_with = "text")]
    pub start: String,
    /// Its moves with the results of their searches.
    pub plies: Vec<Ply>,
    /// The first player's points, in 240ths.
    score: u8,
    /// How it ended.
    pub end: End,
    /// Anything else that is known of it, as names and texts: the players of a game between people, and their ratings.
    #[serde(deserialize_with = "pairs")]
    pub tags: Vec<(String, String)>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// By the rules of the game.
    Rules,
    /// By resignation.
    Resigned,
    /// By a result that was clear before the rules said so.
    Adjudicated,
}

/// One move of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ply {
    /// The code of the move that was played.
    pub code: u16,
    /// How often the position is learnt from: 1, unless surprising positions count more, when it may also be 0.
    pub copies: u8,
    /// The policy to learn: codes of legal moves, and their shares, which are more than 0. Empty after a cheap search, from
    /// which no policy is learnt.
    #[serde(with = "columns")]
    policy: Vec<(u16, u16)>,
    /// The expected result of the search, if its best move is played.
    value: i16,
    /// The share of draws in it: an even position may be a certain draw or a sharp fight.
    draw: u8,
    /// Whether the policy has, as in files of version 3, numbers of legal moves in place of their codes: places in the order
    /// in which the game generates them.
    #[serde(skip)]
    is_numbered: bool,
}

impl GameRecord {
    /// A game with its result.
    pub fn new(number: u64, start: String, plies: Vec<Ply>, score: First<Score>, end: End) -> GameRecord {
        let score = (score.0.points() * SCORE_STEPS).round() as u8;
        GameRecord { number, start, plies, score, end, tags: Vec::new() }
    }

    /// The first player's points.
    pub fn score(&self) -> First<Score> {
        First(Score::new(f32::from(self.score) / SCORE_STEPS))
    }

    /// The game before its first move, under the rules that it was played by.
    pub fn begin<G: Game>(&self, rules: &G::Rules) -> Option<G> {
        if self.start.is_empty() { Some(G::new(rules)) } else { G::from_position(&self.start, rules).ok() }
    }

    /// Calls `see` with every position of the game, its legal moves and its record. `None` if it is not a game of `G`
    /// under these rules, or has an illegal move.
    pub fn replay<G: Game>(&self, rules: &G::Rules, mut see: impl FnMut(&G, &[G::Move], &Ply)) -> Option<()> {
        let mut game: G = self.begin(rules)?;
        let mut moves = Vec::new();
        for ply in &self.plies {
            game.generate(&mut moves);
            let played = moves.iter().copied().find(|&m| m.into() == ply.code)?;
            ply.policy.iter().try_for_each(|(key, _)| ply.place(*key, &moves).map(drop))?;
            see(&game, &moves, ply);
            game.play(played);
        }
        Some(())
    }

    /// Replaces the numbers of moves that a file of version 3 has by their codes, without which it cannot be written.
    /// `None` if it is not a game of `G` under these rules.
    pub fn resolve<G: Game>(&mut self, rules: &G::Rules) -> Option<()> {
        if self.is_resolved() {
            return Some(());
        }
        let mut codes = Vec::new();
        self.replay::<G>(rules, |_, moves, ply| {
            codes.extend(
                ply.policy.iter().filter_map(|(key, _)| ply.place(*key, moves)).map(|place| moves[place].into()),
            );
        })?;
        let mut codes = codes.into_iter();
        for ply in &mut self.plies {
            ply.policy.iter_mut().zip(&mut codes).for_each(|((key, _), code)| *key = code);
            ply.is_numbered = false;
        }
        Some(())
    }

    /// Whether it has been [resolved](GameRecord::resolve), or did not need to be.
    pub(crate) fn is_resolved(&self) -> bool {
        self.plies.iter().all(|ply| !ply.is_numbered)
    }

    /// Whether the policies of a record that was read can be divided by their sums.
    pub(crate) fn is_sound(&self) -> bool {
        self.plies.iter().flat_map(|ply| &ply.policy).all(|(_, share)| *share > 0)
    }
}

impl Ply {
    /// A move that was played with the code `code`. `policy` has codes of legal moves and their shares, or nothing after a
    /// cheap search; `wdl` are the shares of win, draw and loss that it expects, which add up to 1.
    pub fn new(code: u16, policy: impl IntoIterator<Item = (u16, f32)>, Mover(wdl): Mover<Wdl>) -> Ply {
        let steps = |share: f32| (share.clamp(0.0, 1.0) * SHARE_STEPS).round() as u16;
        let policy = policy.into_iter().map(|(code, share)| (code, steps(share)));
        Ply {
            code,
            copies: 1,
            policy: policy.filter(|(_, share)| *share > 0).collect(),
            value: (wdl.value().clamp(-1.0, 1.0) * VALUE_STEPS).round() as i16,
            draw: (wdl.draw.clamp(0.0, 1.0) * DRAW_STEPS).round() as u8,
            is_numbered: false,
        }
    }

    /// The shares of the policy, which add up to 1; none if no policy is to be learnt here.
    pub fn shares(&self) -> impl Iterator<Item = f32> {
        let sum: f32 = self.policy.iter().map(|(_, share)| f32::from(*share)).sum();
        self.policy.iter().map(move |(_, share)| f32::from(*share) / sum)
    }

    /// The shares of these moves, the legal ones in the order in which the game generates them; none if no policy is to
    /// be learnt here. `None` if the policy has another move.
    pub fn policy<M: Copy + Into<u16>>(&self, moves: &[M]) -> Option<Vec<f32>> {
        let mut policy = vec![0.0; if self.has_policy() { moves.len() } else { 0 }];
        for ((key, _), share) in self.policy.iter().zip(self.shares()) {
            policy[self.place(*key, moves)?] = share;
        }
        Some(policy)
    }

    /// The codes and shares of the policy. `None` if no policy is to be learnt here, or if it is from a file of version 3 and has
    /// not been [resolved](GameRecord::resolve).
    pub fn coded_policy(&self) -> Option<impl Iterator<Item = (u16, f32)>> {
        let codes = self.policy.iter().map(|(code, _)| *code);
        (self.has_policy() && !self.is_numbered).then(|| codes.zip(self.shares()))
    }

    /// The place among the legal moves that a part of the policy is about.
    fn place<M: Copy + Into<u16>>(&self, key: u16, moves: &[M]) -> Option<usize> {
        match self.is_numbered {
            true => Some(usize::from(key)).filter(|place| *place < moves.len()),
            false => moves.iter().position(|&m| m.into() == key),
        }
    }

    /// Whether there is a policy to be learnt.
    pub fn has_policy(&self) -> bool {
        !self.policy.is_empty()
    }

    /// The expected result of the search for the mover, if the best move is played.
    pub fn value(&self) -> Mover<f32> {
        Mover(f32::from(self.value) / VALUE_STEPS)
    }

    /// The same as shares of win, draw and loss.
    pub fn wdl(&self) -> Mover<Wdl> {
        let Mover(value) = self.value();
        // After rounding there may be a few more draws than the value leaves room for.
        let draw = (f32::from(self.draw) / DRAW_STEPS).min(1.0 - value.abs());
        let share = |lead: f32| ((1.0 - draw + lead) / 2.0).max(0.0);
        Mover(Wdl { win: share(value), draw, loss: share(-value) })
    }
}

/// A game as files of version 3 have it: without tags, and with policies by the numbers of moves.
#[derive(Deserialize)]
pub(crate) struct Version3 {
    number: u64,
    #[serde(deserialize_with = "text")]
    start: String,
    plies: Vec<Version3Ply>,
    score: u8,
    end: End,
}

#[derive(Deserialize)]
struct Version3Ply {
    code: u16,
    copies: u8,
    policy: Vec<(u16, u16)>,
    value: i16,
    draw: u8,
}

impl From<Version3> for GameRecord {
    fn from(Version3 { number, start, plies, score, end }: Version3) -> GameRecord {
        let ply = |Version3Ply { code, copies, policy, value, draw }| Ply {
            code,
            copies,
            policy,
            value,
            draw,
            is_numbered: true,
        };
        GameRecord { number, start, plies: plies.into_iter().map(ply).collect(), score, end, tags: Vec::new() }
    }
}

/// A policy in a file: all codes, then all shares. So games of chess take 16 % less than with one after the other.
mod columns {
    use super::{Deserialize, Deserializer, Serialize};
    use serde::Serializer;
    use serde::de::Error;

    pub fn serialize<S: Serializer>(policy: &[(u16, u16)], output: S) -> Result<S::Ok, S::Error> {
        let columns: (Vec<u16>, Vec<u16>) = policy.iter().copied().unzip();
        columns.serialize(output)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<(u16, u16)>, D::Error> {
        let (codes, shares) = <(Vec<u16>, Vec<u16>)>::deserialize(input)?;
        match codes.len() == shares.len() {
            true => Ok(codes.into_iter().zip(shares).collect()),
            false => Err(D::Error::custom("a policy has not as many shares as moves")),
        }
    }
}

// Texts are borrowed from the file before they are copied: a length that is not true then costs no memory.

fn text<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    <&str>::deserialize(input).map(str::to_owned)
}

fn pairs<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<(String, String)>, D::Error> {
    let pairs = Vec::<(&str, &str)>::deserialize(input)?;
    Ok(pairs.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sharp_position_is_distinguished_from_a_draw() {
        for wdl in [[0.45, 0.1, 0.45], [0.0, 1.0, 0.0], [0.7, 0.299, 0.001], [0.0, 0.002, 0.998], [1.0, 0.0, 0.0]] {
            let kept = <[f32; 3]>::from(Ply::new(0, [], Mover(wdl.into())).wdl().0);
            assert!(kept.iter().zip(wdl).all(|(kept, share)| (kept - share).abs() < 0.0025), "{kept:?} for {wdl:?}");
            assert!(
                kept.iter().all(|share| *share >= 0.0) && (kept.iter().sum::<f32>() - 1.0).abs() < 1e-6,
                "{kept:?}"
            );
        }
    }

    #[test]
    fn a_policy_that_cannot_be_divided_by_its_sum_is_unsound() {
        let mut ply = Ply::new(0, [(1, 0.5), (2, 0.0)], Mover(Wdl::DRAW));
        let record = |ply: &Ply| GameRecord::new(0, String::new(), vec![ply.clone()], First(Score::DRAW), End::Rules);
        assert!(record(&ply).is_sound());
        ply.policy = vec![(1, 0)];
        assert!(!record(&ply).is_sound());
    }
}
