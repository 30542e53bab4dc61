//! A YAML parser.
//!
//! It reads parser events without recursion, and reports every duplicate key instead of stopping at
//! the first. An alias becomes a copy of the value that its anchor names, with the span of its
//! definition; a merge key `<<` adds the entries that its map does not have. Nested aliases
//! multiply, so every copy counts against the limits, even one that another key overrides.

mod scalar;
mod syntax;

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, Tag};

use super::limits::{MAX_BYTES, MAX_DEPTH, MAX_NODES, expands_too_far, too_deep, too_many};
use super::problem::{Findings, Problem, excerpt};
use super::tree::{Content, Entry, Node, Span, duplicate_key, empty_file};
use super::{Path, Source, Step};
use crate::nearest::nearest;

pub(super) fn parse(source: &Source, findings: &mut Findings) -> Option<Node> {
    let tree = try_parse(source, findings);
    tree.map_err(|problem| findings.add(|| problem)).unwrap_or_default()
}

/// The tree; `None` if its root is invalid. A problem that can be left out becomes a finding; one
/// that makes the rest unreadable is an error.
fn try_parse(source: &Source, findings: &mut Findings) -> Result<Option<Node>, Problem> {
    let mut reader = Reader {
        source,
        findings,
        anchors: HashMap::new(),
        anchor_names: Vec::new(),
        open: Vec::new(),
        top: None,
        read: Size::default(),
        anchored: Size::default(),
    };
    // The depth limit applies here, one level before the parser's.
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
    };
    for event in Parser::new_from_str_with_options(source.text(), options) {
        let (event, at) = event.map_err(|error| syntax::error(source, &error, &reader.path()))?;
        if reader.is_second_document(&event, &at) {
            break;
        }
        reader.take(event, &at)?;
    }
    let is_empty = |node: &Node| node.content == Content::Null && node.span.range().is_empty();
    match reader.top {
        Some(Some(node)) if is_empty(&node) => Err(empty_file(source)),
        Some(top) => Ok(top),
        None => Err(empty_file(source)),
    }
}

/// The most anchors that an unknown one is compared with.
const MAX_COMPARED_ANCHORS: usize = 100;

struct Reader<'t, 'f> {
    source: &'t Source,
    findings: &'f mut Findings,
    /// Copies of the anchored values, by the parser's number; `None` for an invalid one.
    anchors: HashMap<usize, Option<Node>>,
    anchor_names: Vec<Cow<'t, str>>,
    /// The open lists and maps.
    open: Vec<Open>,
    /// The root; `Some(None)` if it is invalid.
    top: Option<Option<Node>>,
    /// The values so far, and the text that aliases repeat.
    read: Size,
    /// The copies of anchored values.
    anchored: Size,
}

/// An open list or map.
struct Open {
    anchor: usize,
    /// From its start to the end of its last value.
    at: Span,
    is_flow: bool,
    content: OpenContent,
}

enum OpenContent {
    /// The valid items, and the index of the next one.
    List(Vec<Node>, usize),
    Map(OpenMap),
}

#[derive(Default)]
struct OpenMap {
    entries: Vec<Entry>,
    /// The entries that a merge key adds.
    merged: Vec<Entry>,
    keys: HashMap<String, Span>,
    /// The key whose value comes next; `None` if a key comes next.
    key: Option<Key>,
}

struct Key {
    name: String,
    at: Span,
    kind: KeyKind,
}

#[derive(Clone, Copy, PartialEq)]
enum KeyKind {
    Entry,
    /// An unquoted `<<`.
    Merge,
    /// Its value is left out.
    Invalid,
}

/// The size of a value.
#[derive(Clone, Copy, Default)]
struct Size {
    values: usize,
    bytes: usize,
    depth: usize,
}

