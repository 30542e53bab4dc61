//! Looking: which tasks, how many, what next (D15).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::Class;
use uuid::Uuid;

use crate::cursor::Place;
use crate::error::Invalid;
use crate::task::{Status, TaskId, name};

/// Which tasks. Every part that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filter {
    /// Where they are.
    pub status: Option<Status>,
    /// Only these.
    pub ids: Option<Vec<TaskId>>,
    /// Of this queue.
    pub queue: Option<String>,
    /// Of this category.
    pub category: Option<String>,
    /// Of this kind.
    pub kind: Option<String>,
    /// Whose last failure meant this.
    pub class: Option<Class>,
    /// That belong to this request.
    pub correlation_id: Option<String>,
    /// Scheduled for no later than this.
    pub due_before: Option<Timestamp>,
    /// Submitted no earlier than this.
    pub submitted_after: Option<Timestamp>,
    /// That ended no earlier than this.
    pub ended_after: Option<Timestamp>,
}

impl Filter {
    /// Every task.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// One task.
    #[must_use]
    pub fn id(id: TaskId) -> Self {
        Self { ids: Some(vec![id]), ..Self::default() }
    }

    /// Tasks that are here.
    #[must_use]
    pub fn status(status: Status) -> Self {
        Self { status: Some(status), ..Self::default() }
    }

    /// And of this queue.
    #[must_use]
    pub fn queue(mut self, queue: impl Into<String>) -> Self {
        self.queue = Some(queue.into());
        self
    }

    /// And of this category.
    #[must_use]
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.category = Some(category.into());
        self
    }

    /// And of this kind.
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// And scheduled for no later than this.
    #[must_use]
    pub fn due_before(mut self, time: Timestamp) -> Self {
        self.due_before = Some(time);
        self
    }
}

impl Filter {
    /// Whether there can be such tasks: a name that none can have is a mistake.
    pub(crate) fn check(&self) -> Result<(), Invalid> {
        let names = [
            ("queue", &self.queue),
            ("category", &self.category),
            ("kind", &self.kind),
            ("correlation_id", &self.correlation_id),
        ];
        for (field, given) in names {
            if let Some(given) = given {
                name(field, given)?;
            }
        }
        Ok(())
    }

    /// Whether nothing but the status thins the list out.
    pub(crate) fn is_by_status_alone(&self) -> bool {
        *self == Self { status: self.status, ..Self::default() }
    }

    /// Whether tasks have to be looked at to know which of them fit, and most may not. Some
    /// filters lead to their tasks: ids, a request, the line of a queue.
    pub(crate) fn sifts(&self) -> bool {
        let leads = self.ids.is_some() || self.correlation_id.is_some();
        let is_a_line = self.status == Some(Status::Pending);
        let queue = self.queue.clone().filter(|_| is_a_line);
        // Nor does a time sift what is in the order of its time.
        let is_in_time = self.status == Some(Status::Scheduled);
        let due_before = self.due_before.filter(|_| is_in_time);
        let led = Self { status: self.status, queue, due_before, ..Self::default() };
        !leads && *self != led
    }
}

/// How many tasks, or entries of the audit log, one page looks at for those that fit. A filter that few fit would have
/// millions looked at for a page; so a page may be short, and says where to go on.
pub(crate) const LOOKS_AT: u32 = 10_000;

/// How much of a list, and from where on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// At most so many.
    pub limit: u32,
    /// What the page before ended with.
    pub after: Option<Cursor>,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { limit: 50, after: None }
    }
}

impl PageRequest {
    /// Where to go on, in a list of numbered things.
    pub(crate) fn number(&self) -> Result<Option<i64>, Invalid> {
        let foreign = |_| Invalid::new("after", "not one of this list; start again without it");
        self.after.as_ref().map(|cursor| cursor.0.parse().map_err(foreign)).transpose()
    }

    /// A page of numbered things, of which one more was read than is shown.
    pub(crate) fn cut<T>(&self, mut items: Vec<T>, number: impl Fn(&T) -> Option<i64>) -> Page<T> {
        let is_more = items.len() > self.limit as usize;
        items.truncate(self.limit as usize);
        let last = items.last().filter(|_| is_more).and_then(number);
        Page { items, next: last.map(|number| Cursor(number.to_string())) }
    }
}

/// What a list has of payloads and results, each of which may be as long as
/// [`MAX_PAYLOAD`](crate::MAX_PAYLOAD).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Documents {
    /// Nothing: they are `null`.
    Without,
    /// All of them, on a page that ends early once it has so many bytes of them. One task is
    /// always on it.
    UpTo(u64),
}

impl Default for Documents {
    /// 8 MiB: thousands of usual tasks, and a handful of the longest.
    fn default() -> Self {
        Self::UpTo(8 << 20)
    }
}

/// Where a page ended. Meant for the store that made it, and for nobody to look into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(pub String);

impl Cursor {
    /// Where a [list by ends](crate::Store::latest_ended) goes on with what ended no later than this.
    #[must_use]
    pub fn ended_by(time: Timestamp) -> Self {
        Place::ended(time, Uuid::max().into()).cursor(Place::ENDED)
    }
}

/// A part of a list. It may be shorter than was asked for, even empty, and more may follow all the
/// same: `next` says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Page<T> {
    /// The part.
    pub items: Vec<T>,
    /// Where to go on, if there is more.
    pub next: Option<Cursor>,
}

