//! The list of a policy's fields, with their types and descriptions.
//!
//! Files, JSON, environment variables and command-line flags set fields by their names. This list
//! is also the source of the JSON schema, the command-line help and the suggestions in errors.

use super::timing::BackoffType;
use super::{Jitter, Nested};
use crate::Class;

/// One field of a policy, or of a part of it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Field {
    /// The name in files and JSON; flags use dashes.
    pub name: &'static str,
    /// The type of its value.
    pub kind: FieldKind,
    /// A one-sentence description.
    pub about: &'static str,
    /// Whether it can be set by class of fault.
    pub by_class: bool,
}

/// The type of a field's value.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum FieldKind {
    /// `true` or `false`.
    Bool,
    /// An integer of at least this value.
    Count(u32),
    /// A number in this range.
    Number(f64, f64),
    /// A duration: `500ms`, `1.5s`, `7d`, `PT30S`, or a number of seconds.
    Duration,
    /// A string.
    Text,
    /// One of these names.
    Name(&'static [&'static str]),
    /// The name of a jitter, or a duration.
    Jitter,
    /// A list of rules.
    Rules,
    /// A list of durations.
    Durations,
    /// A map of these fields.
    Fields(&'static [Field]),
    /// A map from class to the fields that can be set by class.
    Classes,
    /// A nested policy without an id.
    Stage,
}

impl Field {
    const fn new(name: &'static str, kind: FieldKind, about: &'static str) -> Self {
        Self { name, kind, about, by_class: false }
    }

    const fn timing(name: &'static str, kind: FieldKind, about: &'static str) -> Self {
        Self { name, kind, about, by_class: true }
    }
}

use FieldKind::{Bool, Count, Durations, Fields, Name, Number, Rules, Text};

const SHARE: FieldKind = Number(0.0, 1.0);
const AT_LEAST_ONE: FieldKind = Number(1.0, f64::MAX);

/// All fields of a policy.
pub const FIELDS: &[Field] = &[
    Field::new("id", Text, "The name for lookups, under which breaker and budget are shared."),
    Field::new("name", Text, "The display name; the id by default."),
    Field::new("description", Text, "When to use the policy, and why."),
    Field::new("enabled", Bool, "Whether to retry at all; true by default."),
    Field::new(
        "max_attempts",
        Count(1),
        "The largest number of attempts, including the first; 3 by default.",
    ),
    Field::new(
        "max_retries",
        Count(0),
        "The largest number of attempts after the first; an alternative to max_attempts.",
    ),
    Field::timing(
        "backoff_type",
        Name(&BackoffType::NAMES),
        "How delays grow; exponential by default.",
    ),
    Field::timing(
        "base_delay",
        FieldKind::Duration,
        "The delay before the first retry; 1s by default.",
    ),
    Field::timing(
        "multiplier",
        AT_LEAST_ONE,
        "The factor by which exponential delays grow; 2 by default.",
    ),
    Field::timing(
        "increment",
        FieldKind::Duration,
        "The duration by which linear delays grow; the base delay by default.",
    ),
    Field::timing(
        "max_delay",
        FieldKind::Duration,
        "The longest delay; 60s by default, or the base delay if that is longer.",
    ),
    Field::timing("schedule", Durations, "The delays of a custom backoff; the last one repeats."),
    Field::timing(
        "jitter",
        FieldKind::Jitter,
        "Randomness of the delays: none, full, equal, decorrelated, or a duration to add; none by default.",
    ),
    Field::timing(
        "jitter_type",
        Name(&Jitter::NAMES),
        "Randomness of the delays, at the strength of jitter_amount.",
    ),
    Field::timing(
        "jitter_amount",
        SHARE,
        "The strength of jitter_type, from 0 to 1; 0.1 by default.",
    ),
    Field::new(
        "max_duration",
        FieldKind::Duration,
        "The time limit of all attempts and waits together; no limit by default.",
    ),
    Field::new(
        "attempt_timeout",
        FieldKind::Duration,
        "The time limit of one attempt; no limit by default.",
    ),
    Field::new(
        "retry_on",
        Rules,
        "What is retried, such as 5xx and timeout; replaces the default rules.",
    ),
    Field::new("retryable_exceptions", Rules, "An alias of retry_on."),
    Field::new(
        "abort_on",
        Rules,
        "What is not retried, such as 4xx, in addition to the default rules.",
    ),
    Field::new(
        "idempotent",
        Bool,
        "Whether the operation is safe to repeat; if false, an attempt that may have taken effect is \
         not repeated; true by default.",
    ),
    Field::new(
        "max_hint",
        FieldKind::Duration,
        "The longest Retry-After that is honoured; by default 1h in a process, unlimited in a store.",
    ),
    Field::new(
        "max_rate_limit_waits",
        Count(0),
        "The largest number of Retry-After waits, which consume no attempt; 100 by default.",
    ),
    Field::new(
        "nested",
        Name(&Nested::NAMES),
        "Which session retries when one runs inside another; outer by default.",
    ),
    Field::new(
        "enable_circuit_breaker",
        Bool,
        "Whether consecutive failures open a circuit breaker; false by default.",
    ),
    Field::new(
        "circuit_breaker_threshold",
        Count(0),
        "The consecutive failures that open it; 5 by default.",
    ),
    Field::new(
        "circuit_breaker_timeout",
        FieldKind::Duration,
        "How long it stays open; 60s by default.",
    ),
    Field::new("breaker", Fields(BREAKER_FIELDS), "A circuit breaker with all its settings."),
    Field::new(
        "budget",
        Fields(BUDGET_FIELDS),
        "A retry budget that all sessions of the policy share.",
    ),
    Field::new("on", FieldKind::Classes, "Other delays for some classes of fault."),
    Field::new("durable", FieldKind::Stage, "The policy that continues in a store afterwards."),
];

