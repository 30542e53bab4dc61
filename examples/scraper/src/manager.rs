//! The retry manager: the only code that retries.
//!
//! A subsystem passes an operation and its name in the policy file. The flag selects between the policy
//! and the legacy loop, and every session under a policy is recorded.

use jiff::Timestamp;
use serde::Serialize;
use steadfast::file::Problems;
use steadfast::observe::{Memory, MetricsSummary, Recorder, Tally};
use steadfast::registry::{Loader, Registry};

use crate::error::ScraperError;
use crate::{flags, legacy_loops};

/// Runs operations with retries, for all subsystems.
pub struct RetryManager {
    /// The policies in force, and the running sessions.
    pub registry: Registry,
    /// The ended sessions and their events.
    pub journal: Memory,
    started: Timestamp,
}

impl RetryManager {
    /// Loads policies and flags. A file with invalid flags is rejected like any invalid file.
    pub fn load(loader: Loader) -> Result<Self, Problems> {
        let registry = loader.check(|policies| flags::old_loops(policies).map(drop)).load()?;
        Ok(Self { registry, journal: Memory::default(), started: Timestamp::now() })
    }

    /// A recorder for one session. Its correlation id is the page, which links the sessions of all
    /// subsystems.
    pub fn record(&self) -> Recorder<&Memory> {
        Recorder::new(&self.journal).component("retry_manager")
    }

    /// Runs an operation with retries. Its policy is selected by `subsystem.operation.case`: the case
    /// is the expected error.
    pub async fn run<T: Serialize>(
        &self,
        operation: &str,
        policy: &str,
        record: Recorder<&Memory>,
        attempt: impl AsyncFn() -> Result<T, ScraperError>,
    ) -> Result<T, ScraperError> {
        if flags::is_old(&self.registry.policies(), policy) {
            return legacy_loops::run(policy, attempt).await;
        }
        self.registry
            .run(policy, || attempt())
            .named(operation)
            .instrument(record)
            .record_result()
            .await
            .map_err(|error| error.into_error().unwrap_or_else(ScraperError::from))
    }

    /// The metrics of all sessions that ended until then, by policy and by subsystem.
    pub fn figures(&self, until: Timestamp) -> MetricsSummary {
        let mut tally = Tally::new(self.started, until);
        for session in self.journal.sessions() {
            tally.add(&session);
        }
        tally.summary()
    }
}
