//! One game of a lane.

use alfil_core::seed::mix;
use alfil_game::{First, FullGame, Mover, Outcome, Score, Side};
use alfil_search::Lead;
use alfil_search::root::{GumbelRoot, add_noise, forced_edge, improved_policy, pick, pick_by, visit_policy};
use alfil_search::selection::{Puct, gumbel_noise};
use alfil_search::tree::{Child, Gathered, Leaf, Scratch, Tree, USUAL_MOVES, View, gather};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::starts::Start;
use crate::surprise::{deal_copies, divergence};
use crate::{End, GameRecord, LaneContext, Ply, SearchKind, SearchSettings, SelfplaySettings, Ticket};

/// Walks to what is known already cost no evaluation; after so many the other games have their turn.
const KNOWN_AT_ONCE: u32 = 64;

/// A game under way, with the tree that its next move is searched in.
pub(crate) struct GameInProgress<G: FullGame> {
    number: u64,
    /// The source of all chance in the game: nothing beside it may change how it goes.
    random: Xoshiro256PlusPlus,
    /// Where the game began, as its record will say.
    start: String,
    game: G,
    tree: Tree,
    pub scratch: Scratch<G>,
    plies: Vec<Ply>,
    /// For each ply how far its policy is from the priors, where that is asked for.
    surprises: Vec<f32>,
    search: Option<MoveSearch>,
    /// For each side at how many of its moves in a row it expected to lose.
    hopeless: [u32; 2],
    lead: Lead,
    play_through: bool,
    /// Who would have given up, in a game that is played through.
    would_resign: Option<Side>,
    /// Where it is shown, if it is.
    place: Option<usize>,
    /// Moves of all games.
    pub moves: u64,
    pub activity: Activity,
}

/// What it is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    /// A game is under way.
    Playing,
    /// The next game may not begin yet.
    Waiting,
    /// There is no next game.
    Over,
}

/// The search for one move.
struct MoveSearch {
    /// Walks that have come to an end or wait for an answer, and the most there may be.
    walks: u32,
    budget: u32,
    cheap: bool,
    /// The priors of the moves by their codes, before noise was added, where surprise is asked for.
    priors: Vec<(u16, f32)>,
    gumbel: Option<GumbelRoot>,
}

impl MoveSearch {
    /// How far the policy to learn is from what the evaluator held of the moves. 0 where there is none to learn.
    fn surprise(&self, policy: &[(u16, f32)]) -> f32 {
        // Noise has changed the order of the moves.
        let prior = |code: u16| self.priors.iter().find(|(known, _)| *known == code).map_or(0.0, |(_, prior)| *prior);
        divergence(policy.iter().map(|(code, share)| (*share, prior(*code))))
    }
}

/// A game that has ended.
pub(crate) struct FinishedGame {
    pub record: GameRecord,
    /// Whether a side that would have given up did not lose, where one would have.
    pub false_resignation: Option<bool>,
}

impl<G: FullGame> GameInProgress<G> {
    pub fn new(context: &LaneContext<G>) -> GameInProgress<G> {
        let game = G::new(&context.rules);
        let mut game = GameInProgress {
            number: 0,
            random: generator(context.seed, 0),
            start: String::new(),
            tree: Tree::new(context.settings.search.tree_bytes(), USUAL_MOVES),
            scratch: Scratch::new(&game),
            game,
            plies: Vec::new(),
            surprises: Vec::new(),
            search: None,
            hopeless: [0; 2],
            lead: Lead::default(),
            play_through: false,
            would_resign: None,
            place: None,
            moves: 0,
            activity: Activity::Waiting,
        };
        game.begin(context);
        game
    }

    /// Begins another game, if there is one to be played now.
    fn begin(&mut self, context: &LaneContext<G>) {
        let LaneContext { settings, listed, rules, tickets, seed, gallery, .. } = context;
        let number = match tickets.take() {
            Ticket::Game(number) => number,
            Ticket::Later => return self.activity = Activity::Waiting,
            Ticket::Over => return self.activity = Activity::Over,
        };
        let mut random = generator(*seed, number);
        let Start { text, game } = settings.starts.begin(listed, rules, &mut random);
        self.begin_at(game, number, random);
        self.start = text;
        self.place = gallery.as_ref().and_then(|gallery| gallery.begin(number, &self.game));
        self.play_through = settings.resign.is_on() && self.random.random::<f32>() < settings.resign.play_through;
    }

    /// Drops what is under way, and begins at this position, whatever the tickets say.
    pub fn begin_at(&mut self, game: G, number: u64, random: Xoshiro256PlusPlus) {
        (self.game, self.number, self.random) = (game, number, random);
        self.activity = Activity::Playing;
        self.start.clear();
        self.tree.clear();
        (self.search, self.hopeless, self.lead, self.would_resign) = (None, [0; 2], Lead::default(), None);
        self.plies.clear();
        self.surprises.clear();
        self.play_through = false;
        self.place = None;
    }

