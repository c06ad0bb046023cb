//! Words for messages and tables.

/// Letters that have to be added, dropped, replaced or swapped with their neighbour to turn one word into the other.
pub fn distance(word: &str, other: &str) -> usize {
    strsim::damerau_levenshtein(word, other)
}

/// " (did you mean x?)", if one of the known words is near: a third of its letters may be wrong, and at most three.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let close = known.into_iter().map(|known| (distance(word, known), known)).min();
    match close {
        Some((distance, known)) if distance <= ((known.len() + 1) / 3).min(3) => format!(" (did you mean {known}?)"),
        _ => String::new(),
    }
}

/// A text without what could control a terminal or begin a new line: such characters are shown by their code.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\'' | '"' | '\\' => line.push(character),
            other => line.extend(other.escape_debug()),
        }
    }
    line
}

/// Keeps a message readable and on one line, whatever a file or an engine contains.
pub fn shorten(text: &str) -> String {
    cut(text, 80).chars().flat_map(char::escape_debug).collect()
}

/// The first characters of a text, at most `longest`; an ellipsis stands for the rest.
pub fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some(_) => text.chars().take(longest.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_and_long_texts_stay_readable() {
        assert_eq!(shorten("e2\u{1b}[31m"), "e2\\u{1b}[31m");
        assert_eq!(shorten(&"x".repeat(5000)).chars().count(), 80);
        assert_eq!((cut("ünne", 4), cut("ünnen", 4)), ("ünne".to_owned(), "ünn…".to_owned()));
    }

    #[test]
    fn nothing_in_a_line_controls_the_terminal() {
        let hostile = "a\u{1b}[2J\r\n\u{9b}31m\u{202e}\u{7}é'\"\\";
        assert_eq!(one_line(hostile), "a\\u{1b}[2J\\r\\n\\u{9b}31m\\u{202e}\\u{7}é'\"\\");
    }

    #[test]
    fn only_near_words_are_proposed() {
        assert_eq!(did_you_mean("dpeth", ["depth", "name"]), " (did you mean depth?)");
        assert_eq!(did_you_mean("x", ["tc", "depth"]), "");
        assert_eq!(did_you_mean("e7e5", ["a2a3", "x"]), "");
    }
}
