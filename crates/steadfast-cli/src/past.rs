//! A time in the past, as somebody types it: so long ago, or the time itself.

use jiff::Timestamp;
use steadfast_api::time_input;
use steadfast_store::When;

/// Reads it.
pub(crate) fn parse(text: &str) -> Result<When, String> {
    time_input::parse(text).map_err(|_| {
        format!(
            "`{text}` is no time; say how long ago, like 90s, 2h or 7d, or a time like \
             2026-07-01T08:00:00Z"
        )
    })
}

/// A duration is so long ago here.
pub(crate) fn before(now: Timestamp, when: When) -> Timestamp {
    match when {
        When::Now => now,
        When::After(ago) => now.checked_sub(ago).unwrap_or(Timestamp::MIN),
        When::At(time) => time,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_duration_is_so_long_ago() {
        let now: Timestamp = "2026-07-01T08:00:00Z".parse().unwrap();
        let hour = When::After(Duration::from_secs(3600));
        assert_eq!(before(now, hour).to_string(), "2026-07-01T07:00:00Z");
        assert_eq!(before(now, When::After(Duration::MAX)), Timestamp::MIN);
    }
}
