//! Importer for AWS Step Functions: the retriers of a state machine in the Amazon States Language,
//! or a `Retry` alone.
//!
//! | setting (default) | policy |
//! |---|---|
//! | `MaxAttempts` (3) | `max_retries` |
//! | `IntervalSeconds` (1), `BackoffRate` (2.0), `MaxDelaySeconds` | `base_delay`, `multiplier`, `max_delay` |
//! | `JitterStrategy` | `jitter` |
//! | `ErrorEquals` | `retry_on`, or `abort_on` where `MaxAttempts` is 0 |
//! | `TimeoutSeconds` of the state | `attempt_timeout` |
//!
//! A state may have several retriers, each with its own delays and count. A policy has one of each:
//! those of the first retrier that retries. It retries the errors of all of them, and differences
//! are reported as unsupported.

use std::time::Duration;

use super::backoff::Exponential;
use super::names;
use super::policy_builder::{PolicyBuilder, RuleList, time};
use super::reader::Reader;
use super::value::{Read, Value, contains_key};

const SUBSYSTEM: &str = "step-functions";
const INTERVAL: Duration = Duration::from_secs(1);
const MAX_ATTEMPTS: u32 = 3;
const BACKOFF_RATE: f64 = 2.0;

const NOT_RETRYING: &str = "not related to retries";

/// Errors of the state machine itself, which no operation raises.
const MACHINE_ERRORS: [&str; 9] = [
    "States.ResultPathMatchFailure",
    "States.ParameterPathFailure",
    "States.QueryEvaluationError",
    "States.BranchFailed",
    "States.NoChoiceMatched",
    "States.IntrinsicFailure",
    "States.ExceedToleratedFailureThreshold",
    "States.ItemReaderFailed",
    "States.ResultWriterFailed",
];

pub(super) fn read(reader: &mut Reader<'_>) {
    let Some(tree) = reader.tree() else { return };
    let root = Value::root(&tree);
    if root.is_list() {
        state(reader, "retry", &root, &root, None);
    } else if root.get("ErrorEquals").is_some() {
        reader.invalid_with_hint(&root, "a single retrier", "wrap it in a list: [ … ]");
    } else {
        machine(reader, &root, "retry");
    }
}

/// A state machine, a state, or a part of either.
fn machine(reader: &mut Reader<'_>, value: &Value<'_>, name: &str) {
    if let Some(retry) = value.get("Retry") {
        let id = state(reader, name, value, &retry, value.get("TimeoutSeconds"));
        reader.map([SUBSYSTEM, name, "default"], &id, value);
    }
    for entry in value.entries() {
        match entry.key {
            "Retry" => {}
            "TimeoutSeconds" if value.get("Retry").is_some() => {}
            "States" => states(reader, &entry),
            _ if contains_key(entry.node, &|key| key == "Retry") => nested(reader, &entry, name),
            _ => reader.unsupported(&entry, NOT_RETRYING),
        }
    }
}

fn states(reader: &mut Reader<'_>, value: &Value<'_>) {
    if reader.fields(value).is_none() {
        return;
    }
    for state in value.entries() {
        if reader.fields(&state).is_some() {
            machine(reader, &state, state.key);
        }
    }
}

/// Branches and iterators contain state machines.
fn nested(reader: &mut Reader<'_>, value: &Value<'_>, name: &str) {
    if value.is_map() {
        return machine(reader, value, name);
    }
    for item in value.items() {
        if contains_key(item.node, &|key| key == "Retry") {
            nested(reader, &item, name);
        } else {
            reader.unsupported(&item, NOT_RETRYING);
        }
    }
}

/// One entry of `Retry`.
struct Retrier<'t> {
    value: Value<'t>,
    errors: Vec<Value<'t>>,
    retries: Read<'t, u32>,
    interval: Read<'t, Duration>,
    rate: Read<'t, f64>,
    max_delay: Read<'t, Option<Duration>>,
    jitter: Read<'t, &'static str>,
}

impl Retrier<'_> {
    fn same_timing(&self, other: &Self) -> bool {
        let timing =
            |of: &Self| (of.retries.value, of.interval.value, of.max_delay.value, of.jitter.value);
        timing(self) == timing(other) && self.rate.value == other.rate.value
    }

    fn retries(&self) -> bool {
        self.retries.value > 0
    }
}

fn state(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Value<'_>,
    retry: &Value<'_>,
    timeout: Option<Value<'_>>,
) -> String {
    let retriers: Vec<_> =
        reader.list(retry).iter().filter_map(|value| retrier(reader, value)).collect();
    let mut policy = PolicyBuilder::new(&names::id(name), value);
    match retriers.iter().find(|retrier| retrier.retries()) {
        Some(first) => {
            write_timing(&mut policy, first);
            for other in retriers.iter().filter(|other| other.retries()) {
                compare(reader, first, other);
            }
        }
        None => policy.set("max_retries", 0, None),
    }
    write_errors(reader, &mut policy, retry, &retriers);
    if let Some(timeout) = reader.read(timeout, Reader::seconds) {
        policy.put("attempt_timeout", timeout.map(time));
    }
    reader.add_policy(policy)
}

