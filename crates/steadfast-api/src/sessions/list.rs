//! Sessions, each with its attempts (O1): those that processes recorded in the store, and tasks
//! that ended, for a task is a session as well.
//!
//! Each of the two is read from its latest end back, and the later of both comes first: the store
//! took a record, or ended a task, by one clock. What is asked for is looked for one by one, and one
//! answer looks at a bounded number of them and says where to go on.

use std::collections::{HashMap, HashSet, VecDeque};

use jiff::Timestamp;
use steadfast::observe::Session;
use steadfast_store::{
    Cursor, Invalid, PageRequest, Record, RecordKind, Store, StoreError, StoredTask, TaskId, name,
};

use super::filter::SessionFilter;
use super::from_task as task_session;
use crate::error::ApiError;
use crate::page::{Page, PageQuery};

/// How many are read at a time, if most may not be asked for.
const AT_A_TIME: u32 = 500;
/// How many are looked at for one answer.
const LOOKS_AT: usize = 5_000;
/// How many tasks are read with their attempts at a time, and how many attempts of them: one task at
/// a time would be slow, and those of a whole page may have more than an answer.
const WHOLE_AT_A_TIME: usize = 100;
const ATTEMPTS_AT_A_TIME: u64 = 2_000;
/// How many attempts an answer has, before it ends early: a session may have hundreds.
const MOST_ATTEMPTS: usize = 10_000;

/// The session of one task, if any attempt of it was made.
pub(crate) async fn of_task(store: &Store, id: TaskId) -> Result<Option<Session>, StoreError> {
    Ok(task_session::session(store.task(id).await?))
}

/// Some sessions, newest first. A page may have fewer than were asked for, even none, and more
/// may follow all the same: `next` says so.
pub(crate) async fn read(
    store: &Store,
    filter: &SessionFilter,
    page: &PageQuery,
) -> Result<Page<Session>, ApiError> {
    let PageRequest { limit, after } = page.request()?;
    let at_a_time = if filter.sifts() { AT_A_TIME } else { limit };
    let mut both = Both::behind(after.as_ref(), filter, at_a_time)?;
    let (mut items, mut attempts, mut looked_at) = (Vec::new(), 0, 0);
    while let Some(seen) = both.next(store, filter).await? {
        if filter.is_before(seen.at) {
            return Ok(Page { items, next: None });
        }
        looked_at += 1;
        if let Some(session) = seen.told(filter) {
            attempts += session.attempts.len();
            items.push(session);
        }
        let is_full = items.len() >= limit as usize || attempts >= MOST_ATTEMPTS;
        if is_full || looked_at >= LOOKS_AT {
            return Ok(Page { items, next: both.cursor() });
        }
    }
    Ok(Page { items, next: None })
}

/// One that was come across.
struct Seen {
    at: Timestamp,
    /// Where its list goes on with it, if nothing of the list was given out before.
    before: Option<Cursor>,
    /// Where its list goes on behind it.
    behind: Option<Cursor>,
    what: What,
}

enum What {
    /// The whole of it; nothing if only a newer version can read it, or it is there no more.
    Whole(Option<Box<Session>>),
    /// A task, and the session that it is, as far as a list tells of it.
    Listed(TaskId, Option<Box<Session>>),
}

impl Seen {
    /// The whole of it, if it is asked for.
    fn told(self, filter: &SessionFilter) -> Option<Session> {
        match self.what {
            What::Whole(session) => session.map(|it| *it).filter(|it| filter.matches(it)),
            What::Listed(..) => None,
        }
    }

    /// The task whose attempts are yet to be read, if it is asked for, and how many there are.
    fn lacks(&self, filter: &SessionFilter) -> Option<(TaskId, u64)> {
        match &self.what {
            What::Listed(id, Some(session))
                if filter.matches(session) && !filter.is_before(self.at) =>
            {
                Some((*id, session.forgotten_attempts + session.attempts.len() as u64))
            }
            _ => None,
        }
    }
}

/// A task that has ended, with its attempts. What it answered may be long, and is told of one alone.
/// It may have been requeued meanwhile.
fn whole(task: StoredTask) -> Option<Box<Session>> {
    task_session::session(task).filter(|session| session.end_time.is_some()).map(Box::new)
}

/// Both lists.
struct Both<'f> {
    records: List,
    tasks: List,
    /// The request whose tasks are wanted: they are found by it.
    request: Option<&'f str>,
    at_a_time: u32,
}

/// One of them: what was read ahead, and how far it was come.
#[derive(Default)]
struct List {
    ahead: VecDeque<Seen>,
    /// Where to read on; nothing at the beginning.
    read_to: Option<Cursor>,
    /// Where those end that were given out.
    given_to: Option<Cursor>,
    is_read: bool,
}

/// Between the places in the two lists; a list that is over is a dash.
const BETWEEN: char = '/';
const OVER: &str = "-";

