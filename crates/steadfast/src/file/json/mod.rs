//! A strict JSON parser: a file that passes here passes everywhere.
//!
//! The underlying parser is recursive and builds the whole tree, so a [token scan](walk) checks the
//! limits first.

mod syntax;
mod walk;

use std::collections::HashMap;

use jsonc_parser::ast::{Object, ObjectPropName, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::problem::{Findings, Problem, excerpt};
use super::tree::{Content, Entry, Node, Span, duplicate_key, empty_file};
use super::{Path, Source, Step};

pub(super) fn parse(source: &Source, findings: &mut Findings) -> Option<Node> {
    if let Err(problem) = walk::check(source) {
        findings.add(|| problem);
        return None;
    }
    let parsed = parse_to_ast(source.text(), &CollectOptions::default(), &STRICT);
    match parsed.map(|parsed| parsed.value) {
        Ok(Some(value)) => Conversion { source, findings, path: Path::default() }.node(value),
        Ok(None) => {
            findings.add(|| empty_file(source));
            None
        }
        Err(error) => {
            findings.add(|| syntax::error(source, &error));
            None
        }
    }
}

const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

struct Conversion<'c> {
    source: &'c Source,
    findings: &'c mut Findings,
    path: Path,
}

impl Conversion<'_> {
    /// `None` if it is invalid.
    fn node(&mut self, value: Value<'_>) -> Option<Node> {
        let at = span(value.range());
        let content = match value {
            Value::NullKeyword(_) => Content::Null,
            Value::BooleanLit(truth) => Content::Bool(truth.value),
            Value::NumberLit(number) => Content::Number(self.number(number.value, at)?),
            Value::StringLit(text) => Content::Text(text.value.into_owned()),
            Value::Array(array) => Content::List(self.list(array.elements)),
            Value::Object(object) => Content::Map(self.map(object)),
        };
        Some(Node { span: at, content })
    }

    fn child(&mut self, step: Step, value: Value<'_>) -> Option<Node> {
        self.path.push(step);
        let node = self.node(value);
        self.path.pop();
        node
    }

    fn list(&mut self, items: Vec<Value<'_>>) -> Vec<Node> {
        let items = items.into_iter().enumerate();
        items.filter_map(|(index, item)| self.child(Step::Item(index), item)).collect()
    }

    fn map(&mut self, object: Object<'_>) -> Vec<Entry> {
        let mut names = HashMap::new();
        let mut entries = Vec::with_capacity(object.properties.len());
        for property in object.properties {
            let key_span = span(match &property.name {
                ObjectPropName::String(name) => name.range,
                ObjectPropName::Word(name) => name.range,
            });
            let key = property.name.into_string();
            let value = self.child(Step::Key(key.clone()), property.value);
            if let Some(first) = names.get(&key) {
                self.report_duplicate(&key, key_span, *first);
                continue;
            }
            names.insert(key.clone(), key_span);
            entries.extend(value.map(|value| Entry { key, key_span, value }));
        }
        entries
    }

    fn report_duplicate(&mut self, key: &str, second: Span, first: Span) {
        self.path.push(Step::Key(key.to_owned()));
        let (source, path) = (self.source, &self.path);
        self.findings.add(|| duplicate_key(source, key, second, Some(first), path));
        self.path.pop();
    }

    /// The parser has checked the syntax of the number.
    fn number(&mut self, digits: &str, at: Span) -> Option<f64> {
        let number = digits.parse().ok().filter(|number: &f64| number.is_finite());
        if number.is_some() {
            return number;
        }
        let (source, path) = (self.source, &self.path);
        self.findings.add(|| {
            Problem::at(source, at, format!("{} is too large for a number", excerpt(digits)))
                .path(path)
                .suggest("use a smaller one")
        });
        None
    }
}

fn span(range: Range) -> Span {
    Span::new(range.start, range.end)
}
