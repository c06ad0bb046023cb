//! A search that tells what it finds while it goes on, and can be asked about its tree.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use alfil_arena::player::Played;
use alfil_game::{FullGame, MoveNumbers, Mover, Side, Wdl};
use alfil_search::PlaySettings;
use alfil_search::parallel::{Control, Limits, ParallelSettings, Search, SearchReport, StopReason};
use alfil_search::tree::{Child, Proof, Tree, USUAL_MOVES, View};
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use crate::error::ApiError;
use crate::host::Host;
use crate::stream::Message;
use crate::view::touched;

/// The tree is looked at this often: answers about it wait no longer.
const SLICE: Duration = Duration::from_millis(200);

/// Visits of a search at most.
const MOST_VISITS: u32 = 10_000_000;

/// Moves that are told with what is expected after them, at most.
const MOST_LINES: usize = 20;

/// Moves of an expected line at most.
const LONGEST_LINE: usize = 24;

/// How long a search that has ended waits for the next question before it looks whether anybody is left.
const IDLE: Duration = Duration::from_millis(250);

/// What asks for a search.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// Moves before the position; all of them if it is left out.
    pub ply: Option<usize>,
    /// What evaluates positions; the strongest if it is left out.
    pub evaluator: Option<String>,
    /// Moves to tell with what is expected after them.
    lines: Option<usize>,
    /// Threads that search.
    threads: Option<usize>,
    /// Where it ends.
    visits: Option<u32>,
}

/// A search that is about to begin.
pub trait LiveSearch: Send {
    /// Searches until its limits or until its tree has this many bytes, and answers until nobody listens any more. For a thread
    /// of its own.
    fn run(self: Box<Self>, listener: mpsc::Sender<Message>, questions: Receiver<Question>, bytes: usize);
}

/// A question about the tree of a search.
pub struct Question {
    /// Moves from its root, as programs write them.
    pub line: Vec<String>,
    /// Where the answer goes.
    pub answer: oneshot::Sender<Result<NodeView, ApiError>>,
}

/// A search of one game.
pub struct PreparedSearch<G: FullGame> {
    host: Arc<Host<G>>,
    root: G,
    evaluator: String,
    request: SearchRequest,
}

/// What a search has found.
#[derive(Debug, Serialize)]
struct ReportView {
    visits: u32,
    visits_per_second: f64,
    /// The mean and the greatest depth.
    depth: u32,
    longest: u32,
    seconds: f64,
    /// Whose move it is.
    turn: usize,
    /// The first player's chances to win, draw and lose.
    wdl: Option<[f32; 3]>,
    /// The best moves, the best first.
    lines: Vec<LineView>,
    /// Every move.
    policy: Vec<PolicyView>,
    /// Why it has ended: `limit`, `proven`, `full`.
    ended: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct LineView {
    #[serde(flatten)]
    child: ChildView,
    /// The cells of the move.
    cells: Vec<String>,
    /// The expected moves, of which the first is this one.
    line: Vec<StepView>,
}

#[derive(Debug, Serialize)]
struct StepView {
    /// With its number, where one begins.
    name: String,
    r#move: String,
    cells: Vec<String>,
}

#[derive(Debug, Serialize)]
struct PolicyView {
    r#move: String,
    cells: Vec<String>,
    prior: f32,
    visits: u32,
}

/// A move at a node.
#[derive(Debug, Serialize)]
struct ChildView {
    r#move: String,
    name: String,
    visits: u32,
    prior: f32,
    /// The first player's chances, if it has been visited.
    wdl: Option<[f32; 3]>,
    /// A forced result, in words.
    proof: Option<String>,
}

/// A node of the tree.
#[derive(Debug, Serialize)]
pub struct NodeView {
    visits: u32,
    /// Whose move it is.
    turn: usize,
    wdl: Option<[f32; 3]>,
    proof: Option<String>,
    /// Its moves, the best first.
    children: Vec<ChildView>,
}

impl<G: FullGame> PreparedSearch<G> {
    pub fn boxed(
        host: Arc<Host<G>>,
        played: &Played<G>,
        ply: usize,
        evaluator: String,
        request: SearchRequest,
    ) -> Result<Box<dyn LiveSearch>, ApiError> {
        let range = |name: &str, value: Option<usize>, most: usize| match value {
            Some(value) if !(1..=most).contains(&value) => {
                Err(ApiError::wrong(format!("{name} is a number from 1 to {most}")))
            }
            _ => Ok(()),
        };
        range("lines", request.lines, MOST_LINES)?;
        range("threads", request.threads, alfil_core::cores())?;
        range("visits", request.visits.map(|visits| visits as usize), MOST_VISITS as usize)?;
        let mut root = played.start().clone();
        played.moves().iter().take(ply).for_each(|m| root.play(*m));
        if let Some(outcome) = root.outcome() {
            return Err(ApiError::conflict(format!("the game is over here: {}", outcome.in_words::<G>())));
        }
        Ok(Box::new(PreparedSearch { host, root, evaluator, request }))
    }

