//! How well it goes, over a window of time (O1).
//!
//! The store adds up what ended, and [`Tally`] makes figures of the sums, so that they are the
//! same figures that a process makes of its own sessions.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;
use steadfast::observe::{MetricsSummary, SessionSum, Tally};
use steadfast_store::{Rollup, Store};

use crate::error::{ApiError, ErrorKind};

/// How long a window is that does not say.
const USUAL: Duration = Duration::from_hours(1);
/// Nothing ended before this, and RFC 3339 has no words for what is long before.
const EARLIEST: Timestamp = Timestamp::UNIX_EPOCH;

/// Which window: its length, its ends, or one of each. The last hour unless said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct Window {
    /// How long it is: `1h`, `7d`.
    #[serde(
        rename = "window",
        with = "serde_seconds::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Within>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Within>))]
    pub length: Option<Duration>,
    /// When it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// When it ends; now unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Timestamp>,
}

impl Window {
    /// The window of this length that ends now.
    #[must_use]
    pub fn last(length: Duration) -> Self {
        Self { length: Some(length), ..Self::default() }
    }

    /// Its two ends, for a store whose time is `now`.
    fn ends(self, now: Timestamp) -> Result<(Timestamp, Timestamp), ApiError> {
        match (self.length, self.from, self.to) {
            (Some(_), Some(_), Some(_)) => {
                Err(wrong("window", "a window that has both ends has its length already")
                    .next("leave out one of window, from and to"))
            }
            (None, Some(from), to) => in_order(from, to.unwrap_or(now)),
            (Some(length), Some(from), None) => {
                Ok((from, from.checked_add(length).unwrap_or(Timestamp::MAX)))
            }
            (length, None, to) => {
                let to = to.unwrap_or(now);
                let from = to.checked_sub(length.unwrap_or(USUAL)).unwrap_or(EARLIEST);
                Ok((from.max(EARLIEST).min(to), to))
            }
        }
    }
}

fn in_order(from: Timestamp, to: Timestamp) -> Result<(Timestamp, Timestamp), ApiError> {
    if from <= to {
        return Ok((from, to));
    }
    let detail = format!("the window begins at {from} and ends before that, at {to}");
    Err(wrong("from", detail).next("say an earlier from, or a later to"))
}

fn wrong(field: &str, detail: impl Into<String>) -> ApiError {
    ApiError::new(ErrorKind::Invalid, detail).field(field)
}

pub(crate) async fn read(store: &Store, window: Window) -> Result<MetricsSummary, ApiError> {
    let (from, to) = window.ends(store.now().await?)?;
    let mut tally = Tally::new(from, to);
    for summed in store.figures(from, to).await? {
        let Rollup { policy_id, subsystem, sessions, successful, .. } = &summed;
        let Rollup { attempts, most_attempts, duration, .. } = summed;
        let (sessions, successful) = (*sessions, *successful);
        let sum = SessionSum { sessions, successful, attempts, most_attempts, duration };
        tally.add_sum(policy_id, subsystem, sum);
    }
    Ok(tally.figures())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    const HOUR: Duration = Duration::from_hours(1);

    /// O1: a window is given by any two of its length and its ends, by one of them, or not at
    /// all.
    #[test]
    fn a_window_is_what_was_said_of_it() {
        let (noon, one, two) =
            (at("2026-01-29T12:00:00Z"), at("2026-01-29T13:00:00Z"), at("2026-01-29T14:00:00Z"));
        let (length, from, to) = (Some(HOUR), Some(noon), Some(one));
        for (window, ends) in [
            (Window::default(), (one, two)),
            (Window::last(2 * HOUR), (noon, two)),
            (Window { length: None, from, to: None }, (noon, two)),
            (Window { length: None, from, to }, (noon, one)),
            (Window { length: None, from: None, to }, (noon, one)),
            (Window { length, from, to: None }, (noon, one)),
            (Window { length, from: None, to }, (noon, one)),
        ] {
            assert_eq!(window.ends(two), Ok(ends), "{window:?}");
        }
    }

    /// K4: a window that cannot be is told, with its field and what to do.
    #[test]
    fn a_window_that_contradicts_itself_is_refused() {
        let (noon, one) = (at("2026-01-29T12:00:00Z"), at("2026-01-29T13:00:00Z"));
        let thrice = Window { length: Some(HOUR), from: Some(noon), to: Some(one) };
        let backwards = Window { length: None, from: Some(one), to: Some(noon) };
        for (window, field) in [(thrice, "window"), (backwards, "from")] {
            let refused = window.ends(one).unwrap_err();
            assert_eq!((refused.field.as_deref(), refused.next.is_some()), (Some(field), true));
        }
    }

    /// K4: a window longer than time itself begins where time does.
    #[test]
    fn a_window_saturates() {
        let now = at("2026-01-29T12:00:00Z");
        let from = |length| Window::last(length).ends(now).unwrap().0;
        assert_eq!(from(Duration::from_secs(u64::MAX)), EARLIEST);
        assert_eq!(from(100 * 365 * 24 * HOUR), EARLIEST);
        assert_eq!(from(Duration::ZERO), now);
    }
}
