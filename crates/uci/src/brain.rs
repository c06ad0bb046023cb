//! The part of the engine that thinks, on its own thread.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alfil_arena::Tables;
use alfil_game::chess::{Chess, Move, Rules};
use alfil_game::{Game, Knowledge, Side};
use alfil_nn::Network;
use alfil_search::Evaluator;
use alfil_search::evaluators::{Cache, CacheMemory, Kind, Maker, Tempered};
use alfil_search::parallel::{Control, Ended, Limits, Report, Search, Settings};
use alfil_search::root::pick;
use alfil_search::selection::{Puct, Rule};
use alfil_search::tree::Tree;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::book::Book;
use crate::options::Options;
use crate::thought::Task;
use crate::voice::Voice;
use crate::{info, strength};

/// Positions have about so many moves; of more than `CACHED_MOVES` the evaluation is not kept.
const USUAL_MOVES: usize = 36;
const CACHED_MOVES: usize = 64;

/// What evaluators, tree and cache were made for.
#[derive(PartialEq)]
struct Equipment {
    weights_file: String,
    device: String,
    hash: u32,
    threads: u32,
    policy_temperature: f32,
}

/// What the option for the network says to play without one.
const HANDCRAFTED: &str = "handcrafted";

/// Makes evaluators of a network on a device that is not the CPU.
pub type Backend = Box<dyn Fn(&Network, &str) -> Result<Maker<Chess>, String> + Send>;

pub(crate) struct Brain {
    voice: Voice,
    backend: Option<Backend>,
    equipment: Option<Equipment>,
    search: Option<Search<Chess>>,
    cache: Option<Arc<CacheMemory>>,
    /// What was opened last, by name, if it could be.
    book: (String, Option<Book>),
    tables: (String, Option<Tables>),
    /// How late a search may notice that its time is over.
    latency: Duration,
    random: Xoshiro256PlusPlus,
}

impl Brain {
    pub fn new(voice: Voice, backend: Option<Backend>) -> Brain {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        Brain {
            voice,
            backend,
            equipment: None,
            search: None,
            cache: None,
            book: (String::new(), None),
            tables: (String::new(), None),
            latency: Duration::ZERO,
            random: Xoshiro256PlusPlus::seed_from_u64(now),
        }
    }

    /// Forgets what was thought before.
    pub fn forget(&mut self) {
        if let Some(search) = &mut self.search {
            search.clear();
        }
        if let Some(cache) = &self.cache {
            cache.clear();
        }
    }

    /// Makes everything ready that the options ask for. What cannot be had is said, and done without.
    pub fn prepare(&mut self, options: &Options) {
        self.open_book(options);
        self.open_tables(options);
        let equipment = Equipment {
            weights_file: options.weights_file.clone(),
            device: options.device.clone(),
            hash: options.hash,
            threads: options.threads,
            policy_temperature: options.policy_temperature,
        };
        if self.equipment.as_ref() == Some(&equipment) {
            return;
        }
        let bytes = (options.hash as usize) << 20;
        let maker = self.maker(options);
        // The memory of before is given back first: both together would be more than was asked for.
        (self.search, self.cache) = (None, None);
        let (evaluators, tree_bytes) = match maker {
            Some(maker) => {
                let cache = Arc::new(CacheMemory::new(bytes / 8, CACHED_MOVES));
                let evaluator = |number| -> Box<dyn Evaluator<Chess>> {
                    Box::new(Cache::new(Tempered::new(maker(number), options.policy_temperature), Arc::clone(&cache)))
                };
                let evaluators: Vec<_> = (0..u64::from(options.threads)).map(evaluator).collect();
                self.cache = Some(cache);
                (evaluators, bytes - bytes / 8)
            }
            None => {
                let evaluator = |_| -> Box<dyn Evaluator<Chess>> {
                    Box::new(alfil_search::evaluators::Handcrafted::new(Knowledge::Full))
                };
                ((0..options.threads).map(evaluator).collect(), bytes)
            }
        };
        let tree = Tree::try_new(tree_bytes, USUAL_MOVES).unwrap_or_else(|| {
            self.voice.notice(&format!("there is no memory for a Hash of {}: using 16", options.hash));
            Tree::new(16 << 20, USUAL_MOVES)
        });
        let mut search = Search::new(tree, evaluators, Chess::new(&Rules::default()));
        // One evaluation, to know how long it takes.
        let limits = Limits { visits: Some(1), ..Limits::default() };
        let report = search.run(&Settings::default(), &limits, &Control::default(), &mut |_| {});
        search.clear();
        self.latency = report.elapsed;
        self.search = Some(search);
        self.equipment = Some(equipment);
    }

    /// Makes evaluators of the network, if there is one that can be used.
    fn maker(&self, options: &Options) -> Option<Maker<Chess>> {
        if options.weights_file == HANDCRAFTED {
            return None;
        }
        match self.load(options) {
            Ok(maker) => Some(maker),
            Err(problem) => {
                self.voice.notice(&format!("{problem}; playing with the handcrafted evaluation"));
                None
            }
        }
    }

