//! The explanation of a decision after a failed attempt (O4).
//!
//! It has two parts: the class of the failure, which a rule determines, and the decision, which the
//! backoff, a hint, a limit or a guard determines.

use std::fmt;
use std::time::Duration;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::serde_format::{maybe_seconds, seconds};
use crate::decide::Reason;
use crate::drive::{EventKind, SessionEvent};
use crate::fault::RetrySignal;
use crate::judge::{Judgement, MatchedBy};
use crate::policy::Policy;
use crate::{Class, duration};

/// The explanation of a decision: data, displayed as a sentence. Its JSON has both.
///
/// ```
/// use steadfast::observe::Why;
/// use steadfast::{Failure, Fault, Policy, retry};
/// # use std::time::Duration;
///
/// struct Status(u16);
/// impl Failure for Status {
///     fn fault(&self) -> Fault {
///         Fault::http(self.0)
///     }
/// }
///
/// let policy = Policy::fixed(Duration::from_millis(1)).max_attempts(2).build()?;
/// let mut reasons = Vec::new();
/// let _ = retry(&policy, || Err::<(), _>(Status(503)))
///     .on_event(|event| reasons.extend(Why::of(event).map(|why| why.to_string())))
///     .call();
/// assert_eq!(reasons[0], "rule `5xx` (default) makes it retryable; backoff for retry 1: 1ms");
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Why {
    /// The class of the failure; `None` if there was no failure.
    #[serde(default)]
    pub class: Option<Class>,
    /// The matching rule.
    #[serde(default)]
    pub rule: Option<String>,
    /// The list that contains the rule.
    pub matched_by: MatchedBy,
    /// The deciding factor.
    pub decided_by: DecidedBy,
}

/// The factor that decided whether and when to retry.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecidedBy {
    /// The policy's backoff.
    Backoff {
        /// The number of the retry, from 1.
        retry: u32,
        /// The delay before jitter, in seconds.
        #[serde(with = "seconds")]
        base: Duration,
        /// The delay after jitter, in seconds.
        #[serde(with = "seconds")]
        delay: Duration,
    },
    /// The server's hint, such as `Retry-After`.
    Hint {
        /// The wait that the server asked for, in seconds.
        #[serde(with = "seconds")]
        wait: Duration,
        /// The delay after jitter, in seconds, if it is longer.
        #[serde(with = "maybe_seconds", default, skip_serializing_if = "Option::is_none")]
        delay: Option<Duration>,
        /// The signal that contained it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<RetrySignal>,
    },
    /// The class: not retryable.
    Class,
    /// The limit on attempts.
    MaxAttempts {
        /// The limit.
        max_attempts: u32,
    },
    /// The limit on the whole session.
    MaxDuration {
        /// The limit, in seconds; `None` if the task expires.
        #[serde(with = "maybe_seconds", default, skip_serializing_if = "Option::is_none")]
        max_duration: Option<Duration>,
    },
    /// The limit on hints.
    MaxHint {
        /// The hint, in seconds.
        #[serde(with = "maybe_seconds", default, skip_serializing_if = "Option::is_none")]
        hint: Option<Duration>,
        /// The limit, in seconds, if the policy sets it.
        #[serde(with = "maybe_seconds", default, skip_serializing_if = "Option::is_none")]
        max_hint: Option<Duration>,
        /// The signal that contained the hint.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<RetrySignal>,
    },
    /// The limit on hinted waits; only in records of earlier versions.
    MaxRateLimitWaits {
        /// The limit.
        max_rate_limit_waits: u32,
    },
    /// The attempt may have taken effect, and the operation is not idempotent.
    NotIdempotent,
    /// The retry budget.
    Budget,
    /// The breaker.
    Breaker,
    /// The policy is disabled.
    Disabled,
    /// The outer session.
    OuterSession,
    /// An inner session.
    InnerSession,
    /// Cancellation.
    Cancelled,
    /// A factor unknown to this version.
    #[serde(other)]
    Other,
}

impl Why {
    /// The explanation of an event; `None` if the event is not a decision, such as a success.
    #[must_use]
    pub fn of(session_event: &SessionEvent<'_>) -> Option<Self> {
        let policy = session_event.policy;
        match session_event.kind {
            EventKind::Retrying { judgement, delay, .. } => {
                Some(Self::retried(policy, judgement, session_event.attempt, delay))
            }
            EventKind::GaveUp { reason, judgement, .. } => {
                Some(Self::gave_up(policy, judgement, reason))
            }
            EventKind::Dropped => Some(Self::gave_up(policy, None, Reason::Cancelled)),
            EventKind::Succeeded | EventKind::Rejected { .. } | EventKind::Breaker(_) => None,
        }
    }

    /// The explanation of a retry after this delay.
    #[must_use]
    pub fn retried(policy: &Policy, judgement: Judgement, attempt: u32, delay: Duration) -> Self {
        let decided_by = match judgement.wait() {
            Some(wait) => {
                let delay = Some(delay).filter(|delay| *delay > wait);
                DecidedBy::Hint { wait, delay, source: judgement.hint_source() }
            }
            None => {
                let base = policy.timing_on(judgement.class()).base_delay(attempt);
                DecidedBy::Backoff { retry: attempt, base, delay }
            }
        };
        Self::new(policy, Some(judgement), decided_by)
    }

