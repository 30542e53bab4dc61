//! Task filters (D15).

use jiff::Timestamp;
use steadfast::Class;

use crate::error::InputError;
use crate::task::{Status, TaskId, optional_names};

/// A filter of tasks. Every field that is set must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filter {
    /// The state.
    pub status: Option<Status>,
    /// The ids.
    pub ids: Option<Vec<TaskId>>,
    /// The queue.
    pub queue: Option<String>,
    /// The category.
    pub category: Option<String>,
    /// The kind.
    pub kind: Option<String>,
    /// The class of the last failure.
    pub class: Option<Class>,
    /// The correlation id.
    pub correlation_id: Option<String>,
    /// The latest due time.
    pub due_before: Option<Timestamp>,
    /// The earliest time of submission.
    pub submitted_after: Option<Timestamp>,
    /// The earliest end time.
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

    /// Tasks in this state.
    #[must_use]
    pub fn status(status: Status) -> Self {
        Self { status: Some(status), ..Self::default() }
    }

    /// Restricts the queue.
    #[must_use]
    pub fn queue(mut self, queue: impl Into<String>) -> Self {
        self.queue = Some(queue.into());
        self
    }

    /// Restricts the category.
    #[must_use]
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.category = Some(category.into());
        self
    }

    /// Restricts the kind.
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// Restricts the due time.
    #[must_use]
    pub fn due_before(mut self, time: Timestamp) -> Self {
        self.due_before = Some(time);
        self
    }

    pub(crate) fn check(&self) -> Result<(), InputError> {
        optional_names([
            ("queue", &self.queue),
            ("category", &self.category),
            ("kind", &self.kind),
            ("correlation_id", &self.correlation_id),
        ])
    }

    /// Whether only the state is set.
    pub(crate) fn is_by_status_alone(&self) -> bool {
        *self == Self { status: self.status, ..Self::default() }
    }

    /// Whether tasks have to be scanned, most of which may not match. Ids, a correlation id and
    /// the claim order of a queue are found by an index.
    pub(crate) fn needs_scan(&self) -> bool {
        let is_indexed = self.ids.is_some() || self.correlation_id.is_some();
        let is_claim_order = self.status == Some(Status::Pending);
        let queue = self.queue.clone().filter(|_| is_claim_order);
        // Scheduled tasks are in the order of their due time.
        let is_by_due_time = self.status == Some(Status::Scheduled);
        let due_before = self.due_before.filter(|_| is_by_due_time);
        let indexed = Self { status: self.status, queue, due_before, ..Self::default() };
        !is_indexed && *self != indexed
    }
}

/// The number of tasks or audit entries that one page scans. A page of a rare match may therefore be
/// short, and has a cursor.
pub(crate) const MAX_SCANNED_ROWS: u32 = 10_000;

/// The payloads and results of a list, each of which may be as long as
/// [`MAX_PAYLOAD`](crate::MAX_PAYLOAD).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Documents {
    /// None: they are `null`.
    Without,
    /// All of them, on a page that ends early once it has this many bytes. At least one task.
    UpTo(u64),
}

impl Default for Documents {
    /// 8 MiB: thousands of usual tasks, or a few of the longest.
    fn default() -> Self {
        Self::UpTo(8 << 20)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D15: a filter by state alone is recognised.
    #[test]
    fn filter_by_status_alone_is_recognised() {
        assert!(Filter::all().is_by_status_alone());
        assert!(Filter::status(Status::Failed).is_by_status_alone());
        assert!(!Filter::status(Status::Failed).queue("mail").is_by_status_alone());
        assert!(!Filter::id(TaskId::fresh()).is_by_status_alone());
    }

    /// H3: an indexed filter needs no scan.
    #[test]
    fn indexed_filter_needs_no_scan() {
        let (pending, scheduled) =
            (Filter::status(Status::Pending), Filter::status(Status::Scheduled));
        assert!(!Filter::all().needs_scan() && !Filter::status(Status::Failed).needs_scan());
        assert!(!Filter::id(TaskId::fresh()).queue("mail").needs_scan());
        assert!(!pending.clone().queue("mail").needs_scan());
        assert!(!scheduled.clone().due_before(Timestamp::MAX).needs_scan());
        assert!(pending.due_before(Timestamp::MAX).needs_scan());
        assert!(scheduled.queue("mail").needs_scan());
        assert!(Filter::all().queue("mail").needs_scan());
    }

    /// K4: an invalid name is rejected with its field.
    #[test]
    fn filter_with_invalid_name_is_rejected() {
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
}
