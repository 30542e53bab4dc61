//! A parser for Ruby assignments.
//!
//! A client library is configured in code. Only lines such as `config.max_retries = 3` are read;
//! no code runs, and a value must be a literal.

use steadfast::__private::tree::{Content, Entry, Node, Span};
use steadfast::file::Problem;

use super::names::excerpt;
use super::reader::Reader;

/// Parses the assignments as one map. Other lines than the enclosing block are reported.
pub(super) fn tree(reader: &mut Reader<'_>) -> Node {
    let mut entries: Vec<Entry> = Vec::new();
    let mut start = 0;
    for line in reader.source.text().split_inclusive('\n') {
        let line_start = start;
        start += line.len();
        let code = without_comment(line);
        let indent = code.len() - code.trim_start().len();
        match assignment(code, line_start) {
            Some(entry) => {
                if let Some(first) = entries.iter().find(|earlier| earlier.key == entry.key) {
                    let first = reader.source.position(first.key_span.range().start);
                    let message = format!("duplicate assignment, first at {first}");
                    let problem = Problem::at(reader.source, entry.key_span, message);
                    reader.add_problem(
                        problem.field(&excerpt(&entry.key)).suggest("remove one of the two"),
                    );
                    continue;
                }
                entries.push(entry);
            }
            None if is_block_or_blank(code.trim()) => {}
            None => {
                let span = Span::new(line_start + indent, line_start + code.trim_end().len());
                reader.unsupported_at(span, "", "a line of code", "not a setting");
            }
        }
    }
    Node { span: Span::default(), content: Content::Map(entries) }
}

/// A line that opens or closes a block, or is blank.
fn is_block_or_blank(code: &str) -> bool {
    code.is_empty() || code == "end" || code.ends_with('|') || code.starts_with("require")
}

/// The line without its comment. A `#` in quotes does not start one.
fn without_comment(text: &str) -> &str {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (letter, quote) {
            ('#', None) => return text.get(..at).unwrap_or(text),
            ('"' | '\'', None) => quote = Some(letter),
            (_, Some(open)) if letter == open => quote = None,
            _ => {}
        }
    }
    text
}

/// `config.name = value`, on the line that starts at offset `start`.
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
        key_span: Span::new(from, from + target.trim().len()),
        value: Node {
            span: Span::new(value_from, value_from + value.len()),
            content: literal(value),
        },
    })
}

/// A Ruby literal: a quoted string, `nil`, a symbol, or a number with optional `_`.
fn literal(value: &str) -> Content {
    let within = |quote| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    if let Some(text) = within('"').or_else(|| within('\'')) {
        return Content::Text(text.to_owned());
    }
    if value == "nil" {
        return Content::Null;
    }
    if let Some(symbol) = value.strip_prefix(':') {
        return Content::Plain(symbol.to_owned());
    }
    let digits = value.replace('_', "");
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    Content::Plain(if is_number { digits } else { value.to_owned() })
}
