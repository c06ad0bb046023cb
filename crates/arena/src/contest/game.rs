//! One game.

use std::time::Instant;

use alfil_game::{First, FullGame, Score, Side};
use alfil_search::{Adjudicator, EvaluatorError, Lead};

use crate::player::{Choice, Played, Player, PlayerError};
use alfil_core::wording::shorten;

/// How a game went.
pub(super) struct Finished<G: FullGame> {
    pub played: Played<G>,
    /// What was thought, and how long, for each move after the opening.
    pub notes: Vec<String>,
    pub score: First<Score>,
    /// By what rule it ended, or what a player did.
    pub end: String,
    /// Who lost it without the rules having a say.
    pub fault: Option<(Side, PlayerError)>,
}

/// The players of a game by side, with their seeds.
pub(super) struct Sides<'a, G: FullGame> {
    pub players: [&'a mut dyn Player<G>; 2],
    pub seeds: [u64; 2],
}

/// Plays a game to its end, by the rules or by adjudication. None if it was stopped. If an evaluator fails, neither player
/// loses: the game does not count.
pub(super) fn play_game<G: FullGame>(
    opening: &Played<G>,
    sides: Sides<'_, G>,
    adjudicator: &mut Adjudicator<G>,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Finished<G>>, EvaluatorError> {
    let Sides { players: [first, second], seeds } = sides;
    let mut played = opening.clone();
    let mut notes = Vec::new();
    let lost = |side: Side, error: PlayerError, played, notes| {
        match error {
            PlayerError::Evaluator(failed) => return Err(failed),
            PlayerError::Stopped => return Ok(None),
            _ => {}
        }
        let score = First(if side == Side::First { Score::LOSS } else { Score::WIN });
        Ok(Some(Finished {
            played,
            notes,
            score,
            end: format!("the {side} player lost: {error}"),
            fault: Some((side, error)),
        }))
    };
    if let Err(error) = first.new_game(seeds[0]) {
        return lost(Side::First, error, played, notes);
    }
    if let Err(error) = second.new_game(seeds[1]) {
        return lost(Side::Second, error, played, notes);
    }
    let (mut moves, mut lead) = (Vec::new(), Lead::default());
    loop {
        let mut adjudicated = || adjudicator.outcome(played.now(), &mut lead);
        if let Some(outcome) = played.now().legal_moves(&mut moves).or_else(&mut adjudicated) {
            let end = outcome.reason.to_owned();
            return Ok(Some(Finished { played, notes, score: outcome.score, end, fault: None }));
        }
        if stop() {
            return Ok(None);
        }
        let side = played.now().side();
        let player = if side == Side::First { &mut *first } else { &mut *second };
        let began = Instant::now();
        let choice = player.choose(&played, stop).and_then(|choice| {
            let illegal = || PlayerError::Illegal(shorten(&format!("{:?}", choice.m)));
            if moves.contains(&choice.m) { Ok(choice) } else { Err(illegal()) }
        });
        let seconds = began.elapsed().as_secs_f64();
        match choice {
            Ok(Choice { m, opinion }) => {
                let opinion = opinion.map_or(String::new(), |opinion| format!("{opinion} "));
                notes.push(format!("{opinion}{seconds:.2}s"));
                played.play(m);
            }
            Err(error) => return lost(side, error, played, notes),
        }
    }
}
