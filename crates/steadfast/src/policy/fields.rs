//! The list of a policy's fields, with their types and descriptions.
//!
//! Files, JSON, environment variables and command-line flags set fields by their names. This list
//! is also the source of the JSON schema, the command-line help and the suggestions in errors.

use super::timing::BackoffType;
use super::{Jitter, Nested, OnOpen};
use crate::Class;
use crate::guard::breaker::InitialState;

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
    const fn plain(name: &'static str, kind: FieldKind, about: &'static str) -> Self {
        Self { name, kind, about, by_class: false }
    }

    const fn by_class(name: &'static str, kind: FieldKind, about: &'static str) -> Self {
        Self { name, kind, about, by_class: true }
    }
}

/// A list of fields: whether it can be set by class, its name, its type and its description.
macro_rules! fields {
    ($($constructor:ident $name:ident: $kind:expr, $about:literal;)*) => {
        &[$(Field::$constructor(stringify!($name), $kind, $about),)*]
    };
}

use FieldKind::{
    Bool, Classes, Count, Duration, Durations, Fields, Name, Number, Rules, Stage, Text,
};

const SHARE: FieldKind = Number(0.0, 1.0);
const AT_LEAST_ONE: FieldKind = Number(1.0, f64::MAX);

/// All fields of a policy.
pub const FIELDS: &[Field] = fields! {
    plain id: Text, "Name for lookups; breaker and budget are shared under it.";
    plain name: Text, "The display name; the id by default.";
    plain description: Text, "When to use the policy, and why.";
    plain enabled: Bool, "Whether to retry at all; true by default.";
    plain max_attempts: Count(1),
        "Maximum number of attempts, including the first; 3 by default.";
    plain max_retries: Count(0),
        "Maximum number of attempts after the first; an alternative to max_attempts.";
    by_class backoff_type: Name(&BackoffType::NAMES), "How delays grow; exponential by default.";
    by_class base_delay: Duration, "The delay before the first retry; 1s by default.";
    by_class multiplier: AT_LEAST_ONE, "The factor by which exponential delays grow; 2 by default.";
    by_class increment: Duration,
        "The duration by which linear delays grow; the base delay by default.";
    by_class min_delay: Duration, "The shortest delay, whatever the jitter; no limit by default.";
    by_class max_delay: Duration,
        "The longest delay; 60s by default, or the base delay if that is longer.";
    by_class schedule: Durations, "The delays of a custom backoff; the last one repeats.";
    by_class jitter: FieldKind::Jitter,
        "Randomness of the delays: none, full, equal, decorrelated, proportional, or a duration to \
         add; none by default.";
    by_class jitter_type: Name(&Jitter::NAMES),
        "Like jitter, but only the share jitter_amount of the delay is random.";
    by_class jitter_amount: SHARE,
        "Share of the delay that is random, from 0 to 1; 0.1 by default; only with jitter_type.";
    plain max_duration: Duration,
        "The time limit of all attempts and waits together; no limit by default.";
    plain attempt_timeout: Duration, "The time limit of one attempt; no limit by default.";
    plain retry_on: Rules, "What is retried, such as 5xx and timeout; replaces the default rules.";
    plain retryable_exceptions: Rules, "An alias for retry_on.";
    plain abort_on: Rules, "What is not retried, such as 4xx, in addition to the default rules.";
    plain idempotent: Bool,
        "Whether the operation is safe to repeat; if false, an attempt that may have taken effect \
         is not repeated; by default, decided per operation: for example, a POST without a \
         key is not repeated then.";
    plain max_hint: Duration,
        "The longest Retry-After that is honoured; 1h by default for retries inside a process, 1d \
         for durable tasks.";
    plain max_rate_limit_waits: Count(0),
        "Maximum number of Retry-After waits that consume no attempt; 0 by default for retries inside a \
         process, 100 for durable tasks.";
    plain nested: Name(&Nested::NAMES),
        "Which call retries when one retried call runs inside another; outer by default.";
    plain enable_circuit_breaker: Bool,
        "Whether consecutive failures open a circuit breaker; false by default.";
    plain circuit_breaker_threshold: Count(0),
        "Number of consecutive failures that open the breaker; 5 by default.";
    plain circuit_breaker_timeout: Duration, "How long the breaker stays open; 60s by default.";
    plain breaker: Fields(BREAKER_FIELDS), "A circuit breaker with all its settings.";
    plain on_open: Name(&OnOpen::NAMES),
        "What a call does when a circuit breaker rejects its attempt: give up, or wait for the \
         next probe; give_up by default.";
    plain budget: Fields(BUDGET_FIELDS), "A retry budget, shared by all calls under the policy.";
    plain on: Classes, "Delays by class of fault.";
    plain durable: Stage, "The policy of the durable task that continues when all attempts have failed.";
};

pub(super) const BREAKER_FIELDS: &[Field] = fields! {
    plain threshold: Count(1),
        "Number of consecutive failures that open the breaker; 5 by default, unless a rate is set.";
    plain timeout: Duration, "How long it stays open before a probe; 60s by default.";
    plain failure_rate: SHARE, "The share of failed calls in the window that opens it.";
    plain window_calls: Count(1), "The size of the window in calls; 100 by default.";
    plain window: Duration, "The length of the window, instead of a number of calls.";
    plain minimum_volume: Count(1),
        "The number of calls below which rates are ignored; 10 by default.";
    plain slow_call_threshold: Duration, "Calls longer than this count as slow.";
    plain slow_call_rate: SHARE, "The share of slow calls in the window that opens it.";
    plain probes: Count(1), "The probes in flight at once while half open; 1 by default.";
    plain success_threshold: Count(1), "The probes that must succeed to close it; 1 by default.";
    plain half_open_calls: Count(1),
        "The number of probes of which success_threshold must succeed; by default one failed probe \
         opens it again.";
    plain timeout_multiplier: AT_LEAST_ONE,
        "The factor by which the open time grows after a failed probe; 1 by default.";
    plain max_timeout: Duration, "The longest open time; 1h by default.";
    plain count_final: Bool, "Whether final errors count as failures; false by default.";
    plain initial_state: Name(&InitialState::NAMES), "The state in which it starts; closed by default.";
};

/// The fields of `budget`: those of one of its three kinds.
pub(super) const BUDGET_FIELDS: &[Field] = fields! {
    plain retries_per_second: Number(1e-6, 1e6), "Retries allowed per second.";
    plain ratio: Number(1e-6, 1e3), "Retries allowed per successful call.";
    plain min_per_second: Number(0.0, 1e6),
        "Retries allowed per second in addition to the ratio; 10 by default.";
    plain window: Duration, "The period over which successes are counted; 10s by default.";
    plain max_tokens: Count(1), "Tokens at the start; retries need more than half of them.";
    plain token_ratio: Number(1e-3, 1e3), "Tokens added per success and per second.";
};

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
