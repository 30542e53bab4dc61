//! A parser for Java properties.
//!
//! The rules are those of `java.util.Properties`: `#` and `!` start a comment; `=`, `:` or white
//! space ends a key; a backslash joins lines and escapes characters. Quotes around a key, as some
//! frameworks write them, are removed.

use steadfast::__private::tree::{Content, Entry, Node, Span};
use steadfast::file::Problem;

use super::reader::Reader;

/// Parses the properties as one map of strings, and reports duplicate keys.
pub(super) fn tree(reader: &mut Reader<'_>) -> Node {
    let mut entries: Vec<Entry> = Vec::new();
    let mut spans = std::collections::HashMap::new();
    for line in lines(reader.source.text()) {
        let Some(entry) = entry(&line) else { continue };
        if let Some(first) = spans.insert(entry.key.clone(), entry.key_span) {
            let first = reader.source.position(first.range().start);
            let message = format!("duplicate key, first at {first}");
            let problem = Problem::at(reader.source, entry.key_span, message);
            let key = super::names::excerpt(&entry.key);
            reader.add_problem(problem.field(&key).suggest("remove one of the two"));
            continue;
        }
        entries.push(entry);
    }
    Node { span: Span::default(), content: Content::Map(entries) }
}

/// A logical line: each character, its offset, and whether it is escaped.
type Line = Vec<(usize, char, bool)>;

fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut line = Line::new();
    let mut letters = text.char_indices().peekable();
    let mut at_start = true;
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                at_start = false;
                match letters.next() {
                    Some((_, '\r' | '\n')) => {
                        while letters.next_if(|(_, next)| next.is_whitespace()).is_some() {}
                    }
                    Some((_, 'u')) => line.push((at, unicode(&mut letters), true)),
                    Some((_, next)) => line.push((at, escaped(next), true)),
                    None => {}
                }
            }
            '\r' | '\n' => {
                lines.push(std::mem::take(&mut line));
                at_start = true;
            }
            '#' | '!' if at_start => {
                while letters.next_if(|(_, next)| !matches!(next, '\r' | '\n')).is_some() {}
            }
            blank if at_start && blank.is_whitespace() => {}
            other => {
                at_start = false;
                line.push((at, other, false));
            }
        }
    }
    lines.push(line);
    lines
}

fn escaped(letter: char) -> char {
    match letter {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'f' => '\u{c}',
        other => other,
    }
}

/// The character of four hexadecimal digits, or U+FFFD.
fn unicode(letters: &mut std::iter::Peekable<std::str::CharIndices<'_>>) -> char {
    let mut code = 0;
    for _ in 0..4 {
        let Some((_, digit)) = letters.next_if(|(_, next)| next.is_ascii_hexdigit()) else {
            return char::REPLACEMENT_CHARACTER;
        };
        code = code * 16 + digit.to_digit(16).unwrap_or(0);
    }
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn entry(line: &Line) -> Option<Entry> {
    let first = line.first()?.0;
    let quoted = matches!(line.first(), Some((_, '"', false)));
    let key_end = if quoted {
        1 + line.iter().skip(1).position(|(_, letter, _)| *letter == '"')? + 1
    } else {
        key_end(line)
    };
    let (key, rest) = line.split_at_checked(key_end)?;
    let value = without_separator(rest);
    let text = |letters: &[(usize, char, bool)]| {
        letters.iter().map(|(_, letter, _)| *letter).collect::<String>()
    };
    let end = |letters: &[(usize, char, bool)], empty: usize| {
        letters.last().map_or(empty, |(at, letter, _)| at + letter.len_utf8())
    };
    let key_span = Span::new(first, end(key, first));
    let from = value.first().map_or(end(line, first), |(at, ..)| *at);
    let value_span = Span::new(from, end(value, from));
    Some(Entry {
        key: text(key).trim_matches('"').to_owned(),
        key_span,
        value: Node { span: value_span, content: Content::Text(text(value).trim().to_owned()) },
    })
}

/// The end of a key. A separator within quotes, as in `a."b.c".d`, does not end it.
fn key_end(line: &Line) -> usize {
    let mut quoted = false;
    let ends = |(_, letter, escaped): &(usize, char, bool)| {
        quoted ^= *letter == '"';
        !quoted && !escaped && (matches!(letter, '=' | ':') || letter.is_whitespace())
    };
    line.iter().position(ends).unwrap_or(line.len())
}

/// The value after white space, at most one `=` or `:`, and white space.
fn without_separator(rest: &[(usize, char, bool)]) -> &[(usize, char, bool)] {
    let blank = |(_, letter, escaped): &&(usize, char, bool)| !escaped && letter.is_whitespace();
    let rest = rest.split_at(rest.iter().take_while(blank).count()).1;
    let rest = match rest {
        [(_, '=' | ':', false), value @ ..] => value,
        value => value,
    };
    rest.split_at(rest.iter().take_while(blank).count()).1
}
