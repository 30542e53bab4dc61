//! Relative times and durations, with the exact time as a tooltip.
//!
//! `times.js` keeps them current with the same format.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Approximate, for display only.
const MONTH: i64 = 30 * DAY;
const YEAR: i64 = 365 * DAY;

/// A relative time: "in 3 min".
pub(crate) fn at(now: Timestamp, time: Timestamp) -> Markup {
    html! {
        time datetime=(time) title=(exact(time)) data-relative { (relative(now, time)) }
    }
}

/// The age of a past time: "3 min", as in "waiting for 3 min".
pub(crate) fn ago(now: Timestamp, time: Timestamp) -> Markup {
    html! {
        time datetime=(time) title=(exact(time)) data-age { (age(now.duration_since(time))) }
    }
}

/// The time until then.
pub(crate) fn span(now: Timestamp, time: Timestamp) -> String {
    until(time.duration_since(now))
}

/// A time that is not past: "now" or "in 3 min".
pub(crate) fn from_now_on(now: Timestamp, time: Timestamp) -> Markup {
    match time.duration_since(now).as_secs() {
        ..=0 => html! { span title=(exact(time)) { "now" } },
        _ => at(now, time),
    }
}

fn relative(now: Timestamp, time: Timestamp) -> String {
    let distance = time.duration_since(now);
    match distance.as_secs() {
        0 if distance.is_positive() => "now".to_owned(),
        0 => "just now".to_owned(),
        seconds if seconds > 0 => format!("in {}", until(distance)),
        _ => format!("{} ago", age(-distance)),
    }
}

/// The time until a future moment, rounded to the nearest unit: ten minutes are not "9 min" because
/// the page took a second.
fn until(span: SignedDuration) -> String {
    let seconds = (span.as_secs_f64().round() as i64).max(0);
    let unit = match seconds {
        s if s < MINUTE => 1,
        s if s < 10 * HOUR => MINUTE,
        s if s < 10 * DAY => HOUR,
        _ => DAY,
    };
    age(SignedDuration::from_secs((seconds + unit / 2) / unit * unit))
}

/// The age of a past time in whole units: one, or two for a few hours or days.
fn age(span: SignedDuration) -> String {
    let seconds = span.as_secs().max(0);
    match seconds {
        s if s < MINUTE => format!("{s} s"),
        s if s < HOUR => format!("{} min", s / MINUTE),
        s if s < 10 * HOUR => two(s, HOUR, "h", MINUTE, "min"),
        s if s < 2 * DAY => format!("{} h", s / HOUR),
        s if s < 10 * DAY => two(s, DAY, "d", HOUR, "h"),
        s if s < 2 * MONTH => format!("{} d", s / DAY),
        s if s < 2 * YEAR => format!("{} mo", s / MONTH),
        s => format!("{} y", s / YEAR),
    }
}

/// The exact time in UTC, to the second. The script adds the local time.
fn exact(time: Timestamp) -> String {
    let text = time.to_string();
    let whole = text.split(['.', 'Z']).next().unwrap_or(&text);
    format!("{} UTC", whole.replace('T', " "))
}

/// A duration in at most two units.
pub(crate) fn duration(span: Duration) -> String {
    seconds(span.as_secs_f64())
}

/// A range of durations, or a single one if both ends are equal.
pub(crate) fn duration_range(shortest: Duration, longest: Duration) -> String {
    let (shortest, longest) = (duration(shortest), duration(longest));
    if shortest == longest { longest } else { format!("{shortest} – {longest}") }
}

pub(crate) fn seconds(seconds: f64) -> String {
    let whole = seconds.round() as i64;
    match seconds {
        s if s < 0.001 => "0 s".to_owned(),
        s if s < 1.0 => format!("{} ms", (s * 1000.0).round()),
        s if s < 10.0 => format!("{} s", (s * 10.0).round() / 10.0),
        _ if whole < MINUTE => format!("{whole} s"),
        _ if whole < HOUR => two(whole, MINUTE, "min", 1, "s"),
        _ if whole < DAY => two(whole, HOUR, "h", MINUTE, "min"),
        _ => two(whole, DAY, "d", HOUR, "h"),
    }
}

fn two(whole: i64, large: i64, name: &str, small: i64, rest_name: &str) -> String {
    let rest = whole % large / small;
    match rest {
        0 => format!("{} {name}", whole / large),
        rest => format!("{} {name} {rest} {rest_name}", whole / large),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_now(seconds: i64) -> String {
        let now = Timestamp::UNIX_EPOCH;
        relative(now, now + SignedDuration::from_secs(seconds))
    }

    /// H2: relative times have one unit, or two for a few hours or days.
    #[test]
    fn relative_time_is_rounded() {
        let cases = [
            (0, "just now"),
            (12, "in 12 s"),
            (-59, "59 s ago"),
            (180, "in 3 min"),
            (-3_599, "59 min ago"),
            (3_600, "in 1 h"),
            (-7_199, "1 h 59 min ago"),
            (7_199, "in 2 h"),
            (599, "in 10 min"),
            (1_795, "in 30 min"),
            (3_595, "in 1 h"),
            (100_000, "in 28 h"),
            (604_799, "in 7 d"),
            (-1_000_000, "11 d ago"),
            (100_000_000, "in 3 y"),
        ];
        for (seconds, text) in cases {
            assert_eq!(from_now(seconds), text);
        }
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(relative(now, now + SignedDuration::from_millis(500)), "now");
    }

    /// H2: durations have at most two units.
    #[test]
    fn duration_has_at_most_two_units() {
        let formatted = [0.0, 0.25, 1.55, 42.4, 90.0, 3600.0, 9_000.0, 100_000.0].map(seconds);
        let expected =
            ["0 s", "250 ms", "1.6 s", "42 s", "1 min 30 s", "1 h", "2 h 30 min", "1 d 3 h"];
        assert_eq!(formatted, expected);
    }

    /// H2: the tooltip has the exact time.
    #[test]
    fn exact_time_is_to_the_second() {
        let time: Timestamp = "2026-07-01T08:30:05.123Z".parse().unwrap();
        assert_eq!(exact(time), "2026-07-01 08:30:05 UTC");
        assert!(at(time, time).into_string().contains("datetime=\"2026-07-01T08:30:05.123Z\""));
    }
}
