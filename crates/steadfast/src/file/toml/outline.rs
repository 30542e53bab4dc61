//! A flat outline of the keys and items in a TOML text.
//!
//! Each entry refers to its parent, so that a path is only computed when it is needed.

use std::borrow::Cow;
use std::collections::HashMap;

use toml_parser::parser::{Event, EventKind, RecursionGuard, parse_document};
use toml_parser::{ErrorSink, ParseError};

use crate::file::limits::{MAX_DEPTH, MAX_NODES, too_deep, too_many};
use crate::file::problem::{MAX_PROBLEMS, Problem};
use crate::file::tree::Span;
use crate::file::{Path, Source, Step};

/// The most tokens: each value has a key, an equals sign, white space and a comment.
const MAX_TOKENS: usize = 10 * MAX_NODES;

/// The deepest recursion of the parser, beyond the depth that is rejected here.
const MAX_RECURSION: u32 = MAX_DEPTH as u32 + 1;

/// Builds the outline, or rejects a text that the parser must not read.
pub(super) fn read(source: &Source) -> Result<Outline, Problem> {
    let text = toml_parser::Source::new(source.text());
    if let Some(token) = text.lex().nth(MAX_TOKENS) {
        return Err(too_many(source, span(token.span()), &Path::default()));
    }
    let mut builder = Builder::new(source);
    let mut errors = Errors { first: None, count: 0 };
    let mut taken = Ok(());
    let mut take = |event: Event| {
        if taken.is_ok() {
            taken = builder.take(&event);
        }
    };
    let mut guard = RecursionGuard::new(&mut take, MAX_RECURSION);
    parse_document(&text.lex().into_vec(), &mut guard, &mut errors);
    taken?;
    match errors.first {
        Some(first) if errors.count > MAX_PROBLEMS => Err(not_toml(source, &first)),
        _ => Ok(builder.outline),
    }
}

/// Counts syntax errors, because the parser stores all of them.
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
    let message = format!("{}, and more than {MAX_PROBLEMS} errors follow", first.description());
    Problem::at(source, at, message).suggest("check that this is a TOML file")
}

/// The keys and items of a text.
pub(super) struct Outline {
    /// The first one is the root.
    entries: Vec<OutlineEntry>,
    /// The entry that starts at each offset.
    starts: Vec<(usize, usize)>,
}

/// A key or item.
struct OutlineEntry {
    parent: usize,
    step: Option<Step>,
    /// The key that assigns its value, or else the first that mentions it.
    first: Span,
    has_value: bool,
}

impl Outline {
    /// The path to an offset.
    pub(super) fn path_to(&self, offset: usize) -> Path {
        let mut steps = Vec::new();
        let mut entry = self.at(offset);
        while let Some(OutlineEntry { parent, step: Some(step), .. }) = entry {
            steps.push(step.clone());
            entry = self.entries.get(*parent);
        }
        steps.into_iter().rev().collect()
    }

    /// The first occurrence of the key at an offset.
    pub(super) fn first(&self, offset: usize) -> Option<Span> {
        self.at(offset).map(|entry| entry.first)
    }

    fn at(&self, offset: usize) -> Option<&OutlineEntry> {
        let after = self.starts.partition_point(|(start, _)| *start <= offset);
        let (_, id) = self.starts.get(after.checked_sub(1)?)?;
        self.entries.get(*id)
    }
}

/// Builds the outline from parser events. An error is the value that exceeds a limit.
struct Builder<'t> {
    source: &'t Source,
    outline: Outline,
    ids: HashMap<(usize, Step), usize>,
    /// The number of tables in each array of tables.
    tables: HashMap<usize, usize>,
    /// The entries from the root to the current one.
    stack: Vec<usize>,
    /// The depth of the current table.
    table_depth: usize,
    /// The open arrays and inline tables.
    open: Vec<Open>,
    key: Option<Span>,
    values: usize,
}

/// An open array or inline table.
struct Open {
    depth: usize,
    /// The index of the current item of an array.
    item: Option<usize>,
}

impl<'t> Builder<'t> {
    fn new(source: &'t Source) -> Self {
        let root = OutlineEntry { parent: 0, step: None, first: Span::default(), has_value: true };
        Self {
            source,
            outline: Outline { entries: vec![root], starts: vec![(0, 0)] },
            ids: HashMap::new(),
            tables: HashMap::new(),
            stack: vec![0],
            table_depth: 1,
            open: Vec::new(),
            key: None,
            values: 0,
        }
    }

