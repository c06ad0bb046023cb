//! The language of the letters by which people call chessmen.

/// The language of piece letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// K Q R B N
    English,
    /// R D T A C: rey, dama, torre, alfil, caballo
    Spanish,
}

/// Spanish letters with the English ones they stand for.
pub(crate) const LETTERS: [(char, char); 5] = [('R', 'K'), ('D', 'Q'), ('T', 'R'), ('A', 'B'), ('C', 'N')];

impl Language {
    /// The language of a line of moves: Spanish if one of them begins with D, T, A or C, or promotes to one, as no English move does.
    /// The letter R alone does not tell: it is the rook in English and the king in Spanish.
    pub fn of(line: &str) -> Language {
        let only_spanish = |letter: char| LETTERS[1..].iter().any(|(spanish, _)| *spanish == letter);
        let is_spanish = |word: &str| {
            let word = word.trim_end_matches(['!', '?', '+', '#']);
            // A letter, then at least the name of a cell.
            let begins =
                word.len() > 2 && word.starts_with(only_spanish) && word.ends_with(|c: char| c.is_ascii_digit());
            let promotes = word.contains('=') && word.ends_with(|c: char| only_spanish(c.to_ascii_uppercase()));
            begins || promotes
        };
        match line.split([' ', '\t', '\r', '\n', ',']).any(is_spanish) {
            true => Language::Spanish,
            false => Language::English,
        }
    }

    /// The English letter for one of this language, in the same case.
    pub(crate) fn to_english(self, letter: char) -> Option<char> {
        let upper = letter.to_ascii_uppercase();
        let english = match self {
            Language::English => Some(upper).filter(|upper| LETTERS.iter().any(|(_, english)| english == upper)),
            Language::Spanish => LETTERS.iter().find(|(spanish, _)| *spanish == upper).map(|(_, english)| *english),
        };
        english.map(|english| if letter.is_ascii_lowercase() { english.to_ascii_lowercase() } else { english })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_only_spanish_has_tell_the_language() {
        for line in ["e4 e5 Cf3", "Dxd5+", "T6a4", "exd8=D", "Rf1 Ab4", "Cgxe2"] {
            assert_eq!(Language::of(line), Language::Spanish, "{line}");
        }
        for line in ["", "e4 e5 Nf3", "Rf1", "O-O", "e2e4", "exd8=Q", "exd8=R", "Bb5 a6", "C", "Ad", "443"] {
            assert_eq!(Language::of(line), Language::English, "{line}");
        }
    }

    #[test]
    fn letters_are_translated_in_their_case() {
        assert_eq!(
            ['R', 'd', 'T', 'a', 'C', 'K', 'x'].map(|letter| Language::Spanish.to_english(letter)),
            [Some('K'), Some('q'), Some('R'), Some('b'), Some('N'), None, None]
        );
        assert_eq!(['R', 'q', 'D'].map(|letter| Language::English.to_english(letter)), [Some('R'), Some('q'), None]);
    }
}
