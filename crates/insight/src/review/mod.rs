//! Games judged move by move.

mod accuracy;
mod class;
mod page;
mod pgn;
mod table;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use alfil_arena::player::{Entrant, MoveScore, Played, Player, PlayerError};
use alfil_game::pgn::PgnGame;
use alfil_game::{FullGame, MoveNumbers, Notation, Score, Side};

use crate::chess::Tactic;
use crate::judge::{Assessment, assess};
use crate::pool::{Job, Pool};
use crate::{InsightError, Phase, PlayerName, chess};

pub use accuracy::Count;
pub use class::Class;
pub use page::page;
pub use pgn::annotated;
pub use table::{HEADER, rows};

/// Moves of a better line that are kept.
const LINE: usize = 12;

/// Expected points that show who is winning.
const AHEAD: f32 = 0.65;

/// Has every move of some games judged.
pub struct Review<'a, G: FullGame> {
    /// Files of games.
    pub files: &'a [PathBuf],
    /// By what rules they were played where they do not say.
    pub rules: G::Rules,
    /// Who judges.
    pub judge: &'a Entrant<G>,
    /// Threads, each with a judge of its own.
    pub threads: usize,
    /// Whose mistakes are looked for; everybody's without a name. Games of others are left out.
    pub player: Option<PlayerName>,
}

/// How far a review has come.
#[derive(Clone, Copy, Debug)]
pub struct ReviewProgress {
    /// Games that are finished.
    pub games: u64,
    /// How much of the files has been read.
    pub read: u64,
    /// Bytes of all files.
    pub bytes: u64,
}

/// What a review has found.
pub struct Reviewed<G: Notation> {
    /// The games, in the order of the files.
    pub games: Vec<GameReview<G>>,
    /// Games that could not be read.
    pub unreadable: u64,
    /// Whether it was stopped before the end.
    pub is_stopped: bool,
}

/// A game with what was thought of its moves.
pub struct GameReview<G: Notation> {
    /// Its number among the games of all files, from 1.
    pub number: u64,
    /// The game as it was read.
    pub game: PgnGame<G>,
    /// Its moves.
    pub moves: Vec<JudgedMove<G::Move>>,
    /// Who played well in which part of it: for the first side and the second.
    pub sides: [SideReview; 2],
    /// The move, by the moves before it, after which the game was decided, if one was.
    pub turning_point: Option<usize>,
}

/// A move with what was thought of it.
#[derive(Clone, Debug)]
pub struct JudgedMove<M> {
    /// The move.
    pub m: M,
    /// Who made it.
    pub side: Side,
    /// The part of the game that it was made in.
    pub phase: Phase,
    /// What the position was worth to the mover before it. Where the rules had ended the game and people played on, the same as
    /// after it: such a move loses nothing.
    pub before: MoveScore,
    /// The same after it.
    pub after: MoveScore,
    /// What is wrong with it. None if nothing is, or if nobody asked for this side.
    pub class: Option<Class>,
    /// What was expected in place of it and after that, if it differs.
    pub better: Vec<M>,
    /// What was expected to follow.
    pub reply: Vec<M>,
    /// Tactics in the better line, which the mover missed; of mistakes only.
    pub missed: Vec<Tactic>,
    /// Tactics that it allowed; of mistakes only.
    pub allowed: Vec<Tactic>,
}

impl<M> JudgedMove<M> {
    /// Expected points that it lost.
    pub fn lost(&self) -> f32 {
        (self.before.points() - self.after.points()).max(0.0)
    }

    /// What is wrong with it, in words; of a missed mate also how long it was.
    pub fn class_text(&self) -> String {
        match (self.class, self.before.own_turns()) {
            (Some(class @ Class::MissedMate), Some(turns)) => format!("{} in {turns}", class.name()),
            (class, _) => class.map_or("", Class::name).to_owned(),
        }
    }

