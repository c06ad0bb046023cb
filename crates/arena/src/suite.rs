//! Suites of positions with the moves that should be found in them (`bm`) or avoided (`am`), and how players do.
//!
//! A file has a position per line, as EPD writes it: the position, then operations that end with semicolons. The same for every
//! game, in its own notation. Positions without such moves are not marked: they show what players think of them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use alfil_core::wording::shorten;
use alfil_game::{FullGame, Language};
use alfil_search::{EvaluatorError, catch_panic};

use crate::player::{Entrant, MoveScore, Played, PlayerError};

/// Larger files are no suites.
const LARGEST: u64 = 16 << 20;

/// Operations that tell where the position ends.
const OPERATIONS: [&str; 8] = ["bm", "am", "id", "ce", "dm", "acd", "c0", "pv"];

/// A position to be solved.
#[derive(Clone, Debug)]
pub struct Problem<G: FullGame> {
    /// What it is called: its `id`, or the number of its line.
    pub name: String,
    /// The position.
    pub game: G,
    /// Moves one of which should be found; if there are none, any will do that is not to be avoided.
    pub best: Vec<G::Move>,
    /// Moves that should not be played.
    pub avoid: Vec<G::Move>,
}

/// Why a file is no suite.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// It could not be read.
    #[error("cannot read the suite {path}: {why}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        why: std::io::Error,
    },
    /// A line is wrong.
    #[error("{suite}, line {number}: {reason}")]
    Line {
        /// The suite.
        suite: String,
        /// Which line.
        number: usize,
        /// What is wrong.
        reason: String,
    },
    /// There are no positions.
    #[error("there are no positions in {0}")]
    Empty(String),
}

/// What a player made of a problem.
#[derive(Clone, Debug)]
pub struct Answer<M> {
    /// The move that it chose.
    pub m: M,
    /// What it expects, if it says so, for the side to move.
    pub score: Option<MoveScore>,
    /// Time that it took.
    pub time: Duration,
    /// Whether it is right; none if the problem does not say.
    pub is_right: Option<bool>,
}

impl<G: FullGame> Problem<G> {
    /// Whether a move solves it; none if the problem does not say which do.
    pub fn mark(&self, m: G::Move) -> Option<bool> {
        if self.best.is_empty() && self.avoid.is_empty() {
            return None;
        }
        Some((self.best.is_empty() || self.best.contains(&m)) && !self.avoid.contains(&m))
    }
}

/// Reads a suite from a file.
pub fn read<G: FullGame>(path: &Path, rules: &G::Rules) -> Result<Vec<Problem<G>>, SuiteError> {
    let unreadable = |why| SuiteError::Io { path: path.to_owned(), why };
    let bytes = alfil_core::disk::read(path, LARGEST).map_err(unreadable)?;
    read_text(&String::from_utf8_lossy(&bytes), &path.display().to_string(), rules)
}

/// Reads a suite from text; `suite` is its name. Empty lines, and those that begin with #, are left out.
pub fn read_text<G: FullGame>(text: &str, suite: &str, rules: &G::Rules) -> Result<Vec<Problem<G>>, SuiteError> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
    let lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    let wrong = |number, reason| SuiteError::Line { suite: suite.to_owned(), number, reason };
    let problems = lines.map(|(line, number)| read_line(line, number, rules).map_err(|reason| wrong(number, reason)));
    let problems = problems.collect::<Result<Vec<_>, _>>()?;
    if problems.is_empty() { Err(SuiteError::Empty(suite.to_owned())) } else { Ok(problems) }
}

fn read_line<G: FullGame>(line: &str, number: usize, rules: &G::Rules) -> Result<Problem<G>, String> {
    let words = line.split_whitespace().map(|word| (word, word.as_ptr() as usize - line.as_ptr() as usize));
    let end = words.skip(1).find(|(word, _)| OPERATIONS.contains(word)).map_or(line.len(), |(_, at)| at);
    let (position, operations) = line.split_at(end);
    let position = position.trim().trim_end_matches(';').trim_end();
    let game = G::from_loose_position(position, rules).map_err(|error| error.to_string())?;
    if let Some(outcome) = game.outcome() {
        return Err(format!("the game is over ({})", outcome.reason));
    }
    let mut problem = Problem { name: number.to_string(), game, best: Vec::new(), avoid: Vec::new() };
    for operation in operations.split(';').map(str::trim).filter(|operation| !operation.is_empty()) {
        let (name, rest) = operation.split_once(char::is_whitespace).unwrap_or((operation, ""));
        match name {
            "bm" => problem.best = moves(&problem.game, rest)?,
            "am" => problem.avoid = moves(&problem.game, rest)?,
            "id" => problem.name = shorten(rest.trim().trim_matches('"')),
            // Others say nothing about moves to be found.
            _ => {}
        }
    }
    Ok(problem)
}

