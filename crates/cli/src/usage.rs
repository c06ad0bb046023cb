//! Parsing of the command line, with errors in one sentence.

use clap::builder::StyledStr;
use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory, FromArgMatches};

use crate::terminal;

/// Reads the command line. Ends the program if it asks for help or is wrong.
pub fn read<A: CommandFactory + FromArgMatches>() -> A {
    let read = with_negative_numbers(A::command()).try_get_matches().and_then(|matches| A::from_arg_matches(&matches));
    read.unwrap_or_else(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => error.exit(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => error.exit(),
        _ => {
            terminal::say(&format!("alfil: {}", sentence(&error.render())));
            std::process::exit(2);
        }
    })
}

/// Takes a negative number as a value, right or wrong, rather than as an unknown flag.
fn with_negative_numbers(command: Command) -> Command {
    let allow = |arg: Arg| {
        let takes_values = !arg.is_positional() && arg.get_action().takes_values();
        if takes_values { arg.allow_negative_numbers(true) } else { arg }
    };
    command.mut_args(allow).mut_subcommands(with_negative_numbers)
}

/// The standard library's messages about numbers, and ours instead.
const NUMBERS: [(&str, &str); 4] = [
    ("invalid digit found in string", "it should be a whole number"),
    ("invalid float literal", "it should be a number"),
    ("number too large to fit in target type", "it is too large"),
    ("cannot parse integer from empty string", "it should be a whole number"),
];

/// The first of clap's paragraphs and its tips, without the usage.
fn sentence(error: &StyledStr) -> String {
    let text = error.to_string();
    let mut paragraphs = text.split("\n\n");
    let one_line = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut sentence = one_line(paragraphs.next().unwrap_or_default().trim_start_matches("error:"));
    for (theirs, ours) in NUMBERS {
        sentence = sentence.replace(theirs, ours);
    }
    for tip in paragraphs.filter_map(|paragraph| paragraph.trim_start().strip_prefix("tip:")) {
        sentence += &format!("; {}", one_line(tip));
    }
    sentence + " (see --help)"
}
