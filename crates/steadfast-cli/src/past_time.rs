//! Times in the past as input: a duration ago, or a timestamp.

use jiff::Timestamp;
use steadfast_api::time_input;
use steadfast_store::When;

pub(crate) fn parse(text: &str) -> Result<When, String> {
    time_input::parse(text).map_err(|_| {
        format!(
            "`{text}` is not a time: pass a duration such as 90s, 2h or 7d, or a timestamp such as \
             2026-07-01T08:00:00Z"
        )
    })
}

/// Converts to a timestamp; a duration counts back from `now`.
pub(crate) fn resolve(now: Timestamp, when: When) -> Timestamp {
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
    fn duration_counts_back_from_now() {
        let now: Timestamp = "2026-07-01T08:00:00Z".parse().unwrap();
        let hour = When::After(Duration::from_secs(3600));
        assert_eq!(resolve(now, hour).to_string(), "2026-07-01T07:00:00Z");
        assert_eq!(resolve(now, When::After(Duration::MAX)), Timestamp::MIN);
    }
}
