//! Tables as text with commas (RFC 4180).

/// A row with its line end. Fields are quoted where they have to be.
pub fn row<'a>(fields: impl IntoIterator<Item = &'a str>) -> String {
    let mut row = String::new();
    for (index, field) in fields.into_iter().enumerate() {
        if index > 0 {
            row.push(',');
        }
        if field.contains([',', '"', '\n', '\r']) {
            row.push('"');
            row.push_str(&field.replace('"', "\"\""));
            row.push('"');
        } else {
            row.push_str(field);
        }
    }
    row.push('\n');
    row
}

/// The rows of a text, each with the number of the line that it begins in; an error names a line with a quote that does not end.
pub fn rows(text: &str) -> impl Iterator<Item = (usize, Result<Vec<String>, &'static str>)> {
    let mut rest = text;
    let mut line = 1;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let begins = line;
        let (row, used) = read_row(rest);
        line += rest[..used].matches('\n').count();
        rest = &rest[used..];
        Some((begins, row))
    })
}

/// The first row, and the bytes that it takes.
fn read_row(text: &str) -> (Result<Vec<String>, &'static str>, usize) {
    let mut fields = vec![String::new()];
    let mut letters = text.char_indices().peekable();
    let mut is_quoted = false;
    while let Some((at, letter)) = letters.next() {
        let Some(field) = fields.last_mut() else { break };
        match letter {
            '"' if is_quoted => match letters.next_if(|(_, next)| *next == '"') {
                Some(_) => field.push('"'),
                None => is_quoted = false,
            },
            _ if is_quoted => field.push(letter),
            '"' if field.is_empty() => is_quoted = true,
            ',' => fields.push(String::new()),
            '\n' => return (Ok(fields), at + 1),
            '\r' if letters.peek().is_none_or(|(_, next)| *next == '\n') => {}
            _ => field.push(letter),
        }
    }
    (if is_quoted { Err("a quote does not end") } else { Ok(fields) }, text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(table in proptest::collection::vec(proptest::collection::vec("[a-c,\"\n é]{0,4}", 1..4), 0..4)) {
            let text: String = table.iter().map(|fields| row(fields.iter().map(String::as_str))).collect();
            let read: Vec<Vec<String>> = rows(&text).map(|(_, row)| row.unwrap()).collect();
            prop_assert_eq!(read, table);
        }

        #[test]
        fn any_text_is_read(text in "[a,\"\r\n]{0,40}") {
            let lines: Vec<usize> = rows(&text).map(|(line, _)| line).collect();
            prop_assert!(lines.is_sorted());
        }
    }

    #[test]
    fn rows_know_their_lines() {
        let found: Vec<_> = rows("a,b\r\n\"x\ny\",\"\"\"\"\nz,\"").collect();
        assert_eq!(found[0], (1, Ok(vec!["a".to_owned(), "b".to_owned()])));
        assert_eq!(found[1], (2, Ok(vec!["x\ny".to_owned(), "\"".to_owned()])));
        assert_eq!(found[2], (4, Err("a quote does not end")));
    }
}
