//! The part of the engine that thinks, on its own thread.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use alfil_game::{FullGame, Knowledge, Mover, Side, Wdl};
use alfil_nn::{Bundled, CalibratedCpu, Cpu, Device, Devices, Instructions, Network, Precision};
use alfil_search::classical::{AlphaBetaSettings, ClassicalEngine, ClassicalLimits};
use alfil_search::evaluators::{BackendError, CacheMemory, Kind, cached_moves};
use alfil_search::parallel::{Control, Limits, Line, ParallelSettings, Search, SearchReport, StopReason};
use alfil_search::root::pick;
use alfil_search::selection::{Puct, Rule};
use alfil_search::tree::{Tree, USUAL_MOVES};
use alfil_search::{Backend, EvaluatorError, PlaySettings, with_memory};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::info;
use crate::known::KnownMoves;
use crate::options::{ALPHA_BETA, BEST, HANDCRAFTED, Options};
use crate::search_handle::Task;
use crate::strength::Limit;
use crate::voice::Voice;

/// The options that evaluators, tree and cache, or the table of alpha-beta, were made for.
#[derive(PartialEq)]
struct LoadedOptions {
    engine: String,
    weights_file: String,
    imitation: Option<&'static str>,
    device: String,
    precision: String,
    instructions: String,
    hash: u32,
    threads: u32,
    batch: u32,
    policy_temperature: f32,
}

/// With a network, one part in this many of the memory is the cache's.
const CACHE_PART: usize = 8;

/// A tree search for a mate gives up after this many visits per move of the mate: it may have no other end.
const VISITS_PER_MATE_MOVE: u32 = 1_000_000;

/// Alpha-beta searches for a mate this many plies deeper than the mate is long, since it looks at some moves less deep than at others.
const MATE_MARGIN: u32 = 4;

/// Alpha-beta draws from this many of the best moves at most.
const DRAWN_FROM: usize = 5;

/// How deep alpha-beta searches for its signature.
const BENCH_DEPTH: u32 = 6;
/// No larger batch is chosen for a device: it would take too long to notice that the time is up.
const MOST_AT_ONCE: usize = 256;

/// Visits of the root for each leaf of a batch.
const VISITS_PER_LEAF: u32 = 64;

/// Megabytes to use if there is not enough memory for the Hash option.
const SMALL_HASH: usize = 16;

pub(crate) struct Thinker<G: FullGame> {
    voice: Voice,
    /// Devices other than the CPU, if the program has them.
    devices: Option<&'static dyn Devices>,
    equipment: Option<LoadedOptions>,
    search: Option<Search<G>>,
    /// The engine that plays instead of a tree search.
    classical: Option<ClassicalEngine<G>>,
    cache: Option<Arc<CacheMemory>>,
    known: KnownMoves<G>,
    /// The most positions that a thread evaluates together.
    batch: usize,
    /// How late a search may notice that its time is up.
    latency: Duration,
    random: Xoshiro256PlusPlus,
}

