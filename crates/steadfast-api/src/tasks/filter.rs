//! Filter of tasks (D15).
//!
//! A filter is read from flags, from the query of a URL and from JSON, so every field is a scalar.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::__private::read_from_objects;
use steadfast::Class;
use steadfast::duration::serde_seconds;
use steadfast_store::{Filter, Status};

read_from_objects!(TaskFilter);

/// A filter of tasks. A task must match every field that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields, remote = "Self")]
pub struct TaskFilter {
    /// The status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Name>))]
    pub queue: Option<String>,
    /// The category.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Name>))]
    pub category: Option<String>,
    /// The kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Name>))]
    pub kind: Option<String>,
    /// The class of the last fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    /// The correlation id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Name>))]
    pub correlation_id: Option<String>,
    /// Only tasks that are due within this duration from now; implies `status=scheduled` unless a
    /// status is set.
    #[serde(with = "serde_seconds::option", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::DurationInput>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::DurationInput>))]
    pub due_within: Option<Duration>,
    /// Only tasks that were submitted at or after this time.
    #[serde(
        deserialize_with = "crate::time_input::timestamp",
        skip_serializing_if = "Option::is_none"
    )]
    pub submitted_after: Option<Timestamp>,
    /// Only tasks that ended at or after this time.
    #[serde(
        deserialize_with = "crate::time_input::timestamp",
        skip_serializing_if = "Option::is_none"
    )]
    pub ended_after: Option<Timestamp>,
}

impl TaskFilter {
    /// Tasks with this status.
    #[must_use]
    pub fn status(status: Status) -> Self {
        Self { status: Some(status), ..Self::default() }
    }

    /// The filter for a store whose clock reads `now`.
    pub(crate) fn to_store_filter(&self, now: Timestamp) -> Filter {
        let mut filter = Filter::all();
        filter.status = self.status.or(self.due_within.map(|_| Status::Scheduled));
        filter.queue.clone_from(&self.queue);
        filter.category.clone_from(&self.category);
        filter.kind.clone_from(&self.kind);
        filter.class = self.class;
        filter.correlation_id.clone_from(&self.correlation_id);
        filter.due_before =
            self.due_within.map(|within| now.checked_add(within).unwrap_or(Timestamp::MAX));
        filter.submitted_after = self.submitted_after;
        filter.ended_after = self.ended_after;
        filter
    }
}
