//! The event loop of a simulation.
//!
//! Time is virtual. [`Progress::decide`] makes the decisions, as in production, and the guards are
//! the real ones with the virtual time.

use std::time::Duration;

use rand::RngCore as _;
use steadfast::decide::{Decision, DecisionEnv, Progress, SessionLimits};
use steadfast::guard::breaker::Permit;
use steadfast::guard::{Breaker, Budget};
use steadfast::judge::{self, Judgement};
use steadfast::{Fault, Hint, Kind, Moment, Policy, Reason};

use crate::arrival::Arrivals;
use crate::event_queue::{Event, EventKind, EventQueue};
use crate::outcome::{Outcome, Tally};
use crate::random::{self, Random, Stream};
use crate::scenario::{Scenario, ScenarioError, nanos};
use crate::service::{CallFailure, Service};

/// Simulates a scenario with clients under a policy.
///
/// ```
/// use std::time::Duration;
/// use steadfast::Policy;
/// use steadfast_sim::{Outage, Scenario, simulate};
///
/// let scenario = Scenario {
///     outages: vec![Outage::refusing(Duration::from_secs(10), Duration::from_secs(20))],
///     ..Scenario::default()
/// };
/// let policy = Policy::exponential(Duration::from_secs(1)).max_attempts(8).build()?;
/// let outcome = simulate(&scenario, "patient", &policy)?;
/// assert_eq!(outcome.completed, 1000);
/// assert!(outcome.amplification > 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The scenario is invalid.
pub fn simulate(
    scenario: &Scenario,
    name: &str,
    policy: &Policy,
) -> Result<Outcome, ScenarioError> {
    scenario.check()?;
    let mut run = Run::new(scenario, policy)?;
    let ended = run.run();
    let arrived = u32::try_from(run.clients.len()).unwrap_or(u32::MAX);
    Ok(run.tally.outcome(name, arrived, ended))
}

struct Run<'s> {
    scenario: &'s Scenario,
    policy: &'s Policy,
    judgements: [Judgement; CallFailure::ALL.len()],
    service: Service<'s>,
    processes: Vec<Guards>,
    clients: Vec<Client>,
    queue: EventQueue,
    jitter: Random,
    tally: Tally,
}

/// The guards that the clients of a process share.
struct Guards {
    breaker: Option<Breaker>,
    budget: Option<Budget>,
}

/// A client that has arrived.
struct Client {
    arrived: u64,
    progress: Progress,
    /// The start of the current attempt.
    began: u64,
    permit: Option<Permit>,
    failure: Option<CallFailure>,
}

impl<'s> Run<'s> {
    fn new(scenario: &'s Scenario, policy: &'s Policy) -> Result<Self, ScenarioError> {
        let judgements =
            CallFailure::ALL.map(|failure| judge::judge(policy.rules(), &fault(failure, scenario)));
        let processes = scenario.processes.min(scenario.clients);
        Ok(Self {
            scenario,
            policy,
            judgements,
            service: Service::new(scenario)?,
            processes: (0..processes).map(|_| Guards::of(policy)).collect(),
            clients: Vec::with_capacity(scenario.clients as usize),
            queue: EventQueue::default(),
            jitter: random::stream(scenario.seed, Stream::Jitter),
            tally: Tally::new(scenario.clients),
        })
    }

    /// Runs until all clients are done or the time limit. Returns the time of the end.
    fn run(&mut self) -> u64 {
        let random = random::stream(self.scenario.seed, Stream::Arrivals);
        let mut arrivals =
            Arrivals::new(self.scenario.arrival, self.scenario.clients, random).peekable();
        let until = nanos(self.scenario.until);
        let mut now = 0;
        loop {
            let arrival = arrivals.peek().copied();
            let event = self.queue.next_at();
            let Some(next) = arrival.into_iter().chain(event).min() else {
                return now;
            };
            if next > until {
                return until;
            }
            now = next;
            if arrival == Some(now) {
                arrivals.next();
                self.arrive(now);
            } else if let Some(event) = self.queue.pop() {
                match event.kind {
                    EventKind::Start => self.begin(event.client, now),
                    EventKind::End => self.end(event.client, now),
                }
            }
        }
    }

    fn arrive(&mut self, now: u64) {
        let client = u32::try_from(self.clients.len()).unwrap_or(u32::MAX);
        let progress = Progress::default();
        self.clients.push(Client {
            arrived: now,
            progress,
            began: now,
            permit: None,
            failure: None,
        });
        self.begin(client, now);
    }

