//! A TOML parser.
//!
//! Dotted keys can nest tables to any depth, and dropping such a table overflows the stack. A flat
//! [outline](outline) of the text is therefore built first: it checks the limits, and provides the
//! paths for problems.

mod outline;

use toml::Spanned;
use toml::de::{DeArray, DeFloat, DeInteger, DeTable, DeValue, Error};

use self::outline::Outline;
use super::problem::{Findings, Problem, excerpt};
use super::tree::{Content, Entry, Node, Span, duplicate_key, empty_file};
use super::{Path, Source, Step};

pub(super) fn parse(source: &Source, findings: &mut Findings) -> Option<Node> {
    let outline = match outline::read(source) {
        Ok(outline) => outline,
        Err(problem) => {
            findings.add(|| problem);
            return None;
        }
    };
    let (table, errors) = DeTable::parse_recoverable(source.text());
    let table = table.into_inner();
    if table.is_empty() && errors.is_empty() {
        findings.add(|| empty_file(source));
        return None;
    }
    for error in &errors {
        findings.add(|| syntax_error(source, &outline, error));
    }
    // Duplicate keys leave the structure clear; other errors do not.
    if !errors.iter().all(is_duplicate_key) {
        return None;
    }
    let mut conversion = Conversion { source, findings, path: Path::default() };
    let content = Content::Map(conversion.map(table));
    Some(Node { span: Span::new(0, source.text().len()), content })
}

fn is_duplicate_key(error: &Error) -> bool {
    error.message() == "duplicate key"
}

fn syntax_error(source: &Source, outline: &Outline, error: &Error) -> Problem {
    let length = source.text().len();
    let range = error.span().unwrap_or(length..length);
    let at = Span::new(range.start, range.end);
    let path = outline.path_to(range.start);
    if is_duplicate_key(error) {
        let first = outline.first(range.start).filter(|first| *first != at);
        return duplicate_key(source, source.slice(at), at, first, &path);
    }
    match value_problem(source, range.start) {
        Some((message, suggestion)) => {
            Problem::at(source, at, message).path(&path).suggest(suggestion)
        }
        None => {
            // The parser also lists a token that quotes do not need.
            let message = error.message().trim_end_matches(", expected literal string");
            Problem::at(source, at, message).path(&path)
        }
    }
}

/// A missing or unquoted value at the offset. The parser reports both by the tokens that it expects.
fn value_problem(source: &Source, offset: usize) -> Option<(&'static str, &'static str)> {
    let text = source.text();
    let before = text.get(..offset)?.trim_end_matches([' ', '\t']);
    if !before.ends_with('=') {
        return None;
    }
    let value = text.get(offset..)?.trim_start_matches([' ', '\t']);
    match value.chars().next() {
        None | Some('\n' | '\r' | '#') => Some(("missing value", "write a value after the =")),
        Some(letter) if letter.is_alphabetic() => {
            Some(("unquoted text", "put the text in double quotes"))
        }
        Some(_) => None,
    }
}

struct Conversion<'c> {
    source: &'c Source,
    findings: &'c mut Findings,
    path: Path,
}

impl Conversion<'_> {
    fn map(&mut self, table: DeTable<'_>) -> Vec<Entry> {
        let mut entries: Vec<Entry> = table
            .into_iter()
            .filter_map(|(key, value)| {
                let key_span = span(&key);
                let key = key.into_inner().into_owned();
                let value = self.child(Step::Key(key.clone()), value)?;
                Some(Entry { key, key_span, value })
            })
            .collect();
        // The parser sorts by key.
        entries.sort_by_key(|entry| entry.key_span.start);
        entries
    }

    fn list(&mut self, items: DeArray<'_>) -> Vec<Node> {
        let items = items.into_iter().enumerate();
        items.filter_map(|(index, item)| self.child(Step::Item(index), item)).collect()
    }

    /// `None` if it is invalid.
    fn child(&mut self, step: Step, value: Spanned<DeValue<'_>>) -> Option<Node> {
        self.path.push(step);
        let at = span(&value);
        let content = self.content(value.into_inner(), at);
        self.path.pop();
        Some(Node { span: at, content: content? })
    }

    fn content(&mut self, value: DeValue<'_>, at: Span) -> Option<Content> {
        Some(match value {
            DeValue::Boolean(truth) => Content::Bool(truth),
            DeValue::String(text) => Content::Text(text.into_owned()),
            DeValue::Datetime(_) => Content::Text(self.source.slice(at).to_owned()),
            DeValue::Integer(integer) => Content::Number(self.number(parse_integer(&integer), at)?),
            DeValue::Float(float) => Content::Number(self.number(parse_float(&float), at)?),
            DeValue::Array(items) => Content::List(self.list(items)),
            DeValue::Table(table) => Content::Map(self.map(table)),
        })
    }

    fn number(&mut self, number: Option<f64>, at: Span) -> Option<f64> {
        if number.is_none() {
            let (source, path) = (self.source, &self.path);
            self.findings.add(|| {
                let message = format!("{} is not a finite number", excerpt(source.slice(at)));
                Problem::at(source, at, message).path(path).suggest("write a finite decimal number")
            });
        }
        number
    }
}

fn parse_integer(integer: &DeInteger<'_>) -> Option<f64> {
    let value = i64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
    Some(value as f64)
}

fn parse_float(float: &DeFloat<'_>) -> Option<f64> {
    float.as_str().parse().ok().filter(|number: &f64| number.is_finite())
}

fn span<T>(spanned: &Spanned<T>) -> Span {
    let range = spanned.span();
    Span::new(range.start, range.end)
}
