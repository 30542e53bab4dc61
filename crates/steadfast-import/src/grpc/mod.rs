//! Importer and exporter for gRPC's service config, by the public proposals A6 (retries) and A2.
//!
//! | setting (default) | policy |
//! |---|---|
//! | `maxAttempts` | `max_attempts`; gRPC makes no more than five, regardless of the setting |
//! | `initialBackoff`, `maxBackoff`, `backoffMultiplier` | `base_delay`, `max_delay`, `multiplier` |
//! | `retryableStatusCodes` | `retry_on: [grpc:…]` |
//! | `timeout` | `max_duration`: a deadline of all attempts together |
//! | `retryThrottling` | `budget` of each policy |
//! | `name` | a mapping `grpc.<service>.<method>`, with slashes for the service's dots; `{}` is `default` |
//!
//! Since August 2024, A6 multiplies each delay by a random number from 0.8 to 1.2 (before, by
//! one from 0 to 1): `jitter_type: proportional` with an amount of 0.2. A policy never waits longer
//! than its `max_delay`; where gRPC would wait up to 1.2 times `maxBackoff`, that is reported as
//! unsupported.

mod export;

use std::time::Duration;

use steadfast::GrpcCode;

use super::backoff::{self, Exponential};
use super::names;
use super::policy_builder::{PolicyBuilder, RuleList, time};
use super::reader::Reader;
use super::value::{Fields, Read, Value};

pub(super) use export::write;

/// The subsystem of the mapped names.
const SUBSYSTEM: &str = "grpc";

/// gRPC's limit; a higher number means this one.
const MAX_ATTEMPTS: u32 = 5;

/// A delay varies by a fifth in both directions.
const JITTER: f64 = 0.2;

const UNSUPPORTED_TOP: &[(&str, &str)] = &[
    ("loadBalancingConfig", "load balancing is not related to retries"),
    ("loadBalancingPolicy", "load balancing is not related to retries"),
    ("healthCheckConfig", "health checking is not related to retries"),
    ("connectionScaling", "connection scaling is not related to retries"),
];

const UNSUPPORTED_METHOD: &[(&str, &str)] = &[
    ("waitForReady", "a policy does not wait for a connection; configure the client"),
    ("maxRequestMessageBytes", "message sizes are not related to retries"),
    ("maxResponseMessageBytes", "message sizes are not related to retries"),
];

pub(super) fn read(reader: &mut Reader<'_>) {
    let Some(tree) = reader.tree() else { return };
    let Some(mut top) = reader.fields(&Value::root(&tree)) else { return };
    let throttling = top.take("retryThrottling").and_then(|value| throttling(reader, &value));
    if let Some(methods) = top.take("methodConfig") {
        let methods = reader.list(&methods);
        if let Some((value, ..)) = &throttling
            && methods.len() > 1
        {
            let reason = "each policy has its own budget; gRPC has one for all methods of a server";
            reader.unsupported_part(value, "a shared budget", reason);
        }
        for method in &methods {
            method_config(reader, method, throttling.as_ref());
        }
    }
    if let Some((value, ..)) = &throttling
        && !reader.report.policies.iter().any(|policy| policy.field("budget.max_tokens").is_some())
    {
        reader.unsupported(value, "no method has a retryPolicy to throttle");
    }
    reader.report_remaining(top, UNSUPPORTED_TOP);
}

/// The budget: its tokens, and the refund of a success.
fn throttling<'t>(reader: &mut Reader<'_>, value: &Value<'t>) -> Option<(Value<'t>, u32, f64)> {
    let mut fields = reader.fields(value)?;
    let tokens = required(reader, &mut fields, "maxTokens").and_then(|v| reader.count(&v));
    let ratio = required(reader, &mut fields, "tokenRatio").and_then(|v| reader.number(&v));
    reader.report_remaining(fields, &[]);
    Some((value.clone(), tokens?, ratio?))
}

fn required<'t>(
    reader: &mut Reader<'_>,
    fields: &mut Fields<'t>,
    name: &'static str,
) -> Option<Value<'t>> {
    let value = fields.take(name);
    if value.is_none() {
        reader.missing(fields, name, "gRPC requires it");
    }
    value
}

/// A service and a method; `None` matches all.
type Name = (Option<String>, Option<String>);

