//! Looking: which tasks, which deeds (D15, K3).
//!
//! Filters are flags, the query of a URL and a part of a body, so every field is a name, a time
//! or a duration as it is written everywhere.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;
use steadfast::{Class, read_from_objects};
use steadfast_store::{Filter, Status};

read_from_objects!(TaskFilter);

/// Which tasks. Every part that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields, remote = "Self")]
pub struct TaskFilter {
    /// Where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Status>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Status>))]
    pub status: Option<Status>,
    /// Of this queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Name>))]
    pub queue: Option<String>,
    /// Of this category.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Name>))]
    pub category: Option<String>,
    /// Of this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Name>))]
    pub kind: Option<String>,
    /// Whose last failure meant this.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Class>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Class>))]
    pub class: Option<Class>,
    /// That belong to this request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Name>))]
    pub correlation_id: Option<String>,
    /// Due within this time from now. It is asked of tasks that wait, so it means those that
    /// are `scheduled` unless another status is given.
    #[serde(with = "serde_seconds::option", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Within>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Within>))]
    pub due_within: Option<Duration>,
    /// Submitted no earlier than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitted_after: Option<Timestamp>,
    /// That ended no earlier than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_after: Option<Timestamp>,
}

impl TaskFilter {
    /// Tasks that are here.
    #[must_use]
    pub fn status(status: Status) -> Self {
        Self { status: Some(status), ..Self::default() }
    }

    /// The same for a store whose time is `now`.
    pub(crate) fn at(&self, now: Timestamp) -> Filter {
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
