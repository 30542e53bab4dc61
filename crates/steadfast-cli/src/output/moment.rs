//! Times as people read them: `in 3 min`, `2 h ago`.
//!
//! A time by the clock makes people reckon, across time zones as well. What they want to know is
//! how far away it is; machines get the time itself.

use jiff::Timestamp;

/// The units, and how many seconds each has.
const UNITS: [(&str, i64); 4] = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)];

/// How far away a time is.
pub(crate) fn away(time: Timestamp, now: Timestamp) -> String {
    let seconds = time.duration_since(now).as_secs();
    match seconds {
        0 => "now".to_owned(),
        1.. => format!("in {}", roughly(seconds)),
        _ => format!("{} ago", roughly(-seconds)),
    }
}

/// How long it has been.
pub(crate) fn since(time: Timestamp, now: Timestamp) -> String {
    roughly(now.duration_since(time).as_secs().max(0))
}

/// In the largest unit that fits, rounded. One of it may be nearly two, so then the next
/// smaller one is told, too.
fn roughly(seconds: i64) -> String {
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
        // What was rounded up to a larger unit is told in that one.
        _ if rounded > seconds && fits > 0 && UNITS.iter().any(|(_, size)| rounded == *size) => {
            roughly(rounded)
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
    fn people_read_how_far_away_a_time_is() {
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
            assert_eq!(away(now + SignedDuration::from_secs(seconds), now), text);
        }
    }

    #[test]
    fn what_is_to_come_has_been_for_no_time() {
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(since(now + SignedDuration::from_secs(5), now), "0 s");
        assert_eq!(since(now - SignedDuration::from_secs(200), now), "3 min");
    }
}
