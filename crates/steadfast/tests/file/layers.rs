//! F3: layers, and where each value came from.

use std::time::Duration;

use steadfast::file::Layer;
use steadfast::registry::Loader;
use steadfast::{Jitter, Policy};

use super::{good, messages};

fn file(defaults: &str, policy: &str) -> String {
    format!("version: \"1.1.0\"\nglobal_defaults: {{{defaults}}}\npolicies:\n  p: {{{policy}}}\n")
}

/// The resulting policy `p`.
fn effective(defaults: &str, policy: &str) -> Policy {
    Policy::clone(good(&file(defaults, policy)).find("p"))
}

/// F3: the value, its origin and its layer, for each layer there is.
#[test]
fn later_layer_overrides_earlier_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steadfast.yaml");
    let text = "version: '1.1.0'\n\
                global_defaults:\n  max_attempts: 2\n  base_delay: 2s\n  multiplier: 3\n  max_delay: 90s\n\
                policies:\n  p:\n    max_attempts: 3\n    base_delay: 3s\n    multiplier: 4\n";
    std::fs::write(&path, text).unwrap();
    let registry = Loader::file(&path)
        .variables([
            ("STEADFAST_POLICIES__P__MAX_ATTEMPTS", "4"),
            ("STEADFAST_POLICIES__P__BASE_DELAY", "4s"),
        ])
        .set("p", "max_attempts", 5)
        .load()
        .unwrap();
    let explained = registry.explain("p");
    let file = path.display();
    for (field, value, origin, layer) in [
        ("max_attempts", "5", "code".to_owned(), Layer::Code),
        ("base_delay", "4", "env STEADFAST_POLICIES__P__BASE_DELAY".to_owned(), Layer::Environment),
        ("multiplier", "4", format!("{file}:11"), Layer::Policy),
        ("max_delay", "90", format!("{file}:6"), Layer::GlobalDefaults),
        ("nested", "`outer`", "built-in".to_owned(), Layer::BuiltIn),
        ("idempotent", "none", "built-in".to_owned(), Layer::BuiltIn),
    ] {
        let found = explained.value(field).unwrap();
        assert_eq!((found.value.to_string(), found.origin.to_string()), (value.to_owned(), origin));
        assert_eq!(found.origin.layer(), layer, "{field}");
    }
}

/// F3: the machine-readable form.
#[test]
fn explanation_serializes_to_json() {
    let json = serde_json::to_value(good(&file("", "max_retries: 4")).explain("p")).unwrap();
    assert_eq!(json["policy"], "p");
    let attempts = serde_json::json!(
        {"value": 5, "origin": "steadfast.yaml:4", "layer": "policy"});
    assert_eq!(json["values"]["max_attempts"], attempts);
    let duration = serde_json::json!({"value": null, "origin": "built-in", "layer": "built_in"});
    assert_eq!(json["values"]["max_duration"], duration);
}

/// F3: every field that was set is explained, in the effective spelling.
#[test]
fn every_set_field_has_an_explanation() {
    let explained = good(&file(
        "enable_circuit_breaker: true, circuit_breaker_threshold: 7",
        "jitter: full, on: {rate_limited: {base_delay: 5s}}, durable: {max_attempts: 9}, \
         budget: {ratio: 0.1}, retryable_exceptions: [timeout]",
    ))
    .explain("p");
    for (field, value, line) in [
        ("enable_circuit_breaker", "true", "steadfast.yaml:2"),
        ("circuit_breaker_threshold", "7", "steadfast.yaml:2"),
        ("circuit_breaker_timeout", "60", "built-in"),
        ("jitter", "`full`", "steadfast.yaml:4"),
        ("on.rate_limited.base_delay", "5", "steadfast.yaml:4"),
        ("on.rate_limited.jitter", "`full`", "steadfast.yaml:4"),
        ("durable.max_attempts", "9", "steadfast.yaml:4"),
        ("durable.base_delay", "1", "built-in"),
        ("budget.ratio", "0.1", "steadfast.yaml:4"),
        ("budget.min_per_second", "10", "built-in"),
        ("retry_on", "a list", "steadfast.yaml:4"),
        ("name", "`p`", "built-in"),
    ] {
        let found = explained.value(field).unwrap_or_else(|| panic!("{field}: {explained:?}"));
        let found = (found.value.to_string(), found.origin.to_string());
        assert_eq!(found, (value.to_owned(), line.to_owned()), "{field}");
    }
}

/// F3: a later layer replaces another spelling of the same field.
#[test]
fn alias_in_a_later_layer_overrides_the_field() {
    assert_eq!(effective("max_retries: 9", "max_attempts: 2").max_attempts(), 2);
    assert_eq!(effective("max_attempts: 9", "max_retries: 2").max_attempts(), 3);
    let jitter = |defaults, policy| effective(defaults, policy).timing().jitter();
    assert_eq!(jitter("jitter_type: full, jitter_amount: 0.1", "jitter: none"), Jitter::None);
    assert_eq!(jitter("jitter: 100ms", "jitter_type: equal"), Jitter::Equal);
    let amount = effective("jitter: full", "jitter_amount: 0.5");
    let second = amount.plan().nth(1).unwrap();
    assert_eq!(second.min, Duration::from_millis(500));
    let delays = |policy: Policy| policy.timing().base_delay(1);
    assert_eq!(delays(effective("schedule: [1m]", "backoff_type: fixed")), Duration::from_secs(1));
    assert_eq!(delays(effective("backoff_type: fixed", "schedule: [1m]")), Duration::from_secs(60));
    let rules = effective("retry_on: [5xx]", "retryable_exceptions: [timeout]");
    assert_eq!(rules.rules().retry_on().unwrap()[0].as_str(), "timeout");
    assert!(
        effective("breaker: {threshold: 2}", "enable_circuit_breaker: false").breaker().is_none()
    );
    let budget = effective("budget: {retries_per_second: 5}", "budget: {ratio: 0.5}");
    let ratio = serde_json::to_value(budget.budget()).unwrap();
    assert_eq!((ratio["ratio"].as_f64(), ratio.get("retries_per_second")), (Some(0.5), None));
}

