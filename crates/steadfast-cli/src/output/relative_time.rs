//! Times relative to now: `in 3 min`, `2 h ago`.
//!
//! Text output shows distances instead of clock times, which depend on the time zone; JSON has
//! the timestamps.

use jiff::Timestamp;

const UNITS: [(&str, i64); 4] = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)];

pub(crate) fn from_now(time: Timestamp, now: Timestamp) -> String {
    let seconds = time.duration_since(now).as_secs();
    match seconds {
        0 => "now".to_owned(),
        1.. => format!("in {}", round_to_unit(seconds)),
        _ => format!("{} ago", round_to_unit(-seconds)),
    }
}

pub(crate) fn elapsed(time: Timestamp, now: Timestamp) -> String {
    round_to_unit(now.duration_since(time).as_secs().max(0))
}

/// Rounds to the largest unit that fits; below two of that unit the next smaller unit is added.
pub(crate) fn round_to_unit(seconds: i64) -> String {
    let fits = UNITS.iter().position(|(_, size)| seconds >= *size).unwrap_or(UNITS.len() - 1);
    let mut units = UNITS.iter().skip(fits);
    let (Some((unit, size)), smaller) = (units.next(), units.next()) else {
        return String::new();
    };
    let precise = match smaller {
        Some((_, smaller)) if seconds < 2 * size => *smaller,
        _ => *size,
    };
    let rounded = (seconds + precise / 2) / precise * precise;
    match (smaller, rounded % size) {
        // Rounding up reached the next larger unit.
        _ if rounded > seconds && fits > 0 && UNITS.iter().any(|(_, size)| rounded == *size) => {
            round_to_unit(rounded)
        }
        (Some((smaller, length)), rest) if rest > 0 => {
            format!("{} {unit} {} {smaller}", rounded / size, rest / length)
        }
        _ => format!("{} {unit}", rounded / size),
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    #[test]
    fn time_is_formatted_relative_to_now() {
        let now = Timestamp::UNIX_EPOCH;
        for (seconds, text) in [
            (0, "now"),
            (1, "in 1 s"),
            (-59, "59 s ago"),
            (60, "in 1 min"),
            (119, "in 1 min 59 s"),
            (180, "in 3 min"),
            (-7_200, "2 h ago"),
            (5_400, "in 1 h 30 min"),
            (3_599, "in 1 h"),
            (7_199, "in 2 h"),
            (2 * 3_600 + 2_000, "in 3 h"),
            (86_399, "in 1 d"),
            (86_400 + 1_700, "in 1 d"),
            (86_400 + 3_599, "in 1 d 1 h"),
            (3 * 86_400 - 1, "in 3 d"),
            (14 * 86_400, "in 14 d"),
        ] {
            assert_eq!(from_now(now + SignedDuration::from_secs(seconds), now), text);
        }
    }

    #[test]
    fn elapsed_of_future_time_is_zero() {
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(elapsed(now + SignedDuration::from_secs(5), now), "0 s");
        assert_eq!(elapsed(now - SignedDuration::from_secs(200), now), "3 min");
    }
}
