//! Logging through `tracing` (O2).
//!
//! A retry is INFO, giving up WARN, success after a retry INFO, immediate success DEBUG. A breaker
//! that opens is WARN, one that closes INFO. A session that was cancelled, or that leaves retries to
//! the outer session, has not failed and is INFO; a dropped one is DEBUG, as dropping futures is
//! common.
//!
//! Nothing is formatted unless the level is enabled.

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

/// Logs the events of a session to `tracing`. Every session has one if the feature `tracing` is on.
///
/// The fields are `operation`, `session`, `attempt`, `max` and, where they apply, `delay` (in
/// seconds), `class`, `rule`, `reason` and `error`. Secrets are redacted by the
/// [`Redactor`](super::Redactor) that is installed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traced {
    /// The id of a session without another one, created when it is first logged.
    id: Option<SessionId>,
    retried: bool,
}

/// A log line: its level, the common fields, further fields, and the message.
macro_rules! line {
    ($level:expr, $log:ident, $session_event:ident, { $($field:tt)* }, $($message:tt)*) => {
        tracing::event!(
            target: "steadfast",
            $level,
            operation = %redacted($session_event.operation),
            session = %$log.id($session_event),
            attempt = $session_event.attempt,
            max = $session_event.policy.max_attempts(),
            $($field)*
            $($message)*
        )
    };
}

impl Traced {
    fn id(&mut self, session_event: &SessionEvent<'_>) -> SessionId {
        session_event.session.unwrap_or_else(|| *self.id.get_or_insert_with(SessionId::fresh))
    }

    #[cold]
    fn retrying(
        &mut self,
        session_event: &SessionEvent<'_>,
        fault: &Fault,
        judgement: Judgement,
        delay: Duration,
    ) {
        self.retried = true;
        line!(Level::INFO, self, session_event, {
            delay = delay.as_secs_f64(),
            class = judgement.class().name(),
            rule = judgement.rule(session_event.policy.rules()),
            error = error(Some(fault)),
        }, "retrying {}", when(delay));
    }

    #[cold]
    fn gave_up(
        &mut self,
        session_event: &SessionEvent<'_>,
        reason: Reason,
        fault: Option<&Fault>,
        judgement: Option<Judgement>,
    ) {
        let class = judgement.map(|judgement| judgement.class().name());
        let rule = judgement.as_ref().and_then(|judged| judged.rule(session_event.policy.rules()));
        match reason {
            Reason::Cancelled => line!(Level::INFO, self, session_event, {
                class, rule, reason = reason.name(), error = error(fault),
            }, "cancelled"),
            Reason::LeftToOuter => line!(Level::INFO, self, session_event, {
                class, rule, reason = reason.name(), error = error(fault),
            }, "not retrying: {}", reason.phrase()),
            _ => line!(Level::WARN, self, session_event, {
                class, rule, reason = reason.name(), error = error(fault),
            }, "gave up: {}", reason.phrase()),
        }
    }

    #[cold]
    fn succeeded_late(&mut self, session_event: &SessionEvent<'_>) {
        line!(Level::INFO, self, session_event, {}, "succeeded after a retry");
    }

    #[cold]
    fn breaker(&mut self, session_event: &SessionEvent<'_>, state: BreakerState) {
        match state {
            BreakerState::Open => line!(Level::WARN, self, session_event, {}, "breaker opened"),
            BreakerState::Isolated => {
                line!(Level::WARN, self, session_event, {}, "breaker isolated")
            }
            BreakerState::Disabled => {
                line!(Level::WARN, self, session_event, {}, "breaker disabled")
            }
            BreakerState::Closed => line!(Level::INFO, self, session_event, {}, "breaker closed"),
            BreakerState::HalfOpen => {
                line!(Level::DEBUG, self, session_event, {}, "breaker half open")
            }
        }
    }
}

impl Instrument for Traced {
    /// It does not read the clock.
    const IDLE: bool = true;

    /// Enabled from the level WARN.
    #[inline]
    fn observes(&self) -> bool {
        STATIC_MAX_LEVEL >= LevelFilter::WARN && LevelFilter::current() >= LevelFilter::WARN
    }

    #[inline]
    fn observe(&mut self, session_event: &SessionEvent<'_>) {
        match session_event.kind {
            EventKind::Succeeded if self.retried => self.succeeded_late(session_event),
            EventKind::Succeeded => line!(Level::DEBUG, self, session_event, {}, "succeeded"),
            EventKind::Retrying { fault, judgement, delay, .. } => {
                self.retrying(session_event, fault, judgement, delay);
            }
            EventKind::Rejected { rejection, delay } => {
                line!(Level::INFO, self, session_event, {
                    delay = delay.as_secs_f64(),
                }, "{rejection}; asking again {}", when(delay));
            }
            EventKind::GaveUp { reason, fault, judgement } => {
                self.gave_up(session_event, reason, fault, judgement);
            }
            EventKind::Dropped => {
                line!(Level::DEBUG, self, session_event, {}, "dropped before its end")
            }
            EventKind::Breaker(change) => self.breaker(session_event, change.to),
        }
    }
}

fn when(delay: Duration) -> String {
    match delay.is_zero() {
        true => "at once".to_owned(),
        false => format!("in {}", duration::format_rounded(delay)),
    }
}

fn redacted(text: &str) -> Cow<'_, str> {
    Redactor::installed().text(text)
}

/// The fault as text, redacted.
fn error(fault: Option<&Fault>) -> Option<String> {
    fault.map(|fault| redacted(&fault.to_string()).into_owned())
}
