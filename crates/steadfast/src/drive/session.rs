//! What both drivers do alike: begin, judge, decide, record.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::environment::Environment;
use super::error::{FailedAttempt, GaveUp, Last, RetryError};
use super::instrument::{Happening, Instrument, What};
use super::judges::{Facts, Judges, Overrule, Values};
use super::report::Report;
use super::{Attempt, Key, nested};
use crate::decide::{self, Decision, Progress, Reason, Surroundings, Terms};
use crate::guard::{PolicyGuards, Rejection};
use crate::judge::{Judgement, Rules};
use crate::policy::Policy;
use crate::{Class, Fault, Kind, Moment};

/// The longest hint that a session in a process waits for, unless its policy says.
const MAX_HINT: Duration = Duration::from_secs(3600);

/// How many failed attempts are remembered.
const MAX_FAILURES: usize = 256;

/// What a session was given.
pub(super) struct Setup<'a, J, G, Z> {
    pub(super) policy: &'a Policy,
    pub(super) judges: J,
    pub(super) instruments: G,
    pub(super) environment: Z,
    pub(super) operation: Option<&'a str>,
    pub(super) key: Option<Key>,
}

/// What a session has been through. A session that succeeds at once under a plain
/// policy never makes one.
pub(super) struct Trail<E> {
    progress: Progress,
    terms: Terms,
    /// When the attempt under way began, if anybody wanted to know.
    attempt_started: Option<Moment>,
    failures: Vec<Failed<E>>,
    /// How many failures were forgotten because there were too many.
    forgotten: u32,
    retried_inside: bool,
    guards: PolicyGuards,
    key_used: Option<Arc<AtomicBool>>,
}

/// A failed attempt as it is remembered: nothing is rendered until somebody asks.
struct Failed<E> {
    cause: Cause<E>,
    judgement: Judgement,
    delay: Duration,
    attempt: u32,
}

enum Cause<E> {
    Error(E),
    Value(Box<Fault>),
    TimedOut,
}

/// How an attempt went wrong.
pub(super) enum Bad<T, E> {
    Error(E),
    Value(T, Fault),
    TimedOut,
}

/// The facts of an attempt that was cut off: it may have been sent.
fn timed_out() -> Fault {
    Fault::of(Kind::Timeout).with_unknown_outcome().with_message("the attempt took too long")
}

impl<E> Trail<E> {
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    pub(super) fn note_retried_inside(&mut self, retried: bool) {
        self.retried_inside |= retried;
    }

    /// What the attempt before failed with, as far as it is remembered.
    fn previous<F: Facts<E>>(&self, facts: &F) -> Option<Fault> {
        self.failures.last().map(|failed| failed.cause.report(facts))
    }
}

impl<E> Cause<E> {
    fn report<F: Facts<E>>(&self, facts: &F) -> Fault {
        match self {
            Self::Error(error) => facts.report(error),
            Self::Value(fault) => (**fault).clone(),
            Self::TimedOut => timed_out(),
        }
    }
}

