//! Having ended tasks tried again, and saying when a task is too late (D10, D16).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;
use steadfast::{read_from_objects, serde_integer};
use steadfast_store::{Requeue, When};

use crate::error::{ApiError, ErrorKind};
use crate::tasks::TaskFilter;
use crate::time_input as when;

read_from_objects!(RequeueOne, RequeueMany, NewExpiry);

/// How one task is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields, remote = "Self")]
pub struct RequeueOne {
    /// Count attempts from the start, which is what happens unless said. Otherwise the count
    /// stands, and a task whose attempts are used up gets one more.
    pub fresh: bool,
    /// Be due when it was going to be, if that is still to come: what was called off by mistake
    /// goes on as if it had not been. Otherwise it is due now, which is what happens unless said.
    pub keep_time: bool,
}

impl Default for RequeueOne {
    fn default() -> Self {
        Self { fresh: true, keep_time: false }
    }
}

impl RequeueOne {
    pub(crate) const fn how(self) -> Requeue {
        let how = if self.fresh { Requeue::fresh() } else { Requeue::once_more() };
        if self.keep_time { how.keep_time() } else { how }
    }
}

/// Which tasks are tried again, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields, remote = "Self")]
pub struct RequeueMany {
    /// Which. Only those that have ended are meant, so it says a status, or `all` is said.
    pub filter: TaskFilter,
    /// Whatever their status: those that completed are done again, too.
    pub all: bool,
    /// As for [`RequeueOne`].
    pub fresh: bool,
    /// At most so many a second, at slightly uneven moments; all at once unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(exclusive_minimum = 0))]
    pub rate: Option<f64>,
    /// At most so many.
    #[serde(
        deserialize_with = "serde_integer::option::deserialize",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "openapi", schema(format = Int64, maximum = 4294967295_u32))]
    pub limit: Option<u32>,
    /// Only say how many it would be.
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
    /// Whether it is clear which are meant. Nobody who leaves out the status of failed tasks
    /// means to have everything done again that was ever done.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        if let Some(status) = self.filter.status.filter(|status| !status.is_ended()) {
            let detail =
                format!("a task that is {} has not ended, and is not requeued", status.name());
            return Err(ApiError::new(ErrorKind::Invalid, detail)
                .field("filter.status")
                .next("name failed, cancelled or completed; `run-now` has a scheduled one begin"));
        }
        if self.all || self.filter.status.is_some() {
            return Ok(());
        }
        let detail = "it is not said whether failed, cancelled or completed tasks are meant";
        Err(ApiError::new(ErrorKind::Invalid, detail)
            .field("filter.status")
            .next("say `\"filter\": {\"status\": \"failed\"}`, or `\"all\": true` for all three"))
    }

    pub(crate) fn how(&self) -> Requeue {
        let mut how = if self.fresh { Requeue::fresh() } else { Requeue::once_more() };
        how.per_second = self.rate;
        how.limit = self.limit.map(u64::from);
        how.dry_run = self.dry_run;
        how
    }
}

/// When a task is too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct NewExpiry {
    /// A time, or how long from now (`2h`); never, if it is `null`.
    #[serde(with = "when")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Moment>, required))]
    pub expires_at: Option<When>,
}

/// What requeueing did, or would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Requeued {
    /// How many tasks.
    pub count: u64,
    /// Over how long they come back, in seconds.
    #[serde(with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Lasting))]
    pub over: Duration,
    /// Whether nothing was done.
    pub dry_run: bool,
}

impl Requeued {
    pub(crate) const fn new(requeued: steadfast_store::Requeued, dry_run: bool) -> Self {
        Self { count: requeued.count, over: requeued.over, dry_run }
    }
}