    /// What the position after it is worth to the first side.
    pub fn first_after(&self) -> MoveScore {
        Assessment::<M>::new(self.side, self.after, Vec::new()).score(Side::First)
    }
}

/// How a side played.
#[derive(Clone, Debug, Default)]
pub struct SideReview {
    /// The name of the player.
    pub name: String,
    /// Whether the review is about this side.
    pub is_asked: bool,
    /// All its moves.
    pub all: Count,
    /// Those of each phase, in the order of [`Phase::ALL`].
    pub phases: [Count; 3],
}

impl<G: FullGame> Review<'_, G> {
    /// Judges the games.
    pub fn run(&self, tell: &mut dyn FnMut(ReviewProgress), stop: &AtomicBool) -> Result<Reviewed<G>, InsightError> {
        let pool = Pool { files: self.files, rules: &self.rules, judge: self.judge, threads: self.threads };
        let bytes = pool.bytes()?;
        let mut games = BTreeMap::new();
        let wanted = |job: &Job<G>| asked(&job.game, self.player.as_ref()) != [false; 2];
        let judge =
            |judge: &mut dyn Player<G>, job: &Job<G>, stop: &dyn Fn() -> bool| judge_game(judge, &job.game, stop);
        let mut take = |job: Job<G>, judged: Vec<Assessment<G::Move>>, read: u64| {
            let review = self.review(job, judged);
            games.insert(review.number, review);
            tell(ReviewProgress { games: games.len() as u64, read, bytes });
            Ok(())
        };
        let read = pool.run(&wanted, &judge, &mut take, stop)?;
        Ok(Reviewed {
            games: games.into_values().collect(),
            unreadable: read.unreadable,
            is_stopped: !read.is_complete,
        })
    }

    fn review(&self, job: Job<G>, judged: Vec<Assessment<G::Move>>) -> GameReview<G> {
        let Job { number, game } = job;
        let asked = asked(&game, self.player.as_ref());
        let mut moves = Vec::with_capacity(game.moves.len());
        let mut now = game.start.clone();
        for (ply, (&m, pair)) in game.moves.iter().zip(judged.windows(2)).enumerate() {
            let [expected, after] = pair else { continue };
            let side = now.side();
            let phase = Phase::of(&now, ply, game.moves.len());
            let mut judged = JudgedMove {
                m,
                side,
                phase,
                before: if expected.is_over { after.score(side) } else { expected.score(side) },
                after: after.score(side),
                class: None,
                better: Vec::new(),
                reply: after.line.iter().copied().take(LINE).collect(),
                missed: Vec::new(),
                allowed: Vec::new(),
            };
            if !expected.is_over && expected.line.first() != Some(&m) {
                judged.better = expected.line.iter().copied().take(LINE).collect();
                judged.class = Class::of(judged.before, judged.after).filter(|_| asked[side as usize]);
            }
            let before = now.clone();
            now.play(m);
            if judged.class.is_some() {
                judged.missed = chess::tactics_of_line(&before, &judged.better);
                judged.allowed = chess::tactics_of_line(&now, &judged.reply);
            }
            moves.push(judged);
        }
        let side = |side: Side| {
            let of_side = || moves.iter().filter(move |judged| judged.side == side);
            SideReview {
                name: player_name(&game, side).to_owned(),
                is_asked: asked[side as usize],
                all: Count::of(of_side()),
                phases: Phase::ALL.map(|phase| Count::of(of_side().filter(|judged| judged.phase == phase))),
            }
        };
        let sides = [side(Side::First), side(Side::Second)];
        let turning_point = turning_point(&game, &moves);
        GameReview { number, game, moves, sides, turning_point }
    }
}

