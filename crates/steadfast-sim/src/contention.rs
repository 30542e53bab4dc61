//! Clients that get into each other's way (M2).
//!
//! The experiment of the AWS article on exponential backoff and jitter: every client reads one
//! row and writes it back, which works only if nobody else has written it meanwhile. Nothing is
//! broken here, and there is no capacity to exceed: the retries alone make the work. One of them
//! succeeds each time, so without backoff the number of calls grows with the square of the
//! number of clients.

use std::time::Duration;

use rand::RngCore as _;
use serde::{Deserialize, Serialize};
use steadfast::decide::{Decision, DecisionEnv, Progress, SessionLimits};
use steadfast::judge::Judgement;
use steadfast::{Class, Moment, Policy};

use crate::agenda::{Agenda, Event, What};
use crate::chance::{self, Chance, Stream};
use crate::latency::{Latency, Sampler};
use crate::outcome::seconds;
use crate::scenario::{Invalid, nanos};

/// Clients that want to write one row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contention {
    /// How many.
    pub clients: u32,
    /// How long a message takes, each way.
    pub network: Latency,
    /// How often the experiment is repeated; the mean is told.
    pub rounds: u32,
    /// Chance.
    pub seed: u64,
}

impl Default for Contention {
    /// As in the article.
    fn default() -> Self {
        let (mean, deviation) = (Duration::from_millis(10), Duration::from_millis(2));
        Self { clients: 100, network: Latency::Normal { mean, deviation }, rounds: 100, seed: 1 }
    }
}

/// What it took until every client had written the row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Contended {
    /// The policy's name.
    pub policy: String,
    /// How many clients there were.
    pub clients: u32,
    /// Writes, good and bad.
    pub calls: f64,
    /// Seconds until the last was done.
    pub seconds: f64,
    /// Clients that gave up before.
    pub gave_up: f64,
}

/// Without backoff the calls grow with the square of it.
const MOST_CLIENTS: u32 = 10_000;

/// Lets clients under this policy contend for the row.
///
/// # Errors
/// There are no clients or no rounds, or the network makes no sense.
pub fn contend(experiment: &Contention, name: &str, policy: &Policy) -> Result<Contended, Invalid> {
    let Contention { clients, network, rounds, seed } = *experiment;
    if clients == 0 || clients > MOST_CLIENTS {
        return Err(Invalid::new("clients", format!("{clients} is outside 1..={MOST_CLIENTS}")));
    }
    if rounds == 0 {
        return Err(Invalid::new("rounds", "there must be one"));
    }
    let network = network.sampler()?;
    let mut sum = Round::default();
    for round in 0..rounds {
        let seed = seed.wrapping_add(u64::from(round));
        let row = Row::new(clients, network, policy, seed);
        sum.add(&row.fought_over());
    }
    let mean = |sum: f64| sum / f64::from(rounds);
    Ok(Contended {
        policy: name.to_owned(),
        clients,
        calls: mean(sum.calls),
        seconds: mean(sum.seconds),
        gave_up: mean(sum.gave_up),
    })
}

/// What one round took.
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
    agenda: Agenda,
    network: Sampler,
    policy: &'p Policy,
    on_the_way: Chance,
    jitter: Chance,
}

#[derive(Clone, Copy, Default)]
struct Writer {
    progress: Progress,
    /// The version that it has read.
    seen: u64,
}

struct Draws<'c>(&'c mut Chance);

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
            agenda: Agenda::default(),
            network,
            policy,
            on_the_way: chance::stream(seed, Stream::Service),
            jitter: chance::stream(seed, Stream::Jitter),
        };
        for client in 0..clients {
            row.send(0, client, What::Begin);
        }
        row
    }

    fn send(&mut self, now: u64, client: u32, what: What) {
        let at = now.saturating_add(self.network.draw(&mut self.on_the_way));
        self.agenda.push(Event { at, client, what });
    }

    /// A read arrives at [`What::Begin`], a write at [`What::End`].
    fn fought_over(mut self) -> Round {
        let mut round = Round::default();
        while let Some(Event { at: now, client, what }) = self.agenda.pop() {
            round.seconds = seconds(now);
            match what {
                What::Begin => self.read(client, now),
                What::End => self.write(client, now, &mut round),
            }
        }
        round
    }

    fn read(&mut self, client: u32, now: u64) {
        if let Some(writer) = self.clients.get_mut(client as usize) {
            writer.seen = self.version;
        }
        let answered = now.saturating_add(self.network.draw(&mut self.on_the_way));
        self.send(answered, client, What::End);
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
        let answered = now.saturating_add(self.network.draw(&mut self.on_the_way));
        let moment = Moment::from_nanos(answered);
        let judgement = Judgement::by_code(Class::Retryable, None);
        let mut draws = Draws(&mut self.jitter);
        let terms = SessionLimits::IN_PROCESS;
        match writer.progress.decide(self.policy, &terms, moment, &judgement, &mut draws) {
            Decision::Retry(delay) => {
                self.send(answered.saturating_add(nanos(delay)), client, What::Begin);
            }
            Decision::GiveUp(_) => round.gave_up += 1.0,
        }
    }
}
