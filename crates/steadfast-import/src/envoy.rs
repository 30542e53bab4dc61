//! Envoy's retry policy: of a route, of a virtual host, or alone.
//!
//! | there | here |
//! |---|---|
//! | `num_retries` (1) | `max_retries` |
//! | `retry_back_off.base_interval` (25 ms), `max_interval` (ten times that) | `base_delay`, `max_delay` |
//! | `per_try_timeout` | `attempt_timeout` |
//! | `timeout` of the route (15 s) | `max_duration` |
//! | `retry_on`, `retriable_status_codes` | `retry_on` |
//! | `rate_limited_retry_back_off.max_interval` | `max_hint` |
//!
//! Each delay is a random part of an interval that doubles: `jitter: full`. Envoy's manual
//! gives the intervals as 1, 3, 7 … times the base; the proxy itself doubles them, 1, 2, 4 …,
//! and so does the policy.

use std::time::Duration;

use super::backoff::Exponential;
use super::names;
use super::new_policy::{NewPolicy, RuleList, count, time, word};
use super::reader::Reader;
use super::value::{Fields, Spelling, Value, holds_key};

const SUBSYSTEM: &str = "envoy";
const NUM_RETRIES: u32 = 1;
const BASE_INTERVAL: Duration = Duration::from_millis(25);
const ROUTE_TIMEOUT: Duration = Duration::from_secs(15);
const MAX_RESET_INTERVAL: Duration = Duration::from_secs(300);

const NOT_RETRYING: &str = "it says nothing about retrying";
const NO_HOSTS: &str = "a policy does not choose the host that is tried next";

const OTHER: &[(&str, &str)] = &[
    ("retry_priority", NO_HOSTS),
    ("retry_host_predicate", NO_HOSTS),
    ("host_selection_retry_max_attempts", NO_HOSTS),
    ("retry_options_predicates", "options of a retry are code of the proxy"),
    ("per_try_idle_timeout", "an attempt has one timeout, per_try_timeout"),
    ("retriable_headers", "headers of an answer are no facts; judge them in code"),
    ("retriable_request_headers", "which requests are retried is for the caller to choose"),
];

/// The words of `retry_on`, and the rules that mean the same.
const WORDS: &[(&str, &[&str])] = &[
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
    let alone = ["retry_on", "retryOn", "num_retries", "numRetries", "retry_back_off"];
    if alone.iter().any(|key| root.get(key).is_some()) {
        policy(reader, &root, "retry", None);
        return;
    }
    if !root.is_map() && !root.is_list() {
        return reader.wrong(&root, "this is not a route configuration");
    }
    visit(reader, &root, &Place::default());
}

/// Where in the routes a policy stands.
#[derive(Clone, Default)]
struct Place<'t> {
    host: Option<&'t str>,
    route: Option<String>,
    /// Where the name was read that is one of these.
    name_path: Option<String>,
}

impl Place<'_> {
    fn is_name(&self, value: &Value<'_>) -> bool {
        self.name_path.as_ref() == Some(&value.path)
    }
}

/// Looks for policies, and lists what leads to none.
fn visit<'t>(reader: &mut Reader<'_>, value: &Value<'t>, place: &Place<'t>) {
    for item in value.items() {
        if holds_key(item.node, &is_policy) {
            visit(reader, &item, place);
        } else {
            reader.lose(&item, NOT_RETRYING);
        }
    }
    let has_policy = value.entries().iter().any(|entry| is_policy(entry.key));
    for entry in value.entries() {
        match entry.key {
            key if is_policy(key) => mapped(reader, value, &entry, place),
            "virtual_hosts" | "virtualHosts" => named(reader, &entry, place, true),
            "routes" => named(reader, &entry, place, false),
            "timeout" if has_policy => {}
            "name" if place.is_name(&entry) => {}
            _ if holds_key(entry.node, &is_policy) => visit(reader, &entry, place),
            _ => reader.lose(&entry, NOT_RETRYING),
        }
    }
}

fn is_policy(key: &str) -> bool {
    matches!(key, "retry_policy" | "retryPolicy")
}