impl<G: FullGame> Thinker<G> {
    pub fn new(voice: Voice, devices: Option<&'static dyn Devices>) -> Thinker<G> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        Thinker {
            voice,
            devices,
            equipment: None,
            search: None,
            classical: None,
            cache: None,
            known: KnownMoves::new(),
            batch: 1,
            latency: Duration::ZERO,
            random: Xoshiro256PlusPlus::seed_from_u64(now),
        }
    }

    /// Clears the tree and the cache.
    pub fn forget(&mut self) {
        if let Some(search) = &mut self.search {
            search.clear();
        }
        if let Some(cache) = &self.cache {
            cache.clear();
        }
        if let Some(classical) = &mut self.classical {
            classical.clear();
        }
    }

    /// Prepares everything that the options ask for. What cannot be used is reported and replaced.
    pub fn prepare(&mut self, options: &Options) -> Result<(), EvaluatorError> {
        self.known.prepare(options, &self.voice);
        let limit = Limit::of(options);
        let imitation = limit.and_then(|limit| limit.imitation);
        let equipment = LoadedOptions {
            engine: options.engine.clone(),
            weights_file: options.weights_file.clone(),
            imitation: imitation.map(|bundled| bundled.name),
            device: options.device.clone(),
            precision: options.precision.clone(),
            instructions: options.instructions.clone(),
            hash: options.hash,
            threads: options.threads,
            batch: options.batch,
            policy_temperature: play_settings(options, Side::First).policy_temperature,
        };
        if self.equipment.as_ref() == Some(&equipment) {
            return Ok(());
        }
        // The old memory is freed first: both together would exceed the Hash option.
        (self.search, self.cache, self.classical) = (None, None, None);
        if options.engine == ALPHA_BETA {
            self.classical = Some(self.alpha_beta(options)?);
            self.latency = Duration::from_millis(1);
            self.equipment = Some(equipment);
            return Ok(());
        }
        let network = self.network(options, imitation);
        let (tree, cache) = memory::<G>((options.hash as usize) << 20, network.is_some()).unwrap_or_else(|| {
            self.voice.notice(&format!("not enough memory for a Hash of {}: using {SMALL_HASH}", options.hash));
            let bytes = SMALL_HASH << 20;
            (Tree::new(bytes, USUAL_MOVES), CacheMemory::new(bytes / CACHE_PART, cached_moves::<G>()))
        });
        let backend = match network {
            Some(network) => {
                let cache = self.cache.insert(Arc::new(cache));
                with_memory(play_settings(options, Side::First).backend(network), Arc::clone(cache))
            }
            None => handcrafted()?,
        };
        let preferred = backend.batch_sizes().preferred.clamp(1, MOST_AT_ONCE);
        self.batch = if options.batch > 0 { options.batch as usize } else { preferred };
        let evaluators =
            (0..u64::from(options.threads)).map(|number| backend.evaluator(number)).collect::<Result<_, _>>()?;
        let mut search = Search::new(tree, evaluators, G::new(&G::Rules::default()));
        // One evaluation, to measure how long it takes.
        let limits = Limits { visits: Some(1), ..Limits::default() };
        let report = search.run(&ParallelSettings::default(), &limits, &Control::default(), &mut |_| {})?;
        search.clear();
        self.latency = report.elapsed;
        self.search = Some(search);
        self.equipment = Some(equipment);
        Ok(())
    }

    /// The alpha-beta engine with a table as large as there is memory for.
    fn alpha_beta(&self, options: &Options) -> Result<ClassicalEngine<G>, EvaluatorError> {
        let sized = |megabytes: usize| {
            let settings = AlphaBetaSettings { table_bytes: megabytes << 20, ..AlphaBetaSettings::STRONG };
            ClassicalEngine::new(settings, Knowledge::Full, options.threads)
        };
        let smaller = || {
            self.voice.notice(&format!("not enough memory for a Hash of {}: using {SMALL_HASH}", options.hash));
            sized(SMALL_HASH)
        };
        let no_memory = || EvaluatorError::on("alphabeta", "there is not enough memory for its table");
        sized(options.hash as usize).or_else(smaller).ok_or_else(no_memory)
    }

    /// The network, if there is one that can be used.
    fn network(&self, options: &Options, imitation: Option<&'static Bundled>) -> Option<Arc<dyn Backend<G>>> {
        if options.weights_file == HANDCRAFTED {
            return None;
        }
        match self.load(options, imitation) {
            Ok(network) => Some(network),
            Err(problem) => {
                self.voice.notice(&format!("{problem}; playing with the handcrafted evaluation"));
                None
            }
        }
    }

    fn load(&self, options: &Options, imitation: Option<&'static Bundled>) -> Result<Arc<dyn Backend<G>>, String> {
        let network = match options.weights_file.as_str() {
            "" => imitation
                .or_else(|| Bundled::default_of(G::NAME))
                .ok_or_else(|| format!("no network for {} is bundled with this program", G::NAME))?
                .network()
                .map_err(|error| chain(&error))?,
            path => Network::open(Path::new(path)).map_err(|error| chain(&error))?,
        };
        let device: Box<dyn Device> = match self.devices {
            _ if options.device == "cpu" => Box::new(cpu(options)?),
            Some(devices) => devices.open(&options.device).map_err(|error| error.to_string())?,
            None => {
                let device = &options.device;
                return Err(format!("this program only uses the CPU: start it with --device {device}"));
            }
        };
        Kind::Network(Arc::new(network)).backend(&*device).map_err(|error| chain(&error))
    }

    /// Searches, and sends the move.
    pub fn think(&mut self, task: &Task<G>) -> Result<(), EvaluatorError> {
        self.prepare(&task.options)?;
        let (best, ponder) = self.choose(task)?;
        // A program that asked for an infinite search, or to ponder, must not get a move before it sends stop or
        // ponderhit.
        while task.handle.is_held() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // Before the move is sent: a program that then changes options waits for them to take effect.
        task.handle.finish();
        match (best, ponder) {
            (Some(best), Some(ponder)) => self.voice.say(&format!("bestmove {best} ponder {ponder}")),
            (Some(best), None) => self.voice.say(&format!("bestmove {best}")),
            (None, _) => self.voice.say("bestmove 0000"),
        }
        Ok(())
    }

    /// The move to play and the expected reply.
    fn choose(&mut self, task: &Task<G>) -> Result<(Option<String>, Option<String>), EvaluatorError> {
        let (start, moves) = Self::searchable(task);
        let mut root = start.clone();
        moves.iter().for_each(|&m| root.play(m));
        let mut legal = Vec::new();
        root.generate(&mut legal);
        if legal.is_empty() {
            return Ok((None, None));
        }
        let text = |m: G::Move| Some(root.move_text(m));
        if task.only.is_empty()
            && !task.go.infinite
            && !task.go.ponder
            && let Some(m) = self.known.find(&root, &mut self.random, &self.voice)
        {
            return Ok((text(m), None));
        }
        if root.outcome().is_some() {
            // No move changes the result, as with insufficient material: any will do.
            return Ok((legal.first().and_then(|&m| text(m)), None));
        }
        let Some(report) = self.search(task, &start, &moves, &root)? else {
            return Ok((legal.first().and_then(|&m| text(m)), None));
        };
        let temperature = temperature(&task.options);
        // Alpha-beta has lines with scores instead of a tree with visits.
        let chosen = match self.classical {
            Some(_) => draw(&report.lines, temperature.into(), &mut self.random),
            None => report.lines.first(),
        };
        let line = chosen.map(|line| line.codes.as_slice()).unwrap_or_default();
        let read = |code: &u16| G::Move::try_from(*code).ok();
        let best = line.first().and_then(read);
        let ranked =
            self.search.as_ref().and_then(|search| search.tree().root()).map_or(Vec::new(), |root| root.ranked());
        let drawn = pick(&ranked, temperature.into(), &mut self.random).and_then(|child| read(&child.code));
        Ok(match (drawn, best, line.get(1).and_then(read)) {
            (Some(m), ..) if Some(m) != best => (text(m), None),
            (_, Some(m), reply) => {
                let mut after = root.clone();
                after.play(m);
                // If it is still the engine's turn, no reply is expected.
                let reply = reply.filter(|_| after.side() != root.side());
                (text(m), reply.map(|reply| after.move_text(reply)))
            }
            _ => (legal.first().and_then(|&m| text(m)), None),
        })
    }

    /// If the game is over by repetition, the 50-move rule or the like, but the program wants a move anyway: the same
    /// position without its history.
    fn searchable(task: &Task<G>) -> (G, Vec<G::Move>) {
        let Task { start, moves, .. } = task;
        let mut game = start.clone();
        moves.iter().for_each(|&m| game.play(m));
        if game.outcome().is_none() {
            return (start.clone(), moves.clone());
        }
        (game.without_history().unwrap_or(game), Vec::new())
    }

    fn search(
        &mut self,
        task: &Task<G>,
        start: &G,
        moves: &[G::Move],
        root: &G,
    ) -> Result<Option<SearchReport>, EvaluatorError> {
        let Task { options, go, handle, .. } = task;
        if self.classical.is_some() {
            return self.search_classically(task, root);
        }
        let Some(search) = &mut self.search else { return Ok(None) };
        search.go_to(start, moves);
        let (time, settled) = task.time(root.side(), self.latency);
        handle.allot(time, task.begun);
        let limit = Limit::of(options).map(|limit| limit.visits);
        let per_move = Some(options.nodes_per_move).filter(|nodes| *nodes > 0);
        let nodes = go.nodes.map(|nodes| u32::try_from(nodes).unwrap_or(u32::MAX));
        let for_mate = go.mate.map(|moves| VISITS_PER_MATE_MOVE.saturating_mul(moves.max(1)));
        let limits = Limits {
            visits: [nodes, limit, per_move, for_mate].into_iter().flatten().min(),
            depth: go.depth,
            settled,
            // On a clock any win is good enough.
            sooner: !settled,
            only: task.only.iter().map(|&m| m.into()).collect(),
        };
        let voice = self.voice.clone();
        let tell = |report: &SearchReport| {
            info::lines(report, root, options).iter().for_each(|line| voice.say(line));
            if go.mate.is_some_and(|moves| info::is_mate_within(moves, report, root)) {
                handle.control.stop();
            }
        };
        let report =
            search.run(&settings(options, root.side(), self.batch), &limits, &handle.control, &mut |report| {
                tell(report)
            })?;
        tell(&report);
        if report.ended == Some(StopReason::Full) {
            voice.notice("the tree is full: a larger Hash would allow a longer search");
        }
        if options.verbose_move_stats
            && let Some(view) = search.tree().root()
        {
            info::move_stats(&view.ranked(), root).iter().for_each(|line| voice.say(line));
        }
        // The time between two looks at the clock, with a margin.
        if report.walks > 0 {
            let walk = report.elapsed.mul_f64(f64::from(options.threads) / report.walks as f64);
            self.latency = walk.mul_f64(self.batch as f64).mul_f64(2.0).max(self.latency / 2);
        }
        Ok(Some(report))
    }

    /// The same with alpha-beta.
    fn search_classically(&mut self, task: &Task<G>, root: &G) -> Result<Option<SearchReport>, EvaluatorError> {
        let Task { options, go, handle, .. } = task;
        let Some(engine) = &mut self.classical else { return Ok(None) };
        let (time, on_clock) = task.time(root.side(), self.latency);
        handle.allot(time, task.begun);
        // No network imitates anybody here.
        let limit = Limit::of(&Options { weights_file: HANDCRAFTED.to_owned(), ..options.clone() });
        let per_move = Some(options.nodes_per_move).filter(|nodes| *nodes > 0);
        let for_mate = go.mate.map(|moves| moves.saturating_mul(2).saturating_add(MATE_MARGIN));
        let drawn_from = if temperature(options) > 0.0 { DRAWN_FROM } else { 1 };
        let limits = ClassicalLimits {
            depth: [go.depth, for_mate].into_iter().flatten().min(),
            nodes: [go.nodes, limit.map(|limit| limit.visits.into()), per_move.map(u64::from)]
                .into_iter()
                .flatten()
                .min(),
            // A ponder hit sets the deadline later: the handle is asked for it.
            deadline: None,
            // Half of the time is gone: the next depth would take longer than what is left.
            begin_before: time.filter(|_| on_clock && !go.ponder).map(|time| task.begun + time / 2),
            lines: drawn_from.max(options.multi_pv as usize),
            only: task.only.iter().map(|&m| m.into()).collect(),
        };
        let ends = || {
            let over = handle.control.deadline().is_some_and(|deadline| Instant::now() >= deadline);
            over || handle.control.is_stopped()
        };
        let voice = self.voice.clone();
        let tell = |report: &SearchReport| {
            info::lines(report, root, options).iter().for_each(|line| voice.say(line));
            if go.mate.is_some_and(|moves| info::is_mate_within(moves, report, root)) {
                handle.control.stop();
            }
        };
        let report = engine.think(root, &limits, &ends, &mut |report| tell(report))?;
        tell(&report);
        Ok(Some(report))
    }

    /// Shows the evaluator's answer for a position.
    pub fn evaluate(&mut self, options: &Options, start: &G, moves: &[G::Move]) -> Result<(), EvaluatorError> {
        self.prepare(options)?;
        if self.classical.is_some() {
            let mut root = start.clone();
            moves.iter().for_each(|&m| root.play(m));
            let estimate = root.evaluate(Knowledge::Full);
            self.voice.say(&format!("value {estimate:+} in hundredths of a pawn, for the side to move"));
            return Ok(());
        }
        let Some(search) = &mut self.search else { return Ok(()) };
        search.go_to(start, moves);
        let limits = Limits { visits: Some(1), ..Limits::default() };
        search.clear();
        search.run(&settings(options, Side::First, 1), &limits, &Control::default(), &mut |_| {})?;
        let root = search.root().clone();
        let Some(view) = search.tree().root() else {
            self.voice.notice("the game is over");
            return Ok(());
        };
        let Mover(Wdl { win, draw, loss }) = view.wdl().unwrap_or(Mover(Wdl::DRAW));
        let percent = |part: f32| format!("{:.1} %", 100.0 * part);
        self.voice.say(&format!(
            "value {:+.4} (win {}, draw {}, loss {}) for the side to move",
            win - loss,
            percent(win),
            percent(draw),
            percent(loss)
        ));
        for child in view.children().iter().take(10) {
            let Ok(m) = G::Move::try_from(child.code) else { continue };
            self.voice.say(&format!("{:<7} {:>7}", root.move_name(m), percent(child.prior)));
        }
        search.clear();
        Ok(())
    }

    /// Searches fixed positions to a fixed number of visits on one thread, and reports the number of nodes that it
    /// passed through.
    pub fn bench(&mut self, options: &Options) -> Result<(), EvaluatorError> {
        self.prepare(&Options { threads: 1, ..options.clone() })?;
        if let Some(engine) = &mut self.classical {
            let rules = G::Rules::default();
            let others = G::TEST_POSITIONS.iter().filter_map(|text| G::from_position(text, &rules).ok());
            let (mut nodes, mut time) = (0, Duration::ZERO);
            for position in std::iter::once(G::new(&rules)).chain(others) {
                engine.clear();
                let limits = ClassicalLimits { depth: Some(BENCH_DEPTH), ..ClassicalLimits::default() };
                let report = engine.think(&position, &limits, &|| false, &mut |_| {})?;
                nodes += report.walks;
                time += report.elapsed;
            }
            engine.clear();
            let speed = nodes as f64 / time.as_secs_f64().max(1e-6);
            self.voice.say(&format!("{nodes} nodes to depth {BENCH_DEPTH}, {speed:.0} per second, signature {nodes}"));
            return Ok(());
        }
        let Some(search) = &mut self.search else { return Ok(()) };
        let (mut nodes, mut visits, mut time) = (0, 0, Duration::ZERO);
        let rules = G::Rules::default();
        let others = G::TEST_POSITIONS.iter().filter_map(|text| G::from_position(text, &rules).ok());
        for position in std::iter::once(G::new(&rules)).chain(others) {
            search.go_to(&position, &[]);
            search.clear();
            let limits = Limits { visits: Some(1_000), ..Limits::default() };
            let report =
                search.run(&settings(options, position.side(), 1), &limits, &Control::default(), &mut |_| {})?;
            nodes += report.depths;
            visits += report.walks;
            time += report.elapsed;
        }
        search.clear();
        let speed = visits as f64 / time.as_secs_f64().max(1e-6);
        self.voice.say(&format!("{visits} visits, {speed:.0} per second, signature {nodes}"));
        Ok(())
    }
}

