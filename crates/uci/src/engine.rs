//! How the engine carries out commands.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use alfil_game::{FullGame, Rules, RulesError, read_rules};
use alfil_search::EvaluatorError;

use crate::command::{Command, Go};
use crate::options::{CHESS960, DECLARATIONS, Declaration, Options};
use crate::search_handle::{SearchHandle, Task};
use crate::thinker::Thinker;
use crate::voice::Voice;

/// A job for the thinking thread.
pub(crate) enum Job<G: FullGame> {
    Prepare(Options, Sender<()>),
    Think(Box<Task<G>>),
    Forget,
    Evaluate(Options, Box<G>, Vec<G::Move>),
    Bench(Options),
}

/// Why a conversation ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The input has ended.
    InputClosed,
    /// The program no longer listens.
    OutputClosed,
    /// The program has sent quit.
    Quit,
    /// The program wants to play another game.
    OtherGame,
    /// The thinking thread cannot go on.
    Failure,
}

/// Runs the thinking thread: one job after the other, until the sender is gone or an evaluator fails.
pub(crate) fn work<G: FullGame>(mut thinker: Thinker<G>, jobs: &Receiver<Job<G>>) -> Result<(), EvaluatorError> {
    for job in jobs {
        match job {
            Job::Prepare(options, ready) => {
                thinker.prepare(&options)?;
                // The receiver may be gone by now.
                let _ = ready.send(());
            }
            Job::Think(task) => thinker.think(&task)?,
            Job::Forget => thinker.forget(),
            Job::Evaluate(options, start, moves) => thinker.evaluate(&options, &start, &moves)?,
            Job::Bench(options) => thinker.bench(&options)?,
        }
    }
    Ok(())
}

/// The rules that the options ask for. Games played over this protocol end when the program says so, not at the usual
/// ply cap.
fn rules<G: FullGame>(options: &Options) -> Result<G::Rules, RulesError> {
    let rules = read_rules::<G>(&options.rules)?.uncapped();
    let chess960 = if options.chess960 { G::variant_rules(CHESS960, &rules) } else { None };
    Ok(chess960.unwrap_or(rules))
}

pub(crate) struct Engine<G: FullGame> {
    voice: Voice,
    defaults: Options,
    pub options: Options,
    rules: G::Rules,
    start: G,
    moves: Vec<G::Move>,
    jobs: Sender<Job<G>>,
    pub handle: Option<Arc<SearchHandle>>,
}

impl<G: FullGame> Engine<G> {
    /// Fails if the options ask for rules that the game does not have.
    pub fn new(
        voice: Voice,
        defaults: Options,
        options: Options,
        jobs: Sender<Job<G>>,
    ) -> Result<Engine<G>, RulesError> {
        let rules = rules::<G>(&options)?;
        let start = G::new(&rules);
        Ok(Engine { voice, defaults, options, rules, start, moves: Vec::new(), jobs, handle: None })
    }

