//! Which games are imported, and whose moves are learnt from.

use alfil_game::pgn::PlayerName;

use crate::finished::FinishedGame;
use crate::{Range, Skip};

/// Which games are imported. What is `None` or empty lets all games pass; what a game does not say of itself does not pass.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Ratings, from the tags WhiteElo and BlackElo.
    pub elo: Option<Range<u32>>,
    /// Whether both players must have such a rating, or one; then only that one's moves are learnt.
    pub elo_of: Sides,
    /// Only this player's moves are learnt.
    pub player: Option<PlayerName>,
    /// Results as PGN writes them.
    pub results: Vec<String>,
    /// Years, months or days as PGN writes them: `2020`, `2020.05`, `2020.05.17`.
    pub date: Option<Range<String>>,
    /// The beginning of the tag TimeControl.
    pub time_control: Option<String>,
    /// Plies of the game.
    pub plies: Option<Range<usize>>,
    /// The beginning of the tag ECO or Opening.
    pub opening: Option<String>,
}

/// Whether something must hold for both players or for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// For both.
    #[default]
    Both,
    /// For at least one.
    One,
}

impl Filter {
    /// Whose moves of a game are learnt, the first player's and the second's, or why it is skipped.
    pub(crate) fn learnt(&self, game: &FinishedGame) -> Result<[bool; 2], Skip> {
        let require = |holds: bool, why: Skip| if holds { Ok(()) } else { Err(why) };
        let tag = |name: &str| game.tag(name);
        require(self.plies.as_ref().is_none_or(|plies| plies.contains(&game.record.plies.len())), Skip::Plies)?;
        require(self.results.is_empty() || self.results.iter().any(|result| result == game.result), Skip::Result)?;
        if let Some(dates) = &self.date {
            require(tag("Date").is_some_and(|date| is_within(date, dates)), Skip::Date)?;
        }
        if let Some(wanted) = &self.time_control {
            require(tag("TimeControl").is_some_and(|found| found.starts_with(wanted.as_str())), Skip::TimeControl)?;
        }
        if let Some(wanted) = &self.opening {
            let begins = |name| tag(name).is_some_and(|found: &str| begins_with(found, wanted));
            require(begins("ECO") || begins("Opening"), Skip::Opening)?;
        }
        let mut learnt = [true; 2];
        if let Some(range) = &self.elo {
            let rated = ["WhiteElo", "BlackElo"]
                .map(|name| tag(name).and_then(|elo| elo.parse().ok()).is_some_and(|elo: u32| range.contains(&elo)));
            match self.elo_of {
                Sides::Both => require(rated == [true; 2], Skip::Rating)?,
                Sides::One => {
                    require(rated != [false; 2], Skip::Rating)?;
                    learnt = rated;
                }
            }
        }
        if let Some(wanted) = &self.player {
            let plays = ["White", "Black"].map(|name| tag(name).is_some_and(|found| wanted.matches(found)));
            learnt = [learnt[0] && plays[0], learnt[1] && plays[1]];
            require(learnt != [false; 2], Skip::Player)?;
        }
        Ok(learnt)
    }
}

/// Dates are compared as far as both are known: a game of 2020.05.?? is one of 2020 and of 2020.05, and not known to be one of
/// 2020.05.17.
fn is_within(date: &str, range: &Range<String>) -> bool {
    let known = date.split('.').take_while(|part| !part.contains('?')).collect::<Vec<_>>().join(".");
    range.contains_prefix(&known)
}

fn begins_with(text: &str, beginning: &str) -> bool {
    text.get(..beginning.len()).is_some_and(|found| found.eq_ignore_ascii_case(beginning))
}
