//! Importer for `@CircuitBreaker`: a rolling window of calls that must be full.

use std::time::Duration;

use super::settings::{BREAKER, Conversion};
use crate::policy_builder::time;
use crate::reader::Reader;

const VOLUME: u32 = 20;
const RATIO: f64 = 0.5;
const DELAY: Duration = Duration::from_secs(5);
const SUCCESSES: u32 = 1;

impl Conversion<'_, '_, '_> {
    pub(super) fn write_breaker(&mut self) {
        if !self.has(BREAKER) {
            return;
        }
        let calls = self.read_or(BREAKER, "requestVolumeThreshold", Reader::count, VOLUME);
        self.policy.put("breaker.window_calls", calls.clone());
        self.policy.put("breaker.minimum_volume", calls);
        let ratio = self.read_or(BREAKER, "failureRatio", Reader::number, RATIO);
        self.policy.put("breaker.failure_rate", ratio);
        let delay = self.time_or(BREAKER, ["delay", "delayUnit"], DELAY);
        self.policy.put("breaker.timeout", delay.map(time));
        let successes = self.read_or(BREAKER, "successThreshold", Reader::count, SUCCESSES);
        self.policy.put("breaker.probes", successes.clone());
        self.policy.put("breaker.success_threshold", successes);
        // MicroProfile counts every exception.
        self.policy.set("breaker.count_final", true, None);
    }
}
