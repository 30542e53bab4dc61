//! gRPC's service config, by the public proposals A6 (retries) and A2.
//!
//! | there | here |
//! |---|---|
//! | `maxAttempts` | `max_attempts`; gRPC makes no more than five, whatever is written |
//! | `initialBackoff`, `maxBackoff`, `backoffMultiplier` | `base_delay`, `max_delay`, `multiplier` |
//! | `retryableStatusCodes` | `retry_on: [grpc:…]` |
//! | `timeout` | `max_duration`: a deadline of all attempts together |
//! | `retryThrottling` | `budget` of each policy |
//! | `name` | a mapping `grpc.<service>.<method>`, with slashes for the service's dots; `{}` is `default` |
//!
//! Since August 2024, A6 multiplies each delay by a random number from 0.8 to 1.2 (before, by
//! one from 0 to 1). Here jitter only shortens, so it becomes `full` with an amount of 0.2,
//! and what is longer is listed as lost.

mod export;

use std::time::Duration;

use super::backoff::Exponential;
use super::names;
use super::new_policy::{NewPolicy, RuleList, count, time, word};
use super::reader::Reader;
use super::value::{Fields, Spelling, Value};
use steadfast::GrpcCode;
use steadfast::policy::Setting;

pub(super) use export::write;

/// What a name of a method is mapped under.
const SUBSYSTEM: &str = "grpc";

/// gRPC takes a higher number for this one.
const MOST_ATTEMPTS: u32 = 5;

/// Jitter of a fifth, less or more.
const JITTER: f64 = 0.2;

const OTHER_TOP: &[(&str, &str)] = &[
    ("loadBalancingConfig", "choosing a server says nothing about retrying"),
    ("loadBalancingPolicy", "choosing a server says nothing about retrying"),
    ("healthCheckConfig", "checking a server's health says nothing about retrying"),
    ("connectionScaling", "connections say nothing about retrying"),
];

const OTHER_METHOD: &[(&str, &str)] = &[
    ("waitForReady", "a call here does not wait for a connection; the client has to"),
    ("maxRequestMessageBytes", "sizes of messages say nothing about retrying"),
    ("maxResponseMessageBytes", "sizes of messages say nothing about retrying"),
];

pub(super) fn read(reader: &mut Reader<'_>) {
    let Some(tree) = reader.tree() else { return };
    let Some(mut top) = reader.fields(&Value::root(&tree), Spelling::Exact) else { return };
    let throttling = top.take("retryThrottling").and_then(|value| throttling(reader, &value));
    if let Some(methods) = top.take("methodConfig") {
        let methods = reader.list(&methods);
        if let Some((value, ..)) = &throttling
            && methods.len() > 1
        {
            let why = "each policy has a budget of its own, gRPC one for all methods of a server";
            reader.lose_what(value, "one budget for all", why);
        }
        for method in &methods {
            method_config(reader, method, throttling.as_ref());
        }
    }
    if let Some((value, ..)) = &throttling
        && !reader
            .imported
            .policies
            .iter()
            .any(|policy| policy.field("budget.max_tokens").is_some())
    {
        reader.lose(value, "no method has a retryPolicy that it could throttle");
    }
    reader.leave(top, OTHER_TOP);
}