/// F3: a section is merged into the same section of an earlier layer, value by value.
#[test]
fn nested_values_are_merged_by_field() {
    let both = effective(
        "breaker: {threshold: 2, timeout: 5s}, on: {rate_limited: {base_delay: 5s}}",
        "breaker: {timeout: 9s}, on: {rate_limited: {multiplier: 3}}",
    );
    let breaker = both.breaker().unwrap();
    assert_eq!((breaker.threshold, breaker.timeout), (Some(2), Duration::from_secs(9)));
    let timing = both.timing_on(steadfast::Class::RateLimited);
    assert_eq!(timing.base_delay(2), Duration::from_secs(15));
}

/// F3: null removes the value of an earlier layer.
#[test]
fn null_resets_a_value_of_an_earlier_layer() {
    let taken_back = effective(
        "max_attempts: 9, breaker: {threshold: 2}, budget: {ratio: 1}, max_duration: 1m",
        "max_attempts: null, breaker: ~, budget: null, max_duration: null",
    );
    assert_eq!(taken_back, effective("", ""));
}

/// F2: a conflict between two layers is reported for the later one.
#[test]
fn problem_points_at_the_last_layer_that_set_the_value() {
    assert_eq!(
        messages(&file("max_delay: 30s", "base_delay: 60s")),
        ["steadfast.yaml:4:19: policies.p.max_delay: 30s is shorter than base_delay 1m"]
    );
}

/// F2: one mistake in the global defaults is reported once, however many policies there are.
#[test]
fn invalid_default_is_reported_once() {
    let text = "version: \"1.1.0\"\nglobal_defaults: {max_attempts: 0, backof_type: fixed}\n\
                policies: {a: {}, b: {}, c: {}}\n";
    assert_eq!(
        messages(text),
        [
            "steadfast.yaml:2:36: global_defaults.backof_type: no such field; did you mean \
             `backoff_type`?",
            "steadfast.yaml:2:33: policies.a.max_attempts: must be at least 1, not 0",
        ]
    );
}

/// F3: the simple form of a breaker in a later layer overrides the rich form in an earlier one,
/// value by value, and `explain` says so.
#[test]
fn simple_breaker_overrides_a_detailed_one() {
    let text = |policy: &str| file("breaker: {threshold: 3, timeout: 5s, probes: 2}", policy);
    for (policy, threshold, line, timeout) in [
        ("circuit_breaker_threshold: 7", 7, 4, 5),
        ("circuit_breaker_timeout: 9s", 3, 2, 9),
        ("enable_circuit_breaker: true", 3, 2, 5),
        ("circuit_breaker_threshold: 7, breaker: {threshold: 8}", 8, 4, 5),
    ] {
        let policies = good(&text(policy));
        let breaker = *policies.find("p").breaker().unwrap();
        let timeout = Duration::from_secs(timeout);
        assert_eq!((breaker.threshold, breaker.timeout), (Some(threshold), timeout), "{policy}");
        assert_eq!(breaker.probes, 2, "{policy}");
        let origin = policies.explain("p").value("breaker.threshold").unwrap().origin.to_string();
        assert_eq!(origin, format!("steadfast.yaml:{line}"), "{policy}");
    }
}

/// F3: a removed breaker is explained with its origin.
#[test]
fn removed_breaker_has_an_explanation() {
    for policy in ["breaker: null", "enable_circuit_breaker: false"] {
        let explained = good(&file("breaker: {threshold: 3}", policy)).explain("p");
        let enabled = explained.value("enable_circuit_breaker").unwrap();
        assert_eq!(enabled.value.to_string(), "false", "{policy}");
        assert_eq!(enabled.origin.to_string(), "steadfast.yaml:4", "{policy}");
    }
}

/// F3: a durable stage is explained as a policy is, in every spelling.
#[test]
fn stage_has_the_explanation_of_a_policy() {
    let stage = "durable: {base_delay: 7s, enable_circuit_breaker: true, \
                 circuit_breaker_threshold: 9, on: {rate_limited: {multiplier: 3}}}";
    let explained = good(&file("", stage)).explain("p");
    for (field, value) in
        [("durable.breaker.threshold", "9"), ("durable.on.rate_limited.base_delay", "7")]
    {
        let found = explained.value(field).unwrap();
        let messages = (found.value.to_string(), found.origin.to_string());
        assert_eq!(messages, (value.to_owned(), "steadfast.yaml:4".to_owned()), "{field}");
    }
}

/// P2: a disabled breaker is off, whatever its other settings are; a later layer that replaces the
/// switch enables it.
#[test]
fn disabled_breaker_is_off() {
    let off = "enable_circuit_breaker: false, breaker: {threshold: 3}";
    assert_eq!(effective("", off).breaker(), None);
    let later = effective("enable_circuit_breaker: false", "breaker: {threshold: 3}");
    assert!(later.breaker().is_some());
}
