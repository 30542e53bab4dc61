//! Metrics through the `metrics` facade; the application chooses the exporter.
//!
//! | name | kind | labels |
//! |---|---|---|
//! | `steadfast_sessions_total` | counter | `operation`, `outcome`: `success`, `failure` or `cancelled` |
//! | `steadfast_retries_total` | counter | `operation`, `class` |
//! | `steadfast_give_ups_total` | counter | `operation`, `reason` |
//! | `steadfast_retry_delay_seconds` | histogram | `operation` |
//! | `steadfast_breaker_changes_total` | counter | `operation`, `to`: `open`, `closed`, `half_open`, `isolated` or `disabled` |

use std::time::Duration;

use metrics::{Counter, Histogram, counter, histogram};

use crate::drive::{EventKind, Instrument, SessionEvent};
use crate::guard::Transition;
use crate::guard::breaker::BreakerState;
use crate::{Class, Moment, Reason};

/// The metrics of one operation. Create it once and attach it to every session: creation looks up
/// the counters.
///
/// ```
/// use steadfast::observe::Metrics;
/// use steadfast::{Policy, retry};
///
/// let metrics = Metrics::new("storage.upsert");
/// let policy = Policy::immediate().build()?;
/// retry(&policy, || Ok::<_, std::io::Error>(())).instrument(&metrics).call()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Metrics {
    operation: String,
    succeeded: Counter,
    failed: Counter,
    cancelled: Counter,
    retries: [Counter; 4],
    delays: Histogram,
}

impl Metrics {
    /// The metrics of an operation, in the recorder that is installed now.
    #[must_use]
    pub fn new(operation: impl Into<String>) -> Self {
        let operation = operation.into();
        let sessions = |outcome: &'static str| counter!("steadfast_sessions_total", "operation" => operation.clone(), "outcome" => outcome);
        let retries = |class: Class| counter!("steadfast_retries_total", "operation" => operation.clone(), "class" => class.name());
        Self {
            succeeded: sessions("success"),
            failed: sessions("failure"),
            cancelled: sessions("cancelled"),
            retries: Class::ALL.map(retries),
            delays: histogram!("steadfast_retry_delay_seconds", "operation" => operation.clone()),
            operation,
        }
    }

    #[cold]
    fn gave_up(&self, reason: Reason) {
        if reason == Reason::Cancelled {
            self.cancelled.increment(1);
            return;
        }
        self.failed.increment(1);
        let labels = [("operation", self.operation.clone()), ("reason", reason.name().to_owned())];
        counter!("steadfast_give_ups_total", &labels).increment(1);
    }

    #[cold]
    fn breaker_changed(&self, to: BreakerState) {
        let labels = [("operation", self.operation.clone()), ("to", to.as_str().to_owned())];
        counter!("steadfast_breaker_changes_total", &labels).increment(1);
    }

    #[cold]
    fn retrying(&self, class: Class, delay: Duration) {
        if let Some(retries) = self.retries.get(class as usize) {
            retries.increment(1);
        }
        self.delays.record(delay.as_secs_f64());
    }
}

impl Instrument for &Metrics {
    #[inline]
    fn observes(&self) -> bool {
        true
    }

    #[inline]
    fn after_success(&mut self, _: impl Fn() -> Moment) -> Option<Transition> {
        self.succeeded.increment(1);
        None
    }

    #[inline]
    fn observe(&mut self, session_event: &SessionEvent<'_>) {
        match session_event.kind {
            EventKind::Retrying { judgement, delay, .. } => self.retrying(judgement.class(), delay),
            EventKind::GaveUp { reason, .. } => self.gave_up(reason),
            EventKind::Dropped => self.cancelled.increment(1),
            EventKind::Breaker(change) => self.breaker_changed(change.to),
            EventKind::Succeeded | EventKind::Rejected { .. } => {}
        }
    }
}
