//! The conversation with a program.

use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::channel;

use alfil_game::{FullGame, read_rules, with_game};

use crate::brain::{Backend, Brain};
use crate::command::Command;
use crate::engine::{End, Engine, work};
use crate::options::Options;
use crate::voice::Voice;

/// Longer lines than any game needs are cut off here.
const LONGEST_LINE: u64 = 1 << 20;

/// Speaks UCI until the program says quit or stops listening. With `backend`, networks can be computed on other devices.
pub fn run(
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
    options: Options,
    backend: Option<Backend>,
) -> io::Result<()> {
    let voice = Voice::new(output);
    let defaults = options.clone();
    let mut chosen = Some(options);
    while let Some(options) = chosen {
        let game = options.game.clone();
        let (voice, backend) = (voice.clone(), backend.clone());
        chosen = with_game!(&game, G => converse::<G>(&mut input, voice, &defaults, options, backend))
            .map_err(io::Error::other)??;
    }
    Ok(())
}

/// A conversation about one game. Ends with the options as they are then if it is to go on about another game.
fn converse<G: FullGame>(
    input: &mut impl BufRead,
    voice: Voice,
    defaults: &Options,
    mut options: Options,
    backend: Option<Backend>,
) -> io::Result<Option<Options>> {
    // What was chosen about the rules of one game says little about another's.
    if (&options.game, &options.rules) != (&defaults.game, &defaults.rules)
        && let Err(error) = read_rules::<G>(&options.rules)
    {
        voice.notice(&format!("playing by the usual rules: {error}"));
        options.rules.clear();
    }
    let (jobs, received) = channel();
    let brain = Brain::<G>::new(voice.clone(), backend);
    let thinking = std::thread::Builder::new().name("thinking".to_owned()).spawn(move || work(brain, &received))?;
    let mut engine = Engine::<G>::new(voice, defaults.clone(), options, jobs).map_err(io::Error::other)?;
    let mut line = Vec::new();
    let end = loop {
        match read_line(input, &mut line) {
            Ok(true) => {}
            Ok(false) => break End::Silence,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if let Some(end) = engine.obey(Command::parse(&String::from_utf8_lossy(&line))) {
            break end;
        }
    };
    // When the input ends without a quit, such as a file's, a search that has an end is let go on to it.
    if let Some(thought) = &engine.thought
        && (end != End::Silence || thought.is_held())
    {
        thought.control.stop();
    }
    let options = (end == End::OtherGame).then(|| engine.options.clone());
    // Without jobs to come, the thread ends after the last one.
    drop(engine);
    thinking.join().map_err(|_| io::Error::other("the thinking thread broke"))?;
    Ok(options)
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