    fn load(&self, options: &Options) -> Result<Maker<Chess>, String> {
        let network = match options.weights_file.as_str() {
            "" => Network::shipped(Chess::NAME).ok_or("no network comes with this program")?,
            path => Network::open(Path::new(path)).map_err(|error| chain(&error))?,
        };
        if options.device == "cpu" {
            return Kind::Network(Arc::new(network)).maker().map_err(|error| chain(&error));
        }
        let backend = self.backend.as_ref().ok_or_else(|| {
            format!("this program computes on the CPU only: start it with --device {}", options.device)
        })?;
        backend(&network, &options.device)
    }

    fn open_book(&mut self, options: &Options) {
        let wanted = if options.own_book { options.book_file.as_str() } else { "" };
        if self.book.0 == wanted {
            return;
        }
        self.book = (wanted.to_owned(), None);
        if wanted.is_empty() {
            return;
        }
        match Book::open(&PathBuf::from(wanted)) {
            Ok(book) => self.book.1 = Some(book),
            Err(error) => self.voice.notice(&format!("cannot use the book {wanted}: {error}")),
        }
    }

    fn open_tables(&mut self, options: &Options) {
        let wanted = options.syzygy_path.as_str();
        if self.tables.0 == wanted {
            return;
        }
        self.tables = (wanted.to_owned(), None);
        if wanted.is_empty() {
            return;
        }
        match Tables::open(wanted) {
            Ok(tables) => {
                self.voice.notice(&format!("{} Syzygy tables", tables.files()));
                self.tables.1 = Some(tables);
            }
            Err(problem) => self.voice.notice(&problem),
        }
    }

    /// Thinks, and says the move.
    pub fn think(&mut self, task: &Task) {
        self.prepare(&task.options);
        let (best, ponder) = self.choose(task);
        // A program that asked for thought without end, or in the opponent's time, must not hear of a move before it says so.
        while task.thought.is_held() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // Before the move is told: a program that then changes options waits for them to take effect.
        task.thought.finish();
        match (best, ponder) {
            (Some(best), Some(ponder)) => self.voice.say(&format!("bestmove {best} ponder {ponder}")),
            (Some(best), None) => self.voice.say(&format!("bestmove {best}")),
            (None, _) => self.voice.say("bestmove 0000"),
        }
    }

    /// The move to play and the reply that is expected.
    fn choose(&mut self, task: &Task) -> (Option<String>, Option<String>) {
        let (start, moves) = searchable(&task.start, &task.moves);
        let mut root = start.clone();
        moves.iter().for_each(|&m| root.play(m));
        let mut legal = Vec::new();
        root.generate(&mut legal);
        if legal.is_empty() {
            return (None, None);
        }
        let text = |m: Move| Some(root.move_text(m));
        if task.only.is_empty() && !task.go.infinite && !task.go.ponder {
            if let Some(m) = self.book_move(&root) {
                self.voice.notice("from the book");
                return (text(m), None);
            }
            if let Some((m, result)) = self.tables.1.as_ref().and_then(|tables| tables.best(&root)) {
                let score = result * 20_000;
                self.voice.say(&format!("info depth 1 score cp {score} tbhits 1 pv {}", root.move_text(m)));
                return (text(m), None);
            }
        }
        if root.outcome().is_some() {
            // Material that cannot win: any move will do.
            return (legal.first().and_then(|&m| text(m)), None);
        }
        let Some(report) = self.search(task, &start, &moves, &root) else {
            return (legal.first().and_then(|&m| text(m)), None);
        };
        let line = report.lines.first().map(|line| line.codes.as_slice()).unwrap_or_default();
        let (best, temperature) = (line.first().copied(), temperature(&task.options));
        let ranked =
            self.search.as_ref().and_then(|search| search.tree().root()).map_or(Vec::new(), |root| root.ranked());
        let drawn = pick(&ranked, temperature.into(), &mut self.random).map(|child| child.code);
        match (drawn, best, line.get(1)) {
            (Some(m), ..) if Some(m) != best => (text(m.into()), None),
            (_, Some(m), reply) => {
                let mut after = root.clone();
                after.play(m.into());
                (text(m.into()), reply.map(|reply| after.move_text((*reply).into())))
            }
            _ => (legal.first().and_then(|&m| text(m)), None),
        }
    }

