//! The conversation with a program.

use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::{Receiver, RecvError, Sender, SyncSender, channel, sync_channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

use alfil_game::{FullGame, read_rules, with_game};
use alfil_nn::Devices;
use alfil_search::{EvaluatorError, catch_panic};

use crate::command::Command;
use crate::engine::{End, Engine, work};
use crate::options::Options;
use crate::thinker::Thinker;
use crate::voice::Voice;

/// Lines are cut off at this length, which no game needs.
const LONGEST_LINE: u64 = 1 << 20;

/// Lines that wait at most: a program that writes faster than they are obeyed has to wait itself.
const MOST_WAITING: usize = 64;

/// The name of the thinking thread in messages.
const PART: &str = "the engine";

/// How long a search may go on after the end of the input. A file of commands gets the answers to short searches as asked for,
/// and a program that was killed leaves no busy engine behind.
const END_TIME: Duration = Duration::from_secs(1);

/// Why a conversation ended other than by quit.
#[derive(Debug, thiserror::Error)]
pub enum UciError {
    /// The input cannot be read, the output cannot be written, or the options cannot be used.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// An evaluator failed, or a thread could not be started.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

/// Speaks UCI until the program says quit or stops listening. With `devices`, networks can run on other devices than
/// the CPU.
///
/// If an evaluator fails or a thread cannot be started, the program is told, and the conversation ends with the error: an engine
/// either answers or dies visibly. The thread that reads the input may then live on until the next line or the end of the input,
/// as a read cannot be interrupted.
pub fn run(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    options: Options,
    devices: Option<&'static dyn Devices>,
) -> Result<(), UciError> {
    let (events, received) = channel();
    let (places, taken) = sync_channel(MOST_WAITING);
    let heard = Heard { events: received, taken };
    let closed = events.clone();
    // The receiver is gone if the conversation has ended.
    let voice = Voice::new(output, move |why| drop(closed.send(Event::OutputClosed(why))));
    let reader = events.clone();
    let reading = Builder::new().name("reading".to_owned()).spawn(move || read(input, &places, &reader));
    let spoken = match reading {
        Ok(_) => converse(&events, &heard, &voice, options, devices),
        Err(why) => Err(EvaluatorError::no_thread(PART, &why).into()),
    };
    spoken.inspect_err(|why| voice.notice(&why.to_string()))
}

/// Holds one conversation after the other, each about one game.
fn converse(
    events: &Sender<Event>,
    heard: &Heard,
    voice: &Voice,
    options: Options,
    devices: Option<&'static dyn Devices>,
) -> Result<(), UciError> {
    let defaults = options.clone();
    let mut chosen = Some(options);
    while let Some(options) = chosen {
        let game = options.game.clone();
        let conversation = Conversation { events, heard, voice: voice.clone(), defaults: &defaults, options, devices };
        chosen = with_game!(&game, G => conversation.hold::<G>()).map_err(io::Error::other)??;
    }
    Ok(())
}

/// What the thread that runs the conversation waits for.
enum Event {
    Line(Vec<u8>),
    /// The input has ended, or cannot be read.
    InputClosed(io::Result<()>),
    /// A line could not be written.
    OutputClosed(io::Error),
    /// The thinking thread has ended with an error.
    Failure,
}

/// What comes from the reading thread and the others. Only lines have to wait for a place: others must be able to say that they have
/// ended while nobody listens.
struct Heard {
    events: Receiver<Event>,
    /// A word for each line that waits.
    taken: Receiver<()>,
}

impl Heard {
    fn next(&self) -> Result<Event, RecvError> {
        let event = self.events.recv()?;
        if let Event::Line(_) = event {
            self.taken.recv()?;
        }
        Ok(event)
    }
}

/// Sends on the lines of the input up to a quit.
fn read(mut input: impl BufRead, places: &SyncSender<()>, events: &Sender<Event>) {
    loop {
        let mut line = Vec::new();
        let event = match read_line(&mut input, &mut line) {
            Ok(true) => Event::Line(line),
            Ok(false) => Event::InputClosed(Ok(())),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Event::InputClosed(Err(error)),
        };
        let is_last = match &event {
            Event::Line(line) => matches!(Command::parse(&String::from_utf8_lossy(line)), Command::Quit),
            _ => true,
        };
        // Both receivers are gone if the conversation has ended.
        let has_place = !matches!(event, Event::Line(_)) || places.send(()).is_ok();
        if !has_place || events.send(event).is_err() || is_last {
            return;
        }
    }
}

/// A conversation about one game. If the program switches to another game, it ends with the current options.
struct Conversation<'a> {
    events: &'a Sender<Event>,
    heard: &'a Heard,
    voice: Voice,
    defaults: &'a Options,
    options: Options,
    devices: Option<&'static dyn Devices>,
}

impl Conversation<'_> {
    fn hold<G: FullGame>(self) -> Result<Option<Options>, UciError> {
        let Conversation { events, heard, voice, defaults, mut options, devices } = self;
        // The rules of one game may not exist in another.
        if (&options.game, &options.rules) != (&defaults.game, &defaults.rules)
            && let Err(error) = read_rules::<G>(&options.rules)
        {
            voice.notice(&format!("playing by the usual rules: {error}"));
            options.rules.clear();
        }
        let (jobs, received) = channel();
        let mut engine = Engine::<G>::new(voice.clone(), defaults.clone(), options, jobs).map_err(io::Error::other)?;
        let (thinker, failure) = (Thinker::<G>::new(voice.clone(), devices), events.clone());
        let thinking = Builder::new().name("thinking".to_owned()).spawn(move || {
            // The receiver is gone if the conversation has ended.
            let worked = catch_panic(PART, || work(thinker, &received)).flatten();
            worked.inspect_err(|_| drop(failure.send(Event::Failure)))
        });
        let thinking = thinking.map_err(|why| EvaluatorError::no_thread(PART, &why))?;
        let (end, closed) = loop {
            match heard.next() {
                Ok(Event::Line(line)) => {
                    let line = String::from_utf8_lossy(&line);
                    tracing::debug!(?line, "command");
                    if let Some(end) = engine.obey(Command::parse(&line)) {
                        break (end, Ok(()));
                    }
                }
                Ok(Event::InputClosed(read)) => break (End::InputClosed, read),
                Ok(Event::OutputClosed(why)) => break (End::OutputClosed, Err(why)),
                Ok(Event::Failure) => break (End::Failure, Ok(())),
                // We hold a sender ourselves.
                Err(_) => break (End::InputClosed, Ok(())),
            }
        };
        if let Some(handle) = &engine.handle {
            let begun = Instant::now();
            // A search without limits would not end by itself.
            while end == End::InputClosed && begun.elapsed() < END_TIME && !handle.is_held() && !handle.is_done() {
                std::thread::sleep(Duration::from_millis(1));
            }
            handle.control.stop();
        }
        let options = (end == End::OtherGame).then(|| engine.options.clone());
        // With its sender gone, the thread ends after the last job.
        drop(engine);
        thinking.join().map_err(|panic| EvaluatorError::panicked(PART, &*panic)).flatten()?;
        closed?;
        Ok(options)
    }
}

/// Reads a line, or the first part of one that is too long; the rest of it is skipped. False at the end of the input.
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
