//! The outcome of a simulation.

use std::collections::BTreeMap;

use serde::Serialize;
use steadfast::Reason;

use crate::load::Load;

/// The outcome of a simulation under one policy.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The policy's name.
    pub policy: String,
    /// Clients that arrived before the simulation ended.
    pub clients: u32,
    /// Calls to the service.
    pub calls: u64,
    /// Calls per client.
    pub amplification: f64,
    /// Clients that succeeded.
    pub completed: u64,
    /// Clients that gave up.
    pub gave_up: u64,
    /// Give-ups by reason.
    pub reasons: BTreeMap<&'static str, u64>,
    /// Give-ups by the label of the reason, for people.
    #[serde(skip)]
    pub reason_labels: BTreeMap<&'static str, u64>,
    /// Clients in progress when the simulation ended.
    pub unfinished: u64,
    /// The most calls in a second.
    pub peak_rps: f64,
    /// Median completion time, in seconds.
    pub p50: Option<f64>,
    /// 99th percentile of completion times, in seconds.
    pub p99: Option<f64>,
    /// The time of the last event, in seconds.
    pub ended: f64,
    /// Points of time in seconds, with the calls per second from there on.
    pub load: Vec<(f64, f64)>,
    /// Seconds since arrival, with the share of clients completed by then.
    pub completions: Vec<(f64, f64)>,
}

const MAX_POINTS: usize = 240;

/// The counters of a running simulation.
pub(crate) struct Tally {
    pub(crate) load: Load,
    pub(crate) calls: u64,
    completions: Vec<u64>,
    reasons: BTreeMap<&'static str, u64>,
    reason_labels: BTreeMap<&'static str, u64>,
}

impl Tally {
    pub(crate) fn new(clients: u32) -> Self {
        let completions = Vec::with_capacity(clients as usize);
        let (reasons, reason_labels) = (BTreeMap::new(), BTreeMap::new());
        Self { load: Load::new(), calls: 0, completions, reasons, reason_labels }
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
        *self.reason_labels.entry(reason.label()).or_default() += 1;
    }

    /// The outcome for this number of arrived clients.
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
            reason_labels: self.reason_labels,
            load: self.load.over_time(MAX_POINTS),
        }
    }
}

pub(crate) fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

fn percentile(sorted: &[u64], part: f64) -> Option<f64> {
    let index = (sorted.len().checked_sub(1)? as f64 * part).round() as usize;
    sorted.get(index).copied().map(seconds)
}

/// The share of clients completed, by completion time.
fn curve(sorted: &[u64], clients: u32) -> Vec<(f64, f64)> {
    let step = (sorted.len() / MAX_POINTS).max(1);
    let last = sorted.len().saturating_sub(1);
    let indexes = (0..sorted.len()).filter(|index| index % step == 0 || *index == last);
    let point = |index: usize| {
        let took = sorted.get(index).copied().map(seconds)?;
        Some((took, (index + 1) as f64 / f64::from(clients)))
    };
    indexes.filter_map(point).collect()
}
