//! The summary of a policy: attempts, backoff and total delay.

use std::time::Duration;

use serde_json::Value;
use steadfast::decide::PlannedAttempt;
use steadfast::{Policy, duration};

/// The most attempts that are added up. A policy can have four billion.
const MAX_SUMMED_ATTEMPTS: usize = 10_000;

/// The summary of a policy in a list.
///
/// ```
/// use steadfast::policy::Draft;
/// use steadfast_api::PolicySummary;
///
/// let summary = PolicySummary::of(&Draft::new().build()?);
/// assert_eq!((summary.attempts, summary.backoff.as_str()), (3, "exponential ×2"));
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicySummary {
    /// Maximum number of attempts: a disabled policy makes one, and an attempt that cannot start within
    /// `max_duration` is not made.
    pub attempts: u32,
    /// The backoff in words.
    pub backoff: String,
    /// The first delay, without jitter.
    pub first_delay: Duration,
    /// The longest delay, without jitter.
    pub longest_delay: Duration,
    /// The longest total of all delays, with jitter.
    pub total_delay: Duration,
    /// Whether the total is larger, because there are more attempts than were added up.
    pub and_more: bool,
}

impl PolicySummary {
    /// The summary of a policy.
    #[must_use]
    pub fn of(policy: &Policy) -> Self {
        let mut delays = Delays::default();
        let mut plan = policy.plan();
        let attempts =
            plan.by_ref().take(MAX_SUMMED_ATTEMPTS + 1).inspect(|it| delays.add(it)).last();
        let and_more = plan.next().is_some();
        Self {
            attempts: match attempts {
                Some(last) if !and_more => last.attempt,
                _ => policy.max_attempts(),
            },
            backoff: backoff(policy),
            first_delay: delays.first.unwrap_or_default(),
            longest_delay: delays.longest,
            total_delay: delays.total.min(policy.max_duration().unwrap_or(Duration::MAX)),
            and_more,
        }
    }
}

#[derive(Default)]
struct Delays {
    first: Option<Duration>,
    longest: Duration,
    total: Duration,
}

impl Delays {
    fn add(&mut self, attempt: &PlannedAttempt) {
        if attempt.attempt > 1 {
            self.first.get_or_insert(attempt.delay);
        }
        self.longest = self.longest.max(attempt.delay);
        self.total = attempt.total_max;
    }
}

/// The backoff in words, from the fields of the policy.
fn backoff(policy: &Policy) -> String {
    if !policy.is_enabled() {
        return "off".to_owned();
    }
    let fields = serde_json::to_value(policy).unwrap_or_default();
    let growth = match fields.get("backoff_type").and_then(Value::as_str).unwrap_or_default() {
        "exponential" => format!("exponential ×{}", text(&fields, "multiplier")),
        "linear" => format!("linear +{}", time(&fields, "increment")),
        other => other.to_owned(),
    };
    format!("{growth}{}", jitter(&fields))
}

fn jitter(fields: &Value) -> String {
    if let Some(jitter) = fields.get("jitter") {
        return match jitter.as_str() {
            Some("none") => String::new(),
            Some(name) if duration::parse(name).is_err() => format!(", {name} jitter"),
            _ => format!(", jitter up to {}", time(fields, "jitter")),
        };
    }
    let amount = fields.get("jitter_amount").and_then(Value::as_f64).unwrap_or_default();
    match fields.get("jitter_type").and_then(Value::as_str) {
        Some(name) if name != "none" && amount > 0.0 => format!(", {name} jitter ×{amount}"),
        _ => String::new(),
    }
}

fn text(fields: &Value, field: &str) -> String {
    let number = fields.get(field).and_then(Value::as_f64).unwrap_or_default();
    number.to_string()
}

/// A duration in seconds, or in a string where a number is not exact.
fn time(fields: &Value, field: &str) -> String {
    let value = fields.get(field);
    let seconds = value.and_then(Value::as_f64).and_then(|it| duration::from_seconds(it).ok());
    let text = value.and_then(Value::as_str).map(str::to_owned);
    seconds.map(duration::format).or(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use steadfast::policy::Draft;

    use super::*;

    fn summary(fields: &str) -> PolicySummary {
        let draft: Draft = serde_json::from_str(fields).unwrap();
        PolicySummary::of(&draft.build().unwrap())
    }

    #[test]
    fn backoff_is_summarized_in_words() {
        for (fields, words) in [
            ("{}", "exponential ×2"),
            (r#"{"multiplier": 1.6, "jitter": "equal"}"#, "exponential ×1.6, equal jitter"),
            (r#"{"backoff_type": "linear", "increment": "1.5s"}"#, "linear +1.5s"),
            (r#"{"backoff_type": "fixed", "jitter": "100ms"}"#, "fixed, jitter up to 100ms"),
            (r#"{"jitter_type": "full"}"#, "exponential ×2, full jitter ×0.1"),
            (r#"{"backoff_type": "immediate"}"#, "immediate"),
            (r#"{"schedule": ["7d"]}"#, "custom"),
            (r#"{"enabled": false}"#, "off"),
        ] {
            assert_eq!(summary(fields).backoff, words, "{fields}");
        }
    }

    /// P5: an attempt that cannot start within max_duration is not counted, nor is its delay.
    #[test]
    fn total_delay_is_capped_by_max_duration() {
        let totals = |fields| {
            let summary = summary(fields);
            (summary.attempts, summary.longest_delay.as_secs(), summary.total_delay.as_secs())
        };
        assert_eq!(totals(r#"{"max_attempts": 4}"#), (4, 4, 7));
        assert_eq!(totals(r#"{"max_attempts": 4, "max_duration": "5s"}"#), (3, 2, 3));
        assert_eq!(
            totals(r#"{"max_attempts": 4, "max_duration": "3.1s", "jitter": "1s"}"#),
            (3, 2, 3)
        );
        assert_eq!(totals(r#"{"max_attempts": 1}"#), (1, 0, 0));
    }

    #[test]
    fn total_delay_of_endless_policy_is_bounded() {
        let endless = summary(r#"{"max_attempts": 4294967295, "backoff_type": "fixed"}"#);
        assert_eq!((endless.total_delay.as_secs(), endless.and_more), (10_000, true));
        assert_eq!(endless.attempts, u32::MAX);
        assert!(!summary(r#"{"max_attempts": 10001}"#).and_more);
    }
}
