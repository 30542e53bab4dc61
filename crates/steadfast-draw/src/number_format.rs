//! Number formatting: `5k`, `200/s`, `1m30s`.
//!
//! Ticks and tooltips share it. Every value has a precision: that of a tick is the step to the next
//! one.

use crate::Unit;

pub(crate) const MINUTE: f64 = 60.0;
pub(crate) const HOUR: f64 = 60.0 * MINUTE;
pub(crate) const DAY: f64 = 24.0 * HOUR;
/// 365 days.
pub(crate) const YEAR: f64 = 365.0 * DAY;

/// Formats a value with about four digits.
pub(crate) fn format_value(unit: Unit, value: f64) -> String {
    format_with_precision(unit, value, value.abs() * 1.001e-3)
}

pub(crate) fn format_with_precision(unit: Unit, value: f64, precision: f64) -> String {
    match unit {
        Unit::None | Unit::Count => number(value, precision),
        Unit::Rate => format!("{}/s", number(value, precision)),
        Unit::Seconds => duration(value, precision),
        Unit::SecondsAgo => positive_duration(value.abs(), precision),
    }
}

fn number(value: f64, precision: f64) -> String {
    const SUFFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];

    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e15).contains(&size) {
        return scientific(value);
    }
    // Rounded up a little, so that 999 999.9 is a million.
    let rounded = size + precision / 2.0;
    let (scale, suffix) = SUFFIXES
        .into_iter()
        .find(|(scale, _)| rounded >= *scale && precision > scale * 1e-3)
        .unwrap_or((1.0, ""));
    format!("{}{suffix}", decimal(value / scale, precision / scale))
}

fn scientific(value: f64) -> String {
    let text = format!("{value:.2e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{exponent}", trimmed(digits))
}

/// A decimal number with the digits that `precision` requires.
fn decimal(value: f64, precision: f64) -> String {
    let wanted = if precision > 0.0 { (-precision.log10() - 1e-9).ceil() } else { 9.0 };
    let decimals = wanted.clamp(0.0, 9.0) as usize;
    trimmed(&format!("{value:.decimals$}"))
}

fn trimmed(digits: &str) -> String {
    let short = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    };
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

fn duration(seconds: f64, precision: f64) -> String {
    let sign = if seconds < 0.0 { "-" } else { "" };
    format!("{sign}{}", positive_duration(seconds.abs(), precision))
}

fn positive_duration(seconds: f64, precision: f64) -> String {
    // 59.999 s is a minute if a second more or less makes no difference.
    let rounded = seconds + precision.min(1.0) / 2.0;
    match rounded {
        _ if seconds == 0.0 => "0s".to_owned(),
        s if s < 1e-6 => format!("{}ns", number(seconds * 1e9, precision * 1e9)),
        s if s < 1e-3 => format!("{}µs", number(seconds * 1e6, precision * 1e6)),
        s if s < 1.0 => format!("{}ms", number(seconds * 1e3, precision * 1e3)),
        s if s < MINUTE => format!("{}s", number(seconds, precision)),
        s if s < HOUR => parts(seconds, MINUTE, "m", 1.0, "s"),
        s if s < DAY => parts(seconds, HOUR, "h", MINUTE, "m"),
        s if s < YEAR => parts(seconds, DAY, "d", HOUR, "h"),
        _ => format!("{}y", number(seconds / YEAR, precision / YEAR)),
    }
}

/// A duration in a large unit and the remainder in a small one.
fn parts(seconds: f64, large: f64, large_name: &str, small: f64, small_name: &str) -> String {
    let smalls = (seconds / small).round();
    let in_large = large / small;
    let (whole, rest) = ((smalls / in_large).floor(), smalls % in_large);
    if rest == 0.0 {
        return format!("{whole}{large_name}");
    }
    format!("{whole}{large_name}{rest}{small_name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_written(unit: Unit, cases: &[(f64, &str)]) {
        for (value, text) in cases {
            assert_eq!(format_value(unit, *value), *text, "{value}");
        }
    }

    #[test]
    fn durations_have_readable_units() {
        let cases = [
            (0.0, "0s"),
            (1e-9, "1ns"),
            (2.5e-6, "2.5µs"),
            (0.1, "100ms"),
            (0.5, "500ms"),
            (1.0, "1s"),
            (2.56, "2.56s"),
            (30.0, "30s"),
            (60.0, "1m"),
            (90.0, "1m30s"),
            (59.999, "1m"),
            (600.0, "10m"),
            (3600.0, "1h"),
            (5400.0, "1h30m"),
            (86_400.0, "1d"),
            (604_800.0, "7d"),
            (3.0 * YEAR, "3y"),
            (-1.5, "-1.5s"),
        ];
        assert_written(Unit::Seconds, &cases);
    }

    #[test]
    fn large_numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (8.0, "8"),
            (0.25, "0.25"),
            (1500.0, "1.5k"),
            (123_456.0, "123.5k"),
            (999_999.9, "1M"),
            (2e9, "2G"),
            (1e18, "1e18"),
            (1e-9, "1e-9"),
            (-40.0, "-40"),
        ];
        assert_written(Unit::Count, &cases);
        assert_written(Unit::Rate, &[(1500.0, "1.5k/s")]);
    }

    /// Neighbouring ticks have different labels.
    #[test]
    fn digits_follow_the_precision() {
        assert_eq!(format_with_precision(Unit::None, 2026.0, 1.0), "2026");
        assert_eq!(format_with_precision(Unit::None, 0.30000000000000004, 0.1), "0.3");
        assert_eq!(format_with_precision(Unit::None, 1_000_000.5, 0.5), "1000000.5");
    }
}