    /// The explanation of giving up for this reason.
    #[must_use]
    pub fn gave_up(policy: &Policy, judgement: Option<Judgement>, reason: Reason) -> Self {
        let decided_by = match reason {
            Reason::Final => DecidedBy::Class,
            Reason::AttemptsExhausted => {
                DecidedBy::MaxAttempts { max_attempts: policy.max_attempts() }
            }
            Reason::OutOfTime => DecidedBy::MaxDuration { max_duration: policy.max_duration() },
            Reason::HintTooLong => DecidedBy::MaxHint {
                hint: judgement.and_then(|judgement| judgement.hint()),
                max_hint: policy.max_hint(),
                source: judgement.and_then(|judgement| judgement.hint_source()),
            },
            Reason::RateLimitWaitsExhausted => {
                let max_rate_limit_waits = policy.max_rate_limit_waits().unwrap_or_default();
                DecidedBy::MaxRateLimitWaits { max_rate_limit_waits }
            }
            Reason::NotSafeToRetry => DecidedBy::NotIdempotent,
            Reason::BudgetExhausted => DecidedBy::Budget,
            Reason::BreakerOpen => DecidedBy::Breaker,
            Reason::Disabled => DecidedBy::Disabled,
            Reason::LeftToOuter => DecidedBy::OuterSession,
            Reason::RetriedInside => DecidedBy::InnerSession,
            Reason::Cancelled => DecidedBy::Cancelled,
        };
        // The breaker and a cancellation are independent of the last failure.
        let judgement =
            judgement.filter(|_| !matches!(decided_by, DecidedBy::Breaker | DecidedBy::Cancelled));
        Self::new(policy, judgement, decided_by)
    }

    fn new(policy: &Policy, judgement: Option<Judgement>, decided_by: DecidedBy) -> Self {
        Self {
            class: judgement.map(|judgement| judgement.class()),
            rule: judgement.and_then(|judgement| judgement.rule(policy.rules()).map(str::to_owned)),
            matched_by: judgement.map_or(MatchedBy::Nothing, |judgement| judgement.matched_by()),
            decided_by,
        }
    }
}

impl Serialize for Why {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(class) = self.class {
            map.serialize_entry("class", &class)?;
        }
        if let Some(rule) = &self.rule {
            map.serialize_entry("rule", rule)?;
        }
        map.serialize_entry("matched_by", &self.matched_by)?;
        map.serialize_entry("decided_by", &self.decided_by)?;
        map.serialize_entry("sentence", &format_args!("{self}"))?;
        map.end()
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(class) = self.class {
            match (self.rule.as_deref(), self.matched_by) {
                (Some(rule), list) => write!(f, "rule `{rule}` ({}) makes it {class}", name(list))?,
                (None, MatchedBy::Code) => write!(f, "the program classified it as {class}")?,
                (None, _) => write!(f, "no rule matches, so it is {class}")?,
            }
            f.write_str("; ")?;
        }
        self.decided_by.fmt(f)
    }
}

const fn name(list: MatchedBy) -> &'static str {
    match list {
        MatchedBy::Default => "default",
        MatchedBy::RetryOn => "retry_on",
        MatchedBy::AbortOn => "abort_on",
        MatchedBy::Code => "code",
        MatchedBy::Nothing => "nothing",
    }
}

/// Writes that a hint decided, and the signal that contained it.
fn write_hint(f: &mut fmt::Formatter<'_>, source: Option<RetrySignal>) -> fmt::Result {
    match source {
        Some(signal) => write!(f, "server hint `{signal}`"),
        None => f.write_str("server hint"),
    }
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Backoff { retry, base, delay } => {
                write!(f, "backoff for retry {retry}: {}", duration::format(base))?;
                if base == delay {
                    return Ok(());
                }
                write!(f, "; {} after jitter", duration::format_rounded(delay))
            }
            Self::Hint { wait, delay, source } => {
                write_hint(f, source)?;
                write!(f, ": {}", duration::format(wait))?;
                match delay {
                    Some(delay) => write!(f, "; {} after jitter", duration::format_rounded(delay)),
                    None => Ok(()),
                }
            }
            Self::Class => f.write_str("not retryable"),
            Self::MaxAttempts { max_attempts } => write!(f, "max_attempts {max_attempts} reached"),
            Self::MaxDuration { max_duration: Some(limit) } => {
                write!(f, "max_duration {} leaves no time", duration::format(limit))
            }
            Self::MaxDuration { max_duration: None } => f.write_str("the task expires first"),
            Self::MaxHint { hint, max_hint, source } => {
                write_hint(f, source)?;
                if let Some(hint) = hint {
                    write!(f, " ({})", duration::format(hint))?;
                }
                f.write_str(" is longer than ")?;
                match max_hint {
                    Some(limit) => write!(f, "max_hint {}", duration::format(limit)),
                    None => f.write_str("the default max_hint"),
                }
            }
            Self::MaxRateLimitWaits { max_rate_limit_waits } => {
                write!(f, "max_rate_limit_waits {max_rate_limit_waits} reached")
            }
            Self::NotIdempotent => f.write_str("it may have taken effect and is not idempotent"),
            Self::Budget => f.write_str("budget exhausted"),
            Self::Breaker => f.write_str("breaker open"),
            Self::Disabled => f.write_str("policy disabled"),
            Self::OuterSession => f.write_str("the outer session retries"),
            Self::InnerSession => f.write_str("an inner session has already retried"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Other => f.write_str("for another reason"),
        }
    }
}
