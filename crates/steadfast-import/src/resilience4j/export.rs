//! Exporter for Resilience4j's YAML.

use std::time::Duration;

use steadfast::file::Policies;
use steadfast::guard::BreakerSettings;
use steadfast::guard::breaker::InitialState;
use steadfast::judge::Rule;
use steadfast::policy::{BackoffType, Jitter, Policy};

use super::breaker::required_successes;
use super::{DEFAULT, SUBSYSTEM};
use crate::backoff;
use crate::export::{Unexportable, makes_one_attempt, max_delay};
use crate::policy_file::{scalar, yaml};
use crate::report::Unsupported;

pub(crate) fn write(policies: &Policies) -> Result<String, Vec<Unsupported>> {
    let mut unexportable = Unexportable::default();
    // An instance inherits what it does not set.
    let inherits = policies.iter().any(|policy| policy.id() == Some(DEFAULT));
    let (default, others): (Vec<_>, Vec<_>) =
        policies.iter().partition(|policy| policy.id() == Some(DEFAULT));
    let (mut retries, mut breakers) = (Vec::new(), Vec::new());
    for policy in default.into_iter().chain(others) {
        unexportable.start(policy, "Resilience4j");
        let name = instance_name(policies, policy);
        let lines = retry(policy, inherits, &mut unexportable);
        // A breaker without retries needs no retry section.
        if policy.breaker().is_none() || !makes_one_attempt(policy) {
            retries.push((name.clone(), lines));
        }
        if let Some(settings) = policy.breaker() {
            breakers.push((name, breaker(settings, &mut unexportable)));
        }
    }
    let modules = [("retry", &retries), ("circuitbreaker", &breakers)];
    let settings = modules.into_iter().flat_map(|(module, sections)| {
        sections.iter().flat_map(move |(name, lines)| {
            let part = if name == DEFAULT { "configs" } else { "instances" };
            lines.iter().map(move |(key, value)| {
                (vec![SUBSYSTEM, module, part, name.as_str(), key], value.clone())
            })
        })
    });
    let mut values: Vec<_> = settings.collect();
    if values.is_empty() {
        values.push((vec![SUBSYSTEM], String::new()));
    }
    unexportable.into_result(yaml(&values))
}

/// The key of a policy: the name mapped to it, or its id.
fn instance_name(policies: &Policies, policy: &Policy) -> String {
    let id = policy.id().unwrap_or_default();
    let mapped = policies.mapped().iter().filter(|mapped| mapped.policy == id);
    let mut names =
        mapped.filter_map(|mapped| match mapped.name.split('.').collect::<Vec<_>>()[..] {
            [SUBSYSTEM, name, DEFAULT] => Some(name.replace('/', ".")),
            _ => None,
        });
    let name = names.next().unwrap_or_else(|| id.to_owned());
    // Spring drops other characters from a name, unless it is in brackets.
    let is_plain = name.chars().all(|letter| letter.is_alphanumeric() || "-_".contains(letter));
    if is_plain { name } else { format!("[{name}]") }
}

