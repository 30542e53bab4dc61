//! Importer for Envoy's retry policy: of a route, of a virtual host, or alone.
//!
//! | setting (default) | policy |
//! |---|---|
//! | `num_retries` (1) | `max_retries` |
//! | `retry_back_off.base_interval` (25 ms), `max_interval` (ten times that) | `base_delay`, `max_delay` |
//! | `per_try_timeout` | `attempt_timeout` |
//! | `timeout` of the route (15 s) | `max_duration` |
//! | `retry_on`, `retriable_status_codes` | `retry_on` |
//! | `rate_limited_retry_back_off.max_interval` | `max_hint` |
//!
//! Each delay is a random fraction of an interval that doubles: `jitter: full`. Envoy's manual
//! documents the intervals as 1, 3, 7 … times the base; the proxy itself doubles them, 1, 2, 4 …,
//! and the policy follows the proxy.

use std::time::Duration;

use super::backoff::Exponential;
use super::names;
use super::policy_builder::{PolicyBuilder, RuleList, time};
use super::reader::Reader;
use super::value::{Fields, Read, Value, contains_key};

const SUBSYSTEM: &str = "envoy";
const NUM_RETRIES: u32 = 1;
const BASE_INTERVAL: Duration = Duration::from_millis(25);
const ROUTE_TIMEOUT: Duration = Duration::from_secs(15);
const MAX_RESET_INTERVAL: Duration = Duration::from_secs(300);

const NOT_RETRYING: &str = "not related to retries";
const NO_HOSTS: &str = "a policy does not select hosts";

const UNSUPPORTED: &[(&str, &str)] = &[
    ("retry_priority", NO_HOSTS),
    ("retry_host_predicate", NO_HOSTS),
    ("host_selection_retry_max_attempts", NO_HOSTS),
    ("retry_options_predicates", "an extension of the proxy"),
    ("per_try_idle_timeout", "an attempt has only one timeout, per_try_timeout"),
    ("retriable_headers", "a rule cannot match response headers; classify in code"),
    ("retriable_request_headers", "a policy does not match requests; choose them in the caller"),
];

/// The conditions of `retry_on` and the equivalent rules.
const CONDITIONS: &[(&str, &[&str])] = &[
    ("5xx", &["5xx", "connection", "timeout"]),
    ("gateway-error", &["502", "503", "504", "connection", "timeout"]),
    (
        "reset",
        &["connection_reset", "connection_aborted", "broken_pipe", "unexpected_eof", "timeout"],
    ),
    ("reset-before-request", &["connection_reset"]),
    ("connect-failure", &["connection_refused", "unreachable", "connection_failed"]),
    ("envoy-ratelimited", &["429"]),
    ("retriable-4xx", &["409"]),
    ("refused-stream", &[]),
    ("retriable-status-codes", &[]),
    ("retriable-headers", &[]),
    ("http3-post-connect-failure", &[]),
    ("cancelled", &["grpc:CANCELLED"]),
    ("deadline-exceeded", &["grpc:DEADLINE_EXCEEDED"]),
    ("internal", &["grpc:INTERNAL"]),
    ("resource-exhausted", &["grpc:RESOURCE_EXHAUSTED"]),
    ("unavailable", &["grpc:UNAVAILABLE"]),
];

pub(super) fn read(reader: &mut Reader<'_>) {
    let Some(tree) = reader.tree() else { return };
    let root = Value::root(&tree);
    let policy_keys = ["retry_on", "retryOn", "num_retries", "numRetries", "retry_back_off"];
    if policy_keys.iter().any(|key| root.get(key).is_some()) {
        policy(reader, &root, "retry", None);
        return;
    }
    if !root.is_map() && !root.is_list() {
        return reader.invalid(&root, "not a route configuration");
    }
    visit(reader, &root, &Location::default());
}

/// The host and route of a policy.
#[derive(Clone, Default)]
struct Location<'t> {
    host: Option<&'t str>,
    route: Option<String>,
    /// The path of the name that was read.
    name_path: Option<String>,
}

impl Location<'_> {
    fn is_name(&self, value: &Value<'_>) -> bool {
        self.name_path.as_ref() == Some(&value.path)
    }
}