impl<'f> Both<'f> {
    fn behind(
        after: Option<&Cursor>,
        filter: &'f SessionFilter,
        at_a_time: u32,
    ) -> Result<Self, Invalid> {
        let foreign = || Invalid::new("after", "not one of this list; start again without it");
        let (records, tasks) = match after {
            None => ("", ""),
            Some(Cursor(text)) => text.split_once(BETWEEN).ok_or_else(foreign)?,
        };
        let (records, mut tasks) = (List::behind(records), List::behind(tasks));
        let request = filter.correlation_id.as_deref();
        // A process may call a request what no task's can be called.
        tasks.is_read |= request.is_some_and(|id| name("correlation_id", id).is_err());
        Ok(Self { records, tasks, request, at_a_time })
    }

    /// The later of both.
    async fn next(
        &mut self,
        store: &Store,
        filter: &SessionFilter,
    ) -> Result<Option<Seen>, StoreError> {
        let limit = self.at_a_time;
        let page = |after| PageRequest { limit, after };
        while let Some(after) = self.records.lacks() {
            let read = store.records(RecordKind::Session, &page(after)).await?;
            self.records.add(read.items.into_iter().map(recorded), read.next);
        }
        while let Some(after) = self.tasks.lacks() {
            let read = store.latest_ended(self.request, &page(after)).await?;
            self.tasks.add(read.items.into_iter().filter_map(ended), read.next);
        }
        if self.tasks.time() > self.records.time() {
            self.tasks.make_whole(store, filter).await?;
            return Ok(self.tasks.give());
        }
        Ok(self.records.give())
    }

    /// Where to go on; nothing if both are over.
    fn cursor(&self) -> Option<Cursor> {
        if self.records.is_over() && self.tasks.is_over() {
            return None;
        }
        let (records, tasks) = (self.records.place(), self.tasks.place());
        Some(Cursor(format!("{records}{BETWEEN}{tasks}")))
    }
}

impl List {
    fn behind(place: &str) -> Self {
        let after = (!place.is_empty()).then(|| Cursor(place.to_owned()));
        Self { is_read: place == OVER, read_to: after.clone(), given_to: after, ..Self::default() }
    }

    /// Where to read on, if there is nothing left that was read.
    fn lacks(&self) -> Option<Option<Cursor>> {
        (self.ahead.is_empty() && !self.is_read).then(|| self.read_to.clone())
    }

    fn add(&mut self, seen: impl Iterator<Item = Seen>, next: Option<Cursor>) {
        self.ahead.extend(seen);
        (self.is_read, self.read_to) = (next.is_none(), next);
    }

    /// Reads the attempts of the next one, if they are asked for, and of some behind it.
    async fn make_whole(
        &mut self,
        store: &Store,
        filter: &SessionFilter,
    ) -> Result<(), StoreError> {
        if self.ahead.front().is_none_or(|next| next.lacks(filter).is_none()) {
            return Ok(());
        }
        let lacking = self.ahead.iter().filter_map(|seen| seen.lacks(filter)).take(WHOLE_AT_A_TIME);
        let before = |sum: &mut u64, (id, attempts)| {
            let is_room = *sum < ATTEMPTS_AT_A_TIME;
            *sum = sum.saturating_add(attempts);
            is_room.then_some(id)
        };
        let ids: Vec<TaskId> = lacking.scan(0, before).collect();
        let found = store.histories(&ids).await?;
        let mut found: HashMap<_, _> = found.into_iter().map(|task| (task.id, task)).collect();
        let ids: HashSet<_> = ids.into_iter().collect();
        for seen in &mut self.ahead {
            if let What::Listed(id, Some(_)) = seen.what
                && ids.contains(&id)
            {
                // It may have been pruned meanwhile.
                seen.what = What::Whole(found.remove(&id).and_then(whole));
            }
        }
        Ok(())
    }

    fn time(&self) -> Option<Timestamp> {
        self.ahead.front().map(|seen| seen.at)
    }

    fn give(&mut self) -> Option<Seen> {
        let seen = self.ahead.pop_front()?;
        self.given_to.clone_from(&seen.behind);
        Some(seen)
    }

    fn is_over(&self) -> bool {
        self.is_read && self.ahead.is_empty()
    }

    /// What comes meanwhile is before it, also where nothing was given out yet.
    fn place(&self) -> &str {
        let first = || self.ahead.front()?.before.as_ref();
        match self.given_to.as_ref().or_else(first) {
            _ if self.is_over() => OVER,
            Some(Cursor(place)) => place,
            None => "",
        }
    }
}

fn recorded(record: Record) -> Seen {
    Seen {
        at: record.at.unwrap_or(Timestamp::MAX),
        before: record.number.map(|number| Cursor(number.saturating_add(1).to_string())),
        behind: record.number.map(|number| Cursor(number.to_string())),
        what: What::Whole(serde_json::from_value(record.body).ok().map(Box::new)),
    }
}

fn ended(task: StoredTask) -> Option<Seen> {
    let (id, at, behind) = (task.id, task.ended_at?, task.ended_cursor());
    let what = What::Listed(id, task_session::session(task).map(Box::new));
    Some(Seen { at, before: Some(Cursor::ended_by(at)), behind, what })
}