/// The CPU engine, as fast as the options allow.
fn cpu(options: &Options) -> Result<CalibratedCpu, String> {
    let named = &options.instructions;
    let instructions = if named == BEST { Some(Instructions::best()) } else { Instructions::named(named) };
    Ok(CalibratedCpu {
        instructions: instructions.ok_or_else(|| format!("this processor has no {named} instructions"))?,
        precision: Precision::named(&options.precision).unwrap_or(Precision::Full),
    })
}

fn temperature(options: &Options) -> f32 {
    Limit::of(options).map_or(options.temperature, |limit| limit.temperature.max(options.temperature))
}

/// The first of the lines or, at a temperature T above 0, a random one: a move that is worse by T pawns is played e times less often.
/// Mates are played and avoided in any case.
fn draw<'a>(lines: &'a [Line], temperature: f64, random: &mut impl RngExt) -> Option<&'a Line> {
    let best = lines.first()?;
    let Some(highest) = best.estimate.filter(|_| temperature > 0.0) else { return Some(best) };
    let weight = |line: &Line| {
        line.estimate.map_or(0.0, |estimate| (f64::from(estimate - highest) / (100.0 * temperature)).exp())
    };
    let mut at = random.random::<f64>() * lines.iter().map(weight).sum::<f64>();
    let drawn = lines.iter().find(|line| {
        at -= weight(line);
        at < 0.0
    });
    drawn.or(Some(best))
}