    /// The code of the first move of the game under way, once it has been played.
    pub fn first_move(&self) -> Option<u16> {
        self.plies.first().map(|ply| ply.code)
    }

    /// Goes on until a position has to be evaluated, which is then in the scratch memory. Games that end on the way are told,
    /// and others begun. None if nothing has to be evaluated in this round.
    pub fn gather(&mut self, context: &mut LaneContext<G>, tell: &mut dyn FnMut(FinishedGame)) -> Option<Leaf> {
        if self.activity == Activity::Waiting {
            self.begin(context);
        }
        for _ in 0..KNOWN_AT_ONCE {
            if self.activity != Activity::Playing {
                return None;
            }
            let settings = &context.settings;
            let rule = settings.search.rule();
            if self.tree.is_empty() {
                // The root comes first; there is no search before it.
                match gather(&self.tree, &self.game, &rule, None, &mut self.scratch) {
                    Gathered::Leaf(leaf) => return Some(leaf),
                    _ => return None,
                }
            }
            if self.search.is_none() {
                self.search = Some(self.plan(settings));
            }
            match self.next_walk(settings) {
                Walk::Begin(first) => match gather(&self.tree, &self.game, &rule, first, &mut self.scratch) {
                    Gathered::Leaf(leaf) => return Some(leaf),
                    Gathered::Known => {}
                    Gathered::Collision | Gathered::Full => {
                        // One walk at a time cannot meet another; a full tree has to do.
                        if let Some(search) = &mut self.search {
                            search.budget = 0;
                        }
                    }
                },
                Walk::Done => {
                    if let Some(ended) = self.play(context) {
                        if let (Some(gallery), Some(place)) = (&context.gallery, self.place.take()) {
                            gallery.end(place, ended.record.score());
                        }
                        tell(ended);
                        self.begin(context);
                    }
                }
            }
        }
        None
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Plans the search for a move, and prepares the root for it.
    fn plan(&mut self, settings: &SelfplaySettings) -> MoveSearch {
        let SearchSettings { visits, noise_alpha, noise_share, .. } = settings.search;
        let cheap = settings.cheap.draw(&mut self.random);
        let visits = if cheap { settings.cheap.visits } else { visits };
        let root = self.tree.root().filter(|_| settings.surprise.share > 0.0 && !cheap);
        let moves = root.map(|root| root.children()).unwrap_or_default();
        let priors = moves.iter().map(|child| (child.code, child.prior)).collect();
        match settings.search.kind {
            SearchKind::Puct => {
                if !cheap && noise_share > 0.0 {
                    add_noise(&mut self.tree, noise_alpha, noise_share, &mut self.random);
                }
                // Visits that the tree remembers count.
                let known = self.tree.root().map_or(0, |root| root.visits());
                let budget = visits.saturating_sub(known);
                MoveSearch { walks: 0, budget, cheap, priors, gumbel: None }
            }
            SearchKind::Gumbel => {
                let (rule, tried, random) = (settings.search.gumbel(), settings.search.tried(visits), &mut self.random);
                let noise = || if cheap { 0.0 } else { gumbel_noise(random) };
                let gumbel = self.tree.root().map(|root| GumbelRoot::new(&root, visits as usize, tried, rule, noise));
                MoveSearch { walks: 0, budget: visits, cheap, priors, gumbel }
            }
        }
    }

    fn next_walk(&mut self, settings: &SelfplaySettings) -> Walk {
        let (Some(search), Some(root)) = (&mut self.search, self.tree.root()) else { return Walk::Done };
        if search.walks >= search.budget || root.proof().is_some() {
            return Walk::Done;
        }
        search.walks += 1;
        let forced = settings.search.forced;
        match &mut search.gumbel {
            Some(plan) => plan.next(&root).map_or(Walk::Done, |edge| Walk::Begin(Some(edge))),
            None if forced > 0.0 && !search.cheap => Walk::Begin(forced_edge(&root, forced)),
            None => Walk::Begin(None),
        }
    }

    /// Plays the move that was found. Tells how the game ended, if it did.
    fn play(&mut self, context: &mut LaneContext<G>) -> Option<FinishedGame> {
        let LaneContext { settings, adjudicator, gallery, .. } = context;
        let search = self.search.take()?;
        let root = self.tree.root()?;
        let best = match &search.gumbel {
            Some(plan) => plan.best(&root),
            None => root.best(),
        }?;
        let temperature = settings.temperature.at(self.plies.len() as u32);
        let improved = match settings.search.kind {
            SearchKind::Gumbel => improved_policy(&root, &settings.search.gumbel()),
            SearchKind::Puct => Vec::new(),
        };
        let chosen = if temperature > 0.0 {
            draw(&root, settings.search.kind, &improved, temperature, &mut self.random)?
        } else {
            best
        };
        // The position is worth what its best move is, whatever chance has chosen.
        let wdl = match best.proof {
            Some(proof) => proof.wdl(),
            None => best.wdl.or(root.wdl())?,
        };
        let value = Mover(wdl.0.value());
        let policy = if search.cheap { Vec::new() } else { policy(&root, &settings.search, improved) };
        if settings.surprise.share > 0.0 {
            self.surprises.push(search.surprise(&policy));
        }
        let side = self.game.side();
        // A code in the tree is that of a legal move.
        let m = G::Move::try_from(chosen.code).ok()?;
        if let (Some(gallery), Some(place)) = (gallery, self.place) {
            gallery.play(place, &self.game, m, &root.ranked(), wdl.to_first(side).0.into());
        }
        self.plies.push(Ply::new(chosen.code, policy, wdl));
        self.moves += 1;
        self.game.play(m);
        self.tree.advance(&[chosen.code]);
        if let Some(Outcome { score, .. }) = self.game.outcome() {
            return Some(match adjudicator.outcome_at_cap(&self.game) {
                Some(Outcome { score, .. }) => self.end(settings, score, End::Adjudicated),
                None => self.end(settings, score, End::Rules),
            });
        }
        if let Some(Outcome { score, .. }) = adjudicator.outcome(&self.game, &mut self.lead) {
            return Some(self.end(settings, score, End::Adjudicated));
        }
        if self.gives_up(side, value, settings) {
            let score = First(if side == Side::First { Score::LOSS } else { Score::WIN });
            return Some(self.end(settings, score, End::Resigned));
        }
        None
    }

    /// Whether a side that expects this gives up now.
    fn gives_up(&mut self, side: Side, value: Mover<f32>, settings: &SelfplaySettings) -> bool {
        let resign = settings.resign;
        if !resign.is_on() {
            return false;
        }
        let moves = &mut self.hopeless[if side == Side::First { 0 } else { 1 }];
        *moves = if value.0 < resign.below { *moves + 1 } else { 0 };
        if *moves < resign.moves {
            return false;
        }
        if self.play_through {
            self.would_resign.get_or_insert(side);
        }
        !self.play_through
    }

    fn end(&mut self, settings: &SelfplaySettings, score: First<Score>, end: End) -> FinishedGame {
        let mut plies = std::mem::take(&mut self.plies);
        deal_copies(&mut plies, &self.surprises, settings.surprise.share, &mut self.random);
        settings.cheap.leave_out(&mut plies, &mut self.random);
        let spared = |side: Side| score.to_mover(side).0 != Score::LOSS;
        FinishedGame {
            record: GameRecord::new(self.number, std::mem::take(&mut self.start), plies, score, end),
            false_resignation: self.would_resign.map(spared),
        }
    }
}

/// Where the chance of a game of a run comes from. Mixing keeps games with neighbouring numbers, and runs with neighbouring
/// seeds, apart.
pub(crate) fn generator(seed: u64, number: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(mix(mix(seed).wrapping_add(number)))
}

enum Walk {
    /// A walk that begins with an edge of the root, or with any.
    Begin(Option<u16>),
    /// The move has been searched enough.
    Done,
}

/// The policy to learn: the codes of the legal moves and their shares. `improved` is that of Gumbel search.
fn policy(root: &View<'_>, search: &SearchSettings, improved: Vec<f32>) -> Vec<(u16, f32)> {
    let shares = match search.kind {
        SearchKind::Puct => visit_policy(root, Some(&Puct::SELF_PLAY).filter(|_| search.forced > 0.0)),
        SearchKind::Gumbel => improved,
    };
    let mut policy: Vec<(u16, f32)> = root.children().iter().map(|child| child.code).zip(shares).collect();
    // The same order in each position packs better.
    policy.sort_unstable_by_key(|(code, _)| *code);
    policy
}

/// A move drawn by its visits, those that were forced included, or in Gumbel search from `improved`, the policy to be learnt.
fn draw(
    root: &View<'_>,
    search: SearchKind,
    improved: &[f32],
    temperature: f32,
    random: &mut Xoshiro256PlusPlus,
) -> Option<Child> {
    let ranked = root.ranked();
    match search {
        SearchKind::Puct => pick(&ranked, temperature.into(), random),
        SearchKind::Gumbel => {
            let share = |child: &Child| improved.get(usize::from(child.edge)).copied().unwrap_or(0.0).into();
            pick_by(&ranked, share, temperature.into(), random)
        }
    }
    .copied()
}
