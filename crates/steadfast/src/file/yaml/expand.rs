//! Puts values in the place of aliases and of merge keys.
//!
//! A merge key `<<` adds what its map does not say itself; of several, the earlier wins.
//! A value keeps the place where it is written, wherever an alias brings it.
//!
//! Aliases of aliases multiply, so everything that is expanded is counted, even what
//! gives way to another key afterwards: work is what has to be bounded.

use std::collections::HashSet;

use super::written::{Id, Pair, Shape, Value, Written};
use crate::file::bounds::{MAX_BYTES, MAX_DEPTH, MAX_NODES, expands_too_far, too_deep};
use crate::file::problem::{Findings, Problem};
use crate::file::tree::{Content, Entry, Node, Span};
use crate::file::{Path, Source, Step};

/// The tree of what is written; `None` if its top was refused.
pub(super) fn expand(
    source: &Source,
    written: &Written<'_>,
    findings: &mut Findings,
) -> Result<Option<Node>, Problem> {
    let values = &written.values;
    let mut expansion = Expansion {
        source,
        values,
        findings,
        path: Path::default(),
        alias: None,
        nodes: 0,
        copied: 0,
    };
    expansion.node(written.top, 0)
}

struct Expansion<'e, 't> {
    source: &'e Source,
    values: &'e [Value<'t>],
    findings: &'e mut Findings,
    path: Path,
    /// The outermost alias whose value is being expanded, and how many steps lead to it.
    alias: Option<(Span, usize)>,
    nodes: usize,
    /// Bytes of text that aliases repeat.
    copied: usize,
}

impl<'e, 't> Expansion<'e, 't> {
    /// `depth` lists and maps are around it.
    fn node(&mut self, id: Id, depth: usize) -> Result<Option<Node>, Problem> {
        let values: &'e [Value<'t>] = self.values;
        let Some(Value { at, shape }) = values.get(id) else {
            return Ok(None);
        };
        if let Shape::Alias(target) = shape {
            return self.aliased(*at, |expansion| expansion.node(*target, depth));
        }
        self.count(*at)?;
        let content = match shape {
            Shape::Refused | Shape::Alias(_) => return Ok(None),
            Shape::Null => Content::Null,
            Shape::Word(word) => Content::Word(self.text(word, *at)?),
            Shape::Text(text) => Content::Text(self.text(text, *at)?),
            Shape::List(_) | Shape::Map(_) if depth >= MAX_DEPTH => {
                return Err(self.beyond(too_deep, *at));
            }
            Shape::List(items) => Content::List(self.list(items, depth + 1)?),
            Shape::Map(pairs) => Content::Map(self.map(pairs, depth + 1)?),
        };
        Ok(Some(Node { at: *at, content }))
    }

    /// Expands what an alias means.
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

    fn list(&mut self, items: &'e [Id], depth: usize) -> Result<Vec<Node>, Problem> {
        let mut list = Vec::with_capacity(items.len());
        for (place, item) in items.iter().enumerate() {
            list.extend(self.inside(Step::Item(place), |it| it.node(*item, depth))?);
        }
        Ok(list)
    }

    fn map(&mut self, pairs: &'e [Pair<'t>], depth: usize) -> Result<Vec<Entry>, Problem> {
        let mut map = Vec::with_capacity(pairs.len());
        for Pair { key, value } in pairs.iter().filter(|pair| !pair.key.merges) {
            let name = self.text(&key.name, key.at)?;
            let step = Step::Key(name.clone());
            if let Some(value) = self.inside(step, |it| it.node(*value, depth))? {
                map.push(Entry { key: name, key_at: key.at, value });
            }
        }
        let Some(merging) = pairs.iter().find(|pair| pair.key.merges) else {
            return Ok(map);
        };
        let step = Step::Key(merging.key.name.clone().into_owned());
        let merged = self.inside(step, |it| it.merged(merging.value, depth - 1))?;
        let mut taken: HashSet<String> =
            pairs.iter().map(|pair| pair.key.name.clone().into_owned()).collect();
        map.extend(merged.into_iter().filter(|entry| taken.insert(entry.key.clone())));
        Ok(map)
    }

    /// What a merge key brings: the entries of a map, or of each map of a list.
    fn merged(&mut self, value: Id, depth: usize) -> Result<Vec<Entry>, Problem> {
        let written = self.values.get(value).map(|value| value.at);
        let Some(Node { at, content }) = self.node(value, depth)? else {
            return Ok(Vec::new());
        };
        let items = match content {
            Content::Map(entries) => return Ok(entries),
            Content::List(items) => items,
            _ => {
                self.refuse_merge(written.unwrap_or(at));
                return Ok(Vec::new());
            }
        };
        let mut merged = Vec::new();
        for Node { at, content } in items {
            match content {
                Content::Map(entries) => merged.extend(entries),
                _ => self.refuse_merge(at),
            }
        }
        Ok(merged)
    }

    /// Once, where it is written.
    fn refuse_merge(&mut self, at: Span) {
        if self.alias.is_some() {
            return;
        }
        let (source, path) = (self.source, &self.path);
        self.findings.add(|| {
            Problem::at(source, at, "<< merges maps, and this is none")
                .path(path)
                .suggest("name a map by its alias, or put quotes around the key")
        });
    }

    fn inside<T>(
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
        if self.nodes <= MAX_NODES { Ok(()) } else { Err(self.beyond(expands_too_far, at)) }
    }

    fn text(&mut self, text: &str, at: Span) -> Result<String, Problem> {
        if self.alias.is_some() {
            self.copied += text.len();
        }
        if self.copied <= MAX_BYTES {
            Ok(text.to_owned())
        } else {
            Err(self.beyond(expands_too_far, at))
        }
    }

    /// The fault is the alias's, if there is one.
    fn beyond(&self, bound: fn(&Source, Span, &Path) -> Problem, at: Span) -> Problem {
        let (at, steps) = self.alias.unwrap_or((at, self.path.len()));
        bound(self.source, at, &self.path.up_to(steps))
    }
}
