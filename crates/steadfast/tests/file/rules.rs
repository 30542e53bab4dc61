//! S4's validation rules, each with the value just inside and the value just outside.

use super::{good, messages, policy};

/// The first field, or its value, is accepted; the second is refused with these words.
fn edge(inside: &str, outside: &str, message: &str) {
    good(&policy(inside));
    assert_eq!(messages(&policy(outside)), [message], "{outside}");
}

/// S4, policy validation 1: `max_attempts` is at least 1.
#[test]
fn max_attempts_out_of_range_is_rejected() {
    edge(
        "max_attempts: 1",
        "max_attempts: 0",
        "steadfast.yaml:3:21: policies.p.max_attempts: must be at least 1, not 0",
    );
    edge(
        "max_attempts: 4294967295",
        "max_attempts: 4294967296",
        "steadfast.yaml:3:21: policies.p.max_attempts: expected a whole number from 1 to \
         4294967295, not `4294967296`",
    );
}

/// S4, policy validation 2: `base_delay` is at least 0.
#[test]
fn base_delay_out_of_range_is_rejected() {
    edge(
        "base_delay: 0",
        "base_delay: -0.001",
        "steadfast.yaml:3:19: policies.p.base_delay: `-0.001` is not a duration: it is negative; \
         use one such as 500ms, 1.5s, 10m, 7d or PT30S, or a number of seconds",
    );
}

/// S4, policy validation 3: `max_delay` is at least `base_delay`.
#[test]
fn max_delay_below_base_delay_is_rejected() {
    edge(
        "base_delay: 2.0, max_delay: 2.0",
        "base_delay: 2.0, max_delay: 1.999",
        "steadfast.yaml:3:35: policies.p.max_delay: 1.999s is shorter than base_delay 2s",
    );
}

/// S4, policy validation 4: `jitter_amount` lies between 0.0 and 1.0.
#[test]
fn jitter_amount_out_of_range_is_rejected() {
    let refused = |amount| {
        format!(
            "steadfast.yaml:3:22: policies.p.jitter_amount: must be between 0 and 1, not {amount}"
        )
    };
    edge("jitter_amount: 1.0", "jitter_amount: 1.0000001", &refused("1.0000001"));
    edge("jitter_amount: 0.0", "jitter_amount: -0.0000001", &refused("-0.0000001"));
}

/// S4, policy validation 5: `circuit_breaker_threshold` is at least 1, if there is a breaker.
#[test]
fn circuit_breaker_threshold_out_of_range_is_rejected() {
    edge(
        "enable_circuit_breaker: true, circuit_breaker_threshold: 1",
        "enable_circuit_breaker: true, circuit_breaker_threshold: 0",
        "steadfast.yaml:3:64: policies.p.circuit_breaker_threshold: must be at least 1, not 0",
    );
    good(&policy("enable_circuit_breaker: false, circuit_breaker_threshold: 0"));
}

/// S4, policy validation 6: `circuit_breaker_timeout` is more than 0, if there is a breaker.
#[test]
fn circuit_breaker_timeout_out_of_range_is_rejected() {
    edge(
        "enable_circuit_breaker: true, circuit_breaker_timeout: 1ns",
        "enable_circuit_breaker: true, circuit_breaker_timeout: 0",
        "steadfast.yaml:3:62: policies.p.circuit_breaker_timeout: must be greater than 0s, not 0s",
    );
    good(&policy("enable_circuit_breaker: false, circuit_breaker_timeout: 0"));
}

/// S4, policy validation 7: `retryable_exceptions` are names of types. Each that is not is
/// pointed at.
#[test]
fn invalid_retryable_exceptions_are_rejected() {
    good(&policy("retryable_exceptions: [TimeoutError, a::B]"));
    let problems = messages(&policy("retryable_exceptions: [TimeoutError, 'Time out', '']"));
    assert_eq!(problems.len(), 2, "{problems:?}");
    let start = "steadfast.yaml:3:44: policies.p.retryable_exceptions[1]: `Time out` is not a rule";
    assert!(problems[0].starts_with(start), "{}", problems[0]);
    assert!(problems[1].contains("retryable_exceptions[2]"), "{}", problems[1]);
}

/// S4, policy validation 8: `enabled` is true or false.
#[test]
fn enabled_must_be_a_boolean() {
    edge(
        "enabled: false",
        "enabled: no",
        "steadfast.yaml:3:16: policies.p.enabled: expected true or false, not `no`; did you mean \
         `false`?",
    );
    edge(
        "enabled: true",
        "enabled: \"true\"",
        "steadfast.yaml:3:16: policies.p.enabled: expected true or false, not the string `true`; remove \
         the quotes",
    );
}

/// S4's enumerations: one of the names, and not quite one.
#[test]
fn invalid_policy_name_is_rejected() {
    edge(
        "backoff_type: immediate",
        "backoff_type: imediate",
        "steadfast.yaml:3:21: policies.p.backoff_type: `imediate` is not one of exponential, linear, \
         fibonacci, fixed, immediate, custom; did you mean `immediate`?",
    );
    edge(
        "jitter_type: decorrelated",
        "jitter_type: uncorrelated",
        "steadfast.yaml:3:20: policies.p.jitter_type: `uncorrelated` is not one of none, full, equal, \
         decorrelated, proportional; did you mean `decorrelated`?",
    );
}