impl<F, V, O, G, Z> Setup<'_, Judges<F, V, O>, G, Z>
where
    O: Overrule,
    G: Instrument,
    Z: Environment,
{
    /// Whether the first attempt can begin without a trail.
    #[inline]
    pub(super) fn starts_unprepared(&self) -> bool {
        self.policy.plain && !self.instruments.times_attempts()
    }

    /// Whether a result is a success.
    #[inline]
    pub(super) fn examine<T, E>(&self, result: Result<T, E>) -> Result<T, Bad<T, E>>
    where
        V: Values<T>,
    {
        match result {
            Ok(value) => match self.judges.values.fault(&value) {
                None => Ok(value),
                Some(fault) => Err(Bad::Value(value, fault)),
            },
            Err(error) => Err(Bad::Error(error)),
        }
    }

    /// A new trail. `late` is a session that had no need of one until its first attempt failed.
    pub(super) fn trail<E>(&self, late: bool) -> Trail<E> {
        let policy = self.policy;
        let started = self.environment.now();
        Trail {
            progress: Progress::default(),
            terms: Terms {
                started,
                expires_at: None,
                max_hint: Some(MAX_HINT),
                key_in_use: self.key.is_some(),
            },
            attempt_started: (!late).then_some(started),
            failures: Vec::new(),
            forgotten: 0,
            retried_inside: false,
            guards: policy.guards(),
            key_used: None,
        }
    }

    /// The session's trail. Whoever asks has made one; if not, it begins here.
    #[inline]
    pub(super) fn on<'t, E>(&self, trail: &'t mut Option<Box<Trail<E>>>) -> &'t mut Trail<E> {
        trail.get_or_insert_with(|| Box::new(self.trail(true)))
    }

    /// The session's idempotency key.
    pub(super) fn key(&mut self) -> Key {
        self.key.get_or_insert_with(Key::fresh).clone()
    }

    /// Asks the guards whether the next attempt may begin.
    pub(super) fn before_attempt<E>(&mut self, trail: &mut Trail<E>) -> Result<(), Rejection> {
        let environment = &self.environment;
        let now = environment.now();
        trail.attempt_started = Some(now);
        trail.guards.before_attempt(|| now)?;
        self.instruments.before_attempt(|| now).inspect_err(|_| trail.guards.abandoned())
    }

    /// How long the attempt under way may take.
    pub(super) fn attempt_limit<E>(&self, trail: &Trail<E>) -> Option<Duration> {
        let now = trail.attempt_started.unwrap_or(trail.terms.started);
        Progress::attempt_limit(self.policy, &trail.terms, now)
    }

    /// The attempt as the operation sees it.
    pub(super) fn attempt<E>(&mut self, trail: Option<&mut Trail<E>>) -> Attempt
    where
        F: Facts<E>,
    {
        let key = self.key();
        let Some(trail) = trail else {
            return Attempt { number: 1, key, deadline: None, previous: None, key_used: None };
        };
        let started = trail.attempt_started.unwrap_or(trail.terms.started);
        let by_limit = Progress::attempt_limit(self.policy, &trail.terms, started);
        let deadline = by_limit.map(|limit| started + limit);
        if !self.policy.is_idempotent() && trail.key_used.is_none() {
            trail.key_used = Some(Arc::default());
        }
        Attempt {
            number: trail.progress.attempt(),
            key,
            deadline: deadline.or_else(|| decide::deadline(self.policy, &trail.terms)),
            previous: trail.previous(&self.judges.facts),
            key_used: trail.key_used.clone(),
        }
    }

    /// Tells everybody of a success.
    #[inline]
    pub(super) fn succeeded<E>(&mut self, trail: Option<&mut Trail<E>>) {
        let timed = self.instruments.needs_clock()
            || trail.as_ref().is_some_and(|trail| trail.guards.needs_clock());
        let now = if timed { self.environment.now() } else { Moment::ORIGIN };
        let attempt = trail.as_ref().map_or(1, |trail| trail.progress.attempt());
        let (mut took, mut guards) = (None, None);
        if let Some(trail) = trail {
            took = trail.attempt_started.filter(|_| timed).map(|started| now.since(started));
            trail.guards.after_success(now, took);
            guards = Some(&mut trail.guards);
        }
        self.instruments.after_success(now, took);
        self.announce(guards, attempt, now);
        self.observe(attempt, now, What::Succeeded);
    }

    /// What a failure means.
    #[inline]
    pub(super) fn judge<T, E>(&self, bad: &Bad<T, E>) -> Judgement
    where
        F: Facts<E>,
    {
        judge_by(&self.judges, &self.policy.rules, bad)
    }

    /// Decides on a failure: how long to wait, or the error at the end.
    #[inline]
    pub(super) fn settle<T, E>(
        &mut self,
        trail: &mut Trail<E>,
        bad: Bad<T, E>,
        judgement: Judgement,
    ) -> Result<Duration, RetryError<E, V::Kept>>
    where
        F: Facts<E>,
        V: Values<T>,
    {
        let now = self.environment.now();
        let took = trail.attempt_started.map(|started| now.since(started));
        trail.guards.after_failure(judgement.class, now, took);
        self.instruments.after_failure(judgement.class, now, took);
        if let Some(used) = &trail.key_used {
            trail.terms.key_in_use |= used.load(Ordering::Relaxed);
        }
        let attempt = trail.progress.attempt();
        self.announce(Some(&mut trail.guards), attempt, now);
        match self.decide(trail, &bad, judgement, now) {
            Decision::Retry(delay) => {
                if self.instruments.observes() {
                    let fault = self.fault(&bad);
                    self.observe(attempt, now, What::Retrying { fault: &fault, judgement, delay });
                }
                let cause = match bad {
                    Bad::Error(error) => Cause::Error(error),
                    Bad::Value(_, fault) => Cause::Value(Box::new(fault)),
                    Bad::TimedOut => Cause::TimedOut,
                };
                trail.remember(Failed { cause, judgement, delay, attempt });
                Ok(delay)
            }
            Decision::GiveUp(reason) => {
                nested::gave_up(reason);
                Err(self.give_up(trail, Some((bad, judgement)), reason, None, now))
            }
        }
    }

    #[inline]
    fn decide<T, E>(
        &mut self,
        trail: &mut Trail<E>,
        bad: &Bad<T, E>,
        judgement: Judgement,
        now: Moment,
    ) -> Decision
    where
        F: Facts<E>,
    {
        let policy = self.policy;
        let Trail { progress, terms, retried_inside, guards, .. } = trail;
        let retried_inside = std::mem::take(retried_inside);
        let (judges, instruments) = (&self.judges, &mut self.instruments);
        let mut asked = Asked {
            environment: &mut self.environment,
            instruments,
            guards,
            now,
            nesting: || {
                if retried_inside {
                    return Some(Reason::RetriedInside);
                }
                nested::left_to_outer(policy, |rules| {
                    judge_by(judges, rules, bad).class != Class::Final
                })
            },
        };
        progress.decide(policy, terms, now, &judgement, &mut asked)
    }

    /// The breaker let no attempt begin.
    pub(super) fn rejected<T, E>(
        &mut self,
        trail: &mut Trail<E>,
        rejection: &Rejection,
    ) -> RetryError<E, V::Kept>
    where
        F: Facts<E>,
        V: Values<T>,
    {
        let now = self.environment.now();
        let retry_after = rejection.retry_after;
        self.give_up::<T, E>(trail, None, Reason::BreakerOpen, retry_after, now)
    }

    /// The session was cancelled by its handle.
    pub(super) fn cancelled<T, E>(&mut self, trail: Option<&mut Trail<E>>) -> RetryError<E, V::Kept>
    where
        F: Facts<E>,
        V: Values<T>,
    {
        self.instruments.abandoned();
        let now = self.environment.now();
        match trail {
            Some(trail) => {
                trail.guards.abandoned();
                self.give_up::<T, E>(trail, None, Reason::Cancelled, None, now)
            }
            None => {
                let mut trail = self.trail(true);
                self.give_up::<T, E>(&mut trail, None, Reason::Cancelled, None, now)
            }
        }
    }

    /// The session was dropped before its end.
    pub(super) fn dropped<E>(&mut self, trail: Option<&mut Trail<E>>) {
        self.instruments.abandoned();
        let mut attempt = 1;
        if let Some(trail) = trail {
            attempt = trail.progress.attempt();
            trail.guards.abandoned();
        }
        if self.instruments.observes() {
            let now = self.environment.now();
            self.observe(attempt, now, What::Dropped);
        }
    }

    #[cold]
    fn give_up<T, E>(
        &mut self,
        trail: &mut Trail<E>,
        bad: Option<(Bad<T, E>, Judgement)>,
        reason: Reason,
        retry_after: Option<Duration>,
        now: Moment,
    ) -> RetryError<E, V::Kept>
    where
        F: Facts<E>,
        V: Values<T>,
    {
        let attempt = match bad {
            Some(_) => trail.progress.attempts.max(1),
            None => trail.progress.attempt(),
        };
        let mut failures = self.failures(trail);
        let mut last = Last::Nothing;
        if let Some((bad, judgement)) = bad {
            failures.push(self.failed_attempt(attempt, self.fault(&bad), judgement, None));
            last = match bad {
                Bad::Error(error) => Last::Error(error),
                Bad::Value(value, _) => V::keep(value).map_or(Last::Nothing, Last::Value),
                Bad::TimedOut => Last::Nothing,
            };
            let fault = failures.last().map(|failure| &failure.fault);
            self.observe(attempt, now, What::GaveUp { reason, fault, judgement: Some(judgement) });
        } else {
            let earlier = trail.failures.pop();
            let judgement = earlier.as_ref().map(|failed| failed.judgement);
            let fault = failures.last().map(|failure| &failure.fault);
            self.observe(attempt, now, What::GaveUp { reason, fault, judgement });
            if let Some(Failed { cause: Cause::Error(error), .. }) = earlier {
                last = Last::Error(error);
            }
        }
        let gave_up = GaveUp {
            reason,
            attempts: trail.progress.attempts,
            elapsed: now.since(trail.terms.started),
            retry_after,
            failures,
        };
        RetryError::new(gave_up, last)
    }

    /// What it took to succeed.
    pub(super) fn report<E>(&self, trail: &Trail<E>) -> Report
    where
        F: Facts<E>,
    {
        Report {
            attempts: trail.progress.attempt(),
            rate_limit_waits: trail.progress.rate_limit_waits,
            elapsed: self.environment.now().since(trail.terms.started),
            failures: self.failures(trail),
        }
    }

    /// The remembered failures, rendered.
    fn failures<E>(&self, trail: &Trail<E>) -> Vec<FailedAttempt>
    where
        F: Facts<E>,
    {
        let render = |failed: &Failed<E>| {
            let fault = failed.cause.report(&self.judges.facts);
            self.failed_attempt(failed.attempt, fault, failed.judgement, Some(failed.delay))
        };
        trail.failures.iter().map(render).collect()
    }

    fn failed_attempt(
        &self,
        attempt: u32,
        fault: Fault,
        judgement: Judgement,
        delay: Option<Duration>,
    ) -> FailedAttempt {
        FailedAttempt {
            attempt,
            fault,
            class: judgement.class,
            rule: judgement.rule(&self.policy.rules).map(str::to_owned),
            matched_by: judgement.matched_by(),
            delay,
        }
    }

    fn fault<T, E>(&self, bad: &Bad<T, E>) -> Fault
    where
        F: Facts<E>,
    {
        match bad {
            Bad::Error(error) => self.judges.facts.report(error),
            Bad::Value(_, fault) => fault.clone(),
            Bad::TimedOut => timed_out(),
        }
    }

    /// Tells of the changes of breakers that the attempt has brought about.
    #[inline]
    fn announce(&mut self, mut guards: Option<&mut PolicyGuards>, attempt: u32, now: Moment) {
        if !self.instruments.observes() {
            return;
        }
        while let Some(change) = guards
            .as_mut()
            .and_then(|guards| guards.take_transition())
            .or_else(|| self.instruments.take_transition())
        {
            self.observe(attempt, now, What::Breaker(change));
        }
    }

    #[inline]
    fn observe(&mut self, attempt: u32, now: Moment, what: What<'_>) {
        if !self.instruments.observes() {
            return;
        }
        let operation = self.operation.or(self.policy.id()).unwrap_or("operation");
        let session = self.instruments.session();
        let happening = Happening { operation, session, policy: self.policy, attempt, now, what };
        self.instruments.observe(&happening);
    }
}

