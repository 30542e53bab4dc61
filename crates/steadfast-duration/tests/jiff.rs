//! Every spelling that is read means the same to jiff.

use std::time::Duration;

use jiff::{Span, SpanRelativeTo};

/// A duration by jiff: nothing if it is negative, has no fixed length or is no duration.
fn by_jiff(text: &str) -> Option<Duration> {
    let span: Span = text.parse().ok()?;
    if span.get_years() != 0 || span.get_months() != 0 {
        return None;
    }
    let signed = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    Duration::try_from(signed).ok()
}

const NUMBERS: [&str; 9] = ["0.0", "1", "07", "90", "1.5", "0,25", "1.123456789", "1.", "-2"];

const UNITS: [&str; 51] = [
    "y",
    "yr",
    "years",
    "mo",
    "month",
    "months",
    "w",
    "wk",
    "wks",
    "week",
    "weeks",
    "d",
    "day",
    "days",
    "h",
    "hr",
    "hrs",
    "hour",
    "hours",
    "m",
    "min",
    "mins",
    "minute",
    "minutes",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "ms",
    "msec",
    "msecs",
    "milli",
    "millis",
    "millisecond",
    "milliseconds",
    "us",
    "µs",
    "usec",
    "usecs",
    "micro",
    "microsecond",
    "microseconds",
    "ns",
    "nsec",
    "nsecs",
    "nano",
    "nanos",
    "nanosecond",
    "M",
    "",
];

fn assert_same(text: &str) {
    // A number alone is a number of seconds.
    if text.trim().parse::<f64>().is_err() {
        assert_eq!(steadfast_duration::parse(text).ok(), by_jiff(text), "{text:?}");
    }
}

/// P2: one number with a unit.
#[test]
fn number_with_a_unit_means_the_same_to_jiff() {
    for number in NUMBERS {
        for unit in UNITS {
            for text in
                [format!("{number}{unit}"), format!("{number} {unit}"), format!("+{number}{unit}")]
            {
                assert_same(&text);
            }
        }
    }
}

/// P2: two numbers with units, in every order.
#[test]
fn two_units_mean_the_same_to_jiff() {
    for first in UNITS {
        for second in UNITS {
            for number in ["3", "3.25"] {
                for separator in ["", " ", ", "] {
                    assert_same(&format!("2{first}{separator}{number}{second}"));
                    assert_same(&format!("1.5{first}{separator}{number} {second}"));
                }
            }
        }
    }
}

/// P2: ISO 8601.
#[test]
fn iso_8601_means_the_same_to_jiff() {
    let parts = ["", "T", "1Y", "2M", "3W", "4D", "5H", "6M", "7S", "0.5S", "1.5H", "1,5M", "1.5D"];
    for first in parts {
        for second in parts {
            for third in parts {
                for sign in ["", "-", "+"] {
                    assert_same(&format!("{sign}P{first}{second}{third}"));
                    assert_same(&format!("{sign}p{first}t{second}{third}").to_lowercase());
                }
            }
        }
    }
}
