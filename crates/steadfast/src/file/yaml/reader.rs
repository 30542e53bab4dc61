//! A non-recursive reader of YAML parser events.

use std::borrow::Cow;
use std::collections::HashMap;
use std::mem;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, Tag};

use super::raw::{Key, Pair, RawDocument, Shape, Value, ValueIndex};
use super::{scalar, syntax};
use crate::file::limits::{MAX_DEPTH, MAX_NODES, too_deep, too_many};
use crate::file::problem::{Findings, Problem, excerpt};
use crate::file::tree::{Span, duplicate_key, empty_file};
use crate::file::{Path, Source, Step};
use crate::nearest::nearest;

/// Reads a text. A problem that can be left out becomes a finding; one that makes the rest
/// unreadable is an error.
pub(super) fn read<'t>(
    source: &'t Source,
    findings: &mut Findings,
) -> Result<RawDocument<'t>, Problem> {
    let mut reader = Reader {
        source,
        findings,
        values: Vec::new(),
        anchors: HashMap::new(),
        anchor_names: Vec::new(),
        open: Vec::new(),
        top: None,
    };
    // The depth limit applies here, one level before the parser's.
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
    };
    for event in Parser::new_from_str_with_options(source.text(), options) {
        let (event, at) =
            event.map_err(|error| syntax::error(source, &error, &path(&reader.open)))?;
        if reader.is_second_document(&event, &at) {
            break;
        }
        reader.take(event, &at)?;
    }
    reader.finish()
}

/// The most anchors that an unknown one is compared with.
const MAX_COMPARED_ANCHORS: usize = 100;

struct Reader<'t, 'f> {
    source: &'t Source,
    findings: &'f mut Findings,
    values: Vec<Value<'t>>,
    /// Anchored values, by the parser's number.
    anchors: HashMap<usize, ValueIndex>,
    anchor_names: Vec<Cow<'t, str>>,
    /// The open lists and maps.
    open: Vec<Open<'t>>,
    top: Option<ValueIndex>,
}

/// An open list or map.
struct Open<'t> {
    anchor: usize,
    /// From its start to the end of its last value.
    at: Span,
    is_flow: bool,
    content: Content<'t>,
}

enum Content<'t> {
    List(Vec<ValueIndex>),
    Map { pairs: Vec<Pair<'t>>, names: HashMap<Cow<'t, str>, Span>, next: Next<'t> },
}

