//! Players that search a tree.

use std::sync::Arc;
use std::time::{Duration, Instant};

use alfil_game::Game;
use alfil_search::parallel::{Control, Limits, ParallelSettings, Search, SearchReport, StopReason};
use alfil_search::root::{pick, visit_policy};
use alfil_search::tree::{Child, Proof, Tree, USUAL_MOVES};
use alfil_search::{Backend, EvaluatorError, PlaySettings};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Choice, Judged, Label, LabelSettings, MoveScore, Opinion, Played, Player, PlayerError};

/// How a tree is searched in play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeSettings {
    /// Visits of the position, including those kept from the last move.
    pub visits: Option<u32>,
    /// Time for a move.
    pub movetime: Option<Duration>,
    /// Threads on the tree. With more than one, games are no longer repeatable.
    pub threads: u32,
    /// 0 plays the best move; 1 plays moves as often as they were visited; in between, the better ones more often.
    pub temperature: f64,
    /// How the evaluator is played.
    pub play: PlaySettings,
}

impl Default for TreeSettings {
    /// For networks, with 800 visits: what AlphaZero used in self-play.
    fn default() -> TreeSettings {
        TreeSettings { visits: Some(800), movetime: None, threads: 1, temperature: 0.0, play: PlaySettings::default() }
    }
}

impl TreeSettings {
    /// Whether a search follows from the position and a seed: without a clock, in one thread.
    pub(super) fn is_repeatable(&self) -> bool {
        self.movetime.is_none() && self.threads == 1
    }

    /// Room for the visits with those kept from the last move: a visit in chess takes about 250 bytes.
    fn tree_bytes(&self) -> usize {
        const LEAST: usize = 4 << 20;
        const MOST: usize = 256 << 20;
        match self.visits {
            Some(visits) => (visits as usize).saturating_mul(1024).clamp(LEAST, MOST),
            None => MOST,
        }
    }
}

/// Searches a tree with any evaluator.
pub struct TreePlayer<G: Game> {
    backend: Arc<dyn Backend<G>>,
    settings: TreeSettings,
    random: Xoshiro256PlusPlus,
    search: Search<G>,
}

impl<G: Game> TreePlayer<G> {
    /// A player whose threads have one evaluator each.
    pub fn new(backend: Arc<dyn Backend<G>>, settings: TreeSettings) -> Result<TreePlayer<G>, EvaluatorError> {
        let backend = settings.play.backend(backend);
        let search = make_search(Tree::new(settings.tree_bytes(), USUAL_MOVES), &*backend, &settings, 0)?;
        Ok(TreePlayer { random: Xoshiro256PlusPlus::seed_from_u64(0), backend, settings, search })
    }

    fn search(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<SearchReport, PlayerError> {
        let control = Control::default();
        control.set_deadline(self.settings.movetime.and_then(|time| Instant::now().checked_add(time)));
        self.search.go_to(game.start(), game.moves());
        let settings = ParallelSettings { rule: self.settings.play.rule, ..ParallelSettings::default() };
        let limits = Limits { visits: self.settings.visits, ..Limits::default() };
        let mut heed = |_: &SearchReport| {
            if stop() {
                control.stop();
            }
        };
        let report = self.search.run(&settings, &limits, &control, &mut heed)?;
        if report.ended == Some(StopReason::Stopped) {
            return Err(PlayerError::Stopped);
        }
        Ok(report)
    }
}

impl<G: Game> TreePlayer<G> {
    /// What a move of the last search is worth, and what follows it.
    fn expect(&self, game: &Played<G>, chosen: &Child) -> Result<Judged<G::Move>, PlayerError> {
        let score = match chosen.proof {
            Some(proof) if proof.is_win() => MoveScore::Win(proof.plies.into()),
            Some(proof) if proof.is_loss() => MoveScore::Loss(proof.plies.into()),
            _ => MoveScore::from_value(chosen.value().unwrap_or(0.0)),
        };
        let codes = self.search.tree().root().map_or(Vec::new(), |root| root.line(chosen.edge));
        let line = codes.into_iter().map(read_move::<G>).collect::<Result<Vec<_>, _>>()?;
        Ok(Judged { score: score.in_turns(game.now(), line.iter().copied()), line })
    }
}

fn read_move<G: Game>(code: u16) -> Result<G::Move, PlayerError> {
    G::Move::try_from(code).map_err(|_| PlayerError::Illegal(code.to_string()))
}

fn make_search<G: Game>(
    mut tree: Tree,
    backend: &dyn Backend<G>,
    settings: &TreeSettings,
    seed: u64,
) -> Result<Search<G>, EvaluatorError> {
    tree.clear();
    let evaluator = |thread: u64| backend.evaluator(seed.wrapping_add(thread));
    let evaluators = (0..u64::from(settings.threads.max(1))).map(evaluator).collect::<Result<_, _>>()?;
    Ok(Search::new(tree, evaluators, G::new(&G::Rules::default())))
}

impl<G: Game> Player<G> for TreePlayer<G> {
    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        // Evaluators with random numbers are made again as well; the tree's memory is reused.
        let empty = Search::new(Tree::new(0, 1), Vec::new(), G::new(&G::Rules::default()));
        let tree = std::mem::replace(&mut self.search, empty).into_tree();
        self.search = make_search(tree, &*self.backend, &self.settings, seed)?;
        Ok(())
    }

    fn choose(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        let report = self.search(game, stop)?;
        let ranked = self.search.tree().root().map_or(Vec::new(), |root| root.ranked());
        let chosen = pick(&ranked, self.settings.temperature, &mut self.random).ok_or(PlayerError::NoMove)?;
        let Judged { score, line } = self.expect(game, chosen)?;
        let m = line.first().copied().ok_or(PlayerError::NoMove)?;
        Ok(Choice { m, opinion: Some(Opinion { score, depth: report.depth }) })
    }

    /// The best move, whatever the temperature.
    fn judge(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Judged<G::Move>, PlayerError> {
        self.search(game, stop)?;
        let best = self.search.tree().root().and_then(|root| root.best()).ok_or(PlayerError::NoMove)?;
        self.expect(game, &best)
    }

    /// As in self-play: what the best move is worth, and each move's share of the visits.
    fn label(
        &mut self,
        game: &Played<G>,
        _: &LabelSettings,
        stop: &dyn Fn() -> bool,
    ) -> Result<Label<G::Move>, PlayerError> {
        self.search(game, stop)?;
        let root = self.search.tree().root().ok_or(PlayerError::NoMove)?;
        let best = root.best().ok_or(PlayerError::NoMove)?;
        let wdl = best.proof.map(Proof::wdl).or(best.wdl).or(root.wdl()).ok_or(PlayerError::NoScore)?;
        let shares = root.children().into_iter().zip(visit_policy(&root, None)).filter(|(_, share)| *share > 0.0);
        let policy = shares.map(|(child, share)| Ok((read_move::<G>(child.code)?, share)));
        Ok(Label { wdl, policy: policy.collect::<Result<_, PlayerError>>()? })
    }
}
