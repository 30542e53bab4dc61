//! Requeueing of finished tasks (D10, D16).

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::task::filter::Filter;

/// The options of a requeue.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Requeue {
    /// Reset the attempts. Otherwise the count stays, and an exhausted task gets one more attempt.
    pub fresh: bool,
    /// Keep future due times, for tasks that were cancelled by mistake. Otherwise all tasks are due
    /// now.
    pub keep_time: bool,
    /// The rate in tasks per second, with jitter, so that the failures of an outage do not return
    /// at once. Without a rate all are due at once.
    pub per_second: Option<f64>,
    /// The maximum number of tasks.
    pub limit: Option<u64>,
    /// Only count the tasks.
    pub dry_run: bool,
}

impl Requeue {
    /// All tasks at once, with reset attempts.
    #[must_use]
    pub const fn fresh() -> Self {
        Self { fresh: true, keep_time: false, per_second: None, limit: None, dry_run: false }
    }

    /// All tasks at once, with their attempts.
    #[must_use]
    pub const fn once_more() -> Self {
        Self { fresh: false, ..Self::fresh() }
    }

    /// Keeps future due times.
    #[must_use]
    pub const fn keep_time(mut self) -> Self {
        self.keep_time = true;
        self
    }

    /// Sets the rate in tasks per second.
    #[must_use]
    pub const fn per_second(mut self, rate: f64) -> Self {
        self.per_second = Some(rate);
        self
    }

    /// Sets the maximum number of tasks.
    #[must_use]
    pub const fn limit(mut self, limit: u64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Only counts the tasks.
    #[must_use]
    pub const fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    pub(crate) fn detail(&self, filter: &Filter, requeued: Requeued) -> Value {
        json!({
            "count": requeued.count,
            "filter": filter_fields(filter),
            "fresh": self.fresh,
            "keep_time": self.keep_time,
            "per_second": self.per_second,
        })
    }
}

/// The fields of a filter that are set. A list of ids is only counted.
fn filter_fields(filter: &Filter) -> Map<String, Value> {
    let fields = [
        ("status", json!(filter.status)),
        ("ids", json!(filter.ids.as_ref().map(Vec::len))),
        ("queue", json!(filter.queue)),
        ("category", json!(filter.category)),
        ("kind", json!(filter.kind)),
        ("class", json!(filter.class)),
        ("correlation_id", json!(filter.correlation_id)),
        ("due_before", json!(filter.due_before)),
        ("submitted_after", json!(filter.submitted_after)),
        ("ended_after", json!(filter.ended_after)),
    ];
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
    fields.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The result of a requeue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requeued {
    /// The number of tasks.
    pub count: u64,
    /// The time over which they become due.
    pub over: Duration,
}

impl Requeued {
    pub(crate) fn of(count: u64, requeue: &Requeue) -> Self {
        let seconds = requeue.per_second.map_or(0.0, |rate| count as f64 / rate);
        Self { count, over: Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Status, TaskId};

    /// D16: the duration follows from the count and the rate.
    #[test]
    fn requeue_duration_follows_from_the_rate() {
        let over = |count, requeue: Requeue| Requeued::of(count, &requeue).over;
        assert_eq!(over(100, Requeue::fresh().per_second(50.0)), Duration::from_secs(2));
        assert_eq!(over(100, Requeue::fresh()), Duration::ZERO);
        assert_eq!(over(u64::MAX, Requeue::fresh().per_second(1e-300)), Duration::MAX);
    }

    /// K3: the audit details have the filter, with ids only counted.
    #[test]
    fn audit_details_have_the_filter_without_ids() {
        let how = Requeue::once_more().per_second(2.5);
        let mut which = Filter::status(Status::Failed).queue("mail");
        which.ids = Some(vec![TaskId::fresh(), TaskId::fresh()]);
        let expected = json!({
            "count": 2,
            "filter": { "status": "failed", "ids": 2, "queue": "mail" },
            "fresh": false,
            "keep_time": false,
            "per_second": 2.5,
        });
        assert_eq!(how.detail(&which, Requeued::of(2, &how)), expected);
    }
}
