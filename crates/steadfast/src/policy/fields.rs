//! The fields of a policy: what they are called, what they hold, what they are for.
//!
//! Files, JSON, environment variables and command-line flags all set fields by
//! their names. They read them off this one list, and so do the schema for
//! editors, the help of the command line and the near miss in an error.

use super::timing::BackoffType;
use super::{Jitter, Nested};
use crate::Class;

/// One field of a policy, or of a part of it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Field {
    /// Its name, as files, JSON and, with dashes, flags spell it.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldKind,
    /// What it is for, in one sentence.
    pub about: &'static str,
    /// Whether it can differ by the class of the fault.
    pub by_class: bool,
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum FieldKind {
    /// `true` or `false`.
    Bool,
    /// A whole number of at least so many.
    Count(u32),
    /// A number from the first to the second.
    Number(f64, f64),
    /// A length of time: `500ms`, `1.5s`, `7d`, `PT30S`, or a number of seconds.
    Duration,
    /// A text.
    Text,
    /// One of these names.
    Name(&'static [&'static str]),
    /// The name of a jitter, or a length of time.
    Jitter,
    /// A list of rules.
    Rules,
    /// A list of lengths of time.
    Durations,
    /// Fields of its own.
    Fields(&'static [Field]),
    /// For some classes, the fields that can differ by class.
    Classes,
    /// A policy of its own, without an id.
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

/// Every field that a policy can have.
pub const FIELDS: &[Field] = &[
    Field::new("id", Text, "The name by which the policy is found and its guards are shared."),
    Field::new("name", Text, "The name for people; the id by default."),
    Field::new("description", Text, "When to use it, and why."),
    Field::new("enabled", Bool, "Whether to retry, or to run once; true by default."),
    Field::new("max_attempts", Count(1), "How many attempts, the first one counted; 3 by default."),
    Field::new("max_retries", Count(0), "The same without the first one: max_attempts less 1."),
    Field::timing(
        "backoff_type",
        Name(&BackoffType::NAMES),
        "How delays grow; exponential by default.",
    ),
    Field::timing("base_delay", FieldKind::Duration, "The first retry's delay; 1s by default."),
    Field::timing("multiplier", AT_LEAST_ONE, "What exponential delays grow by; 2 by default."),
    Field::timing(
        "increment",
        FieldKind::Duration,
        "What linear delays grow by; the base delay by default.",
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
        "Randomness in delays: none, full, equal, decorrelated, or a duration to add; none by default.",
    ),
    Field::timing(
        "jitter_type",
        Name(&Jitter::NAMES),
        "Randomness in delays, as strong as jitter_amount says.",
    ),
    Field::timing("jitter_amount", SHARE, "How much of jitter_type is applied; 0.1 by default."),
    Field::new(
        "max_duration",
        FieldKind::Duration,
        "The longest that all attempts and waits may take; no limit by default.",
    ),
    Field::new(
        "attempt_timeout",
        FieldKind::Duration,
        "The longest that one attempt may take; no limit by default.",
    ),
    Field::new(
        "retry_on",
        Rules,
        "What is retried, instead of what is by default, such as 5xx and timeout.",
    ),
    Field::new("retryable_exceptions", Rules, "The same as retry_on."),
    Field::new(
        "abort_on",
        Rules,
        "What is not retried, beside what is not by default, such as 4xx.",
    ),
    Field::new(
        "idempotent",
        Bool,
        "Whether twice is as good as once; false: what may have taken effect is not repeated; \
         true by default.",
    ),
    Field::new(
        "max_hint",
        FieldKind::Duration,
        "The longest Retry-After that is waited for; by default 1h in a process, any in a store.",
    ),
    Field::new(
        "max_rate_limit_waits",
        Count(0),
        "How many such waits, which use up no attempt; 100 by default.",
    ),
    Field::new(
        "nested",
        Name(&Nested::NAMES),
        "Who retries when one session runs inside another; outer by default.",
    ),
    Field::new(
        "enable_circuit_breaker",
        Bool,
        "Whether failures in a row stop all its sessions for a while; false by default.",
    ),
    Field::new("circuit_breaker_threshold", Count(0), "How many failures; 5 by default."),
    Field::new("circuit_breaker_timeout", FieldKind::Duration, "For how long; 60s by default."),
    Field::new("breaker", Fields(BREAKER_FIELDS), "A circuit breaker in its richer form."),
    Field::new("budget", Fields(BUDGET_FIELDS), "What the retries of all its sessions draw from."),
    Field::new("on", FieldKind::Classes, "Other timing for some classes of fault."),
    Field::new("durable", FieldKind::Stage, "The policy that goes on in a store afterwards."),
];

/// The fields of `breaker`.
pub(super) const BREAKER_FIELDS: &[Field] = &[
    Field::new(
        "threshold",
        Count(1),
        "Failures in a row that open it; 5 by default, or none if a rate is written.",
    ),
    Field::new(
        "timeout",
        FieldKind::Duration,
        "How long it stays open before a probe; 60s by default.",
    ),
    Field::new("failure_rate", SHARE, "The share of failed calls in the window that opens it."),
    Field::new(
        "window_calls",
        Count(1),
        "The window is this many of the last calls; 100 by default.",
    ),
    Field::new("window", FieldKind::Duration, "The window is this long instead."),
    Field::new(
        "minimum_volume",
        Count(1),
        "Below this many calls a rate says nothing; 10 by default.",
    ),
    Field::new("slow_call_threshold", FieldKind::Duration, "A call that takes longer is slow."),
    Field::new("slow_call_rate", SHARE, "The share of slow calls in the window that opens it."),
    Field::new("probes", Count(1), "Probes under way at once while half open; 1 by default."),
    Field::new(
        "success_threshold",
        Count(1),
        "Probes that must succeed to close it; 1 by default.",
    ),
    Field::new(
        "timeout_multiplier",
        AT_LEAST_ONE,
        "What each opening in a row is longer by; 1 by default.",
    ),
    Field::new(
        "max_timeout",
        FieldKind::Duration,
        "The longest that it stays open; 1h by default.",
    ),
    Field::new("count_final", Bool, "Whether final errors count as failures; false by default."),
];

/// The fields of `budget`: those of one of its three kinds.
pub(super) const BUDGET_FIELDS: &[Field] = &[
    Field::new("retries_per_second", Number(1e-6, 1e6), "So many retries a second."),
    Field::new("ratio", Number(1e-6, 1e3), "So many retries for each success."),
    Field::new(
        "min_per_second",
        Number(0.0, 1e6),
        "Retries a second beside the ratio; 10 by default.",
    ),
    Field::new("window", FieldKind::Duration, "How long a success counts; 10s by default."),
    Field::new("max_tokens", Count(1), "The tokens that it starts with; half must be left."),
    Field::new("token_ratio", Number(1e-3, 1e3), "What a success, or a second, gives back."),
];

/// The names that could have been meant.
pub(super) fn names(fields: &[Field]) -> Vec<&'static str> {
    fields.iter().map(|field| field.name).collect()
}

/// The fields of a policy that can differ by class.
pub(super) fn by_class() -> Vec<&'static str> {
    FIELDS.iter().filter(|field| field.by_class).map(|field| field.name).collect()
}

pub(super) const CLASSES: [&str; 4] = {
    let [a, b, c, d] = Class::ALL;
    [a.name(), b.name(), c.name(), d.name()]
};
