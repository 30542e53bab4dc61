//! AWS Step Functions: the retriers of a state machine in the Amazon States Language, or a
//! `Retry` alone.
//!
//! | there | here |
//! |---|---|
//! | `MaxAttempts` (3) | `max_retries`: it counts what follows a failure |
//! | `IntervalSeconds` (1), `BackoffRate` (2.0), `MaxDelaySeconds` | `base_delay`, `multiplier`, `max_delay` |
//! | `JitterStrategy` | `jitter` |
//! | `ErrorEquals` | `retry_on`, or `abort_on` where `MaxAttempts` is 0 |
//! | `TimeoutSeconds` of the state | `attempt_timeout` |
//!
//! A state may have several retriers, each with its own delays and its own count. A
//! policy has one of each: those of the first that retries at all. It retries what any of
//! them retries, and what is different in the others is listed as lost.

use std::time::Duration;

use super::backoff::Exponential;
use super::names;
use super::new_policy::{NewPolicy, RuleList, count, time, word};
use super::reader::Reader;
use super::value::{Fields, Spelling, Value, holds_key};

const SUBSYSTEM: &str = "step-functions";
const INTERVAL: Duration = Duration::from_secs(1);
const MAX_ATTEMPTS: u32 = 3;
const BACKOFF_RATE: f64 = 2.0;

const NOT_RETRYING: &str = "it says nothing about retrying";

/// Errors of the machine itself, which no operation here can have.
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
        reader.wrong_but(&root, "this is one retrier".to_owned(), "put it into a list: [ … ]");
    } else {
        machine(reader, &root, "retry");
    }
}

/// A machine, a state of it, or what either holds.
fn machine(reader: &mut Reader<'_>, value: &Value<'_>, name: &str) {
    if let Some(retry) = value.get("Retry") {
        let timeout = value.get("TimeoutSeconds");
        let id = state(reader, name, value, &retry, timeout.as_ref());
        reader.map([SUBSYSTEM, name, "default"], &id, value);
    }
    for entry in value.entries() {
        match entry.key {
            "Retry" => {}
            "TimeoutSeconds" if value.get("Retry").is_some() => {}
            "States" => states(reader, &entry),
            _ if holds_key(entry.node, &|key| key == "Retry") => inside(reader, &entry, name),
            _ => reader.lose(&entry, NOT_RETRYING),
        }
    }
}

fn states(reader: &mut Reader<'_>, value: &Value<'_>) {
    if reader.fields(value, Spelling::Exact).is_none() {
        return;
    }
    for state in value.entries() {
        if reader.fields(&state, Spelling::Exact).is_some() {
            machine(reader, &state, state.key);
        }
    }
}

/// Branches and iterators hold machines of their own.
fn inside(reader: &mut Reader<'_>, value: &Value<'_>, name: &str) {
    if value.is_map() {
        return machine(reader, value, name);
    }
    for item in value.items() {
        if holds_key(item.node, &|key| key == "Retry") {
            inside(reader, &item, name);
        } else {
            reader.lose(&item, NOT_RETRYING);
        }
    }
}

/// One entry of `Retry`, understood.
struct Retrier<'t> {
    value: Value<'t>,
    errors: Vec<Value<'t>>,
    retries: u32,
    interval: Duration,
    rate: f64,
    longest: Option<Duration>,
    jitter: &'static str,
    from: [Option<Value<'t>>; 5],
}

impl Retrier<'_> {
    fn same_timing(&self, other: &Self) -> bool {
        let timing = |of: &Self| (of.retries, of.interval, of.longest, of.jitter);
        timing(self) == timing(other) && self.rate == other.rate
    }
}

fn state(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Value<'_>,
    retry: &Value<'_>,
    timeout: Option<&Value<'_>>,
) -> String {
    let retriers: Vec<_> =
        reader.list(retry).iter().filter_map(|value| retrier(reader, value)).collect();
    let mut policy = NewPolicy::new(&names::id(name), value);
    match retriers.iter().find(|retrier| retrier.retries > 0) {
        Some(first) => {
            write_timing(&mut policy, first);
            for other in retriers.iter().filter(|other| other.retries > 0) {
                compare(reader, first, other);
            }
        }
        None => policy.default("max_retries", count(0)),
    }
    write_errors(reader, &mut policy, retry, &retriers);
    if let Some(timeout) = timeout
        && let Some(longest) = reader.seconds(timeout)
    {
        policy.set("attempt_timeout", time(longest), timeout);
    }
    reader.add_policy(policy)
}