impl Size {
    fn of(node: &Node) -> Self {
        let children: Vec<Self> = match &node.content {
            Content::Plain(text) | Content::Text(text) => {
                return Self { values: 1, bytes: text.len(), depth: 0 };
            }
            Content::List(items) => items.iter().map(Self::of).collect(),
            Content::Map(entries) => {
                let keys = entries.iter().map(|it| Self { bytes: it.key.len(), ..Self::default() });
                keys.chain(entries.iter().map(|entry| Self::of(&entry.value))).collect()
            }
            _ => return Self { values: 1, ..Self::default() },
        };
        let depth = 1 + children.iter().map(|child| child.depth).max().unwrap_or(0);
        children.into_iter().fold(Self { values: 1, bytes: 0, depth }, Self::plus)
    }

    fn plus(self, other: Self) -> Self {
        Self { values: self.values + other.values, bytes: self.bytes + other.bytes, ..self }
    }

    fn is_too_large(self) -> bool {
        self.values > MAX_NODES || self.bytes > MAX_BYTES
    }
}

impl<'t> Reader<'t, '_> {
    fn take(&mut self, event: Event<'t>, at: &granit_parser::Span) -> Result<(), Problem> {
        let span = span(at);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let content = self.scalar(text, style, tag.as_deref(), at);
                self.add(span, Some(Node { span, content }), anchor)
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), "seq", at);
                self.open(OpenContent::List(Vec::new(), 0), style, anchor, span)
            }
            Event::MappingStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), "map", at);
                self.open(OpenContent::Map(OpenMap::default()), style, anchor, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(anchor) => {
                let node = self.alias(anchor, span)?;
                self.add(span, node, 0)
            }
            Event::UnresolvedAlias(name) => {
                self.report_unknown_anchor(&name, span);
                self.add(span, None, 0)
            }
            Event::Anchor(_, name) => {
                self.anchor_names.push(name);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn is_second_document(&mut self, event: &Event<'_>, at: &granit_parser::Span) -> bool {
        if self.top.is_none() || !matches!(event, Event::DocumentStart(..)) {
            return false;
        }
        let message = "the file must be a single document";
        self.report(span(at), message, "move the second one to another file");
        true
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        tag: Option<&Tag>,
        at: &granit_parser::Span,
    ) -> Content {
        // The parser gives ~ for an empty value.
        let is_empty = style == ScalarStyle::Plain && span(at).range().is_empty();
        let text = if is_empty { Cow::Borrowed("") } else { text };
        let Some(tag) = tag else {
            return scalar::untagged(text, style);
        };
        scalar::tagged(&text, tag).unwrap_or_else(|| {
            self.report_tag(at);
            scalar::untagged(text, style)
        })
    }

    fn check_tag(&mut self, tag: Option<&Tag>, fitting: &str, at: &granit_parser::Span) {
        if tag.is_some_and(|tag| tag.core_suffix() != Some(fitting)) {
            self.report_tag(at);
        }
    }

    /// A copy of the anchored value.
    fn alias(&mut self, anchor: usize, at: Span) -> Result<Option<Node>, Problem> {
        let Some(node) = self.anchors.get(&anchor) else {
            self.report(at, "circular alias", "write out its value");
            return Ok(None);
        };
        let size = node.as_ref().map(Size::of).unwrap_or_default();
        if self.open.len() + size.depth > MAX_DEPTH {
            return Err(too_deep(self.source, at, &self.path()));
        }
        // The value itself is counted when it is added.
        self.read = self.read.plus(Size { values: size.values.saturating_sub(1), ..size });
        if self.read.is_too_large() {
            return Err(expands_too_far(self.source, at, &self.path()));
        }
        Ok(node.clone())
    }

    fn open(
        &mut self,
        content: OpenContent,
        style: StructureStyle,
        anchor: usize,
        at: Span,
    ) -> Result<(), Problem> {
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(self.source, at, &self.path()));
        }
        let is_flow = style == StructureStyle::Flow;
        self.open.push(Open { anchor, at, is_flow, content });
        Ok(())
    }

    fn close(&mut self, end: Span) -> Result<(), Problem> {
        let Some(Open { anchor, at: mut span, is_flow, content }) = self.open.pop() else {
            return Ok(());
        };
        // A block ends with its last value, not with the next token.
        if is_flow {
            span.end = end.end;
        }
        let content = match content {
            OpenContent::List(items, _) => Content::List(items),
            OpenContent::Map(map) => Content::Map(map.close()),
        };
        self.add(span, Some(Node { span, content }), anchor)
    }

    /// Adds a complete value: a key, or a value of the innermost open list or map.
    fn add(&mut self, at: Span, node: Option<Node>, anchor: usize) -> Result<(), Problem> {
        let is_key = match self.open.last_mut() {
            Some(open) => {
                open.at.end = open.at.end.max(at.end);
                matches!(&open.content, OpenContent::Map(OpenMap { key: None, .. }))
            }
            None => false,
        };
        self.read.values += usize::from(!is_key);
        if anchor != 0 {
            self.anchored = self.anchored.plus(node.as_ref().map(Size::of).unwrap_or_default());
            self.anchors.insert(anchor, node.clone());
        }
        if self.read.is_too_large() {
            return Err(too_many(self.source, at, &self.path()));
        }
        if self.anchored.is_too_large() {
            return Err(too_much_anchored(self.source, at, &self.path()));
        }
        if is_key {
            self.take_key(at, node);
        } else {
            self.attach(at, node);
        }
        Ok(())
    }

    fn attach(&mut self, at: Span, node: Option<Node>) {
        let map = match self.open.last_mut().map(|open| &mut open.content) {
            None => return self.top = Some(node),
            Some(OpenContent::List(items, next)) => {
                items.extend(node);
                *next += 1;
                return;
            }
            Some(OpenContent::Map(map)) => map,
        };
        match (map.key.take(), node) {
            (Some(Key { name, at, kind: KeyKind::Entry }), Some(value)) => {
                map.entries.push(Entry { key: name, key_span: at, value });
            }
            (Some(key), Some(node)) if key.kind == KeyKind::Merge => {
                map.key = Some(key);
                self.merge(at, node);
            }
            _ => {}
        }
    }

    /// Adds the entries of a map, or of each map of a list, to the innermost map.
    fn merge(&mut self, at: Span, Node { content, .. }: Node) {
        let maps = match content {
            Content::List(items) => items.into_iter().map(|it| (it.span, it.content)).collect(),
            content => vec![(at, content)],
        };
        let mut merged = Vec::new();
        for (at, content) in maps {
            match content {
                Content::Map(entries) => merged.extend(entries),
                _ => {
                    self.report(at, "<< requires a map", "use the alias of a map, or quote the key")
                }
            }
        }
        if let Some(map) = self.innermost_map() {
            (map.key, map.merged) = (None, merged);
        }
    }

    fn innermost_map(&mut self) -> Option<&mut OpenMap> {
        match self.open.last_mut().map(|open| &mut open.content) {
            Some(OpenContent::Map(map)) => Some(map),
            _ => None,
        }
    }

    fn take_key(&mut self, at: Span, node: Option<Node>) {
        let name = node.as_ref().and_then(|node| self.name(node));
        let first = name.as_ref().and_then(|name| self.innermost_map()?.keys.get(name).copied());
        let is_merge = |node: &Node| matches!(&node.content, Content::Plain(it) if it == "<<");
        let kind = match (&name, &node) {
            (Some(_), Some(node)) if node.span == at && is_merge(node) => KeyKind::Merge,
            (Some(_), _) => KeyKind::Entry,
            (None, Some(_)) => {
                self.report(at, "a key must be a scalar", "write key: value");
                KeyKind::Invalid
            }
            (None, None) => KeyKind::Invalid,
        };
        let mut key = Key { name: name.unwrap_or_else(|| "?".to_owned()), at, kind };
        if let Some(first) = first {
            self.report_duplicate(&key, first);
            key.kind = KeyKind::Invalid;
        }
        if let Some(map) = self.innermost_map() {
            if key.kind != KeyKind::Invalid {
                map.keys.insert(key.name.clone(), at);
            }
            map.key = Some(key);
        }
    }

    /// The text of a key.
    fn name(&self, key: &Node) -> Option<String> {
        match &key.content {
            Content::Plain(text) | Content::Text(text) => Some(text.clone()),
            Content::Null => {
                Some(self.source.slice(key.span).to_owned()).filter(|it| !it.is_empty())
            }
            _ => None,
        }
    }

    fn report_tag(&mut self, at: &granit_parser::Span) {
        let tag = span(&at.tag_span().unwrap_or(*at));
        let (source, open) = (self.source, &self.open);
        self.findings.add(|| {
            let message = format!("unsupported tag {}", excerpt(source.slice(tag)));
            Problem::at(source, tag, message).path(&path(open)).suggest("remove it")
        });
    }

    fn report_duplicate(&mut self, key: &Key, first: Span) {
        let (source, open) = (self.source, &self.open);
        self.findings.add(|| {
            let mut path = path(open);
            path.push(Step::Key(key.name.clone()));
            let problem = duplicate_key(source, &key.name, key.at, Some(first), &path);
            match key.kind {
                KeyKind::Merge => problem.suggest("merge several with <<: [*a, *b]"),
                _ => problem,
            }
        });
    }

    fn report_unknown_anchor(&mut self, anchor: &str, at: Span) {
        let (source, open, names) = (self.source, &self.open, &self.anchor_names);
        self.findings.add(|| {
            let names = names.iter().rev().take(MAX_COMPARED_ANCHORS).map(AsRef::as_ref);
            let suggestion = match nearest(anchor, names) {
                Some(near) => format!("did you mean *{}?", excerpt(near)),
                None => "define it with & before its first use".to_owned(),
            };
            let message = format!("unknown anchor &{}", excerpt(anchor));
            Problem::at(source, at, message).path(&path(open)).suggest(suggestion)
        });
    }

    fn report(&mut self, at: Span, message: &str, suggestion: &str) {
        let (source, open) = (self.source, &self.open);
        self.findings
            .add(|| Problem::at(source, at, message).path(&path(open)).suggest(suggestion));
    }

    /// The current path.
    fn path(&self) -> Path {
        path(&self.open)
    }
}

