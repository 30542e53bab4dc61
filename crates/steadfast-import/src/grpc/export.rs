//! Exporter for gRPC's service config.

use std::time::Duration;

use serde_json::{Map, Value, json};

use steadfast::file::Policies;
use steadfast::guard::BudgetSettings;
use steadfast::policy::{BackoffType, Jitter, Policy, Timing};

use super::{JITTER, MAX_ATTEMPTS, SUBSYSTEM};
use crate::export::{Unexportable, makes_one_attempt, max_delay};
use crate::report::Unsupported;

pub(crate) fn write(policies: &Policies) -> Result<String, Vec<Unsupported>> {
    let mut unexportable = Unexportable::default();
    let mut config = Map::new();
    let mut methods = Vec::new();
    for policy in policies.iter() {
        methods.push(method_config(policies, policy, &mut unexportable));
    }
    if let Some(throttling) = throttling(policies, &mut unexportable) {
        config.insert("retryThrottling".to_owned(), throttling);
    }
    config.insert("methodConfig".to_owned(), methods.into());
    let text = serde_json::to_string_pretty(&Value::Object(config)).unwrap_or_default();
    unexportable.into_result(text + "\n")
}

fn method_config(policies: &Policies, policy: &Policy, unexportable: &mut Unexportable) -> Value {
    unexportable.add_common(policy, "a service config");
    let reason = "not supported by a service config";
    unexportable.add_if(policy.breaker().is_some(), policy, "breaker", "a breaker", reason);
    let mut config = Map::new();
    config.insert("name".to_owned(), names(policies, policy, unexportable));
    if let Some(timeout) = policy.max_duration() {
        config.insert("timeout".to_owned(), proto(timeout).into());
    }
    if !makes_one_attempt(policy) {
        config.insert("retryPolicy".to_owned(), retry_policy(policy, unexportable));
    }
    config.into()
}

/// The names mapped to a policy. The policy `default` gets the empty name, which matches all.
fn names(policies: &Policies, policy: &Policy, unexportable: &mut Unexportable) -> Value {
    let id = policy.id().unwrap_or_default();
    let mut names: Vec<Value> = Vec::new();
    if id == "default" {
        names.push(json!({}));
    }
    for mapped in policies.mapped().iter().filter(|mapped| mapped.policy == id) {
        let mut parts = mapped.name.split('.');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(SUBSYSTEM), Some(service), Some(method)) => {
                let service = service.replace('/', ".");
                names.push(match method {
                    "default" => json!({ "service": service }),
                    method => json!({ "service": service, "method": method }),
                });
            }
            _ => {
                let reason = "a service config only has names under `grpc`";
                unexportable.add(policy, "", format!("the mapping of {}", mapped.name), reason);
            }
        }
    }
    if names.is_empty() {
        let reason = "map a name grpc.<service>.<method> to it, with slashes instead of dots";
        unexportable.add(policy, "", "no method is mapped to it", reason);
    }
    names.into()
}

fn retry_policy(policy: &Policy, unexportable: &mut Unexportable) -> Value {
    let timing = policy.timing();
    if policy.max_attempts() > MAX_ATTEMPTS {
        let what = format!("{} attempts", policy.max_attempts());
        unexportable.add(policy, "max_attempts", what, "gRPC makes at most 5");
    }
    if timing.jitter() != Jitter::Full || timing.jitter_amount() != JITTER {
        let reason = "gRPC requires jitter_type full with jitter_amount 0.2";
        unexportable.add(policy, "jitter", "unsupported jitter", reason);
    }
    let (base, cap, multiplier) = backoff(timing);
    if matches!(timing.backoff_type(), BackoffType::Linear | BackoffType::Custom) {
        let reason = "gRPC only supports exponential backoff";
        unexportable.add(policy, "backoff_type", "unsupported backoff", reason);
    }
    if base.is_zero() {
        unexportable.add(
            policy,
            "base_delay",
            "zero delay",
            "gRPC requires a delay longer than 0s",
        );
    }
    let mut retry = json!({
        "maxAttempts": policy.max_attempts(),
        "initialBackoff": proto(base),
        "maxBackoff": proto(cap),
        "backoffMultiplier": multiplier,
        "retryableStatusCodes": status_codes(policy, unexportable),
    });
    if let (Some(timeout), Some(retry)) = (policy.attempt_timeout(), retry.as_object_mut()) {
        retry.insert("perAttemptRecvTimeout".to_owned(), proto(timeout).into());
    }
    retry
}

/// The base, the cap and the multiplier; the multiplier of a fixed delay is 1.
fn backoff(timing: &Timing) -> (Duration, Duration, f64) {
    let (base, cap) = (timing.initial_delay(), max_delay(timing));
    match timing.backoff_type() {
        BackoffType::Fixed => (base.min(cap), base.min(cap), 1.0),
        _ => (base, cap, timing.multiplier()),
    }
}

fn status_codes(policy: &Policy, unexportable: &mut Unexportable) -> Vec<String> {
    let rules = policy.rules();
    let reason = "a service config only has status codes, like grpc:UNAVAILABLE";
    let Some(retry_on) = rules.retry_on() else {
        unexportable.add(policy, "retry_on", "the default rules", reason);
        return Vec::new();
    };
    unexportable.add_if(retry_on.is_empty(), policy, "retry_on", "an empty list", reason);
    for rule in rules.abort_on() {
        unexportable.add(policy, "abort_on", rule.as_str(), reason);
    }
    let mut codes = Vec::new();
    for rule in retry_on {
        match rule.as_str().strip_prefix("grpc:") {
            Some(code) => codes.push(code.to_ascii_uppercase()),
            None => unexportable.add(policy, "retry_on", rule.as_str(), reason),
        }
    }
    codes
}

/// The throttle, if all retrying policies have the same budget.
fn throttling(policies: &Policies, unexportable: &mut Unexportable) -> Option<Value> {
    let mut shared: Option<Option<&BudgetSettings>> = None;
    for policy in policies.iter() {
        let budget = policy.budget();
        if let Some(BudgetSettings::Rate { .. } | BudgetSettings::Ratio { .. }) = budget {
            let reason = "a service config only supports tokens: max_tokens and token_ratio";
            unexportable.add(policy, "budget", "unsupported budget", reason);
        } else if budget.is_some() || !makes_one_attempt(policy) {
            let first = *shared.get_or_insert(budget);
            let reason = "a service config has one budget for all policies";
            unexportable.add_if(first != budget, policy, "budget", "a separate budget", reason);
        }
    }
    match shared.flatten() {
        Some(BudgetSettings::Tokens { max_tokens, token_ratio }) => {
            Some(json!({ "maxTokens": max_tokens, "tokenRatio": token_ratio }))
        }
        _ => None,
    }
}

/// A duration in the JSON form of Protocol Buffers.
fn proto(time: Duration) -> String {
    let fraction = format!("{:09}", time.subsec_nanos());
    match fraction.trim_end_matches('0') {
        "" => format!("{}s", time.as_secs()),
        digits => format!("{}.{digits}s", time.as_secs()),
    }
}