/// Searches for policies, and reports everything else.
fn visit<'t>(reader: &mut Reader<'_>, value: &Value<'t>, location: &Location<'t>) {
    for item in value.items() {
        if contains_key(item.node, &is_policy) {
            visit(reader, &item, location);
        } else {
            reader.unsupported(&item, NOT_RETRYING);
        }
    }
    let has_policy = value.entries().iter().any(|entry| is_policy(entry.key));
    for entry in value.entries() {
        match entry.key {
            key if is_policy(key) => mapped(reader, value, &entry, location),
            "virtual_hosts" | "virtualHosts" => named(reader, &entry, location, true),
            "routes" => named(reader, &entry, location, false),
            "timeout" if has_policy => {}
            "name" if location.is_name(&entry) => {}
            _ if contains_key(entry.node, &is_policy) => visit(reader, &entry, location),
            _ => reader.unsupported(&entry, NOT_RETRYING),
        }
    }
}

fn is_policy(key: &str) -> bool {
    matches!(key, "retry_policy" | "retryPolicy")
}

/// Reads a list of hosts or routes. A route without a name is called by its number.
fn named<'t>(reader: &mut Reader<'_>, list: &Value<'t>, location: &Location<'t>, hosts: bool) {
    for (item, number) in reader.list(list).iter().zip(1..) {
        let name = item.get("name");
        let text = name.as_ref().and_then(|name| name.as_text());
        let name_path = name.as_ref().map(|name| name.path.clone());
        let location = if hosts {
            Location { host: text, route: None, name_path }
        } else {
            let route = text.map_or_else(|| format!("route-{number}"), str::to_owned);
            Location { host: location.host, route: Some(route), name_path }
        };
        if contains_key(item.node, &is_policy) {
            visit(reader, item, &location);
        } else {
            reader.unsupported_part(item, "host or route without a retry policy", NOT_RETRYING);
        }
    }
}

fn mapped(reader: &mut Reader<'_>, around: &Value<'_>, value: &Value<'_>, location: &Location<'_>) {
    let host = location.host.unwrap_or("retry");
    let (name, case) = match &location.route {
        Some(route) => (format!("{host}-{route}"), route.as_str()),
        None => (host.to_owned(), "default"),
    };
    let is_route = location.route.is_some() || around.get("timeout").is_some();
    let route = is_route.then_some(around);
    let id = policy(reader, value, &names::id(&name), route);
    reader.map([SUBSYSTEM, host, case], &id, value);
}

fn policy(
    reader: &mut Reader<'_>,
    value: &Value<'_>,
    id: &str,
    route: Option<&Value<'_>>,
) -> String {
    let mut policy = PolicyBuilder::new(id, value);
    if let Some(mut fields) = reader.fields(value) {
        let retries = reader.read_or(fields.take("num_retries"), Reader::count, NUM_RETRIES);
        let number = retries.value;
        policy.put("max_retries", retries);
        back_off(reader, &mut fields, &mut policy, number);
        let timeout = reader.read(fields.take("per_try_timeout"), Reader::proto_duration);
        if let Some(timeout) = timeout.filter(|timeout| !timeout.value.is_zero()) {
            policy.put("attempt_timeout", timeout.map(time));
        }
        conditions(reader, &mut fields, &mut policy);
        rate_limited(reader, &mut fields, &mut policy);
        reader.report_remaining(fields, UNSUPPORTED);
    }
    if let Some(route) = route {
        route_timeout(reader, route, &mut policy);
    }
    reader.add_policy(policy)
}

fn back_off(
    reader: &mut Reader<'_>,
    fields: &mut Fields<'_>,
    policy: &mut PolicyBuilder,
    retries: u32,
) {
    let (mut base, mut cap) = (None, None);
    if let Some(value) = fields.take("retry_back_off")
        && let Some(mut back_off) = reader.fields(&value)
    {
        base = back_off.take("base_interval");
        cap = back_off.take("max_interval");
        if base.is_none() {
            reader.missing(&back_off, "base_interval", "Envoy requires it");
        }
        reader.report_remaining(back_off, &[]);
    }
    let base = reader.read_or(base, Reader::proto_duration, BASE_INTERVAL);
    let cap = reader.read_or(cap, Reader::proto_duration, base.value.saturating_mul(10));
    if let Some(from) = &cap.from
        && cap.value < base.value
    {
        reader.invalid(from, "max_interval is shorter than base_interval");
    }
    let multiplier = Read { value: 2.0, from: None };
    Exponential { base, multiplier, cap: cap.map(Some), retries }.write(policy);
    policy.set("jitter", "full", None);
}

