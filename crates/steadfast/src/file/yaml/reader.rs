//! Takes down what is written, event by event, without ever going deep.

use std::borrow::Cow;
use std::collections::HashMap;
use std::mem;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, Tag};

use super::written::{Id, Key, Pair, Shape, Value, Written};
use super::{scalar, syntax};
use crate::file::bounds::{MAX_DEPTH, MAX_NODES, too_deep, too_many};
use crate::file::problem::{Findings, Problem, shown};
use crate::file::tree::{Span, empty, written_twice};
use crate::file::{Path, Source, Step};
use crate::nearest::nearest;

/// Reads a text. What is wrong and can be left out becomes a finding; what makes the rest
/// unreadable, an error.
pub(super) fn read<'t>(
    source: &'t Source,
    findings: &mut Findings,
) -> Result<Written<'t>, Problem> {
    let mut reader = Reader {
        source,
        findings,
        values: Vec::new(),
        anchors: HashMap::new(),
        anchor_names: Vec::new(),
        open: Vec::new(),
        top: None,
    };
    // The depth is ours to refuse, one level before the parser does.
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
    };
    for event in Parser::new_from_str_with_options(source.text(), options) {
        let (event, at) =
            event.map_err(|error| syntax::refused(source, &error, &path(&reader.open)))?;
        if reader.is_second_document(&event, &at) {
            break;
        }
        reader.take(event, &at)?;
    }
    reader.finish()
}

/// How many anchors are compared with an unknown one.
const NEAR_ANCHORS: usize = 100;

struct Reader<'t, 'f> {
    source: &'t Source,
    findings: &'f mut Findings,
    values: Vec<Value<'t>>,
    /// Values that aliases can refer to, by the parser's number.
    anchors: HashMap<usize, Id>,
    anchor_names: Vec<Cow<'t, str>>,
    /// The lists and maps around the next event.
    open: Vec<Open<'t>>,
    top: Option<Id>,
}

/// A list or map whose end is not read yet.
struct Open<'t> {
    anchor: usize,
    /// From its beginning to the end of its last value.
    at: Span,
    in_brackets: bool,
    content: Content<'t>,
}

enum Content<'t> {
    List(Vec<Id>),
    Map { pairs: Vec<Pair<'t>>, names: HashMap<Cow<'t, str>, Span>, next: Next<'t> },
}

