//! The validation rules of a breaker's settings.
//!
//! An invalid setting is reported with its field, its value and the rule, and all invalid settings
//! are reported together.

use super::BreakerSettings;
use super::packed_state::MAX_PROBES;
use crate::policy::{RangeError, Value};

impl BreakerSettings {
    /// All problems of these settings.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::guard::BreakerSettings;
    ///
    /// let problems = BreakerSettings::consecutive(0, Duration::ZERO).problems();
    /// let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    /// assert_eq!(problems, ["threshold must be at least 1, not 0", "timeout must be greater than 0s, not 0s"]);
    /// ```
    #[must_use]
    pub fn problems(&self) -> Vec<RangeError> {
        self.checks().into_iter().flatten().collect()
    }

    pub(crate) const fn checks(&self) -> [Option<RangeError>; 15] {
        [
            RangeError::if_zero("threshold", self.threshold),
            RangeError::if_empty("timeout", Some(self.timeout)),
            share("failure_rate", self.failure_rate),
            RangeError::if_zero("window_calls", self.window_calls),
            RangeError::if_empty("window", self.window),
            self.unless_one_window(),
            self.unless_window_has_rate(),
            RangeError::if_zero("minimum_volume", self.minimum_volume),
            self.unless_volume_fits(),
            RangeError::if_empty("slow_call_threshold", self.slow_call_threshold),
            self.unless_slow_is_complete(),
            probe_count("probes", self.probes),
            probe_count("success_threshold", self.success_threshold),
            self.unless_sample_fits(),
            self.unless_growth_is_valid(),
        ]
    }

    const fn unless_one_window(&self) -> Option<RangeError> {
        let (Some(window), Some(_)) = (self.window, self.window_calls) else {
            return None;
        };
        let rule = "set only one of window and window_calls";
        Some(RangeError::new("window", Value::Duration(window), rule))
    }

    const fn unless_window_has_rate(&self) -> Option<RangeError> {
        if self.has_rate() {
            return None;
        }
        let (field, value) = match (self.window, self.window_calls, self.minimum_volume) {
            (Some(window), _, _) => ("window", Value::Duration(window)),
            (_, Some(calls), _) => ("window_calls", Value::Count(calls as u64)),
            (_, _, Some(calls)) => ("minimum_volume", Value::Count(calls as u64)),
            (None, None, None) => return None,
        };
        let rule = "needs failure_rate or slow_call_rate";
        Some(RangeError::new(field, value, rule))
    }

    const fn unless_volume_fits(&self) -> Option<RangeError> {
        match (self.minimum_volume, self.window_calls) {
            (Some(volume), Some(calls)) if volume > calls => Some(
                RangeError::new(
                    "minimum_volume",
                    Value::Count(volume as u64),
                    "is above window_calls",
                )
                .bound(Value::Count(calls as u64)),
            ),
            _ => None,
        }
    }

    const fn unless_slow_is_complete(&self) -> Option<RangeError> {
        let (field, value, rule) = match (self.slow_call_threshold, self.slow_call_rate) {
            (Some(threshold), None) => {
                ("slow_call_threshold", Value::Duration(threshold), "needs slow_call_rate")
            }
            (None, Some(rate)) => {
                ("slow_call_rate", Value::Number(rate), "needs slow_call_threshold")
            }
            (_, rate) => return share("slow_call_rate", rate),
        };
        Some(RangeError::new(field, value, rule))
    }

    const fn unless_sample_fits(&self) -> Option<RangeError> {
        match self.half_open_calls {
            Some(calls) if calls < self.success_threshold => Some(
                RangeError::new(
                    "half_open_calls",
                    Value::Count(calls as u64),
                    "is below success_threshold",
                )
                .bound(Value::Count(self.success_threshold as u64)),
            ),
            Some(calls) => probe_count("half_open_calls", calls),
            None => None,
        }
    }

    const fn unless_growth_is_valid(&self) -> Option<RangeError> {
        if !(self.timeout_multiplier >= 1.0 && self.timeout_multiplier.is_finite()) {
            return Some(RangeError::new(
                "timeout_multiplier",
                Value::Number(self.timeout_multiplier),
                "must be finite and at least 1",
            ));
        }
        match self.max_timeout {
            Some(longest) if longest.as_nanos() < self.timeout.as_nanos() => Some(
                RangeError::new("max_timeout", Value::Duration(longest), "is shorter than timeout")
                    .bound(Value::Duration(self.timeout)),
            ),
            _ => None,
        }
    }
}

const fn share(field: &'static str, rate: Option<f64>) -> Option<RangeError> {
    match rate {
        Some(rate) if !(rate > 0.0 && rate <= 1.0) => Some(RangeError::new(
            field,
            Value::Number(rate),
            "must be greater than 0 and at most 1",
        )),
        _ => None,
    }
}

const fn probe_count(field: &'static str, count: u32) -> Option<RangeError> {
    if count > MAX_PROBES {
        return Some(
            RangeError::new(field, Value::Count(count as u64), "must be at most")
                .bound(Value::Count(MAX_PROBES as u64)),
        );
    }
    RangeError::unless_at_least(field, count as u64, 1)
}