/// Hosts or routes: each has a name, or a number.
fn named<'t>(reader: &mut Reader<'_>, list: &Value<'t>, place: &Place<'t>, hosts: bool) {
    for (item, number) in reader.list(list).iter().zip(1..) {
        let name = item.get("name");
        let text = name.as_ref().and_then(|name| name.as_text());
        let name_path = name.as_ref().map(|name| name.path.clone());
        let place = if hosts {
            Place { host: text, route: None, name_path }
        } else {
            let route = text.map_or_else(|| format!("route-{number}"), str::to_owned);
            Place { host: place.host, route: Some(route), name_path }
        };
        if holds_key(item.node, &is_policy) {
            visit(reader, item, &place);
        } else {
            reader.lose_what(item, "a host or route without a retry policy", NOT_RETRYING);
        }
    }
}

fn mapped(reader: &mut Reader<'_>, around: &Value<'_>, value: &Value<'_>, place: &Place<'_>) {
    let host = place.host.unwrap_or("retry");
    let (name, case) = match &place.route {
        Some(route) => (format!("{host}-{route}"), route.as_str()),
        None => (host.to_owned(), "default"),
    };
    let is_route = place.route.is_some() || around.get("timeout").is_some();
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
    let mut policy = NewPolicy::new(id, value);
    if let Some(mut fields) = reader.fields(value, Spelling::Relaxed) {
        let retries = fields.take("num_retries");
        let number = retries.as_ref().and_then(|value| reader.count(value)).unwrap_or(NUM_RETRIES);
        policy.put("max_retries", count(number), retries.as_ref());
        back_off(reader, &mut fields, &mut policy, number);
        if let Some(timeout) = fields.take("per_try_timeout")
            && let Some(longest) = reader.proto_duration(&timeout)
            && !longest.is_zero()
        {
            policy.set("attempt_timeout", time(longest), &timeout);
        }
        conditions(reader, &mut fields, &mut policy);
        rate_limited(reader, &mut fields, &mut policy);
        reader.leave(fields, OTHER);
    }
    if let Some(route) = route {
        route_timeout(reader, route, &mut policy);
    }
    reader.add_policy(policy)
}

fn back_off(
    reader: &mut Reader<'_>,
    fields: &mut Fields<'_>,
    policy: &mut NewPolicy,
    retries: u32,
) {
    let (mut base, mut cap) = (None, None);
    if let Some(value) = fields.take("retry_back_off")
        && let Some(mut back_off) = reader.fields(&value, Spelling::Relaxed)
    {
        base = back_off.take("base_interval");
        cap = back_off.take("max_interval");
        if base.is_none() {
            reader.missing(&back_off, "base_interval", "Envoy requires it");
        }
        reader.leave(back_off, &[]);
    }
    let interval = base.as_ref().and_then(|value| reader.proto_duration(value));
    let interval = interval.unwrap_or(BASE_INTERVAL);
    let longest = cap.as_ref().and_then(|value| reader.proto_duration(value));
    if let (Some(cap), Some(longest)) = (&cap, longest)
        && longest < interval
    {
        reader.wrong(cap, "max_interval is shorter than base_interval");
    }
    Exponential {
        base: interval,
        multiplier: 2.0,
        cap: Some(longest.unwrap_or(interval.saturating_mul(10))),
        retries,
        from: [base.as_ref(), None, cap.as_ref()],
    }
    .write(policy);
    policy.default("jitter", word("full"));
}

fn conditions(reader: &mut Reader<'_>, fields: &mut Fields<'_>, policy: &mut NewPolicy) {
    let mut rules = RuleList::default();
    let codes = fields.take("retriable_status_codes");
    let conditions = fields.take("retry_on");
    let text = conditions.as_ref().and_then(|value| reader.text(value)).unwrap_or_default();
    let words: Vec<_> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    for word in &words {
        match WORDS.iter().find(|(known, _)| known == word) {
            Some((_, meant)) => meant.iter().for_each(|rule| {
                rules.add(rule);
            }),
            None => {
                let names: Vec<_> = WORDS.iter().map(|(word, _)| *word).collect();
                if let Some(value) = &conditions {
                    reader.none_of(value, word, &names);
                }
            }
        }
        if let (Some(value), Some(why)) = (&conditions, difference(word, &words)) {
            reader.lose_what(value, *word, why);
        }
    }
    if let Some(codes) = &codes {
        status_codes(reader, codes, words.contains(&"retriable-status-codes"), &mut rules);
    }
    policy.put("retry_on", rules.setting(), conditions.as_ref());
}