fn retrier<'t>(reader: &mut Reader<'_>, value: &Value<'t>) -> Option<Retrier<'t>> {
    let mut fields = reader.fields(value)?;
    let errors = match fields.take("ErrorEquals") {
        Some(errors) => reader.list(&errors),
        None => Vec::new(),
    };
    if errors.is_empty() {
        reader.missing(&fields, "ErrorEquals", r#"name the errors, like ["States.ALL"]"#);
    }
    let seconds = |reader: &mut Reader<'_>, value: &Value<'_>| reader.seconds(value).map(Some);
    let retrier = Retrier {
        value: value.clone(),
        errors,
        jitter: reader.read_or(fields.take("JitterStrategy"), jitter, "none"),
        retries: reader.read_or(fields.take("MaxAttempts"), Reader::count, MAX_ATTEMPTS),
        interval: reader.read_or(fields.take("IntervalSeconds"), Reader::seconds, INTERVAL),
        rate: reader.read_or(fields.take("BackoffRate"), growth, BACKOFF_RATE),
        max_delay: reader.read_or(fields.take("MaxDelaySeconds"), seconds, None),
    };
    reader.report_remaining(fields, &[("Comment", NOT_RETRYING)]);
    Some(retrier)
}

fn jitter(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<&'static str> {
    let strategy = reader.one_of(value, &["FULL", "NONE"])?;
    Some(if strategy == "FULL" { "full" } else { "none" })
}

fn growth(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<f64> {
    let rate = reader.number(value)?;
    if rate < 1.0 {
        reader.invalid(value, format!("must be at least 1, not {rate}"));
        return None;
    }
    Some(rate)
}

fn write_timing(policy: &mut PolicyBuilder, retrier: &Retrier<'_>) {
    policy.put("max_retries", retrier.retries.clone());
    Exponential {
        base: retrier.interval.clone(),
        multiplier: retrier.rate.clone(),
        cap: retrier.max_delay.clone(),
        retries: retrier.retries.value,
    }
    .write(policy);
    policy.put("jitter", retrier.jitter.clone());
}

fn compare(reader: &mut Reader<'_>, first: &Retrier<'_>, other: &Retrier<'_>) {
    if first.value.path == other.value.path {
        return;
    }
    let (what, reason) = if first.same_timing(other) {
        ("its own retry count", "a policy has one retry count for all errors")
    } else {
        let reason = "a policy uses those of the first retrier for all errors";
        ("its own delays and retry count", reason)
    };
    reader.unsupported_part(&other.value, what, reason);
}

/// The first retrier that matches an error decides.
fn write_errors(
    reader: &mut Reader<'_>,
    policy: &mut PolicyBuilder,
    retry: &Value<'_>,
    retriers: &[Retrier<'_>],
) {
    let (mut retry_on, mut abort_on) = (RuleList::default(), RuleList::default());
    let mut all_but_timeout = false;
    for retrier in retriers {
        for error in &retrier.errors {
            let Some(name) = reader.text(error) else { continue };
            let Some(rule) = rule(reader, error, name) else { continue };
            all_but_timeout |= name == "States.TaskFailed" && retrier.retries();
            let (list, other) = if retrier.retries() {
                (&mut retry_on, &abort_on)
            } else {
                (&mut abort_on, &retry_on)
            };
            if !other.contains(&rule) && !list.add(&rule) {
                let reason = "not a valid rule; classify in code";
                reader.unsupported_part(error, names::excerpt(name), reason);
            }
        }
    }
    if all_but_timeout && !retry_on.contains("timeout") {
        abort_on.add("timeout");
    }
    policy.set("retry_on", retry_on, Some(retry));
    if !abort_on.is_empty() {
        policy.set("abort_on", abort_on, Some(retry));
    }
}

/// The rule for an error name. `TaskFailed` excludes timeouts, which the caller handles.
fn rule(reader: &mut Reader<'_>, value: &Value<'_>, name: &str) -> Option<String> {
    match name {
        "States.ALL" | "States.TaskFailed" => Some("any".to_owned()),
        "States.Timeout" => Some("timeout".to_owned()),
        "States.HeartbeatTimeout" => {
            let reason = "an attempt has no heartbeat; matches every timeout";
            reader.unsupported_part(value, name, reason);
            Some("timeout".to_owned())
        }
        "States.Permissions" => Some("permission_denied".to_owned()),
        _ if MACHINE_ERRORS.contains(&name) => {
            reader.unsupported_part(value, name, "an error of the state machine itself");
            None
        }
        _ if name.starts_with("States.") => {
            let names = ["States.ALL", "States.Timeout", "States.TaskFailed"];
            reader.unknown_name(value, name, &names);
            None
        }
        _ => Some(name.to_owned()),
    }
}