    fn search(&self, bytes: usize) -> Result<(Search<G>, ParallelSettings), ApiError> {
        let backend = self.host.backend(&self.evaluator)?;
        let play = match self.evaluator.as_str() {
            "handcrafted" => PlaySettings::untempered(),
            _ => PlaySettings::default(),
        };
        let backend = play.backend(backend);
        let threads = self.request.threads.unwrap_or(1) as u64;
        let evaluators = (0..threads).map(|seed| backend.evaluator(seed)).collect::<Result<_, _>>();
        let no_memory = || ApiError::busy("there is not enough memory for one more search: close some pages");
        let tree = Tree::try_new(bytes, USUAL_MOVES).ok_or_else(no_memory)?;
        let search = Search::new(tree, evaluators.map_err(ApiError::failed)?, self.root.clone());
        Ok((search, ParallelSettings { rule: play.rule, lines: 0, ..ParallelSettings::default() }))
    }

    fn work(
        &self,
        listener: &mpsc::Sender<Message>,
        questions: &Receiver<Question>,
        bytes: usize,
    ) -> Result<(), ApiError> {
        let (mut search, settings) = self.search(bytes)?;
        let limits = Limits { visits: Some(self.request.visits.unwrap_or(MOST_VISITS)), ..Limits::default() };
        let began = Instant::now();
        loop {
            let control = Control::default();
            control.set_deadline(Instant::now().checked_add(SLICE));
            let mut heed = |_: &SearchReport| {
                if listener.is_closed() {
                    control.stop();
                }
            };
            let report = search.run(&settings, &limits, &control, &mut heed).map_err(ApiError::failed)?;
            while let Ok(question) = questions.try_recv() {
                self.answer(&search, question);
            }
            let ended = match report.ended {
                Some(StopReason::Time | StopReason::Stopped) => None,
                Some(StopReason::Proven) => Some("proven"),
                Some(StopReason::Full) => Some("full"),
                _ => Some("limit"),
            };
            let view = self.report(&search, &report, began.elapsed(), ended);
            // A reader who is slow gets the next report instead: the search does not wait.
            let sent = match ended {
                None => match listener.try_send(Message::new("report", &view)) {
                    Err(mpsc::error::TrySendError::Closed(_)) => false,
                    Ok(()) | Err(mpsc::error::TrySendError::Full(_)) => true,
                },
                Some(_) => listener.blocking_send(Message::new("report", &view)).is_ok(),
            };
            if !sent {
                return Ok(());
            }
            if ended.is_some() {
                break;
            }
        }
        while !listener.is_closed() {
            match questions.recv_timeout(IDLE) {
                Ok(question) => self.answer(&search, question),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Ok(())
    }

    fn report(
        &self,
        search: &Search<G>,
        report: &SearchReport,
        elapsed: Duration,
        ended: Option<&'static str>,
    ) -> ReportView {
        let game = &self.root;
        let root = search.tree().root();
        let ranked = root.as_ref().map_or(Vec::new(), View::ranked);
        let lines = ranked.iter().take(self.request.lines.unwrap_or(5)).filter_map(|child| {
            let m = G::Move::try_from(child.code).ok()?;
            let line = root.as_ref().map_or(Vec::new(), |root| root.line(child.edge));
            Some(LineView { child: child_view(game, child)?, cells: touched(game, m), line: expected(game, &line) })
        });
        let policy = ranked.iter().filter_map(|child| {
            let m = G::Move::try_from(child.code).ok()?;
            let (prior, visits) = (child.prior, child.visits);
            Some(PolicyView { r#move: game.move_text(m), cells: touched(game, m), prior, visits })
        });
        let seconds = elapsed.as_secs_f64();
        ReportView {
            visits: report.visits,
            visits_per_second: f64::from(report.visits) / seconds.max(1e-3),
            depth: report.depth,
            longest: report.longest,
            seconds,
            turn: game.side() as usize,
            wdl: ranked.first().and_then(|best| chances(best, game.side())),
            lines: lines.collect(),
            policy: policy.collect(),
            ended,
        }
    }

    fn answer(&self, search: &Search<G>, question: Question) {
        // Whoever asked may have left.
        let _ = question.answer.send(self.node(search, &question.line));
    }

    fn node(&self, search: &Search<G>, line: &[String]) -> Result<NodeView, ApiError> {
        let unknown = || ApiError::missing("the search has not looked at this line");
        let mut game = self.root.clone();
        let mut node = search.tree().root().ok_or_else(unknown)?;
        for text in line {
            let m = game.parse_move(text).map_err(ApiError::wrong)?;
            let code: u16 = m.into();
            let child = node.children().into_iter().find(|child| child.code == code);
            node = child.and_then(|child| node.after(child.edge)).ok_or_else(unknown)?;
            game.play(m);
        }
        let side = game.side();
        Ok(NodeView {
            visits: node.visits(),
            turn: side as usize,
            wdl: node.wdl().map(|wdl| for_first(wdl, side)),
            proof: node.proof().map(|proof| proof_in_words::<G>(proof, side)),
            children: node.ranked().iter().filter_map(|child| child_view(&game, child)).collect(),
        })
    }
}

impl<G: FullGame> LiveSearch for PreparedSearch<G> {
    fn run(self: Box<Self>, listener: mpsc::Sender<Message>, questions: Receiver<Question>, bytes: usize) {
        let worked = alfil_nn::catch_panic("the search", || self.work(&listener, &questions, bytes));
        if let Err(why) = worked.map_err(ApiError::failed).flatten() {
            let _ = listener.blocking_send(Message::failure(&why.to_string()));
        }
    }
}

fn child_view<G: FullGame>(game: &G, child: &Child) -> Option<ChildView> {
    let m = G::Move::try_from(child.code).ok()?;
    Some(ChildView {
        r#move: game.move_text(m),
        name: game.move_name(m),
        visits: child.visits,
        prior: child.prior,
        wdl: chances(child, game.side()),
        proof: child.proof.map(|proof| proof_in_words::<G>(proof, game.side())),
    })
}

/// The first player's chances after a move of `side`: as proven, or else the mean of all visits.
fn chances(child: &Child, side: Side) -> Option<[f32; 3]> {
    child.proof.map(Proof::wdl).or(child.wdl).map(|wdl| for_first(wdl, side))
}

fn for_first(wdl: Mover<Wdl>, side: Side) -> [f32; 3] {
    wdl.to_first(side).0.into()
}

fn proof_in_words<G: FullGame>(proof: Proof, side: Side) -> String {
    let name = |side: Side| G::SIDES[side as usize];
    let plies = proof.plies;
    match (proof.is_win(), proof.is_loss()) {
        (true, _) => format!("{} wins in {plies}", name(side)),
        (_, true) => format!("{} wins in {plies}", name(!side)),
        _ => "a proven draw".to_owned(),
    }
}

/// The moves with their numbers.
fn expected<G: FullGame>(root: &G, codes: &[u16]) -> Vec<StepView> {
    let mut game = root.clone();
    let mut numbers = MoveNumbers::of(root);
    let mut steps = Vec::new();
    for m in codes.iter().take(LONGEST_LINE).map_while(|code| G::Move::try_from(*code).ok()) {
        let number = numbers.next(game.side());
        let name = game.move_name(m);
        steps.push(StepView {
            name: if number.begins { format!("{number} {name}") } else { name },
            r#move: game.move_text(m),
            cells: touched(&game, m),
        });
        game.play(m);
    }
    steps
}