#[inline]
fn judge_by<F, V, O, T, E>(judges: &Judges<F, V, O>, rules: &Rules, bad: &Bad<T, E>) -> Judgement
where
    F: Facts<E>,
    O: Overrule,
{
    match bad {
        Bad::Error(error) => judges.error(rules, error),
        Bad::Value(_, fault) => judges.fault(rules, fault),
        Bad::TimedOut => judges.fault(rules, &timed_out()),
    }
}

impl<E> Trail<E> {
    #[inline]
    fn remember(&mut self, failed: Failed<E>) {
        if self.failures.is_empty() {
            self.failures.reserve_exact(4);
        }
        if self.failures.len() == MAX_FAILURES {
            self.failures.remove(0);
            self.forgotten = self.forgotten.saturating_add(1);
        }
        self.failures.push(failed);
    }
}

/// What the core may ask of a session.
struct Asked<'s, Z, G, N> {
    environment: &'s mut Z,
    instruments: &'s mut G,
    guards: &'s mut PolicyGuards,
    now: Moment,
    nesting: N,
}

impl<Z, G, N> Surroundings for Asked<'_, Z, G, N>
where
    Z: Environment,
    G: Instrument,
    N: Fn() -> Option<Reason>,
{
    #[inline]
    fn draw(&mut self) -> u64 {
        self.environment.draw()
    }

    #[inline]
    fn withdraw(&mut self) -> bool {
        self.guards.withdraw(self.now) && self.instruments.withdraw(self.now)
    }

    #[inline]
    fn nesting(&mut self) -> Option<Reason> {
        (self.nesting)()
    }
}