/// Moves of one position.
fn moves<G: FullGame>(game: &G, text: &str) -> Result<Vec<G::Move>, String> {
    let language = Language::of(text);
    let moves = text.split([' ', ',']).filter(|word| !word.is_empty()).map(|word| game.parse_typed(word, language));
    let moves = moves.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    if moves.is_empty() { Err("there is no move after bm or am".to_owned()) } else { Ok(moves) }
}

/// Has a player solve every problem, one after the other, each as a game of its own. `tell` gets every answer. Returns what was
/// answered before `stop`.
pub fn solve<G: FullGame>(
    problems: &[Problem<G>],
    player: &Entrant<G>,
    tell: &mut dyn FnMut(&Answer<G::Move>),
    stop: &AtomicBool,
) -> Result<Vec<Answer<G::Move>>, PlayerError> {
    let mut player = player.player()?;
    let mut answers = Vec::new();
    for problem in problems {
        if stop.load(Relaxed) {
            break;
        }
        let begun = Instant::now();
        let choice = catch_panic("the player", || {
            player.new_game(1)?;
            player.choose(&Played::new(problem.game.clone()), &|| stop.load(Relaxed))
        });
        let choice = match choice.map_err(|error: EvaluatorError| PlayerError::from(error)).flatten() {
            Err(PlayerError::Stopped) => break,
            choice => choice?,
        };
        let is_right = problem.mark(choice.m);
        let score = choice.opinion.map(|opinion| opinion.score);
        let answer = Answer { m: choice.m, score, time: begun.elapsed(), is_right };
        tell(&answer);
        answers.push(answer);
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use alfil_game::chess::Chess;
    use alfil_game::connect4::Connect4;

    use super::*;
    use crate::player::PlayerLine;

    const CHESS: &str = "# a comment\n\
        6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id \"back rank\";\n\
        \n\
        8/6kp/6p1/8/1p6/pp6/5PPP/1R4K1 w - - 0 1 am Txb3; c0 \"horizon\"; id \"horizon\"\n\
        4k3/8/8/8/8/8/4P3/4K3 w - -\n";

    fn problems() -> Vec<Problem<Chess>> {
        read_text(CHESS, "it", &Default::default()).unwrap()
    }

    fn solved(line: &str) -> Vec<Option<bool>> {
        let player: PlayerLine = line.parse().unwrap();
        let stop = AtomicBool::new(false);
        let mut told = 0;
        let answers = solve(&problems(), &player.entrant().unwrap(), &mut |_| told += 1, &stop).unwrap();
        assert_eq!(told, answers.len());
        answers.into_iter().map(|answer| answer.is_right).collect()
    }

    #[test]
    fn moves_are_to_be_found_or_avoided() {
        let problems = problems();
        assert_eq!(
            problems.iter().map(|problem| problem.name.as_str()).collect::<Vec<_>>(),
            ["back rank", "horizon", "5"]
        );
        assert_eq!((problems[0].best.len(), problems[1].avoid.len()), (1, 1));
        // By material alone, the pawn looks free as long as its neighbour's promotion is beyond the horizon.
        assert_eq!(solved("alphabeta:depth=3,eval=material,quiescence=off"), [Some(true), Some(false), None]);
        assert_eq!(solved("alphabeta:depth=8"), [Some(true), Some(true), None]);
    }

    #[test]
    fn nothing_is_answered_after_a_stop() {
        let player: PlayerLine = "random".parse().unwrap();
        let answers = solve(&problems(), &player.entrant().unwrap(), &mut |_| {}, &AtomicBool::new(true)).unwrap();
        assert!(answers.is_empty());
    }

    #[test]
    fn other_games_have_suites() {
        let text = "7/7/7/3o3/3o3/x2o1xx x bm 4; id \"block\"";
        let suite = read_text::<Connect4>(text, "it", &Default::default());
        assert!(suite.is_ok_and(|suite| suite[0].best.len() == 1));
    }

    #[test]
    fn mistakes_are_named() {
        let complaint = |text: &str| read_text::<Chess>(text, "it", &Default::default()).unwrap_err().to_string();
        assert_eq!(complaint("# nothing"), "there are no positions in it");
        assert!(
            complaint("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Rh8").starts_with("it, line 1: 'Rh8' is not a legal move")
        );
        assert!(complaint("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm ;").contains("no move after bm"));
        assert!(complaint("\nx y").starts_with("it, line 2: "));
        assert!(complaint("R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - bm Kf8").contains("the game is over (checkmate)"));
    }
}