/// The fields of `breaker`.
pub(super) const BREAKER_FIELDS: &[Field] = &[
    Field::new(
        "threshold",
        Count(1),
        "The consecutive failures that open it; 5 by default, unless a rate is set.",
    ),
    Field::new(
        "timeout",
        FieldKind::Duration,
        "How long it stays open before a probe; 60s by default.",
    ),
    Field::new("failure_rate", SHARE, "The share of failed calls in the window that opens it."),
    Field::new("window_calls", Count(1), "The size of the window in calls; 100 by default."),
    Field::new(
        "window",
        FieldKind::Duration,
        "The length of the window, instead of a number of calls.",
    ),
    Field::new(
        "minimum_volume",
        Count(1),
        "The number of calls below which rates are ignored; 10 by default.",
    ),
    Field::new(
        "slow_call_threshold",
        FieldKind::Duration,
        "The duration from which a call is slow.",
    ),
    Field::new("slow_call_rate", SHARE, "The share of slow calls in the window that opens it."),
    Field::new("probes", Count(1), "The probes in flight at once while half open; 1 by default."),
    Field::new(
        "success_threshold",
        Count(1),
        "The probes that must succeed to close it; 1 by default.",
    ),
    Field::new(
        "timeout_multiplier",
        AT_LEAST_ONE,
        "The factor by which the open time grows after a failed probe; 1 by default.",
    ),
    Field::new("max_timeout", FieldKind::Duration, "The longest open time; 1h by default."),
    Field::new("count_final", Bool, "Whether final errors count as failures; false by default."),
];

/// The fields of `budget`: those of one of its three kinds.
pub(super) const BUDGET_FIELDS: &[Field] = &[
    Field::new("retries_per_second", Number(1e-6, 1e6), "The retries per second."),
    Field::new("ratio", Number(1e-6, 1e3), "The retries per success."),
    Field::new(
        "min_per_second",
        Number(0.0, 1e6),
        "The retries per second in addition to the ratio; 10 by default.",
    ),
    Field::new("window", FieldKind::Duration, "How long a success counts; 10s by default."),
    Field::new("max_tokens", Count(1), "The initial tokens; retries need more than half of them."),
    Field::new("token_ratio", Number(1e-3, 1e3), "The tokens that a success, or a second, adds."),
];

/// The names of fields, as candidates for a suggestion.
pub(super) fn names(fields: &[Field]) -> Vec<&'static str> {
    fields.iter().map(|field| field.name).collect()
}

/// The fields of a policy that can be set by class.
pub(super) fn by_class() -> Vec<&'static str> {
    FIELDS.iter().filter(|field| field.by_class).map(|field| field.name).collect()
}

pub(super) const CLASSES: [&str; 4] = {
    let [a, b, c, d] = Class::ALL;
    [a.name(), b.name(), c.name(), d.name()]
};