fn retrier<'t>(reader: &mut Reader<'_>, value: &Value<'t>) -> Option<Retrier<'t>> {
    let mut fields = reader.fields(value, Spelling::Exact)?;
    let errors = match fields.take("ErrorEquals") {
        Some(errors) => reader.list(&errors),
        None => Vec::new(),
    };
    if errors.is_empty() {
        reader.missing(&fields, "ErrorEquals", r#"name the errors, like ["States.ALL"]"#);
    }
    let from @ [attempts, interval, rate, longest, jitter] =
        &["MaxAttempts", "IntervalSeconds", "BackoffRate", "MaxDelaySeconds", "JitterStrategy"]
            .map(|name| fields.take(name));
    let strategy = jitter.as_ref().and_then(|value| reader.one_of(value, &["FULL", "NONE"]));
    let retrier = Retrier {
        value: value.clone(),
        errors,
        retries: attempts.as_ref().map_or(Some(MAX_ATTEMPTS), |value| reader.count(value))?,
        interval: interval.as_ref().map_or(Some(INTERVAL), |value| reader.seconds(value))?,
        rate: rate.as_ref().map_or(Some(BACKOFF_RATE), |value| growth(reader, value))?,
        longest: match longest {
            Some(value) => Some(reader.seconds(value)?),
            None => None,
        },
        jitter: if strategy == Some("FULL") { "full" } else { "none" },
        from: from.clone(),
    };
    leave(reader, fields);
    Some(retrier)
}

fn leave(reader: &mut Reader<'_>, fields: Fields<'_>) {
    reader.leave(fields, &[("Comment", NOT_RETRYING)]);
}

fn growth(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<f64> {
    let rate = reader.number(value)?;
    if rate < 1.0 {
        reader.wrong(value, format!("{rate} is below 1.0"));
        return None;
    }
    Some(rate)
}

fn write_timing(policy: &mut NewPolicy, retrier: &Retrier<'_>) {
    let [attempts, interval, rate, longest, jitter] = retrier.from.each_ref().map(Option::as_ref);
    policy.put("max_retries", count(retrier.retries), attempts);
    Exponential {
        base: retrier.interval,
        multiplier: retrier.rate,
        cap: retrier.longest,
        retries: retrier.retries,
        from: [interval, rate, longest],
    }
    .write(policy);
    policy.put("jitter", word(retrier.jitter), jitter);
}

fn compare(reader: &mut Reader<'_>, first: &Retrier<'_>, other: &Retrier<'_>) {
    if first.value.path == other.value.path {
        return;
    }
    let (what, why) = if first.same_timing(other) {
        ("a count of its own", "a policy counts the retries of all errors together")
    } else {
        ("its delays and its count", "a policy has those of the first retrier for all errors")
    };
    reader.lose_what(&other.value, what, why);
}

/// The first retrier that names an error decides, so a later one does not.
fn write_errors(
    reader: &mut Reader<'_>,
    policy: &mut NewPolicy,
    retry: &Value<'_>,
    retriers: &[Retrier<'_>],
) {
    let (mut again, mut never) = (RuleList::default(), RuleList::default());
    let mut all_but_timeout = false;
    for retrier in retriers {
        for error in &retrier.errors {
            let Some(name) = reader.text(error) else { continue };
            let Some(rule) = rule(reader, error, name) else { continue };
            all_but_timeout |= name == "States.TaskFailed" && retrier.retries > 0;
            let (list, other) =
                if retrier.retries > 0 { (&mut again, &never) } else { (&mut never, &again) };
            if !other.has(&rule) && !list.add(&rule) {
                let why = "it cannot be a rule; judge it in code";
                reader.lose_what(error, names::shown(name), why);
            }
        }
    }
    if all_but_timeout && !again.has("timeout") {
        never.add("timeout");
    }
    policy.set("retry_on", again.setting(), retry);
    if !never.is_empty() {
        policy.set("abort_on", never.setting(), retry);
    }
}

/// `TaskFailed` is every error but a timeout, which is judged for the state as a whole.
fn rule(reader: &mut Reader<'_>, value: &Value<'_>, name: &str) -> Option<String> {
    match name {
        "States.ALL" | "States.TaskFailed" => Some("any".to_owned()),
        "States.Timeout" => Some("timeout".to_owned()),
        "States.HeartbeatTimeout" => {
            let why = "there is no heartbeat within an attempt; every timeout is meant";
            reader.lose_what(value, name, why);
            Some("timeout".to_owned())
        }
        "States.Permissions" => Some("permission_denied".to_owned()),
        _ if MACHINE_ERRORS.contains(&name) => {
            reader.lose_what(value, name, "it is an error of the state machine itself");
            None
        }
        _ if name.starts_with("States.") => {
            reader.none_of(value, name, &["States.ALL", "States.Timeout", "States.TaskFailed"]);
            None
        }
        _ => Some(name.to_owned()),
    }
}
