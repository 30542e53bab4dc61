//! Durations, read when the program is compiled.
//!
//! A macro cannot call the library that it belongs to, so this repeats the library's reader;
//! the tests below hold the two together, words included.

use std::fmt::Display;
use std::time::Duration;

use jiff::{Span, SpanRelativeTo};

/// Reads a text such as `500ms`.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(refusal(text, "it is empty"));
    }
    if let Ok(seconds) = trimmed.parse::<f64>() {
        return from_seconds(seconds);
    }
    let span: Span = trimmed.parse().map_err(|_| refusal(text, "it is not understood"))?;
    if span.is_negative() {
        return Err(refusal(text, "it is negative"));
    }
    if span.get_years() != 0 || span.get_months() != 0 {
        return Err(refusal(text, "months and years differ in length"));
    }
    span.to_duration(SpanRelativeTo::days_are_24_hours())
        .ok()
        .and_then(|signed| Duration::try_from(signed).ok())
        .ok_or_else(|| refusal(text, "it is too long"))
}

/// Reads a number of seconds.
pub(crate) fn from_seconds(seconds: f64) -> Result<Duration, String> {
    if !seconds.is_finite() {
        return Err(refusal(seconds, "it is not a finite number"));
    }
    if seconds < 0.0 {
        return Err(refusal(seconds, "it is negative"));
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| refusal(seconds, "it is too long"))
}

fn refusal(text: impl Display, why: &str) -> String {
    format!(
        "`{text}` is not a duration: {why}; \
         write it like 500ms, 1.5s, 10m, 7d, PT30S or a number of seconds"
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn agrees(text: &str) -> Result<(), TestCaseError> {
        let theirs = steadfast::duration::parse(text).map_err(|error| error.to_string());
        prop_assert_eq!(parse(text), theirs);
        Ok(())
    }

    /// P2: a spelling that works in a file works in an attribute, and the other way round.
    #[test]
    fn reads_what_the_library_reads() -> Result<(), TestCaseError> {
        for text in [
            "500ms",
            "1.5s",
            "10m",
            "7d",
            "2w",
            "1h 30m",
            "PT30S",
            "P1DT12H",
            "30",
            "0.25",
            "0",
            " 5s ",
            "",
            "soon",
            "-1s",
            "-1",
            "1y",
            "1mo",
            "inf",
            "nan",
            "1e300",
            "5 parsecs",
        ] {
            agrees(text)?;
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn reads_anything_as_the_library_does(
            text in "[-+]?[0-9]{1,12}(\\.[0-9]{1,4})?[ ]?(ns|us|ms|s|m|h|d|w|y|mo|sec|min|x)?"
        ) {
            agrees(&text)?;
        }

        #[test]
        fn reads_any_number_as_the_library_does(seconds in any::<f64>()) {
            let theirs =
                steadfast::duration::from_seconds(seconds).map_err(|error| error.to_string());
            prop_assert_eq!(from_seconds(seconds), theirs);
        }
    }
}