/// The next event in a map.
enum Next<'t> {
    Key,
    Value(Key<'t>),
    /// The value of an invalid key.
    InvalidValue(Key<'t>),
}

impl<'t> Reader<'t, '_> {
    fn take(&mut self, event: Event<'t>, at: &granit_parser::Span) -> Result<(), Problem> {
        let span = span(at);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let shape = self.scalar(text, style, tag.as_deref(), at);
                self.add(Value { at: span, shape }, anchor)
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), "seq", at);
                self.open(Content::List(Vec::new()), style, anchor, span)
            }
            Event::MappingStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), "map", at);
                let (pairs, names) = (Vec::new(), HashMap::new());
                self.open(Content::Map { pairs, names, next: Next::Key }, style, anchor, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(anchor) => {
                let shape = self.alias(anchor, span);
                self.add(Value { at: span, shape }, 0)
            }
            Event::UnresolvedAlias(name) => {
                self.report_unknown_anchor(&name, span);
                self.add(Value { at: span, shape: Shape::Invalid }, 0)
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
        let message = "a policy file must be a single document";
        self.report(span(at), message, "move the second one to another file");
        true
    }

    fn finish(self) -> Result<RawDocument<'t>, Problem> {
        let is_empty = |id: &ValueIndex| {
            let value = self.values.get(*id);
            value.is_some_and(|it| matches!(it.shape, Shape::Null) && it.at.range().is_empty())
        };
        match self.top.filter(|id| !is_empty(id)) {
            Some(top) => Ok(RawDocument { values: self.values, top }),
            None => Err(empty_file(self.source)),
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        tag: Option<&Tag>,
        at: &granit_parser::Span,
    ) -> Shape<'t> {
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

    fn report_tag(&mut self, at: &granit_parser::Span) {
        let tag = span(&at.tag_span().unwrap_or(*at));
        let message = format!("unsupported tag {}", excerpt(self.source.slice(tag)));
        self.report(tag, message, "remove it");
    }

    fn alias(&mut self, anchor: usize, at: Span) -> Shape<'t> {
        if let Some(id) = self.anchors.get(&anchor) {
            return Shape::Alias(*id);
        }
        self.report(at, "circular alias", "write out its value");
        Shape::Invalid
    }

    fn open(
        &mut self,
        content: Content<'t>,
        style: StructureStyle,
        anchor: usize,
        at: Span,
    ) -> Result<(), Problem> {
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(self.source, at, &path(&self.open)));
        }
        let is_flow = style == StructureStyle::Flow;
        self.open.push(Open { anchor, at, is_flow, content });
        Ok(())
    }

    fn close(&mut self, end: Span) -> Result<(), Problem> {
        let Some(Open { anchor, mut at, is_flow, content }) = self.open.pop() else {
            return Ok(());
        };
        // A block ends with its last value, not with the next token.
        if is_flow {
            at.end = end.end;
        }
        let shape = match content {
            Content::List(items) => Shape::List(items),
            Content::Map { pairs, .. } => Shape::Map(pairs),
        };
        self.add(Value { at, shape }, anchor)
    }

    /// Adds a complete value: a key, or a value of the innermost open list or map.
    fn add(&mut self, value: Value<'t>, anchor: usize) -> Result<(), Problem> {
        let at = value.at;
        if let Some(open) = self.open.last_mut() {
            open.at.end = open.at.end.max(at.end);
        }
        let is_key = self.expects_key();
        if is_key {
            self.take_key(&value);
        }
        if is_key && anchor == 0 {
            return Ok(());
        }
        let id = self.push(value)?;
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        if !is_key {
            self.attach(id);
        }
        Ok(())
    }

    fn expects_key(&self) -> bool {
        let content = self.open.last().map(|open| &open.content);
        matches!(content, Some(Content::Map { next: Next::Key, .. }))
    }

    fn push(&mut self, value: Value<'t>) -> Result<ValueIndex, Problem> {
        let id = self.values.len();
        if id >= MAX_NODES {
            return Err(too_many(self.source, value.at, &path(&self.open)));
        }
        self.values.push(value);
        Ok(id)
    }

    fn attach(&mut self, id: ValueIndex) {
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.top = Some(id),
            Some(Content::List(items)) => items.push(id),
            Some(Content::Map { pairs, next, .. }) => {
                if let Next::Value(key) = mem::replace(next, Next::Key) {
                    pairs.push(Pair { key, value: id });
                }
            }
        }
    }

    fn take_key(&mut self, value: &Value<'t>) {
        let is_merge = matches!(&value.shape, Shape::Plain(word) if word == "<<");
        let name = self.name(value);
        let is_scalar = name.is_some();
        let key = Key { name: name.unwrap_or(Cow::Borrowed("?")), at: value.at, is_merge };
        let next = if !is_scalar {
            self.report_key(value);
            Next::InvalidValue(key)
        } else if let Some(first) = self.span_of(&key.name) {
            self.report_duplicate(&key, first);
            Next::InvalidValue(key)
        } else {
            Next::Value(key)
        };
        self.expect(next);
    }

    /// The span of a key in the innermost map.
    fn span_of(&self, name: &str) -> Option<Span> {
        match self.open.last().map(|open| &open.content) {
            Some(Content::Map { names, .. }) => names.get(name).copied(),
            _ => None,
        }
    }

    fn expect(&mut self, value: Next<'t>) {
        if let Some(Content::Map { names, next, .. }) =
            self.open.last_mut().map(|open| &mut open.content)
        {
            if let Next::Value(key) = &value {
                names.insert(key.name.clone(), key.at);
            }
            *next = value;
        }
    }

    /// The text of a key.
    fn name(&self, key: &Value<'t>) -> Option<Cow<'t, str>> {
        match &key.shape {
            Shape::Plain(text) | Shape::Text(text) => Some(text.clone()),
            Shape::Null => {
                Some(self.source.slice(key.at)).filter(|it| !it.is_empty()).map(Cow::from)
            }
            Shape::Alias(id) => self.name(self.values.get(*id)?),
            Shape::Invalid | Shape::List(_) | Shape::Map(_) => None,
        }
    }

    fn report_key(&mut self, key: &Value<'_>) {
        if !matches!(key.shape, Shape::Invalid) {
            self.report(key.at, "a key must be a scalar", "write key: value");
        }
    }

    fn report_duplicate(&mut self, key: &Key<'_>, first: Span) {
        let (source, open) = (self.source, &self.open);
        self.findings.add(|| {
            let mut path = path(open);
            path.push(Step::Key(key.name.clone().into_owned()));
            let problem = duplicate_key(source, &key.name, key.at, Some(first), &path);
            if key.is_merge { problem.suggest("merge several with <<: [*a, *b]") } else { problem }
        });
    }

    fn report_unknown_anchor(&mut self, anchor: &str, at: Span) {
        let names = self.anchor_names.iter().rev().take(MAX_COMPARED_ANCHORS).map(AsRef::as_ref);
        let suggestion = match nearest(anchor, names) {
            Some(near) => format!("did you mean *{}?", excerpt(near)),
            None => "define it with & before its first use".to_owned(),
        };
        self.report(at, format!("unknown anchor &{}", excerpt(anchor)), suggestion);
    }

    fn report(&mut self, at: Span, message: impl Into<String>, suggestion: impl Into<String>) {
        let (source, open) = (self.source, &self.open);
        self.findings
            .add(|| Problem::at(source, at, message).path(&path(open)).suggest(suggestion));
    }
}

/// The current path.
fn path(open: &[Open<'_>]) -> Path {
    open.iter().filter_map(|open| open.content.step()).collect()
}

impl Content<'_> {
    /// The step to the current value.
    fn step(&self) -> Option<Step> {
        match self {
            Self::List(items) => Some(Step::Item(items.len())),
            Self::Map { next: Next::Value(key) | Next::InvalidValue(key), .. } => {
                Some(Step::Key(key.name.clone().into_owned()))
            }
            Self::Map { next: Next::Key, .. } => None,
        }
    }
}

fn span(at: &granit_parser::Span) -> Span {
    let byte = |marker: granit_parser::Marker| marker.byte_offset().unwrap_or_default();
    Span::new(byte(at.start), byte(at.end))
}
