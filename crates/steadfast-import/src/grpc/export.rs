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
    let mut shared = None;
    for policy in policies.iter() {
        unexportable.start(policy, "a service config");
        methods.push(method_config(policies, policy, &mut unexportable));
        check_budget(policy, &mut shared, &mut unexportable);
    }
    if let Some(Some(BudgetSettings::Tokens { max_tokens, token_ratio })) = shared {
        let throttling = json!({ "maxTokens": max_tokens, "tokenRatio": token_ratio });
        config.insert("retryThrottling".to_owned(), throttling);
    }
    config.insert("methodConfig".to_owned(), methods.into());
    let text = serde_json::to_string_pretty(&Value::Object(config)).unwrap_or_default();
    unexportable.into_result(text + "\n")
}

fn method_config(policies: &Policies, policy: &Policy, unexportable: &mut Unexportable) -> Value {
    if policy.breaker().is_some() {
        unexportable.add("breaker", "a breaker", "not supported by a service config");
    }
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
                let reason = "cannot be exported: only names under grpc can be";
                unexportable.add("", mapped.name.as_str(), reason);
            }
        }
    }
    if names.is_empty() {
        let reason = "map grpc.<service>.<method> to it, with slashes for the dots in <service>";
        unexportable.add("", "no method is mapped to this policy", reason);
    }
    names.into()
}

fn retry_policy(policy: &Policy, unexportable: &mut Unexportable) -> Value {
    let timing = policy.timing();
    if policy.max_attempts() > MAX_ATTEMPTS {
        let what = format!("{} attempts", policy.max_attempts());
        unexportable.add("max_attempts", what, "gRPC makes at most 5");
    }
    if timing.jitter() != Jitter::Proportional || timing.jitter_amount() != JITTER {
        let reason = "gRPC requires jitter_type proportional with jitter_amount 0.2";
        unexportable.add("jitter", "unsupported jitter", reason);
    }
    let (base, cap, multiplier) = backoff(timing);
    if matches!(
        timing.backoff_type(),
        BackoffType::Linear | BackoffType::Fibonacci | BackoffType::Custom
    ) {
        let reason = "gRPC only supports exponential backoff";
        unexportable.add("backoff_type", "unsupported backoff", reason);
    }
    if base.is_zero() {
        unexportable.add("base_delay", "zero delay", "gRPC requires a delay longer than 0s");
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
    let reason = "cannot be exported: only gRPC status codes can be, such as grpc:UNAVAILABLE";
    let set = "cannot be exported; set retry_on to gRPC status codes, such as grpc:UNAVAILABLE";
    let Some(retry_on) = rules.retry_on() else {
        unexportable.add("retry_on", "the default rules", set);
        return Vec::new();
    };
    unexportable.add_all(&[(retry_on.is_empty(), "retry_on", "an empty list")], set);
    for rule in rules.abort_on() {
        unexportable.add("abort_on", rule.as_str(), reason);
    }
    let mut codes = Vec::new();
    for rule in retry_on {
        match rule.as_str().strip_prefix("grpc:") {
            Some(code) => codes.push(code.to_ascii_uppercase()),
            None => unexportable.add("retry_on", rule.as_str(), reason),
        }
    }
    codes
}

/// All retrying policies must share one budget of tokens.
fn check_budget<'p>(
    policy: &'p Policy,
    shared: &mut Option<Option<&'p BudgetSettings>>,
    unexportable: &mut Unexportable,
) {
    let budget = policy.budget();
    if let Some(BudgetSettings::Rate { .. } | BudgetSettings::Ratio { .. }) = budget {
        let reason = "a service config only supports tokens: max_tokens and token_ratio";
        unexportable.add("budget", "unsupported budget", reason);
    } else if (budget.is_some() || !makes_one_attempt(policy))
        && *shared.get_or_insert(budget) != budget
    {
        let reason = "a service config has one budget for all policies";
        unexportable.add("budget", "a separate budget", reason);
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
