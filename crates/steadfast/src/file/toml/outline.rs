//! What stands where in a TOML text, without its values.
//!
//! Every key and item is known once, with the one around it, so that a path costs nothing
//! until somebody asks for it.

use std::borrow::Cow;
use std::collections::HashMap;

use toml_parser::decoder::Encoding;
use toml_parser::parser::{EventReceiver, parse_document};
use toml_parser::{ErrorSink, ParseError};

use crate::file::bounds::{MAX_DEPTH, MAX_NODES, too_deep, too_many};
use crate::file::problem::{MAX_TOLD, Problem};
use crate::file::tree::Span;
use crate::file::{Path, Source, Step};

/// A value has a key, an equals sign, white space and a comment.
const MAX_TOKENS: usize = 10 * MAX_NODES;

/// Reads a text; refuses one that the parser must not see.
pub(super) fn read(source: &Source) -> Result<Outline, Problem> {
    let text = toml_parser::Source::new(source.text());
    if let Some(token) = text.lex().nth(MAX_TOKENS) {
        return Err(too_many(source, span(token.span()), &Path::default()));
    }
    let mut receiver = Receiver::new(source);
    let mut errors = Errors { first: None, count: 0 };
    parse_document(&text.lex().into_vec(), &mut receiver, &mut errors);
    if let Some(refusal) = receiver.refusal {
        return Err(refusal);
    }
    match errors.first {
        Some(first) if errors.count > MAX_TOLD => Err(not_toml(source, &first)),
        _ => Ok(receiver.outline),
    }
}

/// The parser keeps all errors, so too many of them are too much.
struct Errors {
    first: Option<ParseError>,
    count: usize,
}

impl ErrorSink for Errors {
    fn report_error(&mut self, error: ParseError) {
        self.first.get_or_insert(error);
        self.count += 1;
    }
}

fn not_toml(source: &Source, first: &ParseError) -> Problem {
    let at = first.unexpected().map_or(Span::default(), span);
    let message = format!("{}, and more than {MAX_TOLD} errors follow", first.description());
    Problem::at(source, at, message).suggest("is this a TOML file?")
}

/// What stands where.
pub(super) struct Outline {
    /// The first is the top.
    known: Vec<Known>,
    /// From which offset on the text is about what.
    here: Vec<(usize, usize)>,
}

/// A key or item.
struct Known {
    around: usize,
    step: Option<Step>,
    /// The key that gives it a value, or else the first that names it.
    first: Span,
    has_value: bool,
}

impl Outline {
    /// The way to what stands at an offset.
    pub(super) fn path_to(&self, offset: usize) -> Path {
        let mut steps = Vec::new();
        let mut known = self.at(offset);
        while let Some(Known { around, step: Some(step), .. }) = known {
            steps.push(step.clone());
            known = self.known.get(*around);
        }
        steps.into_iter().rev().collect()
    }

    /// Where the key at an offset is written for the first time.
    pub(super) fn first(&self, offset: usize) -> Option<Span> {
        self.at(offset).map(|known| known.first)
    }

    fn at(&self, offset: usize) -> Option<&Known> {
        let after = self.here.partition_point(|(start, _)| *start <= offset);
        let (_, id) = self.here.get(after.checked_sub(1)?)?;
        self.known.get(*id)
    }
}

/// Makes an outline of the events.
struct Receiver<'t> {
    source: &'t Source,
    outline: Outline,
    ids: HashMap<(usize, Step), usize>,
    /// How many tables each array of tables has.
    tables: HashMap<usize, usize>,
    /// From the top to where the event is.
    trail: Vec<usize>,
    /// How much of the trail is the table's.
    table: usize,
    /// The arrays and inline tables around the event.
    open: Vec<Open>,
    key: Option<Span>,
    values: usize,
    refusal: Option<Problem>,
}

/// An array or inline table, and how much of the trail is around it.
struct Open {
    around: usize,
    /// The place of its item, if it is an array.
    item: Option<usize>,
}

impl<'t> Receiver<'t> {
    fn new(source: &'t Source) -> Self {
        let top = Known { around: 0, step: None, first: Span::default(), has_value: true };
        Self {
            source,
            outline: Outline { known: vec![top], here: vec![(0, 0)] },
            ids: HashMap::new(),
            tables: HashMap::new(),
            trail: vec![0],
            table: 1,
            open: Vec::new(),
            key: None,
            values: 0,
            refusal: None,
        }
    }

    fn last(&self) -> usize {
        self.trail.last().copied().unwrap_or_default()
    }

    /// From `offset` on, the text is about the end of the trail.
    fn mark(&mut self, offset: usize) {
        self.outline.here.push((offset, self.last()));
    }

    fn back_to(&mut self, steps: usize, offset: usize) {
        self.trail.truncate(steps);
        self.mark(offset);
    }

