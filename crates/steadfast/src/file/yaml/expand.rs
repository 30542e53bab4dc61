//! Expansion of aliases and merge keys.
//!
//! A merge key `<<` adds the entries that its map does not have; the first of several maps wins. An
//! aliased value keeps the span of its definition.
//!
//! Nested aliases multiply, so every expanded value counts against the limits, even one that
//! another key overrides: the limit is on work.

use std::collections::HashSet;

use super::raw::{Pair, RawDocument, Shape, Value, ValueIndex};
use crate::file::limits::{MAX_BYTES, MAX_DEPTH, MAX_NODES, expands_too_far, too_deep};
use crate::file::problem::{Findings, Problem};
use crate::file::tree::{Content, Entry, Node, Span};
use crate::file::{Path, Source, Step};

/// The tree of a document; `None` if its root is invalid.
pub(super) fn expand(
    source: &Source,
    document: &RawDocument<'_>,
    findings: &mut Findings,
) -> Result<Option<Node>, Problem> {
    let values = &document.values;
    let mut expansion = Expansion {
        source,
        values,
        findings,
        path: Path::default(),
        alias: None,
        nodes: 0,
        copied: 0,
    };
    expansion.node(document.top, 0)
}

struct Expansion<'e, 't> {
    source: &'e Source,
    values: &'e [Value<'t>],
    findings: &'e mut Findings,
    path: Path,
    /// The outermost alias being expanded, and the length of its path.
    alias: Option<(Span, usize)>,
    nodes: usize,
    /// Bytes of text repeated by aliases.
    copied: usize,
}

impl<'e, 't> Expansion<'e, 't> {
    /// Expands a value at a nesting depth.
    fn node(&mut self, id: ValueIndex, depth: usize) -> Result<Option<Node>, Problem> {
        let values: &'e [Value<'t>] = self.values;
        let Some(Value { at, shape }) = values.get(id) else {
            return Ok(None);
        };
        if let Shape::Alias(target) = shape {
            return self.aliased(*at, |expansion| expansion.node(*target, depth));
        }
        self.count(*at)?;
        let content = match shape {
            Shape::Invalid | Shape::Alias(_) => return Ok(None),
            Shape::Null => Content::Null,
            Shape::Plain(text) => Content::Plain(self.text(text, *at)?),
            Shape::Text(text) => Content::Text(self.text(text, *at)?),
            Shape::List(_) | Shape::Map(_) if depth >= MAX_DEPTH => {
                return Err(self.over_limit(too_deep, *at));
            }
            Shape::List(items) => Content::List(self.list(items, depth + 1)?),
            Shape::Map(pairs) => Content::Map(self.map(pairs, depth + 1)?),
        };
        Ok(Some(Node { span: *at, content }))
    }

    /// Expands the value of an alias.
    fn aliased<T>(
        &mut self,
        at: Span,
        expand: impl FnOnce(&mut Self) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let outer = self.alias;
        self.alias = outer.or(Some((at, self.path.len())));
        let expanded = expand(self)?;
        self.alias = outer;
        Ok(expanded)
    }

    fn list(&mut self, items: &'e [ValueIndex], depth: usize) -> Result<Vec<Node>, Problem> {
        let mut list = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            list.extend(self.child(Step::Item(index), |it| it.node(*item, depth))?);
        }
        Ok(list)
    }

    fn map(&mut self, pairs: &'e [Pair<'t>], depth: usize) -> Result<Vec<Entry>, Problem> {
        let mut map = Vec::with_capacity(pairs.len());
        for Pair { key, value } in pairs.iter().filter(|pair| !pair.key.is_merge) {
            let name = self.text(&key.name, key.at)?;
            let step = Step::Key(name.clone());
            if let Some(value) = self.child(step, |it| it.node(*value, depth))? {
                map.push(Entry { key: name, key_span: key.at, value });
            }
        }
        let Some(merging) = pairs.iter().find(|pair| pair.key.is_merge) else {
            return Ok(map);
        };
        let step = Step::Key(merging.key.name.clone().into_owned());
        let merged = self.child(step, |it| it.merged(merging.value, depth - 1))?;
        let mut taken: HashSet<String> =
            pairs.iter().map(|pair| pair.key.name.clone().into_owned()).collect();
        map.extend(merged.into_iter().filter(|entry| taken.insert(entry.key.clone())));
        Ok(map)
    }

    /// The entries that a merge key adds: those of a map, or of each map of a list.
    fn merged(&mut self, value: ValueIndex, depth: usize) -> Result<Vec<Entry>, Problem> {
        let defined_at = self.values.get(value).map(|value| value.at);
        let Some(Node { span: at, content }) = self.node(value, depth)? else {
            return Ok(Vec::new());
        };
        let items = match content {
            Content::Map(entries) => return Ok(entries),
            Content::List(items) => items,
            _ => {
                self.report_merge(defined_at.unwrap_or(at));
                return Ok(Vec::new());
            }
        };
        let mut merged = Vec::new();
        for Node { span: at, content } in items {
            match content {
                Content::Map(entries) => merged.extend(entries),
                _ => self.report_merge(at),
            }
        }
        Ok(merged)
    }

    /// Reports an invalid merge key once, at its definition.
    fn report_merge(&mut self, at: Span) {
        if self.alias.is_some() {
            return;
        }
        let (source, path) = (self.source, &self.path);
        self.findings.add(|| {
            Problem::at(source, at, "<< requires a map")
                .path(path)
                .suggest("use the alias of a map, or quote the key")
        });
    }

    fn child<T>(
        &mut self,
        step: Step,
        expand: impl FnOnce(&mut Self) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        self.path.push(step);
        let expanded = expand(self)?;
        self.path.pop();
        Ok(expanded)
    }

    fn count(&mut self, at: Span) -> Result<(), Problem> {
        self.nodes += 1;
        if self.nodes <= MAX_NODES { Ok(()) } else { Err(self.over_limit(expands_too_far, at)) }
    }

    fn text(&mut self, text: &str, at: Span) -> Result<String, Problem> {
        if self.alias.is_some() {
            self.copied += text.len();
        }
        if self.copied <= MAX_BYTES {
            Ok(text.to_owned())
        } else {
            Err(self.over_limit(expands_too_far, at))
        }
    }

    /// A problem at the outermost alias, if there is one.
    fn over_limit(&self, problem: fn(&Source, Span, &Path) -> Problem, at: Span) -> Problem {
        let (at, steps) = self.alias.unwrap_or((at, self.path.len()));
        problem(self.source, at, &self.path.up_to(steps))
    }
}
