//! Playing a scenario under a policy.
//!
//! Time is virtual and the events are the clients' own. What follows from a failure is asked of
//! [`Progress::decide`], as everywhere; the guards are the real ones, told the virtual time.

use std::time::Duration;

use rand::RngCore as _;
use steadfast::decide::{Decision, DecisionEnv, Progress, SessionLimits};
use steadfast::guard::breaker::Permit;
use steadfast::guard::{Breaker, Budget};
use steadfast::judge::{self, Judgement};
use steadfast::{Fault, Hint, Kind, Moment, Policy, Reason};

use crate::agenda::{Agenda, Event, What};
use crate::arrival::Arrivals;
use crate::chance::{self, Chance, Stream};
use crate::outcome::{Outcome, Tally};
use crate::scenario::{Invalid, Scenario, nanos};
use crate::service::{Service, Trouble};

/// Plays a scenario with clients under this policy, and tells what came of it.
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
/// The scenario cannot be played.
pub fn simulate(scenario: &Scenario, name: &str, policy: &Policy) -> Result<Outcome, Invalid> {
    scenario.check()?;
    let mut run = Run::new(scenario, policy)?;
    let ended = run.play();
    let came = u32::try_from(run.clients.len()).unwrap_or(u32::MAX);
    Ok(run.tally.outcome(name, came, ended))
}

struct Run<'s> {
    scenario: &'s Scenario,
    policy: &'s Policy,
    judgements: [Judgement; Trouble::ALL.len()],
    service: Service<'s>,
    processes: Vec<Guards>,
    clients: Vec<Client>,
    agenda: Agenda,
    jitter: Chance,
    tally: Tally,
}

/// What the clients of one process share.
struct Guards {
    breaker: Option<Breaker>,
    budget: Option<Budget>,
}

/// A client that has come.
struct Client {
    arrived: u64,
    progress: Progress,
    /// The attempt under way.
    began: u64,
    permit: Option<Permit>,
    trouble: Option<Trouble>,
}

impl<'s> Run<'s> {
    fn new(scenario: &'s Scenario, policy: &'s Policy) -> Result<Self, Invalid> {
        let judgements =
            Trouble::ALL.map(|trouble| judge::judge(policy.rules(), &fault(trouble, scenario)));
        let processes = scenario.processes.min(scenario.clients);
        Ok(Self {
            scenario,
            policy,
            judgements,
            service: Service::new(scenario)?,
            processes: (0..processes).map(|_| Guards::of(policy)).collect(),
            clients: Vec::with_capacity(scenario.clients as usize),
            agenda: Agenda::default(),
            jitter: chance::stream(scenario.seed, Stream::Jitter),
            tally: Tally::new(scenario.clients),
        })
    }

    /// Until nobody wants anything any more, or time is up. Answers when that was.
    fn play(&mut self) -> u64 {
        let chance = chance::stream(self.scenario.seed, Stream::Arrivals);
        let mut arrivals =
            Arrivals::new(self.scenario.arrival, self.scenario.clients, chance).peekable();
        let until = nanos(self.scenario.until);
        let mut now = 0;
        loop {
            let arrival = arrivals.peek().copied();
            let event = self.agenda.next_at();
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
            } else if let Some(event) = self.agenda.pop() {
                match event.what {
                    What::Begin => self.begin(event.client, now),
                    What::End => self.end(event.client, now),
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
            trouble: None,
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
        let terms = terms(client);
        let limit = Progress::attempt_limit(self.policy, &terms, Moment::from_nanos(now));
        let patience = nanos(limit.unwrap_or(self.scenario.timeout));
        let cut_off = now.saturating_add(patience);
        let (at, trouble) = match answer.at > cut_off {
            true => (cut_off, Some(Trouble::TimedOut)),
            false => (answer.at, answer.trouble),
        };
        client.trouble = trouble;
        self.agenda.push(Event { at, client: number, what: What::End });
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
        let Some(trouble) = client.trouble else {
            guards.succeeded(client.permit, moment, took);
            return self.tally.completed(now - client.arrived);
        };
        let Some(judgement) = self.judgements.get(trouble as usize) else {
            return;
        };
        guards.failed(judgement, client.permit, moment, took);
        let mut around =
            Around { jitter: &mut self.jitter, budget: guards.budget.as_ref(), moment };
        let terms = terms(client);
        match client.progress.decide(self.policy, &terms, moment, judgement, &mut around) {
            Decision::Retry(delay) => {
                let at = now.saturating_add(nanos(delay));
                self.agenda.push(Event { at, client: number, what: What::Begin });
            }
            Decision::GiveUp(reason) => self.tally.gave_up(reason),
        }
    }
}

fn guards_of(processes: &mut [Guards], client: u32) -> Option<&mut Guards> {
    let process = client as usize % processes.len().max(1);
    processes.get_mut(process)
}

fn terms(client: &Client) -> SessionLimits {
    SessionLimits { started: Moment::from_nanos(client.arrived), ..SessionLimits::IN_PROCESS }
}

impl Guards {
    /// Settings that a policy has are valid.
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

/// What a decision may ask for.
struct Around<'r> {
    jitter: &'r mut Chance,
    budget: Option<&'r Budget>,
    moment: Moment,
}

impl DecisionEnv for Around<'_> {
    fn draw(&mut self) -> u64 {
        self.jitter.next_u64()
    }

    fn withdraw(&mut self) -> bool {
        self.budget.is_none_or(|budget| budget.withdraw(self.moment))
    }
}

/// The facts that a client has of each trouble.
fn fault(trouble: Trouble, scenario: &Scenario) -> Fault {
    match trouble {
        Trouble::Refused => Fault::of(Kind::ConnectionRefused),
        Trouble::Unavailable => Fault::http(503),
        Trouble::SlowDown => {
            let wait = scenario.rate_limit.and_then(|limit| limit.retry_after);
            Fault::http(429).with_hint(wait.map(Hint::After))
        }
        Trouble::Lost => Fault::of(Kind::ConnectionReset).with_unknown_outcome(),
        Trouble::Hopeless => Fault::http(400),
        Trouble::TimedOut => Fault::timed_out(),
    }
}
