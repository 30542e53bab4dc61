//! The simulated service.
//!
//! It is a server with a queue, of which only the length is stored: a call is done when all calls
//! before it are, and the call of a client that has timed out stays in the queue. That waste keeps
//! an overloaded service from recovering.

use crate::latency::Sampler;
use crate::profile::Profile;
use crate::random::{self, Random, Stream};
use crate::scenario::{Outage, Scenario, ScenarioError, nanos};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallFailure {
    Refused,
    /// The queue is full, or the service fails.
    Unavailable,
    RateLimited,
    /// The response was lost.
    UnknownOutcome,
    /// The request is invalid.
    Permanent,
    TimedOut,
}

impl CallFailure {
    pub(crate) const ALL: [Self; 6] = [
        Self::Refused,
        Self::Unavailable,
        Self::RateLimited,
        Self::UnknownOutcome,
        Self::Permanent,
        Self::TimedOut,
    ];
}

/// The response to a call, and its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Response {
    pub(crate) at: u64,
    pub(crate) failure: Option<CallFailure>,
}

/// Later than any timeout.
const NEVER: u64 = u64::MAX;

pub(crate) struct Service<'s> {
    scenario: &'s Scenario,
    latency: Sampler,
    random: Random,
    profile: Option<Profile>,
    /// The queue length, with the fraction of the call in progress, as of `counted_at`.
    queue_length: f64,
    counted_at: u64,
    /// The tokens of the rate limit, as of `allowed_at`.
    allowance: f64,
    allowed_at: u64,
}

const NANOS_PER_SECOND: f64 = 1e9;

impl<'s> Service<'s> {
    pub(crate) fn new(scenario: &'s Scenario) -> Result<Self, ScenarioError> {
        let allowance = scenario.rate_limit.map_or(0.0, |limit| limit.per_second);
        Ok(Self {
            scenario,
            latency: scenario.latency.sampler()?,
            random: random::stream(scenario.seed, Stream::Service),
            profile: Profile::of(scenario),
            queue_length: 0.0,
            counted_at: 0,
            allowance,
            allowed_at: 0,
        })
    }

    pub(crate) fn call(&mut self, now: u64) -> Response {
        let latency = self.latency.draw(&mut self.random);
        let without_wait = now.saturating_add(latency);
        let fails = |failure| Response { at: without_wait, failure: Some(failure) };
        if let Some(outage) = self.outage(now) {
            return if outage.silent {
                Response { at: NEVER, failure: None }
            } else {
                fails(CallFailure::Refused)
            };
        }
        if !self.is_allowed(now) {
            return fails(CallFailure::RateLimited);
        }
        let Some(wait) = self.enqueue(now) else {
            return fails(CallFailure::Unavailable);
        };
        Response { at: without_wait.saturating_add(wait), failure: self.error(now) }
    }

    fn outage(&self, now: u64) -> Option<&'s Outage> {
        let is_now = |outage: &&Outage| nanos(outage.from) <= now && now < nanos(outage.to);
        self.scenario.outages.iter().find(is_now)
    }

    /// A token bucket with the capacity of one second.
    fn is_allowed(&mut self, now: u64) -> bool {
        let Some(limit) = self.scenario.rate_limit else {
            return true;
        };
        let gained = (now - self.allowed_at) as f64 / NANOS_PER_SECOND * limit.per_second;
        self.allowance = (self.allowance + gained).min(limit.per_second.max(1.0));
        self.allowed_at = now;
        let is_allowed = self.allowance >= 1.0;
        if is_allowed {
            self.allowance -= 1.0;
        }
        is_allowed
    }

    /// The wait of a call until it is done; `None` if the queue is full.
    fn enqueue(&mut self, now: u64) -> Option<u64> {
        let Some(profile) = &self.profile else {
            return Some(0);
        };
        let done = profile.done(self.counted_at, now);
        (self.queue_length, self.counted_at) = ((self.queue_length - done).max(0.0), now);
        if self.scenario.queue.is_some_and(|limit| self.queue_length > f64::from(limit)) {
            return None;
        }
        self.queue_length += 1.0;
        Some(profile.when_done(now, self.queue_length).saturating_sub(now))
    }

    fn brown_outs(&self, now: u64) -> impl Iterator<Item = &'s crate::BrownOut> {
        let is_now =
            move |brown: &&crate::BrownOut| nanos(brown.from) <= now && now < nanos(brown.to);
        self.scenario.brown_outs.iter().filter(is_now)
    }

    fn error(&mut self, now: u64) -> Option<CallFailure> {
        let share = self.brown_outs(now).map(|brown| brown.failing).fold(0.0, f64::max);
        if random::happens(&mut self.random, share) {
            return Some(CallFailure::Unavailable);
        }
        let errors = &self.scenario.errors;
        let shares = [
            (errors.retryable, CallFailure::Unavailable),
            (errors.rate_limited, CallFailure::RateLimited),
            (errors.unknown_outcome, CallFailure::UnknownOutcome),
            (errors.permanent, CallFailure::Permanent),
        ];
        if shares.iter().all(|(share, _)| *share == 0.0) {
            return None;
        }
        let mut drawn = random::unit(&mut self.random);
        for (share, failure) in shares {
            if drawn < share {
                return Some(failure);
            }
            drawn -= share;
        }
        None
    }
}