    /// Carries out a command. Returns why the conversation ends, if it does.
    pub fn obey(&mut self, command: Command) -> Option<End> {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.get_ready(),
            Command::NewGame => {
                self.start = G::new(&self.rules);
                self.moves.clear();
                self.ask(Job::Forget);
            }
            Command::SetOption { name, value } => {
                self.set_option(&name, &value);
                return (self.options.game != G::NAME).then_some(End::OtherGame);
            }
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::Go(go) => self.think(go),
            Command::Stop => self.stop(),
            Command::PonderHit => {
                if let Some(handle) = &self.handle {
                    handle.hit();
                }
            }
            Command::Quit => return Some(End::Quit),
            Command::Draw => self.draw(),
            Command::Eval => {
                self.ask(Job::Evaluate(self.options.clone(), Box::new(self.start.clone()), self.moves.clone()))
            }
            Command::Bench => self.ask(Job::Bench(self.options.clone())),
            Command::Unknown(line) => {
                let shown: String = line.chars().take(100).collect();
                self.voice.notice(&format!("not understood: {shown}"));
            }
            Command::Empty => {}
        }
        None
    }

    fn introduce(&self) {
        self.voice.say(&format!("id name Alfil {}", env!("CARGO_PKG_VERSION")));
        self.voice.say("id author the Alfil developers");
        DECLARATIONS
            .iter()
            .filter(|declaration| declaration.is_for::<G>())
            .for_each(|declaration| self.voice.say(&declaration.line(&self.defaults)));
        self.voice.say("uciok");
    }

    fn get_ready(&self) {
        // A program that asks during a search wants to know whether the engine is alive.
        if !self.is_thinking() {
            let (ready, wait) = channel();
            self.ask(Job::Prepare(self.options.clone(), ready));
            if wait.recv().is_err() {
                // The thread has failed: the conversation ends.
                return;
            }
        }
        self.voice.say("readyok");
    }

    fn set_option(&mut self, name: &str, value: &str) {
        match Declaration::find(name) {
            Ok(declaration) if declaration.is_button() => self.ask(Job::Forget),
            Ok(declaration) => {
                let mut options = self.options.clone();
                if let Err(error) = declaration.set(&mut options, value) {
                    return self.voice.notice(&error.to_string());
                }
                match rules::<G>(&options) {
                    Ok(rules) => {
                        if options.rules != self.options.rules {
                            // Earlier results may not hold under other rules.
                            self.ask(Job::Forget);
                        }
                        (self.options, self.rules) = (options, rules);
                    }
                    Err(error) => self.voice.notice(&error.to_string()),
                }
            }
            Err(error) => self.voice.notice(&error.to_string()),
        }
    }

    fn set_position(&mut self, fen: Option<&str>, texts: &[String]) {
        let start = match fen {
            None => G::new(&self.rules),
            Some(fen) => match G::from_position(fen, &self.rules) {
                Ok(start) => start,
                Err(error) => return self.voice.notice(&format!("the position is not set up: {error}")),
            },
        };
        let mut game = start.clone();
        let mut moves = Vec::new();
        for text in texts {
            match game.parse_move(text) {
                Ok(m) => {
                    game.play(m);
                    moves.push(m);
                }
                Err(error) => {
                    self.voice.notice(&format!("the position is not set up: {error}"));
                    return;
                }
            }
        }
        (self.start, self.moves) = (start, moves);
    }

    fn position(&self) -> G {
        let mut game = self.start.clone();
        self.moves.iter().for_each(|&m| game.play(m));
        game
    }

    fn think(&mut self, go: Go) {
        let begun = Instant::now();
        self.stop();
        if !go.unknown.is_empty() {
            let shown: String = go.unknown.join(" ").chars().take(100).collect();
            self.voice.notice(&format!("go: not understood: {shown}"));
        }
        let position = self.position();
        let is_limited =
            go.is_limited(position.side()) || self.options.limit_strength || self.options.nodes_per_move > 0;
        let go = Go { infinite: go.infinite || !(is_limited || go.ponder), ..go };
        let mut only = Vec::new();
        for text in &go.search_moves {
            match position.parse_move(text) {
                Ok(m) => only.push(m),
                Err(error) => self.voice.notice(&format!("searchmoves: {error}")),
            }
        }
        if only.is_empty() && !go.search_moves.is_empty() {
            self.voice.notice("searchmoves: none of them can be played, so all moves are searched");
        }
        let handle = Arc::new(SearchHandle::new(&go));
        self.handle = Some(Arc::clone(&handle));
        let (options, start, moves) = (self.options.clone(), self.start.clone(), self.moves.clone());
        self.ask(Job::Think(Box::new(Task { options, start, moves, go, only, handle, begun })));
    }

    fn stop(&self) {
        if let Some(handle) = &self.handle {
            handle.control.stop();
        }
    }

    fn is_thinking(&self) -> bool {
        self.handle.as_ref().is_some_and(|handle| !handle.is_done())
    }

    fn draw(&self) {
        let position = self.position();
        self.voice.say(&position.to_string());
        self.voice.say(&format!("FEN {}", position.position()));
        if let Some(outcome) = position.outcome() {
            self.voice.say(&format!("the game is over: {}", outcome.reason));
        }
    }

    fn ask(&self, job: Job<G>) {
        // The thread ends only after this sender is gone, or if it fails, which ends the conversation.
        let _ = self.jobs.send(job);
    }
}