/// The path to the next value of the innermost open list or map. It copies the names of the keys.
fn path(open: &[Open]) -> Path {
    let step = |open: &Open| match &open.content {
        OpenContent::List(_, next) => Some(Step::Item(*next)),
        OpenContent::Map(map) => map.key.as_ref().map(|key| Step::Key(key.name.clone())),
    };
    open.iter().filter_map(step).collect()
}

/// A value counts once for each anchor that it is behind.
fn too_much_anchored(source: &Source, at: Span, path: &Path) -> Problem {
    let message = format!(
        "the values behind anchors exceed the limit of {MAX_NODES} values and {} MiB of text, \
         counted once for each anchor",
        MAX_BYTES / 1024 / 1024
    );
    Problem::at(source, at, message).path(path).suggest("remove the anchors that no alias uses")
}

impl OpenMap {
    fn close(self) -> Vec<Entry> {
        let Self { mut entries, merged, mut keys, .. } = self;
        let is_new = |entry: &Entry| keys.insert(entry.key.clone(), entry.key_span).is_none();
        entries.extend(merged.into_iter().filter(is_new));
        entries
    }
}

fn span(at: &granit_parser::Span) -> Span {
    let byte = |marker: granit_parser::Marker| marker.byte_offset().unwrap_or_default();
    Span::new(byte(at.start), byte(at.end))
}
