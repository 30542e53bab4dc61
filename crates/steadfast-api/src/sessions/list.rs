//! Lists of sessions (O1): those that processes recorded in the store, and finished tasks, which are
//! sessions as well.
//!
//! Both sources are read from the latest end back and merged by time, which is the store's clock for
//! both. A filter is applied to one session after the other; one request scans a bounded number and
//! returns a cursor to continue from.

use std::collections::{HashMap, HashSet, VecDeque};

use jiff::Timestamp;
use steadfast::observe::Session;
use steadfast_store::{
    Cursor, InputError, Page, PageRequest, Record, RecordKind, Store, StoreError, StoredTask,
    TaskId, name,
};

use super::filter::SessionFilter;
use super::from_task;
use crate::error::ApiError;
use crate::page::PageQuery;

/// The page size of a source under a selective filter.
const FILTERED_PAGE_SIZE: u32 = 500;
/// The most sessions that one request scans.
const MAX_SCANNED_SESSIONS: usize = 5_000;
/// The most tasks whose histories are read at once: one at a time would be slow, and those of a whole
/// page may exceed the response.
const MAX_HISTORIES_PER_READ: usize = 100;
/// The number of attempts after which no more histories are read at once.
const MAX_ATTEMPTS_PER_READ: u64 = 2_000;
/// The number of attempts after which a page ends early: a session may have hundreds.
const MAX_ATTEMPTS_PER_PAGE: usize = 10_000;

/// The session of one task; `None` if no attempt was made.
pub(crate) async fn of_task(store: &Store, id: TaskId) -> Result<Option<Session>, StoreError> {
    Ok(from_task::session(store.task(id).await?))
}

/// A page of sessions, latest first. It may have fewer than the limit, even none, although more
/// follow: `next` is set then.
pub(crate) async fn read(
    store: &Store,
    filter: &SessionFilter,
    page: &PageQuery,
) -> Result<Page<Session>, ApiError> {
    let PageRequest { limit, after } = page.request()?;
    let page_size = if filter.is_selective() { FILTERED_PAGE_SIZE } else { limit };
    let mut sources = Merge::after(after.as_ref(), filter, page_size)?;
    let (mut items, mut attempts, mut scanned) = (Vec::new(), 0, 0);
    while let Some(entry) = sources.next(store, filter).await? {
        if filter.is_before_start(entry.at) {
            return Ok(Page { items, next: None });
        }
        scanned += 1;
        if let Some(session) = entry.into_match(filter) {
            attempts += session.attempts.len();
            items.push(session);
        }
        let is_full = items.len() >= limit as usize || attempts >= MAX_ATTEMPTS_PER_PAGE;
        if is_full || scanned >= MAX_SCANNED_SESSIONS {
            return Ok(Page { items, next: sources.cursor() });
        }
    }
    Ok(Page { items, next: None })
}

/// One session of a source.
struct Entry {
    at: Timestamp,
    /// The cursor in front of it, for a source that has returned nothing yet.
    before: Option<Cursor>,
    /// The cursor after it.
    after: Option<Cursor>,
    /// The session; `None` if this version cannot decode it, or it was pruned meanwhile.
    session: Option<Box<Session>>,
    /// The task whose history is not read yet.
    unread: Option<TaskId>,
}

impl Entry {
    /// The session, if it is read and matches.
    fn into_match(self, filter: &SessionFilter) -> Option<Session> {
        let read = self.session.filter(|_| self.unread.is_none());
        read.map(|session| *session).filter(|session| filter.matches(session))
    }

    /// The task whose history must be read, if it matches, with its number of attempts.
    fn missing_history(&self, filter: &SessionFilter) -> Option<(TaskId, u64)> {
        let (id, session) = (self.unread?, self.session.as_ref()?);
        let is_match = filter.matches(session) && !filter.is_before_start(self.at);
        is_match.then(|| (id, session.forgotten_attempts + session.attempts.len() as u64))
    }
}

/// The session of a finished task with its history. The task may have been requeued meanwhile.
fn ended_session(task: StoredTask) -> Option<Box<Session>> {
    from_task::session(task).filter(|session| session.end_time.is_some()).map(Box::new)
}

/// The merge of both sources.
struct Merge<'f> {
    records: Source,
    tasks: Source,
    /// The correlation id of the tasks, which the store filters by itself.
    correlation_id: Option<&'f str>,
    page_size: u32,
}

/// One source: the entries that were read ahead, and its position.
#[derive(Default)]
struct Source {
    ahead: VecDeque<Entry>,
    /// The cursor of the next read; `None` at the start.
    read_to: Option<Cursor>,
    /// The cursor after the last entry that was returned.
    returned_to: Option<Cursor>,
    is_read: bool,
}

/// Separates the cursors of the two sources.
const CURSOR_SEPARATOR: char = '/';
/// The cursor of an exhausted source.
const EXHAUSTED: &str = "-";

