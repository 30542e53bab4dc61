//! The service: what becomes of a call.
//!
//! It is one server with a line in front of it. How long the line is is all that is kept of it: a
//! call that comes now is done when everything before it is, and a client that has stopped
//! waiting makes it no shorter. That waste is what keeps an overloaded service from recovering.

use crate::chance::{self, Chance, Stream};
use crate::latency::Sampler;
use crate::profile::Profile;
use crate::scenario::{Invalid, Outage, Scenario, nanos};

/// Why a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Nobody is there.
    Refused,
    /// The line is too long, or the service is not well.
    Unavailable,
    /// Too many calls, and for how long to wait if it said so.
    SlowDown,
    /// It may have been done.
    Lost,
    /// It cannot be done.
    Hopeless,
    /// The client has waited long enough.
    TimedOut,
}

impl Trouble {
    pub(crate) const ALL: [Self; 6] = [
        Self::Refused,
        Self::Unavailable,
        Self::SlowDown,
        Self::Lost,
        Self::Hopeless,
        Self::TimedOut,
    ];
}

/// What becomes of a call, and when its client hears of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) at: u64,
    pub(crate) trouble: Option<Trouble>,
}

/// Longer than any client waits.
const NEVER: u64 = u64::MAX;

pub(crate) struct Service<'s> {
    scenario: &'s Scenario,
    latency: Sampler,
    chance: Chance,
    profile: Option<Profile>,
    /// How many calls wait in line, the one that is being done as a part of itself, and as of when.
    line: f64,
    counted_at: u64,
    /// Calls that the limit still lets in, and as of when.
    allowance: f64,
    allowed_at: u64,
}

const SECOND: f64 = 1e9;

impl<'s> Service<'s> {
    pub(crate) fn new(scenario: &'s Scenario) -> Result<Self, Invalid> {
        let allowance = scenario.rate_limit.map_or(0.0, |limit| limit.per_second);
        Ok(Self {
            scenario,
            latency: scenario.latency.sampler()?,
            chance: chance::stream(scenario.seed, Stream::Service),
            profile: Profile::of(scenario),
            line: 0.0,
            counted_at: 0,
            allowance,
            allowed_at: 0,
        })
    }

    pub(crate) fn call(&mut self, now: u64) -> Answer {
        let there_and_back = self.latency.draw(&mut self.chance);
        let soon = now.saturating_add(there_and_back);
        let fails = |trouble| Answer { at: soon, trouble: Some(trouble) };
        if let Some(outage) = self.outage(now) {
            return if outage.silent {
                Answer { at: NEVER, trouble: None }
            } else {
                fails(Trouble::Refused)
            };
        }
        if !self.is_allowed(now) {
            return fails(Trouble::SlowDown);
        }
        let Some(wait) = self.wait_in_line(now) else {
            return fails(Trouble::Unavailable);
        };
        Answer { at: soon.saturating_add(wait), trouble: self.error(now) }
    }

    fn outage(&self, now: u64) -> Option<&'s Outage> {
        let is_now = |outage: &&Outage| nanos(outage.from) <= now && now < nanos(outage.to);
        self.scenario.outages.iter().find(is_now)
    }

    /// Lets in as many as the limit says, and a second's worth at once.
    fn is_allowed(&mut self, now: u64) -> bool {
        let Some(limit) = self.scenario.rate_limit else {
            return true;
        };
        let gained = (now - self.allowed_at) as f64 / SECOND * limit.per_second;
        self.allowance = (self.allowance + gained).min(limit.per_second.max(1.0));
        self.allowed_at = now;
        let is_allowed = self.allowance >= 1.0;
        if is_allowed {
            self.allowance -= 1.0;
        }
        is_allowed
    }

    /// How long the call waits until it is done, if the line takes it.
    fn wait_in_line(&mut self, now: u64) -> Option<u64> {
        let Some(profile) = &self.profile else {
            return Some(0);
        };
        let done = profile.done(self.counted_at, now);
        (self.line, self.counted_at) = ((self.line - done).max(0.0), now);
        if self.scenario.queue.is_some_and(|longest| self.line > f64::from(longest)) {
            return None;
        }
        self.line += 1.0;
        Some(profile.when_done(now, self.line).saturating_sub(now))
    }

    fn brown_outs(&self, now: u64) -> impl Iterator<Item = &'s crate::BrownOut> {
        let is_now =
            move |brown: &&crate::BrownOut| nanos(brown.from) <= now && now < nanos(brown.to);
        self.scenario.brown_outs.iter().filter(is_now)
    }

    fn error(&mut self, now: u64) -> Option<Trouble> {
        let browned = self.brown_outs(now).map(|brown| brown.failing).fold(0.0, f64::max);
        if chance::happens(&mut self.chance, browned) {
            return Some(Trouble::Unavailable);
        }
        let errors = &self.scenario.errors;
        let shares = [
            (errors.retryable, Trouble::Unavailable),
            (errors.rate_limited, Trouble::SlowDown),
            (errors.unknown_outcome, Trouble::Lost),
            (errors.hopeless, Trouble::Hopeless),
        ];
        if shares.iter().all(|(share, _)| *share == 0.0) {
            return None;
        }
        let mut drawn = chance::unit(&mut self.chance);
        for (share, trouble) in shares {
            if drawn < share {
                return Some(trouble);
            }
            drawn -= share;
        }
        None
    }
}
