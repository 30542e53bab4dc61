//! Reports to the store: events, the worker's registration, breakers and budgets.

pub(crate) mod breaker_sync;
mod budgets;
mod events;
pub(crate) mod registration;

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

pub(crate) use events::EventQueue;

/// The values that were last reported, by name.
///
/// A value is reported when it changes, and again after a while so that readers see that its process
/// is still alive.
#[derive(Debug)]
struct LastReports<V> {
    refresh_interval: Duration,
    reports: HashMap<String, (V, Instant)>,
}

impl<V: PartialEq> LastReports<V> {
    fn new(refresh_interval: Duration) -> Self {
        Self { refresh_interval, reports: HashMap::new() }
    }

    /// Whether this value has changed since its last report, or that report is too old.
    fn is_due(&self, name: &str, value: &V) -> bool {
        self.reports
            .get(name)
            .is_none_or(|(reported, at)| reported != value || at.elapsed() >= self.refresh_interval)
    }

    /// Records that this value has been reported now.
    fn record(&mut self, name: impl Into<String>, value: V) {
        self.reports.insert(name.into(), (value, Instant::now()));
    }

    fn retain(&mut self, exists: impl Fn(&str) -> bool) {
        self.reports.retain(|name, _| exists(name));
    }
}