/// How a network is played for a side.
fn play_settings(options: &Options, side: Side) -> PlaySettings {
    // The option is from the engine's point of view, the rule's constant from the first player's.
    let draw = options.draw_score as f32 / 100.0;
    let rule = Rule::Puct(Puct {
        init: options.cpuct,
        fpu_reduction: options.fpu_reduction,
        draw: if side == Side::First { draw } else { -draw },
        ..Puct::default()
    });
    // People are imitated as they are: the temperature alone says how random the choice is.
    let imitates = Limit::of(options).is_some_and(|limit| limit.imitation.is_some());
    let policy_temperature = if imitates { 1.0 } else { options.policy_temperature };
    PlaySettings { rule, policy_temperature }
}

fn settings(options: &Options, side: Side, batch: usize) -> ParallelSettings {
    let PlaySettings { rule, .. } = play_settings(options, side);
    ParallelSettings { rule, batch, visits_per_leaf: VISITS_PER_LEAF, forget: true, lines: options.multi_pv as usize }
}

/// Evaluators that need no network.
fn handcrafted<G: FullGame>() -> Result<Arc<dyn Backend<G>>, EvaluatorError> {
    let unusable = |error: BackendError| EvaluatorError::on("cpu", error);
    Kind::Handcrafted(Knowledge::Full).backend(&Cpu).map_err(unusable)
}

