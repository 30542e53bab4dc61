//! The contention experiment (M2).
//!
//! The experiment of the AWS article on exponential backoff and jitter: every client reads one row
//! and writes it back, which succeeds only if no other client has written it meanwhile. The service
//! does not fail and has no capacity limit: the retries alone cause the load. One client succeeds
//! in each round, so without backoff the number of calls grows with the square of the clients.

use std::time::Duration;

use rand::RngCore as _;
use serde::{Deserialize, Serialize};
use steadfast::decide::{Decision, DecisionEnv, Progress, SessionLimits};
use steadfast::judge::Judgement;
use steadfast::{Class, Moment, Policy};

use crate::event_queue::{Event, EventKind, EventQueue};
use crate::latency::{Latency, Sampler};
use crate::outcome::seconds;
use crate::random::{self, Random, Stream};
use crate::scenario::{ScenarioError, count, nanos};

/// A contention experiment: clients that write one row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contention {
    /// The number of clients.
    pub clients: u32,
    /// The one-way latency of a message.
    pub network: Latency,
    /// The number of repetitions; the outcome is their mean.
    pub rounds: u32,
    /// The random seed.
    pub seed: u64,
}

impl Default for Contention {
    /// As in the article.
    fn default() -> Self {
        let (mean, deviation) = (Duration::from_millis(10), Duration::from_millis(2));
        Self { clients: 100, network: Latency::Normal { mean, deviation }, rounds: 100, seed: 1 }
    }
}

/// The outcome of a contention experiment, as the mean of its rounds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ContentionOutcome {
    /// The policy's name.
    pub policy: String,
    /// The number of clients.
    pub clients: u32,
    /// Writes, successful or not.
    pub calls: f64,
    /// Seconds until the last client was done.
    pub seconds: f64,
    /// Clients that gave up.
    pub gave_up: f64,
}

impl Contention {
    /// The most clients; without backoff, calls grow with the square.
    pub const MAX_CLIENTS: u32 = 10_000;
}

/// Runs the experiment with clients under a policy.
///
/// # Errors
/// The number of clients or rounds, or the latency, is invalid.
pub fn contend(
    experiment: &Contention,
    name: &str,
    policy: &Policy,
) -> Result<ContentionOutcome, ScenarioError> {
    let Contention { clients, network, rounds, seed } = *experiment;
    count("clients", clients, Contention::MAX_CLIENTS)?;
    if rounds == 0 {
        return Err(ScenarioError::new("rounds", "must be at least 1"));
    }
    let network = network.sampler()?;
    let mut sum = Round::default();
    for round in 0..rounds {
        let seed = seed.wrapping_add(u64::from(round));
        let row = Row::new(clients, network, policy, seed);
        sum.add(&row.run());
    }
    let mean = |sum: f64| sum / f64::from(rounds);
    Ok(ContentionOutcome {
        policy: name.to_owned(),
        clients,
        calls: mean(sum.calls),
        seconds: mean(sum.seconds),
        gave_up: mean(sum.gave_up),
    })
}

#[derive(Clone, Copy, Default)]
struct Round {
    calls: f64,
    seconds: f64,
    gave_up: f64,
}

impl Round {
    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.seconds += other.seconds;
        self.gave_up += other.gave_up;
    }
}

struct Row<'p> {
    version: u64,
    clients: Vec<Writer>,
    queue: EventQueue,
    network: Sampler,
    policy: &'p Policy,
    network_random: Random,
    jitter: Random,
}

#[derive(Clone, Copy, Default)]
struct Writer {
    progress: Progress,
    /// The version it has read.
    seen: u64,
}

struct Draws<'c>(&'c mut Random);

impl DecisionEnv for Draws<'_> {
    fn draw(&mut self) -> u64 {
        self.0.next_u64()
    }
}

impl<'p> Row<'p> {
    fn new(clients: u32, network: Sampler, policy: &'p Policy, seed: u64) -> Self {
        let mut row = Self {
            version: 0,
            clients: vec![Writer::default(); clients as usize],
            queue: EventQueue::default(),
            network,
            policy,
            network_random: random::stream(seed, Stream::Service),
            jitter: random::stream(seed, Stream::Jitter),
        };
        for client in 0..clients {
            row.send(0, client, EventKind::Start);
        }
        row
    }

    fn send(&mut self, now: u64, client: u32, kind: EventKind) {
        let at = now.saturating_add(self.network.draw(&mut self.network_random));
        self.queue.push(Event { at, client, kind });
    }

    /// Runs one round. A read arrives at [`EventKind::Start`], a write at [`EventKind::End`].
    fn run(mut self) -> Round {
        let mut round = Round::default();
        while let Some(Event { at: now, client, kind }) = self.queue.pop() {
            round.seconds = seconds(now);
            match kind {
                EventKind::Start => self.read(client, now),
                EventKind::End => self.write(client, now, &mut round),
            }
        }
        round
    }

    fn read(&mut self, client: u32, now: u64) {
        if let Some(writer) = self.clients.get_mut(client as usize) {
            writer.seen = self.version;
        }
        let answered = now.saturating_add(self.network.draw(&mut self.network_random));
        self.send(answered, client, EventKind::End);
    }

    fn write(&mut self, client: u32, now: u64, round: &mut Round) {
        let Some(writer) = self.clients.get_mut(client as usize) else {
            return;
        };
        round.calls += 1.0;
        if writer.seen == self.version {
            self.version += 1;
            return;
        }
        let answered = now.saturating_add(self.network.draw(&mut self.network_random));
        let moment = Moment::from_nanos(answered);
        let judgement = Judgement::by_code(Class::Retryable, None);
        let mut draws = Draws(&mut self.jitter);
        let limits = SessionLimits::IN_PROCESS;
        match writer.progress.decide(self.policy, &limits, moment, &judgement, &mut draws) {
            Decision::Retry(delay) => {
                self.send(answered.saturating_add(nanos(delay)), client, EventKind::Start);
            }
            Decision::GiveUp(_) => round.gave_up += 1.0,
        }
    }
}
