//! Looking: which tasks, how many, what next (D15).

use jiff::Timestamp;
use steadfast::Class;

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
}
