//! The commands of a chess program.

use std::time::Duration;

use alfil_game::Side;

/// A line of the protocol, parsed as far as possible without knowing the position.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Asks for name and options.
    Uci,
    /// Asks whether all earlier commands are done.
    IsReady,
    /// Another game begins.
    NewGame,
    /// Changes an option.
    SetOption {
        /// Its name.
        name: String,
        /// Its value; empty for a button.
        value: String,
    },
    /// Sets the board up.
    Position {
        /// A FEN; `None` is the start position.
        fen: Option<String>,
        /// Moves from there.
        moves: Vec<String>,
    },
    /// Starts a search.
    Go(Go),
    /// Ends the search.
    Stop,
    /// The move that was pondered on has been played.
    PonderHit,
    /// Ends the program.
    Quit,
    /// Draws the board.
    Draw,
    /// Shows the evaluator's answer for the position.
    Eval,
    /// Searches fixed positions.
    Bench,
    /// An unknown command.
    Unknown(String),
    /// An empty line, or a command to ignore.
    Empty,
}

/// How to search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Go {
    /// Time left on White's and Black's clock.
    pub time: [Option<Duration>; 2],
    /// Time added to them per move.
    pub increment: [Duration; 2],
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// Visits for this move.
    pub nodes: Option<u64>,
    /// Mean depth to reach.
    pub depth: Option<u32>,
    /// Search for a win in at most this many moves.
    pub mate: Option<u32>,
    /// Search until told to stop.
    pub infinite: bool,
    /// Search in the opponent's time.
    pub ponder: bool,
    /// The only moves to search; empty means all.
    pub search_moves: Vec<String>,
    /// Unknown words.
    pub unknown: Vec<String>,
}

impl Go {
    /// Whether a search for `side` ends by itself.
    pub fn is_limited(&self, side: Side) -> bool {
        let time = self.time[if side == Side::First { 0 } else { 1 }].or(self.move_time);
        time.is_some() || self.nodes.is_some() || self.depth.is_some() || self.mate.is_some()
    }
}

impl Command {
    /// Parses a line. As the protocol demands, unknown words at its beginning are skipped.
    pub fn parse(line: &str) -> Command {
        let mut words = line.split_whitespace();
        let mut first = None;
        while let Some(word) = words.next() {
            let rest = words.clone();
            first.get_or_insert(word);
            return match word {
                "uci" => Command::Uci,
                "isready" => Command::IsReady,
                "ucinewgame" => Command::NewGame,
                "setoption" => set_option(rest),
                "position" => match position(rest) {
                    Some(position) => position,
                    None => Command::Unknown(line.trim().to_owned()),
                },
                "go" => Command::Go(go(rest)),
                "stop" => Command::Stop,
                "ponderhit" => Command::PonderHit,
                "quit" => Command::Quit,
                "d" => Command::Draw,
                "eval" => Command::Eval,
                "bench" => Command::Bench,
                // The engine needs neither of these.
                "debug" | "register" => Command::Empty,
                _ => continue,
            };
        }
        first.map_or(Command::Empty, |_| Command::Unknown(line.trim().to_owned()))
    }
}

/// `name` and `value` may consist of several words each.
fn set_option<'a>(words: impl Iterator<Item = &'a str>) -> Command {
    let (mut name, mut value) = (Vec::new(), Vec::new());
    let mut to = None;
    for word in words {
        match (word, to) {
            ("name", None) => to = Some(false),
            ("value", Some(false)) => to = Some(true),
            (_, Some(false)) => name.push(word),
            (_, Some(true)) => value.push(word),
            (_, None) => {}
        }
    }
    Command::SetOption { name: name.join(" "), value: value.join(" ") }
}

fn position<'a>(words: impl Iterator<Item = &'a str>) -> Option<Command> {
    let words: Vec<&str> = words.collect();
    let end = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
    let fen = match &words[..end] {
        ["startpos"] => None,
        ["fen", fen @ ..] if !fen.is_empty() => Some(fen.join(" ")),
        _ => return None,
    };
    let moves = words.get(end + 1..).unwrap_or_default().iter().map(|word| (*word).to_owned()).collect();
    Some(Command::Position { fen, moves })
}

