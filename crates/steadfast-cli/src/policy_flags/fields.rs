//! The fields of a policy as flags: the one place here that knows them by name.

use std::iter;

use clap::{Arg, ArgMatches};
use steadfast::policy::{Draft, FIELDS, PolicyError, Setting};

/// What names a policy rather than says how to retry, is another spelling, needs a structure
/// or says something of sessions inside each other: none of that is for a flag.
const NO_FLAGS: [&str; 9] = [
    "id",
    "name",
    "description",
    "retryable_exceptions",
    "nested",
    "breaker",
    "budget",
    "on",
    "durable",
];

fn names() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|field| field.name).filter(|name| !NO_FLAGS.contains(name))
}

/// A field as its flag is written.
pub(super) fn flag(field: &str) -> String {
    format!("--{}", field.replace('_', "-"))
}

/// A flag for every field that can be one.
pub(super) fn flags() -> impl Iterator<Item = Arg> {
    names().map(|field| {
        let (value, help) = described(field);
        Arg::new(field)
            .long(field.replace('_', "-"))
            .value_name(value)
            .help(help)
            .allow_negative_numbers(true)
    })
}

/// The flags of a field and of all others that a text speaks of.
pub(super) fn flags_in(text: &str, field: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let others = names().filter(|other| *other != field && words.contains(other));
    iter::once(flag(field)).chain(others.map(flag)).collect()
}

/// The fields that were set, in the order of the policy.
pub(super) fn written(matches: &ArgMatches) -> Vec<(&'static str, String)> {
    names().filter_map(|field| Some((field, matches.get_one::<String>(field)?.clone()))).collect()
}

/// The draft with these fields written over its own, or everything that cannot be read.
pub(super) fn over(
    base: Draft,
    written: &[(&'static str, String)],
) -> Result<Draft, Vec<PolicyError>> {
    // First all of them, so that two flags that contradict each other still do.
    let mut draft = written.iter().fold(base, |draft, (field, _)| draft.giving_way(field));
    let refused: Vec<PolicyError> = written
        .iter()
        .filter_map(|(field, value)| draft.set(field, &Setting::from(value.as_str())).err())
        .collect();
    if refused.is_empty() { Ok(draft) } else { Err(refused) }
}

/// What a field takes, and what it is.
fn described(field: &str) -> (&'static str, &'static str) {
    match field {
        "enabled" => ("BOOL", "Whether to retry at all; false: run once [default: true]"),
        "max_attempts" => ("N", "How many attempts at most, the first one counted [default: 3]"),
        "max_retries" => ("N", "How many attempts after the first, instead of --max-attempts"),
        "backoff_type" => (
            "TYPE",
            "How delays grow: exponential, linear, fixed, immediate, custom [default: exponential]",
        ),
        "base_delay" => ("DURATION", "The delay before the first retry [default: 1s]"),
        "multiplier" => ("NUMBER", "What an exponential delay grows by [default: 2]"),
        "increment" => ("DURATION", "What a linear delay grows by [default: the base delay]"),
        "max_delay" => ("DURATION", "The longest delay [default: 60s]"),
        "schedule" => ("DURATIONS", "The delays of a custom backoff; the last one repeats"),
        "jitter" => (
            "JITTER",
            "The randomness in delays: none, full, equal, decorrelated, or a duration to add \
             [default: none]",
        ),
        "jitter_type" => ("TYPE", "The same without durations, as strong as --jitter-amount says"),
        "jitter_amount" => ("FRACTION", "How much of --jitter-type is applied [default: 0.1]"),
        "max_duration" => ("DURATION", "The longest the whole may take, attempts and waits"),
        "attempt_timeout" => ("DURATION", "The longest one attempt may take"),
        "retry_on" => ("RULES", "What is retried, instead of the default rules: 5xx,40P01,timeout"),
        "abort_on" => ("RULES", "What is not retried, on top of the default rules: 4xx"),
        "idempotent" => {
            ("BOOL", "Whether doing it twice is as good as doing it once [default: true]")
        }
        "max_hint" => ("DURATION", "The longest Retry-After that is waited for [default: 1h]"),
        "max_rate_limit_waits" => {
            ("N", "How many such waits, which use up no attempt [default: 100]")
        }
        "enable_circuit_breaker" => {
            ("BOOL", "Whether to stop for a while after failures in a row [default: false]")
        }
        "circuit_breaker_threshold" => ("N", "How many failures in a row [default: 5]"),
        "circuit_breaker_timeout" => ("DURATION", "For how long [default: 60s]"),
        _ => ("VALUE", "A field of the policy"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 10: policy flags carry the names of the policy's fields.
    #[test]
    fn every_field_is_a_flag_or_said_to_be_none() {
        assert!(NO_FLAGS.iter().all(|name| FIELDS.iter().any(|field| field.name == *name)));
        assert_eq!(names().count() + NO_FLAGS.len(), FIELDS.len());
        assert_eq!(flag("max_rate_limit_waits"), "--max-rate-limit-waits");
    }

    #[test]
    fn every_flag_says_what_it_is_for() {
        let nameless = names().filter(|field| described(field).0 == "VALUE");
        assert_eq!(nameless.collect::<Vec<_>>(), [""; 0]);
    }
}
