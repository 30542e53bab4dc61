//! The log (O2): a retry is INFO, giving up WARN, success after a retry INFO,
//! plain success DEBUG.
//!
//! Beside these, a breaker that opens is WARN and one that closes INFO; a session
//! that was cancelled, or that leaves the retrying to the one around it, has not
//! failed, and is INFO; one that was dropped is DEBUG, as futures are dropped
//! all the time.
//!
//! Nothing is rendered until it is known that somebody reads it.

use std::borrow::Cow;
use std::time::Duration;

use tracing::Level;
use tracing::level_filters::{LevelFilter, STATIC_MAX_LEVEL};

use super::id::SessionId;
use super::redact::Redactor;
use crate::drive::{EventKind, Instrument, SessionEvent};
use crate::guard::breaker::BreakerState;
use crate::judge::Judgement;
use crate::{Fault, Reason, duration};

/// Writes what happens to `tracing`. Every session has one, if the feature `tracing` is on.
///
/// The fields are `operation`, `session`, `attempt`, `max` and, where they apply, `delay` (in
/// seconds), `class`, `rule`, `reason` and `error`. Secrets are redacted by the
/// [`Redactor`](super::Redactor) that is installed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traced {
    /// The name of a session that has no other, made when it is first written.
    id: Option<SessionId>,
    retried: bool,
}

/// One line of the log: its level, whose it is, what else there is to say of it, and its words.
macro_rules! line {
    ($level:expr, $log:ident, $happening:ident, { $($field:tt)* }, $($words:tt)*) => {
        tracing::event!(
            target: "steadfast",
            $level,
            operation = %redacted($happening.operation),
            session = %$log.id($happening),
            attempt = $happening.attempt,
            max = $happening.policy.max_attempts(),
            $($field)*
            $($words)*
        )
    };
}

impl Traced {
    fn id(&mut self, happening: &SessionEvent<'_>) -> SessionId {
        happening.session.unwrap_or_else(|| *self.id.get_or_insert_with(SessionId::fresh))
    }

    #[cold]
    fn retrying(
        &mut self,
        happening: &SessionEvent<'_>,
        fault: &Fault,
        judgement: Judgement,
        delay: Duration,
    ) {
        self.retried = true;
        line!(Level::INFO, self, happening, {
            delay = delay.as_secs_f64(),
            class = judgement.class().name(),
            rule = judgement.rule(happening.policy.rules()),
            error = error(Some(fault)),
        }, "retrying {}", when(delay));
    }

    #[cold]
    fn gave_up(
        &mut self,
        happening: &SessionEvent<'_>,
        reason: Reason,
        fault: Option<&Fault>,
        judgement: Option<Judgement>,
    ) {
        let class = judgement.map(|judgement| judgement.class().name());
        let rule = judgement.as_ref().and_then(|judged| judged.rule(happening.policy.rules()));
        match reason {
            Reason::Cancelled => line!(Level::INFO, self, happening, {
                class, rule, reason = reason.name(), error = error(fault),
            }, "cancelled"),
            Reason::LeftToOuter => line!(Level::INFO, self, happening, {
                class, rule, reason = reason.name(), error = error(fault),
            }, "not retrying: {}", reason.phrase()),
            _ => line!(Level::WARN, self, happening, {
                class, rule, reason = reason.name(), error = error(fault),
            }, "gave up: {}", reason.phrase()),
        }
    }

    #[cold]
    fn succeeded_late(&mut self, happening: &SessionEvent<'_>) {
        line!(Level::INFO, self, happening, {}, "succeeded after a retry");
    }

    #[cold]
    fn breaker(&mut self, happening: &SessionEvent<'_>, state: BreakerState) {
        match state {
            BreakerState::Open => line!(Level::WARN, self, happening, {}, "breaker opened"),
            BreakerState::Isolated => line!(Level::WARN, self, happening, {}, "breaker isolated"),
            BreakerState::Closed => line!(Level::INFO, self, happening, {}, "breaker closed"),
            BreakerState::HalfOpen => line!(Level::DEBUG, self, happening, {}, "breaker half open"),
        }
    }
}

impl Instrument for Traced {
    /// It only reads what it is told, and no time of its own.
    const IDLE: bool = true;

    /// The least that anybody may want to read is a warning.
    #[inline]
    fn observes(&self) -> bool {
        STATIC_MAX_LEVEL >= LevelFilter::WARN && LevelFilter::current() >= LevelFilter::WARN
    }

    #[inline]
    fn observe(&mut self, happening: &SessionEvent<'_>) {
        match happening.kind {
            EventKind::Succeeded if self.retried => self.succeeded_late(happening),
            EventKind::Succeeded => line!(Level::DEBUG, self, happening, {}, "succeeded"),
            EventKind::Retrying { fault, judgement, delay } => {
                self.retrying(happening, fault, judgement, delay);
            }
            EventKind::GaveUp { reason, fault, judgement } => {
                self.gave_up(happening, reason, fault, judgement);
            }
            EventKind::Dropped => {
                line!(Level::DEBUG, self, happening, {}, "dropped before its end")
            }
            EventKind::Breaker(change) => self.breaker(happening, change.to),
        }
    }
}

fn when(delay: Duration) -> String {
    if delay.is_zero() { "at once".to_owned() } else { format!("in {}", duration::format(delay)) }
}

fn redacted(text: &str) -> Cow<'_, str> {
    Redactor::installed().text(text)
}

/// The fault in words, without its secrets.
fn error(fault: Option<&Fault>) -> Option<String> {
    fault.map(|fault| redacted(&fault.to_string()).into_owned())
}
