//! Durations in JSON: a number of seconds.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// A duration that serializes as seconds: `60`, `0.5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seconds(pub(crate) Duration);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (whole, nanos) = (self.0.as_secs(), self.0.subsec_nanos());
        if nanos == 0 {
            return serializer.serialize_u64(whole);
        }
        // Parsing gives the nearest float; adding both parts could be off by one bit.
        let nearest = format!("{whole}.{nanos:09}").parse();
        serializer.serialize_f64(nearest.unwrap_or(self.0.as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 10: delays in seconds, whole ones without a fraction.
    #[test]
    fn duration_serializes_as_shortest_number_of_seconds() {
        for (duration, json) in [
            (Duration::ZERO, "0"),
            (Duration::from_secs(60), "60"),
            (Duration::from_millis(500), "0.5"),
            (Duration::from_millis(600), "0.6"),
            (Duration::new(6, 553_600_000), "6.5536"),
            (Duration::new(1_234_567, 890_123_457), "1234567.890123457"),
            (Duration::from_nanos(1), "1e-9"),
            (Duration::MAX, "1.8446744073709552e+19"),
        ] {
            assert_eq!(serde_json::to_string(&Seconds(duration)).unwrap(), json, "{duration:?}");
        }
    }
}
