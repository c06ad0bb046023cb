//! Writing PGN in the export format.

use crate::Notation;
use std::io;

use super::{Annotation, PgnGame};
use crate::MoveNumbers;

/// The standard's seven tags in its order, with its placeholders for unknown values.
const SEVEN_TAGS: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// The standard's limit for a line.
const COLUMNS: usize = 79;

/// Tags that follow from the start position and are written from it. `Rules` is our own.
const START_TAGS: [&str; 4] = ["SetUp", "FEN", "Variant", "Rules"];

pub(super) fn write<G: Notation>(
    game: &PgnGame<G>,
    annotations: &[Annotation<G::Move>],
    out: &mut impl io::Write,
) -> io::Result<()> {
    for (name, unknown) in SEVEN_TAGS {
        let value = if name == "Result" { game.result_text() } else { game.tag(name).unwrap_or(unknown) };
        write_tag(name, value, out)?;
    }
    let usual = G::new(&G::Rules::default());
    if let Some(variant) = game.start.variant() {
        write_tag("Variant", variant, out)?;
    }
    let rules = game.start.chosen_rules();
    if !rules.is_empty() {
        write_tag("Rules", &rules, out)?;
    }
    if game.start.variant() != usual.variant() || game.start.position() != usual.position() {
        write_tag("SetUp", "1", out)?;
        write_tag("FEN", &game.start.position(), out)?;
    }
    let written = |name: &str| SEVEN_TAGS.iter().any(|(tag, _)| *tag == name) || START_TAGS.contains(&name);
    for (name, value) in game.tags.iter().filter(|(name, _)| !written(name)) {
        write_tag(name, value, out)?;
    }
    writeln!(out)?;
    let mut lines = Lines { out, column: 0 };
    write_moves(game, annotations, &mut lines)?;
    lines.word(game.result_text())?;
    write!(out, "\n\n")
}

fn write_moves<G: Notation, W: io::Write>(
    game: &PgnGame<G>,
    annotations: &[Annotation<G::Move>],
    lines: &mut Lines<'_, W>,
) -> io::Result<()> {
    let mut position = game.start.clone();
    let mut numbers = MoveNumbers::of(&position);
    let mut comments = game.comments.iter().peekable();
    let mut interrupted = false;
    for ply in 0..=game.moves.len() {
        while let Some((_, comment)) = comments.next_if(|(before, _)| *before == ply) {
            lines.comment(comment)?;
            interrupted = true;
        }
        let Some(&m) = game.moves.get(ply) else { break };
        let before = numbers.clone();
        let number = numbers.next(position.side());
        if number.begins || interrupted {
            lines.word(&number.to_string())?;
        }
        lines.word(&position.move_name(m))?;
        interrupted = match annotations.get(ply) {
            Some(annotation) => write_annotation(annotation, &position, before, lines)?,
            None => false,
        };
        position.play(m);
    }
    Ok(())
}

/// Writes what is said about a move in a position. Returns whether anything but glyphs was written.
fn write_annotation<G: Notation, W: io::Write>(
    annotation: &Annotation<G::Move>,
    position: &G,
    mut numbers: MoveNumbers,
    lines: &mut Lines<'_, W>,
) -> io::Result<bool> {
    let Annotation { glyphs, comment, variation, variation_comment } = annotation;
    for glyph in glyphs {
        lines.word(&format!("${glyph}"))?;
    }
    if !comment.is_empty() {
        lines.comment(comment)?;
    }
    let mut now = position.clone();
    let mut needs_number = true;
    for (index, &m) in variation.iter().enumerate() {
        let number = numbers.next(now.side());
        let mut word = if index == 0 { "(".to_owned() } else { String::new() };
        if number.begins || needs_number {
            lines.word(&format!("{word}{number}"))?;
            word.clear();
        }
        word += &now.move_name(m);
        let has_comment = index == 0 && !variation_comment.is_empty();
        if index + 1 == variation.len() && !has_comment {
            word.push(')');
        }
        lines.word(&word)?;
        needs_number = has_comment;
        if has_comment {
            lines.comment(variation_comment)?;
            if variation.len() == 1 {
                lines.word(")")?;
            }
        }
        now.play(m);
    }
    Ok(!comment.is_empty() || !variation.is_empty())
}

fn write_tag(name: &str, value: &str, out: &mut impl io::Write) -> io::Result<()> {
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    writeln!(out, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Breaks text into lines between words.
struct Lines<'a, W> {
    out: &'a mut W,
    column: usize,
}

impl<W: io::Write> Lines<'_, W> {
    /// A comment cannot contain its own end.
    fn comment(&mut self, comment: &str) -> io::Result<()> {
        let comment = format!("{{{}}}", comment.replace('}', ")"));
        comment.split_whitespace().try_for_each(|word| self.word(word))
    }

    fn word(&mut self, word: &str) -> io::Result<()> {
        let width = word.chars().count();
        if self.column > 0 {
            let fits = self.column + 1 + width <= COLUMNS;
            self.out.write_all(if fits { b" " } else { b"\n" })?;
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.column += width;
        self.out.write_all(word.as_bytes())
    }
}
