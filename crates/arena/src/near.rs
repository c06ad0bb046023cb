//! What somebody may have meant.

/// " (did you mean x?)", if one of the known words is near.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let close = known.into_iter().map(|known| (strsim::damerau_levenshtein(word, known), known)).min();
    match close {
        Some((distance, known)) if distance <= 3 && distance < known.len() => format!(" (did you mean {known}?)"),
        _ => String::new(),
    }
}

/// Keeps a message readable and on one line, whatever a file or an engine contains.
pub(crate) fn shorten(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut short: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}
