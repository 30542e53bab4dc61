//! The rules that a breaker's settings must keep to.
//!
//! A wrong setting is refused with its field, its value and the rule, all of
//! them at once: whoever wrote the file wants to fix it in one go.

use std::time::Duration;

use super::BreakerSettings;
use super::packed_state::MOST_PROBES;
use crate::policy::{OutOfRange, Value};

impl BreakerSettings {
    /// Everything that is wrong with these settings.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::guard::BreakerSettings;
    ///
    /// let problems = BreakerSettings::consecutive(0, Duration::ZERO).problems();
    /// let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    /// assert_eq!(problems, ["threshold 0 is below 1", "timeout 0s must be longer than 0s"]);
    /// ```
    #[must_use]
    pub fn problems(&self) -> Vec<OutOfRange> {
        self.checks().into_iter().flatten().collect()
    }

    pub(crate) const fn checks(&self) -> [Option<OutOfRange>; 14] {
        [
            at_least_one("threshold", self.threshold),
            OutOfRange::unless_positive("timeout", self.timeout),
            share("failure_rate", self.failure_rate),
            at_least_one("window_calls", self.window_calls),
            positive("window", self.window),
            self.unless_one_window(),
            self.unless_window_has_rate(),
            at_least_one("minimum_volume", self.minimum_volume),
            self.unless_volume_fits(),
            positive("slow_call_threshold", self.slow_call_threshold),
            self.unless_slow_is_whole(),
            countable("probes", self.probes),
            countable("success_threshold", self.success_threshold),
            self.unless_growth_is_sound(),
        ]
    }

    const fn unless_one_window(&self) -> Option<OutOfRange> {
        let (Some(window), Some(calls)) = (self.window, self.window_calls) else {
            return None;
        };
        Some(OutOfRange::new(
            "window",
            Value::Duration(window),
            "cannot stand beside window_calls",
            Some(Value::Count(calls as u64)),
        ))
    }

    const fn unless_window_has_rate(&self) -> Option<OutOfRange> {
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
        Some(OutOfRange::new(field, value, rule, None))
    }

    const fn unless_volume_fits(&self) -> Option<OutOfRange> {
        match (self.minimum_volume, self.window_calls) {
            (Some(volume), Some(calls)) if volume > calls => Some(OutOfRange::new(
                "minimum_volume",
                Value::Count(volume as u64),
                "is above window_calls",
                Some(Value::Count(calls as u64)),
            )),
            _ => None,
        }
    }

    const fn unless_slow_is_whole(&self) -> Option<OutOfRange> {
        let (field, value, rule) = match (self.slow_call_threshold, self.slow_call_rate) {
            (Some(threshold), None) => {
                ("slow_call_threshold", Value::Duration(threshold), "needs slow_call_rate")
            }
            (None, Some(rate)) => {
                ("slow_call_rate", Value::Number(rate), "needs slow_call_threshold")
            }
            (_, rate) => return share("slow_call_rate", rate),
        };
        Some(OutOfRange::new(field, value, rule, None))
    }

    const fn unless_growth_is_sound(&self) -> Option<OutOfRange> {
        if !(self.timeout_multiplier >= 1.0 && self.timeout_multiplier.is_finite()) {
            return Some(OutOfRange::new(
                "timeout_multiplier",
                Value::Number(self.timeout_multiplier),
                "must be finite and at least 1",
                None,
            ));
        }
        match self.max_timeout {
            Some(longest) if longest.as_nanos() < self.timeout.as_nanos() => Some(OutOfRange::new(
                "max_timeout",
                Value::Duration(longest),
                "is shorter than timeout",
                Some(Value::Duration(self.timeout)),
            )),
            _ => None,
        }
    }
}

const fn at_least_one(field: &'static str, count: Option<u32>) -> Option<OutOfRange> {
    match count {
        Some(count) => OutOfRange::unless_at_least(field, count as u64, 1),
        None => None,
    }
}

const fn positive(field: &'static str, duration: Option<Duration>) -> Option<OutOfRange> {
    match duration {
        Some(duration) => OutOfRange::unless_positive(field, duration),
        None => None,
    }
}

const fn share(field: &'static str, rate: Option<f64>) -> Option<OutOfRange> {
    match rate {
        Some(rate) if !(rate > 0.0 && rate <= 1.0) => Some(OutOfRange::new(
            field,
            Value::Number(rate),
            "must be above 0.0 and at most 1.0",
            None,
        )),
        _ => None,
    }
}

const fn countable(field: &'static str, count: u32) -> Option<OutOfRange> {
    if count > MOST_PROBES {
        return Some(OutOfRange::new(
            field,
            Value::Count(count as u64),
            "is above",
            Some(Value::Count(MOST_PROBES as u64)),
        ));
    }
    OutOfRange::unless_at_least(field, count as u64, 1)
}