    fn begin(&mut self, number: u32, now: u64) {
        let Some(client) = self.clients.get_mut(number as usize) else {
            return;
        };
        let guards = guards_of(&mut self.processes, number);
        match guards.and_then(|guards| guards.breaker.as_ref()) {
            None => client.permit = None,
            Some(breaker) => match breaker.acquire(Moment::from_nanos(now)) {
                Ok(permit) => client.permit = Some(permit),
                Err(_) => return self.tally.gave_up(Reason::BreakerOpen),
            },
        }
        client.began = now;
        self.tally.call(now);
        let answer = self.service.call(now);
        let limits = limits(client);
        let limit = Progress::attempt_limit(self.policy, &limits, Moment::from_nanos(now));
        let timeout = nanos(limit.unwrap_or(self.scenario.timeout));
        let cut_off = now.saturating_add(timeout);
        let (at, failure) = match answer.at > cut_off {
            true => (cut_off, Some(CallFailure::TimedOut)),
            false => (answer.at, answer.failure),
        };
        client.failure = failure;
        self.queue.push(Event { at, client: number, kind: EventKind::End });
    }

    fn end(&mut self, number: u32, now: u64) {
        let Some(client) = self.clients.get_mut(number as usize) else {
            return;
        };
        let Some(guards) = guards_of(&mut self.processes, number) else {
            return;
        };
        let moment = Moment::from_nanos(now);
        let took = Duration::from_nanos(now - client.began);
        let Some(failure) = client.failure else {
            guards.succeeded(client.permit, moment, took);
            return self.tally.completed(now - client.arrived);
        };
        let Some(judgement) = self.judgements.get(failure as usize) else {
            return;
        };
        guards.failed(judgement, client.permit, moment, took);
        let mut env =
            SimulatedEnv { jitter: &mut self.jitter, budget: guards.budget.as_ref(), moment };
        let limits = limits(client);
        match client.progress.decide(self.policy, &limits, moment, judgement, &mut env) {
            Decision::Retry(delay) => {
                let at = now.saturating_add(nanos(delay));
                self.queue.push(Event { at, client: number, kind: EventKind::Start });
            }
            Decision::GiveUp(reason) => self.tally.gave_up(reason),
        }
    }
}

fn guards_of(processes: &mut [Guards], client: u32) -> Option<&mut Guards> {
    let process = client as usize % processes.len().max(1);
    processes.get_mut(process)
}

fn limits(client: &Client) -> SessionLimits {
    SessionLimits::IN_PROCESS.started(Moment::from_nanos(client.arrived))
}

impl Guards {
    /// The settings of a policy are valid.
    fn of(policy: &Policy) -> Self {
        let breaker = policy.breaker().and_then(|settings| Breaker::new(*settings).ok());
        let budget = policy.budget().and_then(|settings| Budget::new(*settings).ok());
        Self { breaker, budget }
    }

    fn succeeded(&self, permit: Option<Permit>, now: Moment, took: Duration) {
        if let (Some(breaker), Some(permit)) = (&self.breaker, permit) {
            breaker.success(permit, now, Some(took));
        }
        if let Some(budget) = &self.budget {
            budget.deposit(now);
        }
    }

    fn failed(&self, judgement: &Judgement, permit: Option<Permit>, now: Moment, took: Duration) {
        if let (Some(breaker), Some(permit)) = (&self.breaker, permit) {
            breaker.failure_of(judgement.class(), permit, now, Some(took));
        }
    }
}

struct SimulatedEnv<'r> {
    jitter: &'r mut Random,
    budget: Option<&'r Budget>,
    moment: Moment,
}

impl DecisionEnv for SimulatedEnv<'_> {
    fn draw(&mut self) -> u64 {
        self.jitter.next_u64()
    }

    fn withdraw(&mut self) -> bool {
        self.budget.is_none_or(|budget| budget.withdraw(self.moment))
    }
}

/// The fault that a client sees for each failure.
fn fault(failure: CallFailure, scenario: &Scenario) -> Fault {
    match failure {
        CallFailure::Refused => Fault::of(Kind::ConnectionRefused),
        CallFailure::Unavailable => Fault::http(503),
        CallFailure::RateLimited => {
            let wait = scenario.rate_limit.and_then(|limit| limit.retry_after);
            Fault::http(429).with_hint(wait.map(Hint::After))
        }
        CallFailure::UnknownOutcome => Fault::of(Kind::ConnectionReset).with_unknown_outcome(),
        CallFailure::Permanent => Fault::http(400),
        CallFailure::TimedOut => Fault::timed_out(),
    }
}