    fn search(&mut self, task: &Task, start: &Chess, moves: &[Move], root: &Chess) -> Option<Report> {
        let Task { options, go, thought, .. } = task;
        let search = self.search.as_mut()?;
        search.go_to(start, moves);
        let (time, settled) = task.time(root.side(), self.latency);
        thought.allot(time, task.begun);
        let handicap = options.limit_strength.then(|| strength::handicap(options.elo).0);
        let per_move = Some(options.nodes_per_move).filter(|nodes| *nodes > 0);
        let limits = Limits {
            visits: [go.nodes, handicap, per_move].into_iter().flatten().min(),
            depth: go.depth,
            settled,
            only: task.only.iter().map(|&m| m.into()).collect(),
        };
        let voice = self.voice.clone();
        let tell = |report: &Report| info::lines(report, root, options).iter().for_each(|line| voice.say(line));
        let report = search.run(&settings(options, root.side()), &limits, &thought.control, &mut |report| tell(report));
        tell(&report);
        if report.ended == Some(Ended::Full) {
            voice.notice("the tree is full: a larger Hash would let it think on");
        }
        if options.verbose_move_stats
            && let Some(view) = search.tree().root()
        {
            info::move_stats(&view.ranked(), root).iter().for_each(|line| voice.say(line));
        }
        // How long it took from one look at the clock to the next, at its worst and with something to spare.
        if report.walks > 0 {
            let walk = report.elapsed.mul_f64(f64::from(options.threads) / report.walks as f64);
            self.latency = walk.mul_f64(2.0).max(self.latency / 2);
        }
        Some(report)
    }

    /// Shows what the evaluator says about a position.
    pub fn evaluate(&mut self, options: &Options, start: &Chess, moves: &[Move]) {
        self.prepare(options);
        let Some(search) = &mut self.search else { return };
        search.go_to(start, moves);
        let limits = Limits { visits: Some(1), ..Limits::default() };
        search.clear();
        search.run(&settings(options, Side::First), &limits, &Control::default(), &mut |_| {});
        let root = search.root().clone();
        let Some(view) = search.tree().root() else { return self.voice.notice("the game is over") };
        let [win, draw, loss] = view.wdl().unwrap_or([0.0, 1.0, 0.0]);
        let percent = |part: f32| format!("{:.1} %", 100.0 * part);
        self.voice.say(&format!(
            "value {:+.4} (win {}, draw {}, loss {}) for the side to move",
            win - loss,
            percent(win),
            percent(draw),
            percent(loss)
        ));
        for child in view.children().iter().take(10) {
            self.voice.say(&format!("{:<7} {:>7}", root.move_name(child.code.into()), percent(child.prior)));
        }
        search.clear();
    }

    /// Searches fixed positions to a fixed number of visits on one thread, and says the nodes that it passed through.
    pub fn bench(&mut self, options: &Options) {
        self.prepare(&Options { threads: 1, ..options.clone() });
        let Some(search) = &mut self.search else { return };
        let (mut nodes, mut visits, mut time) = (0, 0, Duration::ZERO);
        for fen in std::iter::once(BENCH_START).chain(Chess::TEST_POSITIONS.iter().copied()) {
            let Ok(position) = Chess::from_position(fen, &Rules::default()) else { continue };
            search.go_to(&position, &[]);
            search.clear();
            let limits = Limits { visits: Some(1_000), ..Limits::default() };
            let report = search.run(&settings(options, position.side()), &limits, &Control::default(), &mut |_| {});
            nodes += report.depths;
            visits += report.walks;
            time += report.elapsed;
        }
        search.clear();
        let speed = visits as f64 / time.as_secs_f64().max(1e-6);
        self.voice.say(&format!("{visits} visits, {speed:.0} a second, signature {nodes}"));
    }

    fn book_move(&mut self, root: &Chess) -> Option<Move> {
        // A book that cannot be read is as good as none.
        self.book.1.as_mut()?.probe(root, &mut self.random).ok().flatten()
    }
}

const BENCH_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn temperature(options: &Options) -> f32 {
    let handicap = if options.limit_strength { strength::handicap(options.elo).1 } else { 0.0 };
    options.temperature.max(handicap)
}

fn settings(options: &Options, side: Side) -> Settings {
    // The option is about the engine's own draws, the rule's constant about the first player's.
    let draw = options.draw_score as f32 / 100.0;
    let rule = Rule::Puct(Puct {
        init: options.cpuct,
        fpu_reduction: options.fpu_reduction,
        draw: if side == Side::First { draw } else { -draw },
        ..Puct::default()
    });
    Settings { rule, lines: options.multi_pv as usize, ..Settings::default() }
}

/// Where the game would be over by repetition, the 50-move rule or the like, but the program wants a move all the same: the
/// same position as if it had no history.
fn searchable(start: &Chess, moves: &[Move]) -> (Chess, Vec<Move>) {
    let mut game = start.clone();
    moves.iter().for_each(|&m| game.play(m));
    if game.outcome().is_none() {
        return (start.clone(), moves.to_vec());
    }
    let fen = game.position();
    let mut fields: Vec<&str> = fen.split(' ').collect();
    if let Some(clock) = fields.get_mut(4) {
        *clock = "0";
    }
    let rules = Rules { chess960: game.is_chess960(), ply_cap: game.ply_cap() };
    (Chess::from_position(&fields.join(" "), &rules).unwrap_or(game), Vec::new())
}

/// An error with all its reasons, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(reason) = source {
        text = format!("{text}: {reason}");
        source = reason.source();
    }
    text
}