/// The tokens, and what a success gives back.
fn throttling<'t>(reader: &mut Reader<'_>, value: &Value<'t>) -> Option<(Value<'t>, u32, f64)> {
    let mut fields = reader.fields(value, Spelling::Exact)?;
    let tokens = required(reader, &mut fields, "maxTokens").and_then(|v| reader.count(&v));
    let ratio = required(reader, &mut fields, "tokenRatio").and_then(|v| reader.number(&v));
    reader.leave(fields, &[]);
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

/// A service and a method of it, each of which may be left open.
type Name = (Option<String>, Option<String>);

fn method_config(
    reader: &mut Reader<'_>,
    value: &Value<'_>,
    throttling: Option<&(Value<'_>, u32, f64)>,
) {
    let Some(mut fields) = reader.fields(value, Spelling::Exact) else { return };
    let names = match fields.take("name") {
        Some(names) => {
            reader.list(&names).iter().filter_map(|name| read_name(reader, name)).collect()
        }
        None => Vec::new(),
    };
    if names.is_empty() {
        let next = r#"name its methods, like [{"service": "a.B"}], or all, like [{}]"#;
        reader.missing(&fields, "name", next);
    }
    let mut policy = NewPolicy::new(&policy_id(&names), value);
    match fields.take("retryPolicy") {
        Some(retry) => {
            retry_policy(reader, &retry, &mut policy);
            if let Some((from, tokens, ratio)) = throttling {
                policy.set("budget.max_tokens", count(*tokens), from);
                policy.set("budget.token_ratio", Setting::Number(*ratio), from);
            }
        }
        // A method that is configured without one is not retried, whatever its service says.
        None => policy.default("enabled", Setting::Bool(false)),
    }
    if let Some(hedging) = fields.take("hedgingPolicy") {
        reader.lose(&hedging, "attempts do not overlap here; write a retryPolicy");
    }
    if let Some(timeout) = fields.take("timeout")
        && let Some(longest) = reader.proto_duration(&timeout)
    {
        policy.set("max_duration", time(longest), &timeout);
    }
    reader.leave(fields, OTHER_METHOD);
    let id = reader.add_policy(policy);
    for (service, method) in &names {
        if let Some(service) = service {
            let method = method.as_deref().unwrap_or("default");
            reader.map([SUBSYSTEM, service, method], &id, value);
        }
    }
}

fn read_name(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Name> {
    let mut fields = reader.fields(value, Spelling::Exact)?;
    let mut part = |name| {
        let text = fields.take(name).and_then(|value| reader.text(&value));
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let (service, method) = (part("service"), part("method"));
    reader.leave(fields, &[]);
    if service.is_none() && method.is_some() {
        reader.wrong_but(
            value,
            "a method without its service".to_owned(),
            "write the service, too",
        );
        return None;
    }
    Some((service, method))
}

/// One that is for all names, among others, is found as the policy `default` alone.
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

fn retry_policy(reader: &mut Reader<'_>, value: &Value<'_>, policy: &mut NewPolicy) {
    let Some(mut fields) = reader.fields(value, Spelling::Exact) else { return };
    let attempts = required(reader, &mut fields, "maxAttempts");
    let attempts = attempts.and_then(|value| max_attempts(reader, &value, policy));
    let base = backoff(reader, &mut fields, "initialBackoff");
    let cap = backoff(reader, &mut fields, "maxBackoff");
    let multiplier = required(reader, &mut fields, "backoffMultiplier");
    let multiplier = multiplier.and_then(|value| Some((reader.factor(&value)?, value)));
    if let Some(codes) = required(reader, &mut fields, "retryableStatusCodes") {
        policy.set("retry_on", status_codes(reader, &codes).setting(), &codes);
    }
    if let Some(timeout) = fields.take("perAttemptRecvTimeout")
        && let Some(longest) = reader.proto_duration(&timeout)
    {
        policy.set("attempt_timeout", time(longest), &timeout);
    }
    reader.leave(fields, &[]);
    let (Some(attempts), Some((base, base_at)), Some((cap, cap_at)), Some((multiplier, at))) =
        (attempts, base, cap, multiplier)
    else {
        return;
    };
    let retries = attempts.saturating_sub(1);
    let from = [Some(&base_at), Some(&at), Some(&cap_at)];
    Exponential { base, multiplier, cap: Some(cap), retries, from }.write(policy);
    policy.default("jitter_type", word("full"));
    policy.default("jitter_amount", Setting::Number(JITTER));
    let why = "gRPC waits from 0.8 to 1.2 times the delay, a policy from 0.8 times to the delay";
    reader.lose_what(&base_at, "jitter that lengthens", why);
}

fn max_attempts(reader: &mut Reader<'_>, value: &Value<'_>, policy: &mut NewPolicy) -> Option<u32> {
    let attempts = reader.count(value)?;
    if attempts < 2 {
        let next = "gRPC needs 2 or more; leave the retryPolicy out for one attempt";
        reader.wrong_but(value, format!("{attempts} is below 2"), next);
        return None;
    }
    if attempts > MOST_ATTEMPTS {
        let why = "gRPC makes at most 5 attempts, and so does the policy";
        reader.lose(value, why);
    }
    let attempts = attempts.min(MOST_ATTEMPTS);
    policy.set("max_attempts", count(attempts), value);
    Some(attempts)
}

fn backoff<'t>(
    reader: &mut Reader<'_>,
    fields: &mut Fields<'t>,
    name: &'static str,
) -> Option<(Duration, Value<'t>)> {
    let value = required(reader, fields, name)?;
    let backoff = reader.proto_duration(&value)?;
    if backoff.is_zero() {
        reader.wrong(&value, format!("{name} must be longer than 0s"));
        return None;
    }
    Some((backoff, value))
}

fn status_codes(reader: &mut Reader<'_>, value: &Value<'_>) -> RuleList {
    let mut rules = RuleList::default();
    let codes = reader.list(value);
    if codes.is_empty() && value.is_list() {
        reader.wrong_but(value, "no code is retried".to_owned(), "name one, like UNAVAILABLE");
    }
    for code in &codes {
        let known = match code.as_text() {
            Some(name) if name.bytes().any(|byte| byte.is_ascii_alphabetic()) => {
                GrpcCode::named(name)
            }
            _ => reader.count(code).and_then(|number| GrpcCode::from_number(number as i32)),
        };
        match known {
            Some(code) => {
                rules.add(&format!("grpc:{}", code.name()));
            }
            None => {
                let names: Vec<_> = (0..=16).filter_map(GrpcCode::from_number).collect();
                let names: Vec<_> = names.into_iter().map(GrpcCode::name).collect();
                let wrong = reader.number_or_text(code).unwrap_or_default();
                reader.none_of(code, &wrong, &names);
            }
        }
    }
    rules
}