fn method_config(
    reader: &mut Reader<'_>,
    value: &Value<'_>,
    throttling: Option<&(Value<'_>, u32, f64)>,
) {
    let Some(mut fields) = reader.fields(value) else { return };
    let names = match fields.take("name") {
        Some(names) => {
            reader.list(&names).iter().filter_map(|name| read_name(reader, name)).collect()
        }
        None => Vec::new(),
    };
    if names.is_empty() {
        let hint = r#"name its methods, like [{"service": "a.B"}], or all, like [{}]"#;
        reader.missing(&fields, "name", hint);
    }
    let mut policy = PolicyBuilder::new(&policy_id(&names), value);
    match fields.take("retryPolicy") {
        Some(retry) => {
            retry_policy(reader, &retry, &mut policy);
            if let Some((from, tokens, ratio)) = throttling {
                policy.set("budget.max_tokens", *tokens, Some(from));
                policy.set("budget.token_ratio", *ratio, Some(from));
            }
        }
        // A method configured without one is not retried, even if its service has one.
        None => policy.set("enabled", false, None),
    }
    if let Some(hedging) = fields.take("hedgingPolicy") {
        reader.unsupported(&hedging, "hedging is not supported; use a retryPolicy");
    }
    if let Some(limit) = reader.read(fields.take("timeout"), Reader::proto_duration) {
        policy.put("max_duration", limit.map(time));
    }
    reader.report_remaining(fields, UNSUPPORTED_METHOD);
    let id = reader.add_policy(policy);
    for (service, method) in &names {
        if let Some(service) = service {
            let method = method.as_deref().unwrap_or("default");
            reader.map([SUBSYSTEM, service, method], &id, value);
        }
    }
}

fn read_name(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Name> {
    let mut fields = reader.fields(value)?;
    let mut part = |name| {
        let text = fields.take(name).and_then(|value| reader.text(&value));
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let (service, method) = (part("service"), part("method"));
    reader.report_remaining(fields, &[]);
    if service.is_none() && method.is_some() {
        reader.invalid_with_hint(value, "method without a service", "add the service");
        return None;
    }
    Some((service, method))
}

/// The id of the policy for these names. One that includes the empty name is `default`.
fn policy_id(names: &[Name]) -> String {
    let for_all = names.iter().find(|(service, _)| service.is_none());
    match for_all.or(names.first()) {
        Some((Some(service), Some(method))) => {
            names::id(&format!("{}-{method}", names::last(service)))
        }
        Some((Some(service), None)) => names::id(names::last(service)),
        _ => "default".to_owned(),
    }
}

fn retry_policy(reader: &mut Reader<'_>, value: &Value<'_>, policy: &mut PolicyBuilder) {
    let Some(mut fields) = reader.fields(value) else { return };
    let attempts = required(reader, &mut fields, "maxAttempts");
    let attempts = reader.read(attempts, max_attempts);
    let base = backoff(reader, &mut fields, "initialBackoff");
    let cap = backoff(reader, &mut fields, "maxBackoff");
    let multiplier = required(reader, &mut fields, "backoffMultiplier");
    let multiplier = reader.read(multiplier, Reader::factor);
    if let Some(attempts) = &attempts {
        policy.put("max_attempts", attempts.clone());
    }
    if let Some(codes) = required(reader, &mut fields, "retryableStatusCodes") {
        policy.set("retry_on", status_codes(reader, &codes), Some(&codes));
    }
    let limit = reader.read(fields.take("perAttemptRecvTimeout"), Reader::proto_duration);
    if let Some(limit) = limit {
        policy.put("attempt_timeout", limit.map(time));
    }
    reader.report_remaining(fields, &[]);
    let (Some(attempts), Some(base), Some(cap), Some(multiplier)) =
        (attempts, base, cap, multiplier)
    else {
        return;
    };
    let retries = attempts.value.saturating_sub(1);
    let longest = backoff::max_delay(base.value, multiplier.value.max(1.0), retries).min(cap.value);
    if let Some(value) = &cap.from
        && longest.mul_f64(1.0 + JITTER) > cap.value
    {
        let reason = "gRPC waits up to 1.2 times maxBackoff, a policy up to its max_delay";
        reader.unsupported_part(value, "jitter above the cap", reason);
    }
    Exponential { base, multiplier, cap: cap.map(Some), retries }.write(policy);
    policy.set("jitter_type", "proportional", None);
    policy.set("jitter_amount", JITTER, None);
}

fn max_attempts(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<u32> {
    let attempts = reader.count(value)?;
    if attempts < 2 {
        let hint = "gRPC requires 2 or more; omit the retryPolicy for one attempt";
        reader.invalid_with_hint(value, format!("must be at least 2, not {attempts}"), hint);
        return None;
    }
    if attempts > MAX_ATTEMPTS {
        let reason = "gRPC caps maxAttempts at 5; imported as 5";
        reader.unsupported(value, reason);
    }
    Some(attempts.min(MAX_ATTEMPTS))
}

fn backoff<'t>(
    reader: &mut Reader<'_>,
    fields: &mut Fields<'t>,
    name: &'static str,
) -> Option<Read<'t, Duration>> {
    let value = required(reader, fields, name);
    reader.read(value, |reader, value| {
        let backoff = reader.proto_duration(value)?;
        if backoff.is_zero() {
            reader.invalid(value, "must be greater than 0s");
        }
        (!backoff.is_zero()).then_some(backoff)
    })
}

fn status_codes(reader: &mut Reader<'_>, value: &Value<'_>) -> RuleList {
    let mut rules = RuleList::default();
    let codes = reader.list(value);
    if codes.is_empty() && value.is_list() {
        reader.invalid_with_hint(value, "the list is empty", "name one, like UNAVAILABLE");
    }
    for code in &codes {
        let parsed = match code.as_text() {
            Some(name) if name.bytes().any(|byte| byte.is_ascii_alphabetic()) => {
                GrpcCode::named(name)
            }
            _ => reader.count(code).and_then(|number| GrpcCode::from_number(number as i32)),
        };
        match parsed {
            Some(code) => {
                rules.add(&format!("grpc:{}", code.name()));
            }
            None => {
                let names: Vec<_> = (0..=16).filter_map(GrpcCode::from_number).collect();
                let names: Vec<_> = names.into_iter().map(GrpcCode::name).collect();
                let name = reader.number_or_text(code).unwrap_or_default();
                reader.unknown_name(code, &name, &names);
            }
        }
    }
    rules
}