/// How many tasks are where, and how well it goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// Due now.
    pub pending: u64,
    /// Due later.
    pub scheduled: u64,
    /// Due within an hour, of those.
    pub due_in_an_hour: u64,
    /// Due within 24 hours, of those.
    pub due_in_24_hours: u64,
    /// In the hands of workers.
    pub running: u64,
    /// Done.
    pub completed: u64,
    /// Given up.
    pub failed: u64,
    /// Called off.
    pub cancelled: u64,
    /// When the next one is due.
    pub next_due: Option<Timestamp>,
    /// Since when the longest-waiting of the tasks that go next has been due, in queues that are not
    /// paused.
    pub due_since: Option<Timestamp>,
}

impl Stats {
    /// Completed of all that completed or failed; nothing before any did.
    #[must_use]
    pub fn success_rate(&self) -> Option<f64> {
        let ended = self.completed + self.failed;
        (ended > 0).then(|| self.completed as f64 / ended as f64)
    }
}

/// The whole store, and each of its queues, as one look saw them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// Of everything.
    pub stats: Stats,
    /// Every queue, by name.
    pub queues: Vec<QueueInfo>,
}

impl Counts {
    /// What waits is known queue by queue; `stats` knows the rest.
    pub(crate) fn of(mut stats: Stats, queues: Vec<QueueInfo>) -> Self {
        stats.pending = queues.iter().map(|queue| queue.pending).sum();
        stats.scheduled = queues.iter().map(|queue| queue.scheduled).sum();
        Self { stats, queues }
    }
}

/// Where the lines begin. To know it nothing has to be counted, however long they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Due {
    /// When the next one is due.
    pub next_due: Option<Timestamp>,
    /// Since when the longest-waiting of the tasks that go next has been due, in queues that are not
    /// paused.
    pub due_since: Option<Timestamp>,
}

/// One queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct QueueInfo {
    /// Its name.
    pub name: String,
    /// Whether nothing is taken from it.
    pub paused: bool,
    /// Due now.
    pub pending: u64,
    /// Due later.
    pub scheduled: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D15: a filter says what it was told, and nothing else.
    #[test]
    fn a_filter_by_status_alone_is_one() {
        assert!(Filter::all().is_by_status_alone());
        assert!(Filter::status(Status::Failed).is_by_status_alone());
        assert!(!Filter::status(Status::Failed).queue("mail").is_by_status_alone());
        assert!(!Filter::id(TaskId::fresh()).is_by_status_alone());
    }

    /// H3: what leads to its tasks costs what it finds; the rest has to be sifted.
    #[test]
    fn a_filter_that_leads_to_its_tasks_does_not_sift() {
        let (pending, scheduled) =
            (Filter::status(Status::Pending), Filter::status(Status::Scheduled));
        assert!(!Filter::all().sifts() && !Filter::status(Status::Failed).sifts());
        assert!(!Filter::id(TaskId::fresh()).queue("mail").sifts());
        assert!(!pending.clone().queue("mail").sifts());
        assert!(!scheduled.clone().due_before(Timestamp::MAX).sifts());
        assert!(pending.due_before(Timestamp::MAX).sifts());
        assert!(scheduled.queue("mail").sifts());
        assert!(Filter::all().queue("mail").sifts());
    }

    /// K4: a name that no task can have is told, with its field.
    #[test]
    fn a_filter_is_checked_name_by_name() {
        assert_eq!(Filter::all().queue("a").category("b").kind("c").check(), Ok(()));
        let correlated = Filter { correlation_id: Some(String::new()), ..Filter::all() };
        for (filter, field) in [
            (Filter::all().queue(""), "queue"),
            (Filter::all().category("\0"), "category"),
            (Filter::all().kind("\n"), "kind"),
            (correlated, "correlation_id"),
        ] {
            assert_eq!(filter.check().unwrap_err().field(), field);
        }
    }

    /// H1: one more than is shown says that there is more, and where.
    #[test]
    fn a_page_is_cut_where_it_is_full() {
        let request = PageRequest { limit: 2, after: None };
        let page = request.cut(vec![9, 8, 7], |number| Some(*number));
        assert_eq!((page.items, page.next), (vec![9, 8], Some(Cursor("8".to_owned()))));
        let page = request.cut(vec![9, 8], |number| Some(*number));
        assert_eq!((page.items, page.next), (vec![9, 8], None));
    }

    /// H1: a number is a place in a numbered list, and nothing else is.
    #[test]
    fn a_cursor_of_a_numbered_list_is_a_number() {
        let after = |text: &str| PageRequest { limit: 1, after: Some(Cursor(text.to_owned())) };
        assert_eq!(PageRequest::default().number(), Ok(None));
        assert_eq!(after("12").number(), Ok(Some(12)));
        assert_eq!(after("line:1").number().unwrap_err().field(), "after");
    }

    /// D15: a rate of nothing is none.
    #[test]
    fn the_success_rate_is_of_what_ended_by_itself() {
        let stats = Stats { completed: 3, failed: 1, cancelled: 9, ..Stats::default() };
        assert_eq!((stats.success_rate(), Stats::default().success_rate()), (Some(0.75), None));
    }
}
