//! Games that end before the rules end them.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use alfil_game::chess::{Chess, Rules};
use alfil_game::connect4::Connect4;
use alfil_game::{Estimates, FullGame, Game, Knowledge, Mover, Outcome, References, Score, Side, Tablebase};
use alfil_search::evaluators::{Handcrafted, Uniform};
use alfil_search::{Adjudication, Adjudicator, Evaluator};
use alfil_selfplay::{End, GameRecord, Lane, LaneContext, SearchSettings, SelfplaySettings, Starts, Tickets};

fn settings(adjudication: Adjudication) -> SelfplaySettings {
    let search = SearchSettings { visits: 4, considered: 4, ..SearchSettings::default() };
    SelfplaySettings { at_once: 8, search, adjudication, ..SelfplaySettings::default() }
}

fn context<G: FullGame>(settings: SelfplaySettings, rules: G::Rules, games: u64, seed: u64) -> LaneContext<G> {
    LaneContext::open(settings, rules, Arc::new(Tickets::new(games)), seed).unwrap()
}

fn play<G: FullGame>(context: LaneContext<G>, evaluator: Box<dyn Evaluator<G>>) -> Vec<GameRecord> {
    let mut lane = Lane::new(context, evaluator);
    let mut records = Vec::new();
    while lane.is_busy() {
        lane.step(&mut |record| records.push(record)).unwrap();
    }
    let adjudicated = records.iter().filter(|record| record.end == End::Adjudicated).count();
    assert_eq!(lane.counts().adjudicated as usize, adjudicated);
    records
}

/// The last position of a game.
fn last<G: FullGame>(record: &GameRecord) -> G {
    let mut game: G = record.begin(&Default::default()).unwrap();
    for ply in &record.plies {
        game.play(ply.code.try_into().ok().unwrap());
    }
    game
}

#[test]
fn an_oracle_ends_games_as_soon_as_it_is_quick() {
    let settings = settings(Adjudication { oracle: true, ..Adjudication::default() });
    let records = play::<Connect4>(context(settings, (), 30, 1), Box::new(Uniform::default()));
    let mut oracle = Connect4::oracle().unwrap();
    let quick = oracle.quick_from();
    let mut judged = 0;
    for record in records.iter().filter(|record| record.end == End::Adjudicated) {
        let game: Connect4 = last(record);
        assert_eq!(game.ply(), quick);
        assert_eq!(oracle.judge(&game).score.to_first(game.side()), record.score());
        judged += 1;
    }
    assert!(judged > 5, "{judged}");
    assert!(records.iter().all(|record| record.plies.len() as u32 <= quick));
}

#[test]
fn a_lasting_lead_in_material_wins() {
    let settings = settings(Adjudication { material: 400, plies: 6, ..Adjudication::default() });
    let records = play::<Chess>(context(settings, Default::default(), 16, 1), Box::new(Uniform::default()));
    let mut judged = 0;
    for record in records.iter().filter(|record| record.end == End::Adjudicated) {
        // The first player's lead after each move.
        let mut leads = Vec::new();
        let mut game: Chess = record.begin(&Default::default()).unwrap();
        for ply in &record.plies {
            game.play(ply.code.into());
            let ahead = game.evaluate(Knowledge::Material);
            leads.push(if game.side() == Side::First { ahead } else { -ahead });
        }
        let won = |lead: &i32| if record.score().0 == Score::WIN { *lead > 400 } else { *lead < -400 };
        assert!(leads.iter().rev().take(6).all(won), "{leads:?}");
        assert!(leads.len() == 6 || !leads.iter().rev().take(7).all(won), "{leads:?}");
        judged += 1;
    }
    assert!(judged > 8, "{judged}");
}

#[test]
fn a_lead_at_the_ply_cap_wins() {
    // Small searches without knowledge seldom mate or repeat positions before such a cap.
    let rules = Rules { ply_cap: 60, ..Rules::default() };
    let settings = settings(Adjudication { material: 100, plies: u32::MAX, ..Adjudication::default() });
    let records = play::<Chess>(context(settings, rules, 24, 2), Box::new(Uniform::default()));
    let capped = |record: &&GameRecord| record.plies.len() == 60;
    for record in records.iter().filter(capped) {
        let game: Chess = last(record);
        let ahead = game.evaluate(Knowledge::Material);
        let expected = if ahead.abs() > 100 { End::Adjudicated } else { End::Rules };
        assert_eq!(record.end, expected);
    }
    assert!(records.iter().filter(capped).any(|record| record.end == End::Adjudicated));
    assert!(records.iter().filter(|record| !capped(record)).all(|record| record.end == End::Rules));
}

/// Tables that say that every ending without queens is won by Black.
struct NoQueens;

impl Tablebase<Chess> for NoQueens {
    fn files(&self) -> usize {
        1
    }

    fn outcome(&self, game: &Chess) -> Option<Outcome> {
        let position = game.position();
        let has_queen = position.split(' ').next().unwrap().contains(['q', 'Q']);
        (!has_queen).then(|| Outcome::win(Side::Second, "no queens"))
    }

    fn best_move(&self, _: &Chess) -> Option<(<Chess as Game>::Move, Mover<Score>)> {
        None
    }
}

#[test]
fn tables_are_asked_after_every_move() {
    let starts = Starts { endings_share: 1.0, ..Starts::default() };
    let settings = SelfplaySettings { starts, ..settings(Adjudication::default()) };
    let adjudicator = Adjudicator::with_tables(Arc::new(NoQueens));
    let context = LaneContext { adjudicator, ..context(settings, Default::default(), 40, 1) };
    let records = play::<Chess>(context, Box::new(Handcrafted::new(Knowledge::Full)));
    let adjudicated: Vec<&GameRecord> = records.iter().filter(|record| record.end == End::Adjudicated).collect();
    assert!(adjudicated.len() > 10 && adjudicated.iter().all(|record| record.score().0 == Score::LOSS));
}
