//! Durations in text output: `500ms`, `1m 30s`, `7d`.
//!
//! The library formats durations exactly, such as `109.951162778s`. Here they are rounded, and
//! long ones use several units.

use std::time::Duration;

use jiff::fmt::friendly::{FractionalUnit, Spacing, SpanPrinter};
use jiff::{SignedDuration, Span, SpanRound, Unit};
use steadfast::duration;

const MILLISECOND: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

pub(crate) fn format(duration: Duration) -> String {
    if duration < MILLISECOND {
        return duration::format(duration);
    }
    let (shown, smallest) = if duration < SECOND {
        (FractionalUnit::Millisecond, Unit::Microsecond)
    } else {
        (FractionalUnit::Second, Unit::Millisecond)
    };
    let printer = SpanPrinter::new().spacing(Spacing::BetweenUnits).fractional(Some(shown));
    match rounded(duration, smallest) {
        Some(span) => printer.span_to_string(&span),
        // Out of jiff's range.
        None => duration::format(duration),
    }
}

fn rounded(duration: Duration, smallest: Unit) -> Option<Span> {
    let span = Span::try_from(SignedDuration::try_from(duration).ok()?).ok()?;
    let round = SpanRound::new().largest(Unit::Day).smallest(smallest).days_are_24_hours();
    span.round(round).ok()
}

pub(crate) fn band(shortest: Duration, longest: Duration) -> String {
    let (shortest, longest) = (format(shortest), format(longest));
    if shortest == longest { shortest } else { format!("{shortest} to {longest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_is_rounded_and_uses_several_units() {
        for (duration, text) in [
            (Duration::ZERO, "0s"),
            (Duration::from_micros(250), "250us"),
            (Duration::from_micros(409_600), "409.6ms"),
            (Duration::from_millis(500), "500ms"),
            (Duration::from_nanos(1_600_000_001), "1.6s"),
            (Duration::from_nanos(109_951_162_778), "1m 49.951s"),
            (Duration::from_secs(3_780), "1h 3m"),
            (Duration::from_secs(14 * 86_400), "14d"),
            (Duration::MAX, "18446744073709551615.999999999s"),
        ] {
            assert_eq!(format(duration), text, "{duration:?}");
        }
    }

    #[test]
    fn empty_band_is_one_duration() {
        let (half, more) = (Duration::from_millis(500), Duration::from_millis(600));
        assert_eq!(band(half, half), "500ms");
        assert_eq!(band(half, more), "500ms to 600ms");
    }
}
