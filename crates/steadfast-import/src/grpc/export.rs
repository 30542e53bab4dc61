//! Policies as a service config.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{JITTER, MOST_ATTEMPTS, SUBSYSTEM};
use crate::export::{Refusals, makes_one_attempt};
use crate::imported::Lost;
use steadfast::file::Policies;
use steadfast::guard::BudgetSettings;
use steadfast::policy::{BackoffType, Jitter, Policy, Timing};

pub(crate) fn write(policies: &Policies) -> Result<String, Vec<Lost>> {
    let mut refusals = Refusals::default();
    let mut config = Map::new();
    let mut methods = Vec::new();
    for policy in policies.iter() {
        methods.push(method_config(policies, policy, &mut refusals));
    }
    if let Some(throttling) = throttling(policies, &mut refusals) {
        config.insert("retryThrottling".to_owned(), throttling);
    }
    config.insert("methodConfig".to_owned(), methods.into());
    let text = serde_json::to_string_pretty(&Value::Object(config)).unwrap_or_default();
    refusals.or(text + "\n")
}

fn method_config(policies: &Policies, policy: &Policy, refusals: &mut Refusals) -> Value {
    refusals.add_common(policy, "a service config");
    let why = "a service config has no breaker";
    refusals.add_if(policy.breaker().is_some(), policy, "breaker", "a breaker", why);
    let mut config = Map::new();
    config.insert("name".to_owned(), names(policies, policy, refusals));
    if let Some(timeout) = policy.max_duration() {
        config.insert("timeout".to_owned(), proto(timeout).into());
    }
    if !makes_one_attempt(policy) {
        config.insert("retryPolicy".to_owned(), retry_policy(policy, refusals));
    }
    config.into()
}

/// The names that are mapped to a policy; `default` is for all others.
fn names(policies: &Policies, policy: &Policy, refusals: &mut Refusals) -> Value {
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
                let why = "a service config knows names under `grpc` alone";
                refusals.add(policy, "", format!("the mapping of {}", mapped.name), why);
            }
        }
    }
    if names.is_empty() {
        let why = "map a name grpc.<service>.<method> to it, with slashes for dots";
        refusals.add(policy, "", "a policy without a method", why);
    }
    names.into()
}

fn retry_policy(policy: &Policy, refusals: &mut Refusals) -> Value {
    let timing = policy.timing();
    if policy.max_attempts() > MOST_ATTEMPTS {
        let what = format!("{} attempts", policy.max_attempts());
        refusals.add(policy, "max_attempts", what, "gRPC makes at most 5");
    }
    if timing.jitter() != Jitter::Full || timing.jitter_amount() != JITTER {
        let why = "gRPC's is a fifth: jitter_type full with jitter_amount 0.2";
        refusals.add(policy, "jitter", "this jitter", why);
    }
    let (base, cap, multiplier) = backoff(timing);
    if matches!(timing.backoff_type(), BackoffType::Linear | BackoffType::Custom) {
        let why = "gRPC's delays are exponential";
        refusals.add(policy, "backoff_type", "other delays", why);
    }
    if base.is_zero() {
        refusals.add(policy, "base_delay", "no delay", "gRPC's delays are longer than 0s");
    }
    let mut retry = json!({
        "maxAttempts": policy.max_attempts(),
        "initialBackoff": proto(base),
        "maxBackoff": proto(cap),
        "backoffMultiplier": multiplier,
        "retryableStatusCodes": status_codes(policy, refusals),
    });
    if let (Some(timeout), Some(retry)) = (policy.attempt_timeout(), retry.as_object_mut()) {
        retry.insert("perAttemptRecvTimeout".to_owned(), proto(timeout).into());
    }
    retry
}

/// A fixed delay grows by 1.
fn backoff(timing: &Timing) -> (Duration, Duration, f64) {
    let (base, cap) = (timing.initial_delay(), crate::export::max_delay(timing));
    match timing.backoff_type() {
        BackoffType::Fixed => (base.min(cap), base.min(cap), 1.0),
        _ => (base, cap, timing.multiplier()),
    }
}

fn status_codes(policy: &Policy, refusals: &mut Refusals) -> Vec<String> {
    let rules = policy.rules();
    let why = "a service config knows status codes alone, like grpc:UNAVAILABLE";
    let Some(retry_on) = rules.retry_on() else {
        refusals.add(policy, "retry_on", "the default rules", why);
        return Vec::new();
    };
    refusals.add_if(retry_on.is_empty(), policy, "retry_on", "no rule", why);
    for rule in rules.abort_on() {
        refusals.add(policy, "abort_on", rule.as_str(), why);
    }
    let mut codes = Vec::new();
    for rule in retry_on {
        match rule.as_str().strip_prefix("grpc:") {
            Some(code) => codes.push(code.to_ascii_uppercase()),
            None => refusals.add(policy, "retry_on", rule.as_str(), why),
        }
    }
    codes
}

/// One throttle for all that retry, or none at all.
fn throttling(policies: &Policies, refusals: &mut Refusals) -> Option<Value> {
    let mut common: Option<Option<&BudgetSettings>> = None;
    for policy in policies.iter() {
        let budget = policy.budget();
        if let Some(BudgetSettings::Rate { .. } | BudgetSettings::Ratio { .. }) = budget {
            let why = "a service config has tokens alone: max_tokens and token_ratio";
            refusals.add(policy, "budget", "this budget", why);
        } else if budget.is_some() || !makes_one_attempt(policy) {
            let first = *common.get_or_insert(budget);
            let why = "a service config has one for all policies";
            refusals.add_if(first != budget, policy, "budget", "a budget of its own", why);
        }
    }
    match common.flatten() {
        Some(BudgetSettings::Tokens { max_tokens, token_ratio }) => {
            Some(json!({ "maxTokens": max_tokens, "tokenRatio": token_ratio }))
        }
        _ => None,
    }
}

/// Seconds, with an `s` behind.
fn proto(time: Duration) -> String {
    let fraction = format!("{:09}", time.subsec_nanos());
    match fraction.trim_end_matches('0') {
        "" => format!("{}s", time.as_secs()),
        digits => format!("{}.{digits}s", time.as_secs()),
    }
}
