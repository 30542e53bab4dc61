//! Requeueing of ended tasks (D10, D16).

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::task::filter::Filter;

/// How ended tasks are tried again.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Requeue {
    /// Count attempts from the start. Otherwise the count stands, and a task whose attempts
    /// are used up gets one more.
    pub fresh: bool,
    /// Let each be due when it was going to be, if that is still to come: what was called off by
    /// mistake goes on as if it had not been. Otherwise all of them are due now.
    pub keep_time: bool,
    /// At most so many a second, at slightly uneven moments, so that a thousand failures of an
    /// outage do not come back as one wave. All at once if there is none.
    pub per_second: Option<f64>,
    /// At most so many.
    pub limit: Option<u64>,
    /// Only say how many it would be.
    pub dry_run: bool,
}

impl Requeue {
    /// All of them, at once, counted from the start.
    #[must_use]
    pub const fn fresh() -> Self {
        Self { fresh: true, keep_time: false, per_second: None, limit: None, dry_run: false }
    }

    /// All of them, at once, with the count as it stands.
    #[must_use]
    pub const fn once_more() -> Self {
        Self { fresh: false, ..Self::fresh() }
    }

    /// No earlier than each was going to be due.
    #[must_use]
    pub const fn keep_time(mut self) -> Self {
        self.keep_time = true;
        self
    }

    /// No more than so many a second.
    #[must_use]
    pub const fn per_second(mut self, rate: f64) -> Self {
        self.per_second = Some(rate);
        self
    }

    /// No more than so many.
    #[must_use]
    pub const fn limit(mut self, limit: u64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Change nothing, say how many it would be.
    #[must_use]
    pub const fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

impl Requeue {
    /// What the audit log says of it: how many, which, and how.
    pub(crate) fn detail(&self, which: &Filter, requeued: Requeued) -> Value {
        json!({
            "count": requeued.count,
            "filter": in_short(which),
            "fresh": self.fresh,
            "keep_time": self.keep_time,
            "per_second": self.per_second,
        })
    }
}

/// What a filter says, without what it does not say. A list of ids is only counted.
fn in_short(filter: &Filter) -> Map<String, Value> {
    let said = [
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
    let said = said.into_iter().filter(|(_, value)| !value.is_null());
    said.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// What requeueing did, or would do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requeued {
    /// How many tasks.
    pub count: u64,
    /// Over how long they come back.
    pub over: Duration,
}

impl Requeued {
    pub(crate) fn of(count: u64, how: &Requeue) -> Self {
        let seconds = how.per_second.map_or(0.0, |rate| count as f64 / rate);
        Self { count, over: Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Status, TaskId};

    /// D16: so many at such a rate take so long; a rate next to none takes for ever.
    #[test]
    fn requeueing_takes_as_long_as_the_rate_says() {
        let over = |count, how: Requeue| Requeued::of(count, &how).over;
        assert_eq!(over(100, Requeue::fresh().per_second(50.0)), Duration::from_secs(2));
        assert_eq!(over(100, Requeue::fresh()), Duration::ZERO);
        assert_eq!(over(u64::MAX, Requeue::fresh().per_second(1e-300)), Duration::MAX);
    }

    /// K3: the log says what was asked for, and is not filled with ids.
    #[test]
    fn the_log_has_the_filter_in_short() {
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
