//! The retry manager: the only code that retries.
//!
//! A subsystem says what it does and under which name of the policy file; whether, when and how
//! often it is tried again is no business of its own any more. Here the flag chooses between the
//! policy and the old loop, and every session under a policy is recorded.

use jiff::Timestamp;
use serde::Serialize;
use steadfast::file::Problems;
use steadfast::observe::{Memory, MetricsSummary, Recorder, Tally};
use steadfast::registry::{Loader, Registry};

use crate::error::ScraperError;
use crate::{flags, legacy_loops};

/// Tries again, for everybody.
pub struct RetryManager {
    /// The policies in force, and the sessions under way.
    pub registry: Registry,
    /// The sessions that have ended, and what happened in them.
    pub journal: Memory,
    started: Timestamp,
}

impl RetryManager {
    /// With policies and flags. A file whose flags are wrong is refused as any wrong file is.
    pub fn load(loader: Loader) -> Result<Self, Problems> {
        let registry = loader.check(|policies| flags::old_loops(policies).map(drop)).load()?;
        Ok(Self { registry, journal: Memory::default(), started: Timestamp::now() })
    }

    /// A record of something that is about to be done. By its correlation id, the page, whatever
    /// all subsystems did for that page can be found.
    pub fn record(&self) -> Recorder<&Memory> {
        Recorder::new(&self.journal).component("retry_manager")
    }

    /// Does it, and again if the policy says so. The policy is found by
    /// `subsystem.operation.case`: the case is the trouble that is to be expected of it.
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

    /// The figures of all sessions that ended until then, by policy and by subsystem.
    pub fn figures(&self, until: Timestamp) -> MetricsSummary {
        let mut tally = Tally::new(self.started, until);
        for session in self.journal.sessions() {
            tally.add(&session);
        }
        tally.summary()
    }
}