type Lines = Vec<(&'static str, String)>;

fn retry(policy: &Policy, inherits: bool, unexportable: &mut Unexportable) -> Lines {
    let checks = [
        (policy.max_duration().is_some(), "max_duration", "a session deadline"),
        (policy.attempt_timeout().is_some(), "attempt_timeout", "an attempt timeout"),
        (policy.budget().is_some(), "budget", "a budget"),
    ];
    unexportable.add_all(&checks, "not supported by Resilience4j's retry module");
    let attempts = if policy.is_enabled() { policy.max_attempts() } else { 1 };
    let mut lines = vec![("maxAttempts", attempts.to_string())];
    if makes_one_attempt(policy) {
        return lines;
    }
    delays(policy, inherits, unexportable, &mut lines);
    classes(policy, inherits, unexportable, &mut lines);
    lines
}

fn delays(policy: &Policy, inherits: bool, unexportable: &mut Unexportable, lines: &mut Lines) {
    let timing = policy.timing();
    let base = timing.initial_delay();
    lines.push(("waitDuration", millis("base_delay", base, unexportable)));
    match timing.backoff_type() {
        BackoffType::Exponential => {
            lines.push(("enableExponentialBackoff", "true".to_owned()));
            lines.push(("exponentialBackoffMultiplier", timing.multiplier().to_string()));
            let cap = max_delay(timing);
            let retries = policy.max_attempts() - 1;
            if cap != backoff::max_delay(base, timing.multiplier(), retries) {
                let cap = millis("max_delay", cap, unexportable);
                lines.push(("exponentialMaxWaitDuration", cap));
            }
        }
        BackoffType::Fixed | BackoffType::Immediate if base <= max_delay(timing) => {
            if inherits {
                lines.push(("enableExponentialBackoff", "false".to_owned()));
            }
        }
        _ => {
            let reason = "Resilience4j only supports fixed and exponential backoff";
            unexportable.add("backoff_type", "unsupported backoff", reason);
        }
    }
    match timing.jitter() {
        Jitter::Proportional => {
            lines.push(("enableRandomizedWait", "true".to_owned()));
            lines.push(("randomizedWaitFactor", timing.jitter_amount().to_string()));
        }
        Jitter::None if inherits => lines.push(("enableRandomizedWait", "false".to_owned())),
        Jitter::None => {}
        _ => {
            let reason = "Resilience4j only supports proportional jitter";
            unexportable.add("jitter", "unsupported jitter", reason);
        }
    }
}

/// A duration in whole milliseconds, which is all that Resilience4j supports.
fn millis(field: &str, time: Duration, unexportable: &mut Unexportable) -> String {
    if !time.subsec_nanos().is_multiple_of(1_000_000) {
        let reason = "Resilience4j uses whole milliseconds";
        unexportable.add(field, "a fraction of a millisecond", reason);
    }
    format!("{}ms", time.as_millis())
}

fn classes(policy: &Policy, inherits: bool, unexportable: &mut Unexportable, lines: &mut Lines) {
    let rules = policy.rules();
    match rules.retry_on() {
        None => {
            let reason = "cannot be exported; set retry_on to exception classes, or to `any`";
            unexportable.add("retry_on", "the default rules", reason);
        }
        Some([only]) if only.as_str() == "any" && !inherits => {}
        Some(retry_on) => {
            lines.push(("retryExceptions", list("retry_on", retry_on, unexportable)));
        }
    }
    if !rules.abort_on().is_empty() || inherits {
        lines.push(("ignoreExceptions", list("abort_on", rules.abort_on(), unexportable)));
    }
}

fn list(field: &str, rules: &[Rule], unexportable: &mut Unexportable) -> String {
    let mut classes = Vec::new();
    for rule in rules {
        match class(rule.as_str()) {
            Some(class) => classes.push(scalar(class)),
            None => {
                let reason = "cannot be exported: only exception classes can be";
                unexportable.add(field, rule.as_str(), reason);
            }
        }
    }
    format!("[{}]", classes.join(", "))
}

/// The exception class of a rule.
fn class(rule: &str) -> Option<&str> {
    let name = rule.strip_prefix("type:").unwrap_or(rule);
    let is_path = name.contains('.') && name.split('.').all(|part| !part.is_empty());
    match rule {
        "any" => Some("java.lang.Throwable"),
        _ if is_path && !name.contains(':') => Some(name),
        _ => None,
    }
}

/// The percentage that gives exactly this rate when divided by a hundred.
fn percent(rate: f64) -> String {
    let whole = (rate * 100.0).round();
    let exact = if whole / 100.0 == rate { whole } else { rate * 100.0 };
    exact.to_string()
}

fn breaker(settings: &BreakerSettings, unexportable: &mut Unexportable) -> Lines {
    let calls = settings.half_open_calls.unwrap_or(settings.success_threshold);
    let required = required_successes(calls, settings.failure_rate.unwrap_or(1.0));
    let other_probes = settings.probes != calls;
    let other_share = settings.success_threshold != required;
    let initial = settings.initial_state;
    let checks = [
        (settings.threshold.is_some(), "breaker.threshold", "opening after consecutive failures"),
        (
            settings.failure_rate.is_none(),
            "breaker.failure_rate",
            "a breaker without a failure rate",
        ),
        (
            settings.timeout_multiplier != 1.0,
            "breaker.timeout_multiplier",
            "an open time that grows",
        ),
        (other_probes, "breaker.probes", "a limit of concurrent probes other than half_open_calls"),
        (other_share, "breaker.success_threshold", "a share of probes other than the failure rate"),
        (!settings.count_final, "breaker.count_final", "excluding final errors from the count"),
    ];
    unexportable.add_all(&checks, "not supported by Resilience4j");
    let fraction = settings.window.is_some_and(|window| window.subsec_nanos() != 0);
    let check = (fraction, "breaker.window", "a fraction of a second");
    unexportable.add_all(&[check], "Resilience4j uses whole seconds");
    let (window, size) = match settings.window {
        Some(window) => ("TIME_BASED", window.as_secs().to_string()),
        None => ("COUNT_BASED", settings.window_calls.unwrap_or(100).to_string()),
    };
    let mut lines = vec![
        ("slidingWindowType", window.to_owned()),
        ("slidingWindowSize", size),
        ("minimumNumberOfCalls", settings.minimum_volume.unwrap_or(10).to_string()),
        ("failureRateThreshold", percent(settings.failure_rate.unwrap_or(1.0))),
    ];
    match (settings.slow_call_threshold, settings.slow_call_rate) {
        (Some(threshold), Some(rate)) => {
            let threshold = millis("breaker.slow_call_threshold", threshold, unexportable);
            lines.push(("slowCallDurationThreshold", threshold));
            lines.push(("slowCallRateThreshold", percent(rate)));
        }
        _ => {
            let reason = "Resilience4j always counts slow calls; set slow_call_threshold and \
                       slow_call_rate";
            unexportable.add("breaker", "excluding slow calls from the count", reason);
        }
    }
    let timeout = millis("breaker.timeout", settings.timeout, unexportable);
    lines.push(("waitDurationInOpenState", timeout));
    lines.push(("permittedNumberOfCallsInHalfOpenState", calls.to_string()));
    if initial != InitialState::Closed {
        lines.push(("initialState", format!("{initial:?}").to_uppercase()));
    }
    lines
}