    fn take(&mut self, event: &Event) -> Result<(), Problem> {
        let (at, start, end) = (span(event.span()), event.span().start(), event.span().end());
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                self.open.clear();
                self.return_to(1, start);
            }
            EventKind::StdTableClose => {
                self.assign_value();
                self.enter(at)?;
                self.table_depth = self.stack.len();
            }
            EventKind::ArrayTableClose => {
                self.assign_value();
                let count = self.tables.entry(self.current()).or_default();
                let item = *count;
                *count += 1;
                self.descend(Step::Item(item), at)?;
                self.enter(at)?;
                self.table_depth = self.stack.len();
            }
            EventKind::InlineTableOpen => self.open(None, at)?,
            EventKind::ArrayOpen => self.open(Some(0), at)?,
            EventKind::InlineTableClose | EventKind::ArrayClose => {
                if let Some(Open { depth, .. }) = self.open.pop() {
                    self.return_to(depth, end);
                }
            }
            EventKind::SimpleKey => {
                let mut name = Cow::Borrowed("");
                let text = self.source.slice(at);
                let raw = toml_parser::Raw::new_unchecked(text, event.encoding(), event.span());
                raw.decode_key(&mut name, &mut ());
                self.enter_step(Step::Key(name.into_owned()), at)?;
                self.key = Some(at);
            }
            EventKind::KeyValSep => self.assign_value(),
            EventKind::Scalar => self.count(at)?,
            EventKind::ValueSep => {
                let Some(open) = self.open.last_mut() else {
                    return Ok(());
                };
                open.item = open.item.map(|item| item + 1);
                let Open { depth, item } = *open;
                self.return_to(depth, end);
                if let Some(item) = item {
                    self.descend(Step::Item(item), at)?;
                    self.mark(end);
                }
            }
            EventKind::Newline if self.open.is_empty() => self.return_to(self.table_depth, end),
            _ => {}
        }
        Ok(())
    }

    fn current(&self) -> usize {
        self.stack.last().copied().unwrap_or_default()
    }

    /// Marks where the text of the current entry starts.
    fn mark(&mut self, offset: usize) {
        self.outline.starts.push((offset, self.current()));
    }

    fn return_to(&mut self, depth: usize, offset: usize) {
        self.stack.truncate(depth);
        self.mark(offset);
    }

    /// Descends one step, through the last table of an array of tables.
    fn enter_step(&mut self, step: Step, at: Span) -> Result<(), Problem> {
        if let Some(last) = self.tables.get(&self.current()).and_then(|count| count.checked_sub(1))
        {
            self.descend(Step::Item(last), at)?;
        }
        self.descend(step, at)?;
        self.mark(at.range().start);
        Ok(())
    }

    fn descend(&mut self, step: Step, at: Span) -> Result<(), Problem> {
        self.check_depth(at)?;
        let parent = self.current();
        let entries = &mut self.outline.entries;
        let id = *self.ids.entry((parent, step.clone())).or_insert_with(|| {
            entries.push(OutlineEntry { parent, step: Some(step), first: at, has_value: false });
            entries.len() - 1
        });
        self.stack.push(id);
        Ok(())
    }

    fn check_depth(&self, at: Span) -> Result<(), Problem> {
        if self.stack.len() <= MAX_DEPTH {
            return Ok(());
        }
        Err(too_deep(self.source, at, &self.outline.path_to(at.range().start)))
    }

    fn count(&mut self, at: Span) -> Result<(), Problem> {
        self.values += 1;
        if self.values <= MAX_NODES {
            return Ok(());
        }
        Err(too_many(self.source, at, &self.outline.path_to(at.range().start)))
    }

    /// The last key gets a value.
    fn assign_value(&mut self) {
        let (id, key) = (self.current(), self.key.take());
        if let (Some(key), Some(entry)) = (key, self.outline.entries.get_mut(id))
            && !entry.has_value
        {
            entry.first = key;
            entry.has_value = true;
        }
    }

    /// Counts an array or table as a value and a level.
    fn enter(&mut self, at: Span) -> Result<(), Problem> {
        self.count(at)?;
        self.check_depth(at)
    }

    fn open(&mut self, item: Option<usize>, at: Span) -> Result<(), Problem> {
        self.enter(at)?;
        self.open.push(Open { depth: self.stack.len(), item });
        item.map_or(Ok(()), |item| self.enter_step(Step::Item(item), at))
    }
}

fn span(at: toml_parser::Span) -> Span {
    Span::new(at.start(), at.end())
}
