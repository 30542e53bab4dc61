//! What a policy did.

use std::collections::BTreeMap;

use serde::Serialize;
use steadfast::Reason;

use crate::load::Load;

/// What clients under one policy did to the service, and what they got.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The policy's name.
    pub policy: String,
    /// How many clients came before the simulation ended.
    pub clients: u32,
    /// Calls that reached the service, or tried to.
    pub calls: u64,
    /// Calls for each client that came.
    pub amplification: f64,
    /// Clients that got what they wanted.
    pub completed: u64,
    /// Clients that gave up.
    pub gave_up: u64,
    /// Why they gave up.
    pub reasons: BTreeMap<&'static str, u64>,
    /// Clients that were still at it when the simulation ended.
    pub unfinished: u64,
    /// The most calls in a second.
    pub peak_rps: f64,
    /// How long half of those that completed took, in seconds.
    pub p50: Option<f64>,
    /// How long 99 of 100 of those that completed took at most, in seconds.
    pub p99: Option<f64>,
    /// When the last client was done, in seconds.
    pub ended: f64,
    /// Seconds from the beginning, and calls a second from then on.
    pub load: Vec<(f64, f64)>,
    /// Seconds from a client's arrival, and the share of clients that were done by then.
    pub completions: Vec<(f64, f64)>,
}

/// How many points a curve has at most.
const POINTS: usize = 240;

/// What is counted while a simulation runs.
pub(crate) struct Tally {
    pub(crate) load: Load,
    pub(crate) calls: u64,
    completions: Vec<u64>,
    reasons: BTreeMap<&'static str, u64>,
}

impl Tally {
    pub(crate) fn new(clients: u32) -> Self {
        let completions = Vec::with_capacity(clients as usize);
        Self { load: Load::new(), calls: 0, completions, reasons: BTreeMap::new() }
    }

    pub(crate) fn call(&mut self, now: u64) {
        self.calls += 1;
        self.load.count(now);
    }

    pub(crate) fn completed(&mut self, took: u64) {
        self.completions.push(took);
    }

    pub(crate) fn gave_up(&mut self, reason: Reason) {
        *self.reasons.entry(reason.name()).or_default() += 1;
    }

    /// Of these clients, all that came before the end.
    pub(crate) fn outcome(mut self, policy: &str, clients: u32, ended: u64) -> Outcome {
        self.completions.sort_unstable();
        let completed = self.completions.len() as u64;
        let gave_up = self.reasons.values().sum();
        Outcome {
            policy: policy.to_owned(),
            clients,
            calls: self.calls,
            amplification: self.calls as f64 / f64::from(clients.max(1)),
            completed,
            gave_up,
            unfinished: u64::from(clients).saturating_sub(completed + gave_up),
            peak_rps: self.load.peak(),
            p50: percentile(&self.completions, 0.5),
            p99: percentile(&self.completions, 0.99),
            ended: seconds(ended),
            completions: curve(&self.completions, clients),
            reasons: self.reasons,
            load: self.load.over_time(POINTS),
        }
    }
}

pub(crate) fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

fn percentile(sorted: &[u64], part: f64) -> Option<f64> {
    let place = (sorted.len().checked_sub(1)? as f64 * part).round() as usize;
    sorted.get(place).copied().map(seconds)
}

/// The share of all clients that were done after so long.
fn curve(sorted: &[u64], clients: u32) -> Vec<(f64, f64)> {
    let step = (sorted.len() / POINTS).max(1);
    let last = sorted.len().saturating_sub(1);
    let places = (0..sorted.len()).filter(|place| place % step == 0 || *place == last);
    let point = |place: usize| {
        let took = sorted.get(place).copied().map(seconds)?;
        Some((took, (place + 1) as f64 / f64::from(clients)))
    };
    places.filter_map(point).collect()
}
