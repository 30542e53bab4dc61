//! Formatting of durations and sizes in findings.

use std::time::Duration;

use crate::output::relative_time;

pub(super) const MINUTE: Duration = Duration::from_secs(60);
pub(super) const HOUR: Duration = Duration::from_secs(3600);
pub(super) const MIB: u64 = 1 << 20;
pub(super) const GIB: u64 = 1 << 30;

/// Formats a duration as `2 h` or `1 min 30 s`.
pub(super) fn long(duration: Duration) -> String {
    // At most a century: longer ones say no more.
    let seconds = u32::try_from(duration.as_secs()).unwrap_or(u32::MAX);
    relative_time::round_to_unit(seconds.into())
}

/// Formats a size as `12 MiB`.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", GIB), ("MiB", MIB), ("KiB", 1 << 10)];
    match UNITS.iter().find(|(_, size)| bytes >= *size) {
        Some((unit, size)) if bytes < 10 * size => {
            format!("{:.1} {unit}", bytes as f64 / *size as f64)
        }
        Some((unit, size)) => format!("{} {unit}", bytes / size),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_durations_are_rounded() {
        assert_eq!(
            (size(12), size(1536), size(64 * MIB)),
            ("12 bytes".into(), "1.5 KiB".into(), "64 MiB".into())
        );
        assert_eq!((long(HOUR * 2), long(Duration::MAX).is_empty()), ("2 h".to_owned(), false));
    }
}