/// What a word means beyond its rules.
fn difference(word: &str, words: &[&str]) -> Option<&'static str> {
    let in_5xx = words.contains(&"5xx") || words.contains(&"gateway-error");
    match word {
        "refused-stream" if !in_5xx => {
            Some("a refused stream is no fact of its own; `connection` comes nearest")
        }
        "connect-failure" if !in_5xx => {
            Some("a connection that times out cannot be told from an answer that does")
        }
        "reset-before-request" => {
            Some("whether the request was sent is not known; every reset is retried")
        }
        "envoy-ratelimited" => Some("the header x-envoy-ratelimited is no fact; 429 comes nearest"),
        "retriable-headers" => Some("headers of an answer are no facts; judge them in code"),
        "http3-post-connect-failure" => Some("failures of HTTP/3 are no facts of their own"),
        _ => None,
    }
}

/// Without their word among the conditions they do nothing.
fn status_codes(reader: &mut Reader<'_>, codes: &Value<'_>, wanted: bool, rules: &mut RuleList) {
    if !wanted {
        return reader.lose(codes, "Envoy ignores it unless retry_on has retriable-status-codes");
    }
    for code in reader.list(codes) {
        let Some(number) = reader.count(&code) else { continue };
        if !rules.add(&number.to_string()) {
            reader.wrong(&code, format!("{number} is not an HTTP status"));
        }
    }
}

fn rate_limited(reader: &mut Reader<'_>, fields: &mut Fields<'_>, policy: &mut NewPolicy) {
    let Some(value) = fields.take("rate_limited_retry_back_off") else { return };
    let Some(mut limits) = reader.fields(&value, Spelling::Relaxed) else { return };
    let longest = limits.take("max_interval");
    let interval = longest.as_ref().and_then(|value| reader.proto_duration(value));
    policy.put("max_hint", time(interval.unwrap_or(MAX_RESET_INTERVAL)), longest.as_ref());
    let why = "a longer hint ends the session here, Envoy falls back to its own delays";
    reader.lose_what(&value, "what follows a hint that is too long", why);
    if let Some(headers) = limits.take("reset_headers") {
        for header in reader.list(&headers) {
            reset_header(reader, &header);
        }
    }
    reader.leave(limits, &[]);
}

/// `Retry-After` is honoured by every policy, and no other header is.
fn reset_header(reader: &mut Reader<'_>, value: &Value<'_>) {
    let Some(mut fields) = reader.fields(value, Spelling::Relaxed) else { return };
    let name = fields.take("name").and_then(|name| reader.text(&name)).unwrap_or_default();
    let format = fields.take("format");
    let formats = ["SECONDS", "UNIX_TIMESTAMP"];
    let format = format.and_then(|format| reader.one_of(&format, &formats));
    if !name.eq_ignore_ascii_case("retry-after") || format == Some("UNIX_TIMESTAMP") {
        let what = format!("the header {}", names::shown(name));
        reader.lose_what(value, what, "only Retry-After is honoured, in seconds or as a date");
    }
    reader.leave(fields, &[]);
}

/// It spans all attempts. None at all is written as 0.
fn route_timeout(reader: &mut Reader<'_>, route: &Value<'_>, policy: &mut NewPolicy) {
    let written = route.get("timeout");
    let timeout = match &written {
        Some(value) => reader.proto_duration(value),
        None => Some(ROUTE_TIMEOUT),
    };
    if let Some(longest) = timeout.filter(|timeout| !timeout.is_zero()) {
        policy.put("max_duration", time(longest), written.as_ref());
    }
}