    /// One step further, and into the last table of an array of tables.
    fn go(&mut self, step: Step, at: toml_parser::Span) {
        if let Some(last) = self.tables.get(&self.last()).and_then(|count| count.checked_sub(1)) {
            self.descend(Step::Item(last), at);
        }
        self.descend(step, at);
        self.mark(at.start());
    }

    fn descend(&mut self, step: Step, at: toml_parser::Span) {
        if self.trail.len() > MAX_DEPTH {
            self.refuse(too_deep, at);
        }
        if self.refusal.is_some() {
            return;
        }
        let around = self.last();
        let known = &mut self.outline.known;
        let id = *self.ids.entry((around, step.clone())).or_insert_with(|| {
            let first = span(at);
            known.push(Known { around, step: Some(step), first, has_value: false });
            known.len() - 1
        });
        self.trail.push(id);
    }

    fn count(&mut self, at: toml_parser::Span) {
        self.values += 1;
        if self.values > MAX_NODES {
            self.refuse(too_many, at);
        }
    }

    fn refuse(&mut self, why: fn(&Source, Span, &Path) -> Problem, at: toml_parser::Span) {
        if self.refusal.is_none() {
            let path = self.outline.path_to(at.start());
            self.refusal = Some(why(self.source, span(at), &path));
        }
    }

    /// The last key is the one that is given a value.
    fn give_value(&mut self) {
        let (id, key) = (self.last(), self.key.take());
        if let (Some(key), Some(known)) = (key, self.outline.known.get_mut(id))
            && !known.has_value
        {
            known.first = key;
            known.has_value = true;
        }
    }

    /// An array or a table is one value more, and one level.
    fn enter(&mut self, at: toml_parser::Span) {
        self.count(at);
        if self.trail.len() > MAX_DEPTH {
            self.refuse(too_deep, at);
        }
    }

    fn open(&mut self, item: Option<usize>, at: toml_parser::Span) -> bool {
        self.enter(at);
        self.open.push(Open { around: self.trail.len(), item });
        if let Some(item) = item {
            self.go(Step::Item(item), at);
        }
        self.refusal.is_none()
    }

    fn close(&mut self, at: toml_parser::Span) {
        if let Some(Open { around, .. }) = self.open.pop() {
            self.back_to(around, at.end());
        }
    }

    fn open_header(&mut self, at: toml_parser::Span) {
        self.open.clear();
        self.back_to(1, at.start());
    }

    fn close_header(&mut self, at: toml_parser::Span) {
        self.enter(at);
        self.table = self.trail.len();
    }
}

impl EventReceiver for Receiver<'_> {
    fn std_table_open(&mut self, at: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.open_header(at);
    }

    fn std_table_close(&mut self, at: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.give_value();
        self.close_header(at);
    }

    fn array_table_open(&mut self, at: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.open_header(at);
    }

    fn array_table_close(&mut self, at: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.give_value();
        let count = self.tables.entry(self.last()).or_default();
        let item = *count;
        *count += 1;
        self.descend(Step::Item(item), at);
        self.close_header(at);
    }

    fn inline_table_open(&mut self, at: toml_parser::Span, _: &mut dyn ErrorSink) -> bool {
        self.open(None, at)
    }

    fn inline_table_close(&mut self, at: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.close(at);
    }

    fn array_open(&mut self, at: toml_parser::Span, _: &mut dyn ErrorSink) -> bool {
        self.open(Some(0), at)
    }

    fn array_close(&mut self, at: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.close(at);
    }

    fn simple_key(
        &mut self,
        at: toml_parser::Span,
        encoding: Option<Encoding>,
        _: &mut dyn ErrorSink,
    ) {
        let mut name = Cow::Borrowed("");
        let letters = self.source.slice(span(at));
        toml_parser::Raw::new_unchecked(letters, encoding, at).decode_key(&mut name, &mut ());
        self.go(Step::Key(name.into_owned()), at);
        self.key = Some(span(at));
    }

    fn key_val_sep(&mut self, _: toml_parser::Span, _: &mut dyn ErrorSink) {
        self.give_value();
    }

    fn scalar(&mut self, at: toml_parser::Span, _: Option<Encoding>, _: &mut dyn ErrorSink) {
        self.count(at);
    }

    fn value_sep(&mut self, at: toml_parser::Span, _: &mut dyn ErrorSink) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        open.item = open.item.map(|item| item + 1);
        let Open { around, item } = *open;
        self.back_to(around, at.end());
        if let Some(item) = item {
            self.descend(Step::Item(item), at);
            self.mark(at.end());
        }
    }

    fn newline(&mut self, at: toml_parser::Span, _: &mut dyn ErrorSink) {
        if self.open.is_empty() {
            self.back_to(self.table, at.end());
        }
    }
}

fn span(at: toml_parser::Span) -> Span {
    Span::new(at.start(), at.end())
}
