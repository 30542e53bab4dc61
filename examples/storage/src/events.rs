//! What happened to the sessions, as the log tells it.
//!
//! Every session of `#[retry]` writes what happens to `tracing`. A program that has its log
//! has this already; here it is gathered, to be counted and to be waited for.

use std::fmt;

use tokio::sync::watch;
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// One line of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// What was tried.
    pub operation: String,
    /// The number of the attempt that ended.
    pub attempt: u64,
    /// What its failure means, if it failed.
    pub class: Option<String>,
    /// What went wrong: `SQLSTATE 57P01`, `pool_timeout`.
    pub code: Option<String>,
    /// Why the session ended without success, if it did.
    pub reason: Option<String>,
}

impl Event {
    /// Whether an attempt failed.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.class.is_some()
    }

    /// Whether it failed like this.
    #[must_use]
    pub fn is(&self, code: &str) -> bool {
        self.code.as_deref().is_some_and(|told| told.ends_with(code))
    }
}

/// A layer of a subscriber that keeps the events. Clones keep them together.
#[derive(Clone, Debug, Default)]
pub struct Events(watch::Sender<Vec<Event>>);

impl Events {
    /// Those so far, oldest first.
    #[must_use]
    pub fn so_far(&self) -> Vec<Event> {
        self.0.borrow().clone()
    }

    /// Waits for one, unless it is there.
    pub async fn until(&self, one: impl Fn(&Event) -> bool) {
        self.until_after(0, one).await;
    }

    /// Waits for one that is not there yet.
    pub async fn until_another(&self, one: impl Fn(&Event) -> bool) {
        let so_far = self.0.borrow().len();
        self.until_after(so_far, one).await;
    }

    async fn until_after(&self, old: usize, one: impl Fn(&Event) -> bool) {
        let mut changes = self.0.subscribe();
        // It cannot end before `self` does.
        let _ = changes.wait_for(|events| events.iter().skip(old).any(&one)).await;
    }
}

impl<S: Subscriber> Layer<S> for Events {
    fn on_event(&self, told: &tracing::Event<'_>, _: Context<'_, S>) {
        if told.metadata().target() != "steadfast" {
            return;
        }
        let mut event = Event::default();
        told.record(&mut event);
        self.0.send_modify(|events| events.push(event));
    }
}

impl Visit for Event {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "attempt" {
            self.attempt = value;
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "class" => self.class = Some(value.to_owned()),
            "reason" => self.reason = Some(value.to_owned()),
            // A fault in words begins with its code.
            "error" => self.code = value.split(',').next().map(str::to_owned),
            _ => {}
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "operation" {
            self.operation = format!("{value:?}");
        }
    }
}
