//! TOML becomes a tree.
//!
//! The parser makes tables of any depth out of dotted keys, and such a table overflows the
//! stack when it is dropped. So an [outline](outline) of the text is made first, which
//! stays flat: it sees that the text is within the bounds, and knows what stands where.

mod outline;

use toml::Spanned;
use toml::de::{DeArray, DeFloat, DeInteger, DeTable, DeValue, Error};

use self::outline::Outline;
use super::problem::{Findings, Problem, shown};
use super::tree::{Content, Entry, Node, Span, empty, written_twice};
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
        findings.add(|| empty(source));
        return None;
    }
    for error in &errors {
        findings.add(|| refused(source, &outline, error));
    }
    // What was meant is known if nothing is wrong but that it is said twice.
    if !errors.iter().all(is_second) {
        return None;
    }
    let mut conversion = Conversion { source, findings, path: Path::default() };
    let content = Content::Map(conversion.map(table));
    Some(Node { at: Span::new(0, source.text().len()), content })
}

fn is_second(error: &Error) -> bool {
    error.message() == "duplicate key"
}

fn refused(source: &Source, outline: &Outline, error: &Error) -> Problem {
    let length = source.text().len();
    let range = error.span().unwrap_or(length..length);
    let at = Span::new(range.start, range.end);
    let path = outline.path_to(range.start);
    if is_second(error) {
        let first = outline.first(range.start).filter(|first| *first != at);
        return written_twice(source, source.slice(at), at, first, &path);
    }
    Problem::at(source, at, error.message()).path(&path)
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
                let key_at = span(&key);
                let key = key.into_inner().into_owned();
                let value = self.inside(Step::Key(key.clone()), value)?;
                Some(Entry { key, key_at, value })
            })
            .collect();
        // The parser sorts by name.
        entries.sort_by_key(|entry| entry.key_at.start);
        entries
    }

    fn list(&mut self, items: DeArray<'_>) -> Vec<Node> {
        let items = items.into_iter().enumerate();
        items.filter_map(|(place, item)| self.inside(Step::Item(place), item)).collect()
    }

    /// `None` if it was refused.
    fn inside(&mut self, step: Step, value: Spanned<DeValue<'_>>) -> Option<Node> {
        self.path.push(step);
        let at = span(&value);
        let content = self.content(value.into_inner(), at);
        self.path.pop();
        Some(Node { at, content: content? })
    }

    fn content(&mut self, value: DeValue<'_>, at: Span) -> Option<Content> {
        Some(match value {
            DeValue::Boolean(truth) => Content::Bool(truth),
            DeValue::String(text) => Content::Text(text.into_owned()),
            DeValue::Datetime(_) => Content::Text(self.source.slice(at).to_owned()),
            DeValue::Integer(integer) => Content::Number(self.number(whole(&integer), at)?),
            DeValue::Float(float) => Content::Number(self.number(fraction(&float), at)?),
            DeValue::Array(items) => Content::List(self.list(items)),
            DeValue::Table(table) => Content::Map(self.map(table)),
        })
    }

    fn number(&mut self, number: Option<f64>, at: Span) -> Option<f64> {
        if number.is_none() {
            let (source, path) = (self.source, &self.path);
            self.findings.add(|| {
                let message = format!("{} is not a finite number", shown(source.slice(at)));
                Problem::at(source, at, message).path(path).suggest("write a plain number")
            });
        }
        number
    }
}

fn whole(integer: &DeInteger<'_>) -> Option<f64> {
    let whole = i64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
    Some(whole as f64)
}

fn fraction(float: &DeFloat<'_>) -> Option<f64> {
    float.as_str().parse().ok().filter(|number: &f64| number.is_finite())
}

fn span<T>(spanned: &Spanned<T>) -> Span {
    let range = spanned.span();
    Span::new(range.start, range.end)
}