impl<G: FullGame> GameReview<G> {
    /// A move with its number, as in `12...Nf6`.
    pub fn move_name(&self, ply: usize) -> String {
        let mut now = self.game.start.clone();
        let mut numbers = MoveNumbers::of(&now);
        for &m in self.game.moves.iter().take(ply) {
            numbers.next(now.side());
            now.play(m);
        }
        match self.game.moves.get(ply) {
            Some(&m) => format!(
                "{}{}{}",
                numbers.next(now.side()),
                if now.side() == Side::First { " " } else { "" },
                now.move_name(m)
            ),
            None => String::new(),
        }
    }

    /// The position before each move, and after the last.
    pub fn positions(&self) -> Vec<G> {
        let mut positions = vec![self.game.start.clone()];
        for &m in &self.game.moves {
            if let Some(mut next) = positions.last().cloned() {
                next.play(m);
                positions.push(next);
            }
        }
        positions
    }

    /// What the game is called: players, result, event and date, as far as they are known.
    pub fn title(&self) -> String {
        let known = |name: &str| {
            self.game.tag(name).map(str::trim).filter(|value| !value.is_empty() && !value.starts_with('?'))
        };
        let more = [known("Event"), known("Date")].into_iter().flatten().collect::<Vec<_>>().join(", ");
        let [first, second] = &self.sides;
        let title = format!("{} – {}, {}", first.name, second.name, self.game.result_text());
        if more.is_empty() { title } else { format!("{title} ({more})") }
    }
}

/// The moves of a line as people write them, with numbers.
pub fn line_text<G: Notation>(from: &G, mut numbers: MoveNumbers, line: &[G::Move]) -> String {
    let mut now = from.clone();
    let mut text = Vec::new();
    for (index, &m) in line.iter().enumerate() {
        let number = numbers.next(now.side());
        if index == 0 || number.begins {
            text.push(number.to_string());
        }
        text.push(now.move_name(m));
        now.play(m);
    }
    text.join(" ")
}

/// Which sides of a game were played by somebody who was asked for.
pub(crate) fn asked<G: Notation>(game: &PgnGame<G>, player: Option<&PlayerName>) -> [bool; 2] {
    [Side::First, Side::Second].map(|side| player.is_none_or(|player| player.matches(player_name(game, side))))
}

/// Who plays a side. PGN calls the first side White in every game.
pub(crate) fn player_name<G: Notation>(game: &PgnGame<G>, side: Side) -> &str {
    let tag = if side == Side::First { "White" } else { "Black" };
    match game.tag(tag).map(str::trim) {
        None | Some("" | "?") => G::SIDES[side as usize],
        Some(name) => name,
    }
}

/// What every position of a game is worth, the last one included.
fn judge_game<G: FullGame>(
    judge: &mut dyn Player<G>,
    game: &PgnGame<G>,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Assessment<G::Move>>, PlayerError> {
    let mut played = Played::new(game.start.clone());
    let mut judged = vec![assess(judge, &played, stop)?];
    for &m in &game.moves {
        played.play(m);
        judged.push(assess(judge, &played, stop)?);
    }
    Ok(judged)
}

/// The move after which the winner stayed ahead to the end. In a draw, the worst move that let a win slip.
fn turning_point<G: Notation>(game: &PgnGame<G>, moves: &[JudgedMove<G::Move>]) -> Option<usize> {
    let points = |judged: &JudgedMove<G::Move>| judged.first_after().points();
    let decided = match game.result.map(|result| result.0) {
        Some(Score::WIN) => moves.iter().rposition(|judged| points(judged) < AHEAD).map_or(0, |ply| ply + 1),
        Some(Score::LOSS) => moves.iter().rposition(|judged| points(judged) > 1.0 - AHEAD).map_or(0, |ply| ply + 1),
        _ => {
            let slips =
                moves.iter().enumerate().filter(|(_, judged)| judged.before.points() >= AHEAD && judged.lost() > 0.1);
            return slips.max_by(|(_, a), (_, b)| a.lost().total_cmp(&b.lost())).map(|(ply, _)| ply);
        }
    };
    // Resigned without being behind, or lost on time.
    (decided < moves.len()).then_some(decided)
}