/// What comes next in a map.
enum Next<'t> {
    Key,
    Value(Key<'t>),
    /// The value of a key that was refused.
    RefusedValue(Key<'t>),
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
                self.refuse_unknown(&name, span);
                self.add(Value { at: span, shape: Shape::Refused }, 0)
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
        let message = "a second document begins here; a policy file is one";
        self.refuse(span(at), message, "move it to a file of its own");
        true
    }

    fn finish(self) -> Result<Written<'t>, Problem> {
        let nothing = |id: &Id| {
            let value = self.values.get(*id);
            value.is_some_and(|it| matches!(it.shape, Shape::Null) && it.at.range().is_empty())
        };
        match self.top.filter(|id| !nothing(id)) {
            Some(top) => Ok(Written { values: self.values, top }),
            None => Err(empty(self.source)),
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        tag: Option<&Tag>,
        at: &granit_parser::Span,
    ) -> Shape<'t> {
        // The parser writes ~ for nothing.
        let nothing = style == ScalarStyle::Plain && span(at).range().is_empty();
        let text = if nothing { Cow::Borrowed("") } else { text };
        let Some(tag) = tag else {
            return scalar::untagged(text, style);
        };
        scalar::tagged(&text, tag).unwrap_or_else(|| {
            self.refuse_tag(at);
            scalar::untagged(text, style)
        })
    }

    fn check_tag(&mut self, tag: Option<&Tag>, fitting: &str, at: &granit_parser::Span) {
        if tag.is_some_and(|tag| tag.core_suffix() != Some(fitting)) {
            self.refuse_tag(at);
        }
    }

    fn refuse_tag(&mut self, at: &granit_parser::Span) {
        let tag = span(&at.tag_span().unwrap_or(*at));
        let message = format!("the tag {} means nothing here", shown(self.source.slice(tag)));
        self.refuse(tag, message, "leave it out");
    }

    fn alias(&mut self, anchor: usize, at: Span) -> Shape<'t> {
        if let Some(id) = self.anchors.get(&anchor) {
            return Shape::Alias(*id);
        }
        self.refuse(at, "this alias stands inside of what it means", "write out what is meant");
        Shape::Refused
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
        let in_brackets = style == StructureStyle::Flow;
        self.open.push(Open { anchor, at, in_brackets, content });
        Ok(())
    }

    fn close(&mut self, end: Span) -> Result<(), Problem> {
        let Some(Open { anchor, mut at, in_brackets, content }) = self.open.pop() else {
            return Ok(());
        };
        // What has no brackets ends with its last value, not with the next token.
        if in_brackets {
            at.end = end.end;
        }
        let shape = match content {
            Content::List(items) => Shape::List(items),
            Content::Map { pairs, .. } => Shape::Map(pairs),
        };
        self.add(Value { at, shape }, anchor)
    }

    /// A value is complete: it is a key, or belongs to what is open.
    fn add(&mut self, value: Value<'t>, anchor: usize) -> Result<(), Problem> {
        let at = value.at;
        if let Some(open) = self.open.last_mut() {
            open.at.end = open.at.end.max(at.end);
        }
        let is_key = self.awaits_key();
        if is_key {
            self.take_key(&value);
        }
        if is_key && anchor == 0 {
            return Ok(());
        }
        let id = self.keep(value)?;
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        if !is_key {
            self.attach(id);
        }
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        let content = self.open.last().map(|open| &open.content);
        matches!(content, Some(Content::Map { next: Next::Key, .. }))
    }

    fn keep(&mut self, value: Value<'t>) -> Result<Id, Problem> {
        let id = self.values.len();
        if id >= MAX_NODES {
            return Err(too_many(self.source, value.at, &path(&self.open)));
        }
        self.values.push(value);
        Ok(id)
    }

    fn attach(&mut self, id: Id) {
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
        let merges = matches!(&value.shape, Shape::Word(word) if word == "<<");
        let name = self.name(value);
        let readable = name.is_some();
        let key = Key { name: name.unwrap_or(Cow::Borrowed("?")), at: value.at, merges };
        let next = if !readable {
            self.refuse_key(value);
            Next::RefusedValue(key)
        } else if let Some(first) = self.place_of(&key.name) {
            self.refuse_second(&key, first);
            Next::RefusedValue(key)
        } else {
            Next::Value(key)
        };
        self.expect(next);
    }

    /// Where a key of the open map is written.
    fn place_of(&self, name: &str) -> Option<Span> {
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

    /// The letters of a key.
    fn name(&self, key: &Value<'t>) -> Option<Cow<'t, str>> {
        match &key.shape {
            Shape::Word(text) | Shape::Text(text) => Some(text.clone()),
            Shape::Null => {
                Some(self.source.slice(key.at)).filter(|it| !it.is_empty()).map(Cow::from)
            }
            Shape::Alias(id) => self.name(self.values.get(*id)?),
            Shape::Refused | Shape::List(_) | Shape::Map(_) => None,
        }
    }

    fn refuse_key(&mut self, key: &Value<'_>) {
        if !matches!(key.shape, Shape::Refused) {
            self.refuse(key.at, "a key must be a word or a text", "write key: value");
        }
    }

    fn refuse_second(&mut self, key: &Key<'_>, first: Span) {
        let (source, open) = (self.source, &self.open);
        self.findings.add(|| {
            let mut path = path(open);
            path.push(Step::Key(key.name.clone().into_owned()));
            let problem = written_twice(source, &key.name, key.at, Some(first), &path);
            if key.merges { problem.suggest("merge several with <<: [*a, *b]") } else { problem }
        });
    }

    fn refuse_unknown(&mut self, anchor: &str, at: Span) {
        let names = self.anchor_names.iter().rev().take(NEAR_ANCHORS).map(AsRef::as_ref);
        let suggestion = match nearest(anchor, names) {
            Some(near) => format!("did you mean *{}?", shown(near)),
            None => "define it with & before it is used".to_owned(),
        };
        self.refuse(at, format!("there is no anchor &{} above", shown(anchor)), suggestion);
    }

    fn refuse(&mut self, at: Span, message: impl Into<String>, suggestion: impl Into<String>) {
        let (source, open) = (self.source, &self.open);
        self.findings
            .add(|| Problem::at(source, at, message).path(&path(open)).suggest(suggestion));
    }
}

/// Where the reader is.
fn path(open: &[Open<'_>]) -> Path {
    open.iter().filter_map(|open| open.content.step()).collect()
}

impl Content<'_> {
    /// To the value that is read.
    fn step(&self) -> Option<Step> {
        match self {
            Self::List(items) => Some(Step::Item(items.len())),
            Self::Map { next: Next::Value(key) | Next::RefusedValue(key), .. } => {
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