/// An error with all its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(reason) = source {
        text = format!("{text}: {reason}");
        source = reason.source();
    }
    text
}

/// Tree and cache of `bytes` bytes together, if there is enough memory.
fn memory<G: FullGame>(bytes: usize, with_cache: bool) -> Option<(Tree, CacheMemory)> {
    let cached = if with_cache { bytes / CACHE_PART } else { 0 };
    Some((Tree::try_new(bytes - cached, USUAL_MOVES)?, CacheMemory::try_new(cached, cached_moves::<G>())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_plays_with_the_default_settings() {
        assert_eq!(play_settings(&Options::default(), Side::First), PlaySettings::default());
    }

    #[test]
    fn lines_are_drawn_by_what_they_are_worth() {
        let line = |code: u16, estimate: Option<i32>| Line {
            codes: vec![code],
            visits: 0,
            prior: 0.0,
            wdl: Mover(Wdl::DRAW),
            moves_left: None,
            proof: None,
            estimate,
        };
        // No estimate: the game is decided after it.
        let lines = [line(0, Some(50)), line(1, Some(-50)), line(2, None)];
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut counts = |lines: &[Line], temperature: f64| {
            let mut counts = [0; 3];
            (0..10_000).for_each(|_| counts[usize::from(draw(lines, temperature, &mut random).unwrap().codes[0])] += 1);
            counts
        };
        assert_eq!(counts(&lines, 0.0), [10_000, 0, 0]);
        let [often, seldom, never] = counts(&lines, 1.0);
        let ratio = f64::from(often) / f64::from(seldom);
        assert!((2.4..3.1).contains(&ratio) && never == 0, "{often} {seldom} {never}");
        assert_eq!(counts(&lines[2..], 1.0), [0, 0, 10_000], "a mate is played");
    }

    #[test]
    fn too_much_memory_is_refused() {
        let memory = memory::<alfil_game::chess::Chess>;
        assert!(memory(1 << 20, true).is_some());
        assert!(memory(1 << 60, true).is_none() && memory(1 << 60, false).is_none());
        assert!(CacheMemory::try_new(1 << 60, 64).is_none());
    }
}
