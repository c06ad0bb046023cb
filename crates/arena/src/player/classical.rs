//! The classical engine as a player.

use std::time::{Duration, Instant};

use alfil_game::{Estimates, Knowledge};
use alfil_search::EvaluatorError;
use alfil_search::classical::{AlphaBetaSettings, ClassicalEngine, ClassicalLimits};
use alfil_search::parallel::{Line, SearchReport, StopReason};

use super::{Choice, Label, LabelSettings, MoveScore, Opinion, Played, Player, PlayerError};

/// How the classical engine plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassicalSettings {
    /// Plies.
    pub depth: Option<u32>,
    /// Positions looked at for a move.
    pub nodes: Option<u64>,
    /// Time for a move.
    pub movetime: Option<Duration>,
    /// Threads that share a table. With more than one, games are no longer repeatable.
    pub threads: u32,
    /// What the evaluation takes into account.
    pub knowledge: Knowledge,
    /// The techniques of the search, and the size of its table.
    pub search: AlphaBetaSettings,
}

/// Alpha-beta with its enhancements and the game's handcrafted evaluation, to a limit of depth, nodes or time.
pub struct ClassicalPlayer<G: Estimates> {
    settings: ClassicalSettings,
    engine: ClassicalEngine<G>,
}

impl<G: Estimates> ClassicalPlayer<G> {
    /// A player; fails if there is not enough memory for its table.
    pub fn new(settings: ClassicalSettings) -> Result<ClassicalPlayer<G>, EvaluatorError> {
        let ClassicalSettings { threads, knowledge, search, .. } = settings;
        let engine = ClassicalEngine::new(search, knowledge, threads)
            .ok_or_else(|| EvaluatorError::on("alphabeta", std::io::Error::from(std::io::ErrorKind::OutOfMemory)))?;
        Ok(ClassicalPlayer { settings, engine })
    }

    fn search(&mut self, game: &Played<G>, lines: usize, stop: &dyn Fn() -> bool) -> Result<SearchReport, PlayerError> {
        let ClassicalSettings { depth, nodes, movetime, .. } = self.settings;
        let deadline = movetime.and_then(|time| Instant::now().checked_add(time));
        let limits = ClassicalLimits { depth, nodes, deadline, lines, ..ClassicalLimits::default() };
        let report = self.engine.think(game.now(), &limits, stop, &mut |_| {})?;
        if report.ended == Some(StopReason::Stopped) { Err(PlayerError::Stopped) } else { Ok(report) }
    }
}

/// What a line is worth.
fn score(line: &Line) -> MoveScore {
    match (line.proof, line.estimate) {
        (Some(proof), _) if proof.is_win() => MoveScore::Win(proof.plies.into()),
        (Some(proof), _) if proof.is_loss() => MoveScore::Loss(proof.plies.into()),
        (_, Some(estimate)) => MoveScore::Hundredths(estimate),
        _ => MoveScore::from_value(line.value()),
    }
}

fn first_move<G: Estimates>(line: &Line) -> Result<G::Move, PlayerError> {
    let code = *line.codes.first().ok_or(PlayerError::NoMove)?;
    G::Move::try_from(code).map_err(|_| PlayerError::Illegal(code.to_string()))
}

impl<G: Estimates> Player<G> for ClassicalPlayer<G> {
    fn new_game(&mut self, _: u64) -> Result<(), PlayerError> {
        // Games must not depend on their order.
        self.engine.clear();
        Ok(())
    }

    fn choose(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        let report = self.search(game, 1, stop)?;
        let line = report.lines.first().ok_or(PlayerError::NoMove)?;
        let moves = line.codes.iter().map_while(|code| G::Move::try_from(*code).ok());
        let score = score(line).in_turns(game.now(), moves);
        Ok(Choice { m: first_move::<G>(line)?, opinion: Some(Opinion { score, depth: report.depth }) })
    }

    /// For a policy of several moves, the engine finds several lines.
    fn label(
        &mut self,
        game: &Played<G>,
        settings: &LabelSettings,
        stop: &dyn Fn() -> bool,
    ) -> Result<Label<G::Move>, PlayerError> {
        if settings.lines == 1 {
            return self.choose(game, stop)?.into_label();
        }
        let report = self.search(game, settings.lines, stop)?;
        let judged = report.lines.iter().map(|line| Ok((first_move::<G>(line)?, score(line))));
        let judged = judged.collect::<Result<Vec<_>, PlayerError>>()?;
        let (_, best) = judged.first().ok_or(PlayerError::NoMove)?;
        Label::soft(best.wdl(), judged.clone(), settings)
    }
}