fn conditions(reader: &mut Reader<'_>, fields: &mut Fields<'_>, policy: &mut PolicyBuilder) {
    let mut rules = RuleList::default();
    let codes = fields.take("retriable_status_codes");
    let conditions = fields.take("retry_on");
    let text = conditions.as_ref().and_then(|value| reader.text(value)).unwrap_or_default();
    let words: Vec<_> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    for word in &words {
        match CONDITIONS.iter().find(|(name, _)| name == word) {
            Some((_, equivalent)) => equivalent.iter().for_each(|rule| {
                rules.add(rule);
            }),
            None => {
                let names: Vec<_> = CONDITIONS.iter().map(|(word, _)| *word).collect();
                if let Some(value) = &conditions {
                    reader.unknown_name(value, word, &names);
                }
            }
        }
        if let (Some(value), Some(reason)) = (&conditions, difference(word, &words)) {
            reader.unsupported_part(value, *word, reason);
        }
    }
    if let Some(codes) = &codes {
        status_codes(reader, codes, words.contains(&"retriable-status-codes"), &mut rules);
    }
    policy.set("retry_on", rules, conditions.as_ref());
}

/// The part of a condition that its rules do not express.
fn difference(word: &str, words: &[&str]) -> Option<&'static str> {
    let in_5xx = words.contains(&"5xx") || words.contains(&"gateway-error");
    match word {
        "refused-stream" if !in_5xx => {
            Some("a refused stream has no rule; the nearest is `connection`")
        }
        "connect-failure" if !in_5xx => {
            Some("a connect timeout has no rule of its own; the nearest is `timeout`")
        }
        "reset-before-request" => {
            Some("a rule cannot tell whether the request was sent; every reset is retried")
        }
        "envoy-ratelimited" => {
            Some("a rule cannot match the header x-envoy-ratelimited; the nearest is 429")
        }
        "retriable-headers" => Some("a rule cannot match response headers; classify in code"),
        "http3-post-connect-failure" => Some("HTTP/3 failures have no rule"),
        _ => None,
    }
}

/// The status codes, which Envoy ignores without `retriable-status-codes` in `retry_on`.
fn status_codes(reader: &mut Reader<'_>, codes: &Value<'_>, wanted: bool, rules: &mut RuleList) {
    if !wanted {
        let reason = "ignored by Envoy unless retry_on has retriable-status-codes";
        return reader.unsupported(codes, reason);
    }
    for code in reader.list(codes) {
        let Some(number) = reader.count(&code) else { continue };
        if !rules.add(&number.to_string()) {
            reader.invalid(&code, format!("{number} is not an HTTP status code"));
        }
    }
}

fn rate_limited(reader: &mut Reader<'_>, fields: &mut Fields<'_>, policy: &mut PolicyBuilder) {
    let Some(value) = fields.take("rate_limited_retry_back_off") else { return };
    let Some(mut limits) = reader.fields(&value) else { return };
    let longest = limits.take("max_interval");
    let longest = reader.read_or(longest, Reader::proto_duration, MAX_RESET_INTERVAL);
    policy.put("max_hint", longest.map(time));
    let reason = "a longer hint ends the session; Envoy falls back to its own delays";
    reader.unsupported_part(&value, "behavior after a hint above the limit", reason);
    if let Some(headers) = limits.take("reset_headers") {
        for header in reader.list(&headers) {
            reset_header(reader, &header);
        }
    }
    reader.report_remaining(limits, &[]);
}

/// Every policy honours `Retry-After` and the rate-limit headers.
fn reset_header(reader: &mut Reader<'_>, value: &Value<'_>) {
    let Some(mut fields) = reader.fields(value) else { return };
    let name = fields.take("name").and_then(|name| reader.text(&name)).unwrap_or_default();
    let format = fields.take("format");
    let formats = ["SECONDS", "UNIX_TIMESTAMP"];
    let format = format.and_then(|format| reader.one_of(&format, &formats));
    let is_honoured = match name.to_ascii_lowercase().as_str() {
        "retry-after" | "ratelimit-reset" => format != Some("UNIX_TIMESTAMP"),
        "x-ratelimit-reset" => true,
        _ => false,
    };
    if !is_honoured {
        let what = format!("the header {}", names::excerpt(name));
        let reason =
            "only Retry-After and RateLimit-Reset, in seconds, and X-RateLimit-Reset are supported";
        reader.unsupported_part(value, what, reason);
    }
    reader.report_remaining(fields, &[]);
}

/// The route's timeout, which spans all attempts; 0 means unlimited.
fn route_timeout(reader: &mut Reader<'_>, route: &Value<'_>, policy: &mut PolicyBuilder) {
    let timeout = match route.get("timeout") {
        None => Some(Read { value: ROUTE_TIMEOUT, from: None }),
        setting => reader.read(setting, Reader::proto_duration),
    };
    if let Some(timeout) = timeout.filter(|timeout| !timeout.value.is_zero()) {
        policy.put("max_duration", timeout.map(time));
    }
}