fn go<'a>(words: impl Iterator<Item = &'a str>) -> Go {
    const KEYWORDS: [&str; 12] = [
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "movetime",
        "nodes",
        "depth",
        "mate",
        "infinite",
        "ponder",
        "searchmoves",
    ];
    let mut go = Go::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        // A number belongs to the keyword; if it cannot be read, the keyword is ignored.
        let mut large = || -> Option<u64> {
            let next = words.next_if(|word| !KEYWORDS.contains(word))?;
            // Clocks that have run out are negative.
            next.parse::<i64>().ok().map(|number| number.max(0).unsigned_abs())
        };
        // Programs may send larger numbers than ours.
        let mut number = || large().map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        let time = |number: Option<u32>| number.map(|ms| Duration::from_millis(ms.into()));
        match word {
            "wtime" => go.time[0] = time(number()),
            "btime" => go.time[1] = time(number()),
            "winc" => go.increment[0] = time(number()).unwrap_or_default(),
            "binc" => go.increment[1] = time(number()).unwrap_or_default(),
            "movestogo" => go.moves_to_go = number().filter(|moves| *moves > 0),
            "movetime" => go.move_time = time(number()),
            "nodes" => go.nodes = large(),
            "depth" => go.depth = number(),
            "mate" => go.mate = number(),
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(m) = words.next_if(|word| !KEYWORDS.contains(word)) {
                    go.search_moves.push(m.to_owned());
                }
            }
            _ => go.unknown.push(word.to_owned()),
        }
    }
    go
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_parsed() {
        assert_eq!(Command::parse("uci"), Command::Uci);
        assert_eq!(Command::parse("  joho isready \r"), Command::IsReady);
        assert_eq!(Command::parse(""), Command::Empty);
        assert_eq!(Command::parse("hello there"), Command::Unknown("hello there".to_owned()));
        assert_eq!(
            Command::parse("setoption name Skill Level value 3 of 5"),
            Command::SetOption { name: "Skill Level".to_owned(), value: "3 of 5".to_owned() }
        );
        assert_eq!(
            Command::parse("setoption name Clear Hash"),
            Command::SetOption { name: "Clear Hash".to_owned(), value: String::new() }
        );
        let moves = vec!["e2e4".to_owned(), "e7e5".to_owned()];
        assert_eq!(Command::parse("position startpos moves e2e4 e7e5"), Command::Position { fen: None, moves });
        assert_eq!(
            Command::parse("position fen 8/8/8/8/8/8/8/8 w - - 0 1"),
            Command::Position { fen: Some("8/8/8/8/8/8/8/8 w - - 0 1".to_owned()), moves: Vec::new() }
        );
        assert!(matches!(Command::parse("position"), Command::Unknown(_)));
        assert!(matches!(Command::parse("position fen"), Command::Unknown(_)));
    }

    #[test]
    fn go_is_parsed() {
        let Command::Go(go) =
            Command::parse("go wtime -5 btime 99999999999999 winc 10 movestogo 0 ponder nodes x depth")
        else {
            panic!()
        };
        assert_eq!(go.time, [Some(Duration::ZERO), Some(Duration::from_millis(u32::MAX.into()))]);
        assert_eq!(go.increment, [Duration::from_millis(10), Duration::ZERO]);
        assert_eq!((go.moves_to_go, go.nodes, go.depth), (None, None, None));
        assert!(go.ponder);
        let Command::Go(go) = Command::parse("go searchmoves e2e4 d2d4 infinite") else { panic!() };
        assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
        assert!(go.infinite);
        let Command::Go(go) = Command::parse("go mate 3") else { panic!() };
        assert!(go.mate == Some(3) && go.is_limited(Side::First));
        let Command::Go(go) = Command::parse("go nodes 5000000000") else { panic!() };
        assert_eq!(go.nodes, Some(5_000_000_000));
    }
}