impl<'f> Merge<'f> {
    fn after(
        cursor: Option<&Cursor>,
        filter: &'f SessionFilter,
        page_size: u32,
    ) -> Result<Self, InputError> {
        let invalid = || {
            let problem = "not a valid cursor for this list; omit it to start at the first page";
            InputError::new("after", problem)
        };
        let (records, tasks) = match cursor {
            None => ("", ""),
            Some(Cursor(text)) => text.split_once(CURSOR_SEPARATOR).ok_or_else(invalid)?,
        };
        let (records, mut tasks) = (Source::after(records), Source::after(tasks));
        let correlation_id = filter.correlation_id.as_deref();
        // A process may use a correlation id that is not valid for a task.
        tasks.is_read |= correlation_id.is_some_and(|id| name("correlation_id", id).is_err());
        Ok(Self { records, tasks, correlation_id, page_size })
    }

    /// The latest entry of both sources.
    async fn next(
        &mut self,
        store: &Store,
        filter: &SessionFilter,
    ) -> Result<Option<Entry>, StoreError> {
        let limit = self.page_size;
        let page = |after| PageRequest { limit, after };
        while let Some(after) = self.records.needs_read() {
            let read = store.records(RecordKind::Session, &page(after)).await?;
            self.records.add(read.items.into_iter().map(record_entry), read.next);
        }
        while let Some(after) = self.tasks.needs_read() {
            let read = store.latest_ended(self.correlation_id, &page(after)).await?;
            self.tasks.add(read.items.into_iter().filter_map(task_entry), read.next);
        }
        if self.tasks.time() > self.records.time() {
            self.tasks.read_histories(store, filter).await?;
            return Ok(self.tasks.pop());
        }
        Ok(self.records.pop())
    }

    /// The cursor to continue from; `None` if both sources are exhausted.
    fn cursor(&self) -> Option<Cursor> {
        if self.records.is_exhausted() && self.tasks.is_exhausted() {
            return None;
        }
        let (records, tasks) = (self.records.cursor(), self.tasks.cursor());
        Some(Cursor(format!("{records}{CURSOR_SEPARATOR}{tasks}")))
    }
}

impl Source {
    fn after(cursor: &str) -> Self {
        let after = (!cursor.is_empty()).then(|| Cursor(cursor.to_owned()));
        let is_read = cursor == EXHAUSTED;
        Self { is_read, read_to: after.clone(), returned_to: after, ..Self::default() }
    }

    /// The cursor of the next read, if no entry is left.
    fn needs_read(&self) -> Option<Option<Cursor>> {
        (self.ahead.is_empty() && !self.is_read).then(|| self.read_to.clone())
    }

    fn add(&mut self, entries: impl Iterator<Item = Entry>, next: Option<Cursor>) {
        self.ahead.extend(entries);
        (self.is_read, self.read_to) = (next.is_none(), next);
    }

    /// Reads the history of the next entry, if it matches, and of some entries after it.
    async fn read_histories(
        &mut self,
        store: &Store,
        filter: &SessionFilter,
    ) -> Result<(), StoreError> {
        if self.ahead.front().is_none_or(|next| next.missing_history(filter).is_none()) {
            return Ok(());
        }
        let missing = self.ahead.iter().filter_map(|entry| entry.missing_history(filter));
        let within_limit = |sum: &mut u64, (id, attempts)| {
            let is_within = *sum < MAX_ATTEMPTS_PER_READ;
            *sum = sum.saturating_add(attempts);
            is_within.then_some(id)
        };
        let ids: Vec<TaskId> = missing.take(MAX_HISTORIES_PER_READ).scan(0, within_limit).collect();
        let found = store.histories(&ids).await?;
        let mut found: HashMap<_, _> = found.into_iter().map(|task| (task.id, task)).collect();
        let ids: HashSet<_> = ids.into_iter().collect();
        for entry in &mut self.ahead {
            if let Some(id) = entry.unread.take_if(|id| ids.contains(id)) {
                // The task may have been pruned meanwhile.
                entry.session = found.remove(&id).and_then(ended_session);
            }
        }
        Ok(())
    }

    fn time(&self) -> Option<Timestamp> {
        self.ahead.front().map(|entry| entry.at)
    }

    fn pop(&mut self) -> Option<Entry> {
        let entry = self.ahead.pop_front()?;
        self.returned_to.clone_from(&entry.after);
        Some(entry)
    }

    fn is_exhausted(&self) -> bool {
        self.is_read && self.ahead.is_empty()
    }

    /// Entries that are added meanwhile are in front of it, also if nothing was returned yet.
    fn cursor(&self) -> &str {
        let first = || self.ahead.front()?.before.as_ref();
        match self.returned_to.as_ref().or_else(first) {
            _ if self.is_exhausted() => EXHAUSTED,
            Some(Cursor(cursor)) => cursor,
            None => "",
        }
    }
}

fn record_entry(record: Record) -> Entry {
    Entry {
        at: record.at.unwrap_or(Timestamp::MAX),
        before: record.number.map(|number| Cursor(number.saturating_add(1).to_string())),
        after: record.number.map(|number| Cursor(number.to_string())),
        session: serde_json::from_value(record.body).ok().map(Box::new),
        unread: None,
    }
}

fn task_entry(task: StoredTask) -> Option<Entry> {
    let (id, at, after) = (task.id, task.ended_at?, task.ended_cursor());
    let session = from_task::session(task).map(Box::new);
    Some(Entry { at, before: Some(Cursor::ended_by(at)), after, session, unread: Some(id) })
}
