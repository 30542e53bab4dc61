//! Requests to requeue tasks and to change their expiry (D10, D16).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::__private::{read_from_objects, serde_integer};
use steadfast::duration::serde_seconds;
use steadfast_store::{Requeue, When};

use crate::error::{ApiError, ErrorKind};
use crate::tasks::TaskFilter;
use crate::time_input;

read_from_objects!(RequeueOne, RequeueMany, NewExpiry);

/// Options to requeue one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields, remote = "Self")]
pub struct RequeueOne {
    /// Reset the attempt count; default: true. Otherwise the count is kept, and a task without
    /// attempts left gets one more.
    pub fresh: bool,
    /// Keep the scheduled time, if it is in the future, to undo a cancel; default: false, which makes
    /// the task due immediately.
    pub keep_time: bool,
}

impl Default for RequeueOne {
    fn default() -> Self {
        Self { fresh: true, keep_time: false }
    }
}

impl RequeueOne {
    pub(crate) const fn options(self) -> Requeue {
        let options = if self.fresh { Requeue::fresh() } else { Requeue::once_more() };
        if self.keep_time { options.keep_time() } else { options }
    }
}

/// A request to requeue all tasks that match a filter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields, remote = "Self")]
pub struct RequeueMany {
    /// The tasks to requeue. Only finished tasks can be requeued, so it needs a status, unless `all` is
    /// set.
    pub filter: TaskFilter,
    /// Requeue finished tasks of every status, completed ones included.
    pub all: bool,
    /// Reset the attempt count; default: true.
    pub fresh: bool,
    /// Maximum number of tasks per second, with some jitter; default: all at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(exclusive_minimum = 0))]
    pub rate: Option<f64>,
    /// Maximum number of tasks to requeue; default: no limit.
    #[serde(
        deserialize_with = "serde_integer::option::deserialize",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "openapi", schema(format = Int64, maximum = 4294967295_u32))]
    pub limit: Option<u32>,
    /// Only count the tasks.
    pub dry_run: bool,
}

impl Default for RequeueMany {
    fn default() -> Self {
        Self {
            filter: TaskFilter::default(),
            all: false,
            fresh: true,
            rate: None,
            limit: None,
            dry_run: false,
        }
    }
}

impl RequeueMany {
    /// Checks that the request says which tasks: without a status it would repeat all completed
    /// work.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        if let Some(status) = self.filter.status.filter(|status| !status.is_ended()) {
            let detail = format!("only finished tasks can be requeued, not {} ones", status.name());
            return Err(ApiError::new(ErrorKind::Invalid, detail).field("filter.status").next(
                "use failed, cancelled or completed; use run-now to start a scheduled task",
            ));
        }
        if self.all || self.filter.status.is_some() {
            return Ok(());
        }
        let detail = "must be failed, cancelled or completed";
        Err(ApiError::new(ErrorKind::Invalid, detail)
            .field("filter.status")
            .next("send `\"filter\": {\"status\": \"failed\"}`, or `\"all\": true` for all three"))
    }

    pub(crate) fn options(&self) -> Requeue {
        let mut options = if self.fresh { Requeue::fresh() } else { Requeue::once_more() };
        options.per_second = self.rate;
        options.limit = self.limit.map(u64::from);
        options.dry_run = self.dry_run;
        options
    }
}

/// A new expiry of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct NewExpiry {
    /// A time, or a delay from now such as `2h`; `null` removes the expiry.
    #[serde(with = "time_input")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::TimeInput>, required))]
    pub expires_at: Option<When>,
}

/// The result of a requeue of many tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Requeued {
    /// Number of tasks.
    pub count: u64,
    /// The time over which the tasks become due, in seconds.
    #[serde(with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::AnyDuration))]
    pub over: Duration,
    /// Whether this was a dry run.
    pub dry_run: bool,
}

impl Requeued {
    pub(crate) const fn new(requeued: steadfast_store::Requeued, dry_run: bool) -> Self {
        Self { count: requeued.count, over: requeued.over, dry_run }
    }
}
