//! Simulation of a policy during an outage.
//!
//! A moving slider starts many simulations with arbitrary values. So clients and attempts are
//! limited, only a few simulations run at a time on blocking threads, and the latest results are
//! cached: the current policy is simulated for every request.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lru::LruCache;
use steadfast::Policy;
use steadfast::policy::{Draft, Setting};
use steadfast_sim::{Arrival, Outage, Outcome, Scenario, simulate, storm};
use tokio::sync::Semaphore;

use super::changes::MAX_SIMULATED_ATTEMPTS;
use crate::limits::acquire_within;
use crate::lock::lock;

pub(super) const CLIENTS: u32 = 2_000;
const MAX_CONCURRENT: usize = 2;
const PERMIT_TIMEOUT: Duration = Duration::from_secs(2);
const CACHE_SIZE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(63);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutageLength {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    duration: Duration,
}

impl OutageLength {
    const SHORTEST: Self = Self::new("30s", "30 seconds", 30);
    /// The outages of the form, shortest first.
    pub(super) const ALL: [Self; 4] = [
        Self::SHORTEST,
        Self::new("5m", "5 minutes", 300),
        Self::new("1h", "1 hour", 3_600),
        Self::new("6h", "6 hours", 21_600),
    ];

    const fn new(name: &'static str, label: &'static str, seconds: u64) -> Self {
        Self { name, label, duration: Duration::from_secs(seconds) }
    }

    /// The outage with this name, or else the longest that the total delay of the policy can bridge.
    pub(super) fn parse(name: &str, total_delay: Duration) -> Self {
        let fits = |it: &&Self| it.duration * 2 <= total_delay;
        let named = Self::ALL.into_iter().find(|it| it.name == name);
        named.or_else(|| Self::ALL.iter().rev().find(fits).copied()).unwrap_or(Self::SHORTEST)
    }

    /// The `storm` scenario of the simulator, stretched to the length of the outage. Only the
    /// shortest outage limits the capacity of the service: on the scale of hours a queued call would
    /// exceed every client's timeout.
    pub(super) fn scenario(self) -> Scenario {
        let (outage, storm) = (self.duration, storm(CLIENTS));
        if self == Self::SHORTEST {
            return storm;
        }
        Scenario {
            arrival: Arrival::Poisson(outage * 10),
            capacity: None,
            outages: vec![Outage::refusing(outage, outage * 2)],
            until: outage * 20,
            ..storm
        }
    }
}

/// The policy with its attempts limited to what can be simulated.
pub(super) fn bounded(draft: &Draft) -> Option<Policy> {
    let policy = draft.clone().build().ok()?;
    if policy.max_attempts() <= MAX_SIMULATED_ATTEMPTS {
        return Some(policy);
    }
    let mut draft = draft.clone();
    draft.overwrite("max_attempts", &Setting::from(MAX_SIMULATED_ATTEMPTS)).ok()?;
    draft.build().ok()
}

pub(crate) struct Simulations {
    permits: Arc<Semaphore>,
    cache: Mutex<LruCache<String, Arc<Outcome>>>,
}

impl Default for Simulations {
    fn default() -> Self {
        let permits = Arc::new(Semaphore::new(MAX_CONCURRENT));
        Self { permits, cache: Mutex::new(LruCache::new(CACHE_SIZE)) }
    }
}

impl Simulations {
    /// Simulates a policy, or returns `None` if too many simulations are in progress.
    pub(super) async fn run(&self, policy: Policy, outage: OutageLength) -> Option<Arc<Outcome>> {
        let key = format!("{} {}", outage.name, serde_json::to_string(&policy).ok()?);
        if let Some(cached) = lock(&self.cache).get(&key) {
            return Some(cached.clone());
        }
        let permit = acquire_within(PERMIT_TIMEOUT, &self.permits, 1).await?;
        // A simulation runs to its end even if the client disconnects, so it owns the permit.
        let simulation = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            simulate(&outage.scenario(), "", &policy)
        });
        let outcome = Arc::new(simulation.await.ok()?.ok()?);
        lock(&self.cache).put(key, outcome.clone());
        Some(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: even the most expensive policy is simulated to its end.
    #[tokio::test]
    async fn most_expensive_policy_is_simulated_in_time() {
        let simulations = Simulations::default();
        for outage in OutageLength::ALL {
            for backoff in ["immediate", "fixed"] {
                let mut draft = Draft::new();
                draft.set("backoff_type", &backoff.into()).unwrap();
                draft.set("max_attempts", &Setting::from(u32::MAX)).unwrap();
                draft.set("base_delay", &"1ns".into()).unwrap();
                let policy = bounded(&draft).unwrap();
                assert_eq!(policy.max_attempts(), MAX_SIMULATED_ATTEMPTS);
                let outcome = simulations.run(policy, outage).await.unwrap();
                assert!(outcome.calls <= u64::from(CLIENTS * MAX_SIMULATED_ATTEMPTS), "{outage:?}");
            }
        }
    }

    /// K4: a client that disconnects does not free the permit early.
    #[tokio::test]
    async fn abandoned_simulation_keeps_its_permit() {
        let simulations = Simulations::default();
        let mut draft = Draft::new();
        draft.set("max_attempts", &Setting::from(u32::MAX)).unwrap();
        let policy = bounded(&draft).unwrap();
        let mut run = Box::pin(simulations.run(policy, OutageLength::ALL[3]));
        assert!(futures_util::poll!(&mut run).is_pending());
        drop(run);
        assert_eq!(simulations.permits.available_permits(), MAX_CONCURRENT - 1);
    }

    /// H2: results are cached.
    #[tokio::test]
    async fn repeated_simulation_is_cached() {
        let simulations = Simulations::default();
        let policy = Draft::new().build().unwrap();
        let first = simulations.run(policy.clone(), OutageLength::SHORTEST).await.unwrap();
        let second = simulations.run(policy, OutageLength::SHORTEST).await.unwrap();
        assert!(Arc::ptr_eq(&first, &second));
    }

    /// H2: by default the outage is one that the policy can bridge.
    #[test]
    fn default_outage_fits_the_policy() {
        let default = |seconds| OutageLength::parse("", Duration::from_secs(seconds));
        assert_eq!([default(3), default(700), default(8_000), default(1 << 40)], OutageLength::ALL);
        assert_eq!(OutageLength::parse("6h", Duration::ZERO), OutageLength::ALL[3]);
        assert_eq!(OutageLength::parse("1e300", Duration::ZERO), OutageLength::SHORTEST);
    }
}
