//! Metrics summary of a time window (O1).
//!
//! The store keeps rollups of ended sessions, and [`Tally`] computes the summary from them, as a
//! process does from its own sessions.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;
use steadfast::observe::{MetricsSummary, SessionSum, Tally};
use steadfast_store::{Rollup, Store};

use crate::error::{ApiError, ErrorKind};

/// The length of a window that sets none.
const DEFAULT_LENGTH: Duration = Duration::from_hours(1);
/// The earliest start of a window: nothing ended before, and RFC 3339 has no negative years.
const EARLIEST: Timestamp = Timestamp::UNIX_EPOCH;

/// A time window: its length, its start and end, or one of each; default: the last hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct Window {
    /// The length of the window, such as `1h` or `7d`.
    #[serde(
        rename = "window",
        with = "serde_seconds::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::DurationInput>))]
    pub length: Option<Duration>,
    /// The start of the window.
    #[serde(
        deserialize_with = "crate::time_input::timestamp",
        skip_serializing_if = "Option::is_none"
    )]
    pub from: Option<Timestamp>,
    /// The end of the window; default: now.
    #[serde(
        deserialize_with = "crate::time_input::timestamp",
        skip_serializing_if = "Option::is_none"
    )]
    pub to: Option<Timestamp>,
}

impl Window {
    /// The window of this length that ends now.
    #[must_use]
    pub fn last(length: Duration) -> Self {
        Self { length: Some(length), ..Self::default() }
    }

    /// The start and end of the window.
    fn bounds(self, now: Timestamp) -> Result<(Timestamp, Timestamp), ApiError> {
        match (self.length, self.from, self.to) {
            (Some(_), Some(_), Some(_)) => {
                Err(invalid("window", "cannot be combined with both from and to")
                    .next("leave out window, from or to"))
            }
            (None, Some(from), to) => in_order(from, to.unwrap_or(now)),
            (Some(length), Some(from), None) => {
                Ok((from, from.checked_add(length).unwrap_or(Timestamp::MAX)))
            }
            (length, None, to) => {
                let to = to.unwrap_or(now);
                let from = to.checked_sub(length.unwrap_or(DEFAULT_LENGTH)).unwrap_or(EARLIEST);
                Ok((from.max(EARLIEST).min(to), to))
            }
        }
    }
}

fn in_order(from: Timestamp, to: Timestamp) -> Result<(Timestamp, Timestamp), ApiError> {
    if from <= to {
        return Ok((from, to));
    }
    let detail = format!("{from} is after the end of the window, {to}");
    Err(invalid("from", detail).next("use an earlier from, or a later to"))
}

fn invalid(field: &str, detail: impl Into<String>) -> ApiError {
    ApiError::new(ErrorKind::Invalid, detail).field(field)
}

pub(crate) async fn read(store: &Store, window: Window) -> Result<MetricsSummary, ApiError> {
    let (from, to) = window.bounds(store.now().await?)?;
    let mut tally = Tally::new(from, to);
    for rollup in store.rollups(from, to).await? {
        let Rollup { policy_id, subsystem, sessions, successful, .. } = &rollup;
        let Rollup { attempts, most_attempts, duration, .. } = rollup;
        let (sessions, successful) = (*sessions, *successful);
        let sum = SessionSum { sessions, successful, attempts, most_attempts, duration };
        tally.add_sum(policy_id, subsystem, sum);
    }
    Ok(tally.summary())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    const HOUR: Duration = Duration::from_hours(1);

    /// O1: a window is set by any two of length, start and end, by one of them, or by none.
    #[test]
    fn window_bounds_follow_from_length_start_and_end() {
        let (noon, one, two) =
            (at("2026-01-29T12:00:00Z"), at("2026-01-29T13:00:00Z"), at("2026-01-29T14:00:00Z"));
        let (length, from, to) = (Some(HOUR), Some(noon), Some(one));
        for (window, bounds) in [
            (Window::default(), (one, two)),
            (Window::last(2 * HOUR), (noon, two)),
            (Window { length: None, from, to: None }, (noon, two)),
            (Window { length: None, from, to }, (noon, one)),
            (Window { length: None, from: None, to }, (noon, one)),
            (Window { length, from, to: None }, (noon, one)),
            (Window { length, from: None, to }, (noon, one)),
        ] {
            assert_eq!(window.bounds(two), Ok(bounds), "{window:?}");
        }
    }

    /// K4: a contradictory window is rejected with its field and advice.
    #[test]
    fn contradictory_window_is_rejected() {
        let (noon, one) = (at("2026-01-29T12:00:00Z"), at("2026-01-29T13:00:00Z"));
        let overdetermined = Window { length: Some(HOUR), from: Some(noon), to: Some(one) };
        let backwards = Window { length: None, from: Some(one), to: Some(noon) };
        for (window, field) in [(overdetermined, "window"), (backwards, "from")] {
            let error = window.bounds(one).unwrap_err();
            assert_eq!((error.field.as_deref(), error.next.is_some()), (Some(field), true));
        }
    }

    /// K4: a window that is too long starts at the earliest time.
    #[test]
    fn window_start_saturates() {
        let now = at("2026-01-29T12:00:00Z");
        let from = |length| Window::last(length).bounds(now).unwrap().0;
        assert_eq!(from(Duration::from_secs(u64::MAX)), EARLIEST);
        assert_eq!(from(100 * 365 * 24 * HOUR), EARLIEST);
        assert_eq!(from(Duration::ZERO), now);
    }
}
