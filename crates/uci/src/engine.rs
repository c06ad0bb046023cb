//! The conversation with a chess program.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use alfil_game::Game;
use alfil_game::chess::{Chess, Move, Rules};

use crate::brain::{Backend, Brain};
use crate::command::{Command, Go};
use crate::options::{DECLARATIONS, Declaration, Options};
use crate::thought::{Task, Thought};
use crate::voice::Voice;

/// Longer lines than any game needs are cut off here.
const LONGEST_LINE: u64 = 1 << 20;

/// What the thinking thread is asked for.
enum Job {
    Prepare(Options, Sender<()>),
    Think(Box<Task>),
    Forget,
    Evaluate(Options, Box<Chess>, Vec<Move>),
    Bench(Options),
}

/// Speaks UCI until the program says quit or stops listening. With `backend`, networks can be computed on other devices.
pub fn run(
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
    options: Options,
    backend: Option<Backend>,
) -> io::Result<()> {
    let voice = Voice::new(output);
    let (jobs, received) = channel();
    let brain = Brain::new(voice.clone(), backend);
    let thinking = std::thread::Builder::new().name("thinking".to_owned()).spawn(move || work(brain, &received))?;
    let start = new_game(&options);
    let mut engine =
        Engine { voice, defaults: options.clone(), options, start, moves: Vec::new(), jobs, thought: None };
    let mut line = Vec::new();
    let quit = loop {
        match read_line(&mut input, &mut line) {
            Ok(true) => {}
            Ok(false) => break false,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if !engine.obey(Command::parse(&String::from_utf8_lossy(&line))) {
            break true;
        }
    };
    // When the input ends without a quit, such as a file's, a search that has an end is let go on to it.
    if let Some(thought) = &engine.thought
        && (quit || thought.is_held())
    {
        thought.control.stop();
    }
    // Without jobs to come, the thread ends after the last one.
    drop(engine);
    thinking.join().map_err(|_| io::Error::other("the thinking thread broke"))
}

/// Reads a line, or the first part of one that is too long; the rest of it is passed over. False at the end of the input.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    if input.by_ref().take(LONGEST_LINE).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    let mut rest = Vec::new();
    while line.len() as u64 == LONGEST_LINE && line.last() != Some(&b'\n') && rest.last() != Some(&b'\n') {
        rest.clear();
        if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut rest)? == 0 {
            break;
        }
    }
    Ok(true)
}

fn work(mut brain: Brain, jobs: &Receiver<Job>) {
    for job in jobs {
        match job {
            Job::Prepare(options, ready) => {
                brain.prepare(&options);
                // Whoever asked may be gone by now.
                let _ = ready.send(());
            }
            Job::Think(task) => brain.think(&task),
            Job::Forget => brain.forget(),
            Job::Evaluate(options, start, moves) => brain.evaluate(&options, &start, &moves),
            Job::Bench(options) => brain.bench(&options),
        }
    }
}

/// The start position. Games played over this protocol end when the program says so, not at a cap.
fn new_game(options: &Options) -> Chess {
    Chess::new(&rules(options))
}

fn rules(options: &Options) -> Rules {
    Rules { chess960: options.chess960, ply_cap: u32::MAX }
}

struct Engine {
    voice: Voice,
    defaults: Options,
    options: Options,
    start: Chess,
    moves: Vec<Move>,
    jobs: Sender<Job>,
    thought: Option<Arc<Thought>>,
}

impl Engine {
    /// Does what a command says. False after the last one.
    fn obey(&mut self, command: Command) -> bool {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.get_ready(),
            Command::NewGame => {
                self.start = new_game(&self.options);
                self.moves.clear();
                self.ask(Job::Forget);
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::Go(go) => self.think(go),
            Command::Stop => self.stop(),
            Command::PonderHit => {
                if let Some(thought) = &self.thought {
                    thought.hit();
                }
            }
            Command::Quit => return false,
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
        true
    }

    fn introduce(&self) {
        self.voice.say(&format!("id name Alfil {}", env!("CARGO_PKG_VERSION")));
        self.voice.say("id author the Alfil developers");
        DECLARATIONS.iter().for_each(|declaration| self.voice.say(&declaration.line(&self.defaults)));
        self.voice.say("uciok");
    }

    fn get_ready(&self) {
        // A program that asks while it thinks wants to know whether it is alive.
        if !self.is_thinking() {
            let (ready, wait) = channel();
            self.ask(Job::Prepare(self.options.clone(), ready));
            if wait.recv().is_err() {
                // The thread broke, and will think no more: no answer is the honest one.
                return;
            }
        }
        self.voice.say("readyok");
    }

    fn set_option(&mut self, name: &str, value: &str) {
        match Declaration::find(name) {
            Ok(declaration) if declaration.is_button() => self.ask(Job::Forget),
            Ok(declaration) => {
                if let Err(error) = declaration.set(&mut self.options, value) {
                    self.voice.notice(&error.to_string());
                }
            }
            Err(error) => self.voice.notice(&error.to_string()),
        }
    }

    fn set_position(&mut self, fen: Option<&str>, texts: &[String]) {
        let start = match fen {
            None => new_game(&self.options),
            Some(fen) => match Chess::from_position(fen, &rules(&self.options)) {
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

    fn position(&self) -> Chess {
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
        let mut only = Vec::new();
        for text in &go.search_moves {
            match position.parse_move(text) {
                Ok(m) => only.push(m),
                Err(error) => self.voice.notice(&format!("searchmoves: {error}")),
            }
        }
        let thought = Arc::new(Thought::new(&go));
        self.thought = Some(Arc::clone(&thought));
        let (options, start, moves) = (self.options.clone(), self.start.clone(), self.moves.clone());
        self.ask(Job::Think(Box::new(Task { options, start, moves, go, only, thought, begun })));
    }

    fn stop(&self) {
        if let Some(thought) = &self.thought {
            thought.control.stop();
        }
    }

    fn is_thinking(&self) -> bool {
        self.thought.as_ref().is_some_and(|thought| !thought.is_done())
    }

    fn draw(&self) {
        let position = self.position();
        self.voice.say(&position.to_string());
        self.voice.say(&format!("FEN {}", position.position()));
        if let Some(outcome) = position.outcome() {
            self.voice.say(&format!("the game is over: {}", outcome.reason));
        }
    }

    fn ask(&self, job: Job) {
        // The thread ends only after this sender is gone, or if it broke; then the run ends with that.
        let _ = self.jobs.send(job);
    }
}
