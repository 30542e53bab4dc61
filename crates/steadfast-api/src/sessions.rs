//! The sessions of processes that were recorded in the store (O1).
//!
//! A task is its own record; what a process tried by itself is known only if it was written down.
//! The list is filtered here, as events are: a program may record what no schema foresees, and
//! the newest records are the ones that are asked for. One answer looks at a bounded number of
//! them and says where to go on.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::Reason;
use steadfast::observe::Session;
use steadfast_store::{Cursor, Page as StorePage, PageRequest, Record, RecordKind, Store};

use crate::error::ApiError;
use crate::page::{Page, PageQuery};

/// How many are read at a time.
const AT_A_TIME: u32 = 500;
/// How many are looked at for one answer.
const LOOKS_AT: usize = 5_000;

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With success.
    Success,
    /// Without.
    Failure,
    /// It was called off.
    Cancelled,
}

impl Outcome {
    /// That of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        match session.reason {
            _ if session.success => Self::Success,
            Some(Reason::Cancelled) => Self::Cancelled,
            _ => Self::Failure,
        }
    }
}

/// Which sessions. Every part that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct SessionFilter {
    /// Under this policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Of this operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// That ended so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// That were recorded no earlier than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// That belong to this request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
}

impl SessionFilter {
    fn matches(&self, session: &Session) -> bool {
        let is = |wanted: &Option<String>, given: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| given == Some(wanted))
        };
        is(&self.policy, Some(&session.policy_id))
            && is(&self.operation, Some(&session.operation))
            && is(&self.correlation_id, session.correlation_id.as_deref())
            && self.outcome.is_none_or(|wanted| wanted == Outcome::of(session))
    }

    /// Whether a record, and so all that are older, came too early.
    fn is_before(&self, record: &Record) -> bool {
        self.since.zip(record.at).is_some_and(|(since, at)| at < since)
    }
}

/// Some sessions, newest first. A page may have fewer than were asked for, even none, and more
/// may follow all the same: `next` says so.
pub(crate) async fn read(
    store: &Store,
    filter: &SessionFilter,
    page: &PageQuery,
) -> Result<Page<Session>, ApiError> {
    let PageRequest { limit, after } = page.request()?;
    let mut look = Look { filter, limit: limit as usize, found: Vec::new(), looked_at: 0 };
    let mut after = after;
    loop {
        let request = PageRequest { limit: AT_A_TIME, after };
        let StorePage { items, next } = store.records(RecordKind::Session, &request).await?;
        if let Some(stopped) = look.through(items) {
            return Ok(Page { items: look.found, next: stopped });
        }
        if next.is_none() || look.looked_at >= LOOKS_AT {
            return Ok(Page { items: look.found, next });
        }
        after = next;
    }
}

struct Look<'f> {
    filter: &'f SessionFilter,
    limit: usize,
    found: Vec<Session>,
    looked_at: usize,
}

impl Look<'_> {
    /// Looks through some. Where to go on, if there is no reason to look any further now; a
    /// session that only a newer version can read is left out.
    fn through(&mut self, records: Vec<Record>) -> Option<Option<Cursor>> {
        for record in records {
            self.looked_at += 1;
            if self.filter.is_before(&record) {
                return Some(None);
            }
            let read = serde_json::from_value::<Session>(record.body).ok();
            self.found.extend(read.filter(|session| self.filter.matches(session)));
            if self.found.len() >= self.limit {
                return Some(record.number.map(|number| Cursor(number.to_string())));
            }
        }
        None
    }
}
