//! Assignments in Ruby as a tree: one map.
//!
//! A client library is set up in code. Of that code only lines such as
//! `config.max_retries = 3` are settings; what stands around them is not run, and what is
//! not a literal is not understood.

use super::names::shown;
use super::reader::Reader;
use steadfast::file::Problem;
use steadfast::file::tree::{Content, Entry, Node, Span};

/// The tree. Lines that are neither assignments nor their frame are reported as lost.
pub(super) fn tree(reader: &mut Reader<'_>) -> Node {
    let mut entries: Vec<Entry> = Vec::new();
    let mut start = 0;
    for line in reader.source.text().split_inclusive('\n') {
        let at = start;
        start += line.len();
        let code = without_comment(line);
        let indent = code.len() - code.trim_start().len();
        match assignment(code, at) {
            Some(entry) => {
                if let Some(first) = entries.iter().find(|known| known.key == entry.key) {
                    let first = reader.source.place(first.key_at.range().start);
                    let message = format!("it is assigned twice, first in {first}");
                    let problem = Problem::at(reader.source, entry.key_at, message);
                    reader.add(problem.field(&shown(&entry.key)).suggest("remove one of the two"));
                    continue;
                }
                entries.push(entry);
            }
            None if is_frame(code.trim()) => {}
            None => {
                let span = Span::new(at + indent, at + code.trim_end().len());
                reader.lose_at(span, "", "a line of code", "it is not a setting");
            }
        }
    }
    Node { at: Span::default(), content: Content::Map(entries) }
}

/// What opens and closes a block, and nothing at all.
fn is_frame(code: &str) -> bool {
    code.is_empty() || code == "end" || code.ends_with('|') || code.starts_with("require")
}

/// `#` begins a comment, but not in a text.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, letter) in line.char_indices() {
        match (letter, quote) {
            ('#', None) => return line.get(..at).unwrap_or(line),
            ('"' | '\'', None) => quote = Some(letter),
            (_, Some(open)) if letter == open => quote = None,
            _ => {}
        }
    }
    line
}

/// `config.name = value`, where the line begins at `start`.
fn assignment(code: &str, start: usize) -> Option<Entry> {
    let (target, value) = code.split_once('=')?;
    let (object, name) = target.trim().rsplit_once('.')?;
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if !is_name(name) || !object.split('.').all(is_name) || value.starts_with(['=', '~', '>']) {
        return None;
    }
    let from = start + target.len() - target.trim_start().len();
    let value_from = start + target.len() + 1 + (value.len() - value.trim_start().len());
    let value = value.trim();
    Some(Entry {
        key: name.to_owned(),
        key_at: Span::new(from, from + target.trim().len()),
        value: Node {
            at: Span::new(value_from, value_from + value.len()),
            content: literal(value),
        },
    })
}

/// A symbol is a word, digits may be grouped by `_`, and what has quotes is a text.
fn literal(value: &str) -> Content {
    let within = |quote| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    if let Some(text) = within('"').or_else(|| within('\'')) {
        return Content::Text(text.to_owned());
    }
    if value == "nil" {
        return Content::Null;
    }
    if let Some(symbol) = value.strip_prefix(':') {
        return Content::Word(symbol.to_owned());
    }
    let digits = value.replace('_', "");
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    Content::Word(if is_number { digits } else { value.to_owned() })
}
