//! Players' names, as files of games write them.

use std::str::FromStr;

/// A player who is looked for by name.
///
/// Case, order of names and stray spaces do not matter, and an initial stands for the name that begins with it. Names of several
/// people who played together match only for those who ask for that: mistakes in consultation are not one player's.
///
/// ```
/// use alfil_game::pgn::PlayerName;
///
/// let steinitz = PlayerName::new("Steinitz", false);
/// assert!(["Steinitz, William", "W. Steinitz", " STEINITZ ,W"].into_iter().all(|name| steinitz.matches(name)));
/// assert!(!steinitz.matches("Steinitz/Potter") && !steinitz.matches("Steinitzer"));
/// assert!(PlayerName::new("Steinitz", true).matches("Steinitz/Potter"));
/// assert!(!PlayerName::new("Carlsen, Magnus", false).matches("Carlsen, Henrik"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerName {
    text: String,
    words: Vec<String>,
    with_partners: bool,
}

/// What stands between the names of people who play together.
const BETWEEN: [char; 4] = ['/', '&', '+', ';'];

impl PlayerName {
    /// A name; `with_partners` if it also counts where others helped.
    pub fn new(text: &str, with_partners: bool) -> PlayerName {
        PlayerName { text: text.trim().to_owned(), words: words(text), with_partners }
    }

    /// The name as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it also counts where others helped.
    pub fn with_partners(&self) -> bool {
        self.with_partners
    }

    /// Whether a name in a file is that of the player.
    pub fn matches(&self, name: &str) -> bool {
        let people: Vec<&str> = name.split(BETWEEN).filter(|name| !words(name).is_empty()).collect();
        match people[..] {
            [] => false,
            [one] => self.is(one),
            _ => self.with_partners && people.into_iter().any(|one| self.is(one)),
        }
    }

    /// Whether all words of the shorter name are in the other, at least one of them in full.
    fn is(&self, name: &str) -> bool {
        let other = words(name);
        let (few, many) = if self.words.len() <= other.len() { (&self.words, &other) } else { (&other, &self.words) };
        let mut left: Vec<&String> = many.iter().collect();
        // Whole words first, so that an initial cannot take the place of another's.
        let mut initials = Vec::new();
        let mut has_whole = false;
        for word in few {
            match left.iter().position(|other| *other == word) {
                Some(at) => {
                    has_whole |= word.chars().count() > 1;
                    left.remove(at);
                }
                None => initials.push(word),
            }
        }
        let all_begin = initials.into_iter().all(|word| {
            let begins = |one: &str, other: &str| one.chars().count() == 1 && other.starts_with(one);
            let found = left.iter().position(|other| begins(word, other) || begins(other, word));
            found.map(|at| left.remove(at)).is_some()
        });
        has_whole && all_begin
    }
}

impl FromStr for PlayerName {
    type Err = String;

    fn from_str(text: &str) -> Result<PlayerName, String> {
        let name = PlayerName::new(text, false);
        if name.words.iter().any(|word| word.chars().count() > 1) {
            Ok(name)
        } else {
            Err("it should be a player's name, such as 'Steinitz' or 'Steinitz, William'".to_owned())
        }
    }
}

fn words(name: &str) -> Vec<String> {
    let ends = |letter: char| letter.is_whitespace() || matches!(letter, ',' | '.' | '_');
    name.split(ends).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_they_are_written() {
        let asked = ["Steinitz", "steinitz, william", "William Steinitz", "Steinitz, W", "W. Steinitz"];
        let written = ["Steinitz, William", "Steinitz,W", "William  Steinitz ", "STEINITZ", "Steinitz, W."];
        for (asked, written) in asked.into_iter().flat_map(|asked| written.map(|written| (asked, written))) {
            assert!(PlayerName::new(asked, false).matches(written), "{asked}: {written}");
        }
    }

    #[test]
    fn others_are_not_taken_for_the_player() {
        for (asked, written) in [
            ("Steinitz", "Steinitzer, William"),
            ("Steinitz, William", "Steinitz, Ernst"),
            ("Steinitz, William", "W. W."),
            ("Steinitz", "?"),
            ("Steinitz", ""),
            ("Steinitz", "S."),
            ("Steinitz", "/"),
        ] {
            assert!(!PlayerName::new(asked, true).matches(written), "{asked}: {written}");
        }
    }

    #[test]
    fn partners_count_only_where_they_are_asked_for() {
        for written in ["Steinitz/Potter", "Potter & Steinitz, W", "Steinitz/Zuckertort/Burn"] {
            assert!(PlayerName::new("Steinitz", true).matches(written), "{written}");
            assert!(!PlayerName::new("Steinitz", false).matches(written), "{written}");
        }
        assert!(PlayerName::new("Steinitz", false).matches("Steinitz/"));
        assert!("W".parse::<PlayerName>().is_err() && "".parse::<PlayerName>().is_err());
    }
}
