//! What both drivers do alike: begin, judge, decide, record.

use std::ops::Deref;
use std::time::Duration;

use super::environment::Environment;
use super::error::{FailedAttempt, GaveUp, Last, RetryError};
use super::instrument::{EventKind, Instrument, SessionEvent};
use super::judges::{Facts, Judges, Overrule, Values};
use super::report::{Outcome, Report};
use super::session_state::{Cause, Failed, SessionState};
use super::{Attempt, Key, nested};
use crate::decide::{self, DecisionEnv, Progress, Reason};
use crate::guard::{PolicyGuards, Rejection, Transition};
use crate::judge::{Judgement, Rules};
use crate::policy::Policy;
use crate::{Fault, Moment};

/// What a session was given.
pub(super) struct Setup<L, J, G, Z> {
    pub(super) policy: L,
    pub(super) judges: J,
    pub(super) instruments: G,
    pub(super) environment: Z,
}

/// How a session that did not simply succeed has begun.
pub(super) enum Start<T, E> {
    /// Not at all: everything is to be prepared first.
    Anew,
    /// Its first attempt failed.
    Failed(AttemptError<T, E>),
    /// A guard let no attempt begin.
    Rejected(Rejection),
}

/// How an attempt went wrong.
pub(super) enum AttemptError<T, E> {
    Error(E),
    Value(T, Box<Fault>),
    TimedOut,
}

impl<L, F, V, O, G, Z> Setup<L, Judges<F, V, O>, G, Z>
where
    L: Deref<Target = Policy>,
    O: Overrule,
    G: Instrument,
    Z: Environment,
{
    /// A new trail. `given` is the key that came with the operation, `made` the one that the
    /// first attempt was handed.
    #[inline(always)]
    pub(super) fn trail<E>(
        &self,
        reports: bool,
        given: Option<Key>,
        made: Option<Key>,
    ) -> SessionState<E> {
        let timed =
            reports || !self.policy.timeless || !G::IDLE || self.environment.can_be_cancelled();
        let now = timed.then(|| self.environment.now());
        SessionState::new(&self.policy, now, given, made)
    }

    /// The session will be here for a while.
    #[inline]
    pub(super) fn linger(&mut self) {
        linger(&self.policy, &mut self.environment, &mut self.instruments);
    }

    /// The time, if anybody wants to know.
    #[inline]
    fn now<E>(&self, trail: &SessionState<E>) -> Moment {
        if trail.timed { self.environment.now() } else { Moment::ORIGIN }
    }

    /// Asks the guards whether the next attempt may begin.
    #[inline]
    pub(super) fn before_attempt<E>(
        &mut self,
        trail: &mut SessionState<E>,
    ) -> Result<(), Rejection> {
        if !trail.timed {
            return Ok(());
        }
        let now = self.environment.now();
        trail.attempt_begins(now);
        let mut guards = trail.guards();
        guards.before_attempt(|| now)?;
        self.instruments.before_attempt(|| now).inspect_err(|_| guards.abandoned())
    }

    /// How long the attempt under way may take.
    #[inline]
    pub(super) fn attempt_limit<E>(&self, trail: &SessionState<E>) -> Option<Duration> {
        self.policy.attempt_timeout()?;
        Progress::attempt_limit(&self.policy, &trail.terms(&self.policy), trail.attempt_started())
    }

    /// The attempt as the operation sees it.
    pub(super) fn attempt<E>(&mut self, trail: &mut SessionState<E>) -> Attempt
    where
        F: Facts<E>,
    {
        let started = trail.attempt_started();
        let cut_off = self.attempt_limit(trail).map(|limit| started + limit);
        Attempt {
            number: trail.progress.attempt(),
            key: trail.key(),
            deadline: cut_off
                .or_else(|| decide::deadline(&self.policy, &trail.terms(&self.policy))),
            previous: trail.previous(&self.judges.facts),
            key_used: trail.key_used(),
        }
    }

    /// Tells everybody of a success.
    pub(super) fn succeeded<R: Outcome<T>, T, E>(
        &mut self,
        trail: &mut SessionState<E>,
        value: &T,
    ) {
        R::show(value, &mut self.instruments);
        let now = self.now(trail);
        let by_policy = trail.guards().after_success(|| now);
        let transition = self.instruments.after_success(|| now).or(by_policy);
        let attempt = trail.progress.attempt();
        self.observe_transition(attempt, now, transition);
        self.observe(attempt, now, EventKind::Succeeded);
    }

    /// What a failure means.
    #[inline(always)]
    pub(super) fn judge<T, E>(&self, bad: &AttemptError<T, E>) -> Judgement
    where
        F: Facts<E>,
    {
        judge_by(&self.judges, &self.policy.rules, bad)
    }

    /// Decides on a failure: how many nanoseconds to wait, or the error at the end.
    #[inline(always)]
    pub(super) fn settle<T, E>(
        &mut self,
        trail: &mut SessionState<E>,
        bad: AttemptError<T, E>,
        judgement: Judgement,
    ) -> Result<u64, RetryError<E, V::Kept>>
    where
        F: Facts<E>,
        V: Values<T>,
    {
        let now = self.now(trail);
        if trail.timed {
            let by_policy = trail.guards().after_failure(judgement.class, now);
            let transition = self.instruments.after_failure(judgement.class, now);
            self.observe_transition(trail.progress.attempt(), now, transition.or(by_policy));
        }
        let attempt = trail.progress.attempt();
        match self.decide(trail, &bad, judgement, now) {
            Ok(delay) => {
                if self.instruments.observes() {
                    let delay = Duration::from_nanos(delay);
                    let fault = self.fault(&bad);
                    self.observe(
                        attempt,
                        now,
                        EventKind::Retrying { fault: &fault, judgement, delay },
                    );
                }
                trail.remember(Failed { cause: bad.into(), judgement, delay, attempt });
                Ok(delay)
            }
            Err(reason) => {
                nested::gave_up(reason);
                Err(self.give_up(trail, Some((bad, judgement)), reason, None, now))
            }
        }
    }

    #[inline(always)]
    fn decide<T, E>(
        &mut self,
        trail: &mut SessionState<E>,
        bad: &AttemptError<T, E>,
        judgement: Judgement,
        now: Moment,
    ) -> Result<u64, Reason>
    where
        F: Facts<E>,
    {
        let policy = &*self.policy;
        let terms = trail.terms(&self.policy);
        let retried_inside = std::mem::take(&mut trail.retried_inside);
        let mut progress = trail.progress;
        let judges = &self.judges;
        let mut asked = Asked {
            environment: &mut self.environment,
            instruments: &mut self.instruments,
            guards: trail.guards(),
            now,
            nesting: || {
                if retried_inside {
                    return Some(Reason::RetriedInside);
                }
                nested::left_to_outer(policy, |rules| {
                    judge_by(&judges.without_opinion(), rules, bad).class
                })
            },
        };
        let decision = progress.try_decide(policy, &terms, now, &judgement, &mut asked);
        trail.progress = progress;
        decision
    }

    /// The breaker let no attempt begin.
    pub(super) fn rejected<T, E>(
        &mut self,
        trail: &mut SessionState<E>,
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
    pub(super) fn cancelled<T, E>(
        &mut self,
        trail: Option<&mut SessionState<E>>,
    ) -> RetryError<E, V::Kept>
    where
        F: Facts<E>,
        V: Values<T>,
    {
        self.instruments.abandoned();
        let now = self.environment.now();
        match trail {
            Some(trail) => {
                trail.guards().abandoned();
                self.give_up::<T, E>(trail, None, Reason::Cancelled, None, now)
            }
            None => {
                let mut trail = self.trail(false, None, None);
                self.give_up::<T, E>(&mut trail, None, Reason::Cancelled, None, now)
            }
        }
    }

    /// The session was dropped before its end.
    #[inline]
    pub(super) fn dropped<E>(&mut self, trail: Option<&SessionState<E>>) {
        if self.instruments.observes() {
            let attempt = trail.map_or(1, |trail| trail.progress.attempt());
            let now = self.environment.now();
            self.observe(attempt, now, EventKind::Dropped);
        }
    }

    #[cold]
    fn give_up<T, E>(
        &mut self,
        trail: &mut SessionState<E>,
        bad: Option<(AttemptError<T, E>, Judgement)>,
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
                AttemptError::Error(error) => Last::Error(error),
                AttemptError::Value(value, _) => V::keep(value).map_or(Last::Nothing, Last::Value),
                AttemptError::TimedOut => Last::Nothing,
            };
            let fault = failures.last().map(|failure| &failure.fault);
            self.observe(
                attempt,
                now,
                EventKind::GaveUp { reason, fault, judgement: Some(judgement) },
            );
        } else {
            let earlier = trail.take_last();
            let judgement = earlier.as_ref().map(|failed| failed.judgement);
            let fault = failures.last().map(|failure| &failure.fault);
            self.observe(attempt, now, EventKind::GaveUp { reason, fault, judgement });
            if let Some(Failed { cause: Cause::Error(error), .. }) = earlier {
                last = Last::Error(error);
            }
        }
        let gave_up = GaveUp {
            reason,
            attempts: trail.progress.attempts,
            rate_limit_waits: trail.progress.rate_limit_waits,
            elapsed: trail.elapsed(now),
            retry_after,
            failures,
        };
        RetryError::new(gave_up, last)
    }

    /// What it took to succeed.
    pub(super) fn report<E>(&self, trail: &SessionState<E>) -> Report
    where
        F: Facts<E>,
    {
        Report {
            attempts: trail.progress.attempt(),
            rate_limit_waits: trail.progress.rate_limit_waits,
            elapsed: trail.elapsed(self.environment.now()),
            failures: self.failures(trail),
        }
    }

    /// The remembered failures, rendered.
    fn failures<E>(&self, trail: &SessionState<E>) -> Vec<FailedAttempt>
    where
        F: Facts<E>,
    {
        let render = |failed: &Failed<E>| {
            let fault = failed.cause.report(&self.judges.facts);
            let delay = Duration::from_nanos(failed.delay);
            self.failed_attempt(failed.attempt, fault, failed.judgement, Some(delay))
        };
        trail.failures().map(render).collect()
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

    fn fault<T, E>(&self, bad: &AttemptError<T, E>) -> Fault
    where
        F: Facts<E>,
    {
        match bad {
            AttemptError::Error(error) => self.judges.facts.report(error),
            AttemptError::Value(_, fault) => (**fault).clone(),
            AttemptError::TimedOut => Fault::timed_out(),
        }
    }

    #[inline]
    fn observe_transition(&mut self, attempt: u32, now: Moment, transition: Option<Transition>) {
        if let Some(transition) = transition {
            self.observe(attempt, now, EventKind::Breaker(transition));
        }
    }

    #[inline]
    fn observe(&mut self, attempt: u32, now: Moment, what: EventKind<'_>) {
        observe(&self.policy, &self.environment, &mut self.instruments, attempt, now, what);
    }
}

#[inline]
fn observe<G: Instrument, Z: Environment>(
    policy: &Policy,
    environment: &Z,
    instruments: &mut G,
    attempt: u32,
    now: Moment,
    what: EventKind<'_>,
) {
    if !instruments.observes() {
        return;
    }
    let operation = environment.operation().or(policy.id()).unwrap_or("operation");
    let (session, found_by) = (instruments.session(), environment.found_by());
    instruments.observe(&SessionEvent { operation, session, policy, found_by, attempt, now, what });
}

/// Tells the instruments that the session will be here for a while.
#[inline]
pub(super) fn linger<G: Instrument, Z: Environment>(
    policy: &Policy,
    environment: &mut Z,
    instruments: &mut G,
) {
    if let Some(handle) = instruments.lingers(environment.operation(), policy) {
        environment.adopt(handle);
    }
}

/// Tells everybody that the first attempt of such a session was a success.
#[inline]
pub(super) fn succeed_at_once<R: Outcome<T>, T>(
    policy: &Policy,
    environment: &impl Environment,
    instruments: &mut impl Instrument,
    value: &T,
) {
    R::show(value, instruments);
    let transition = instruments.after_success(|| environment.now());
    let now = Moment::ORIGIN;
    if let Some(transition) = transition {
        observe(policy, environment, instruments, 1, now, EventKind::Breaker(transition));
    }
    observe(policy, environment, instruments, 1, now, EventKind::Succeeded);
}

#[inline(always)]
fn judge_by<F, V, O, T, E>(
    judges: &Judges<F, V, O>,
    rules: &Rules,
    bad: &AttemptError<T, E>,
) -> Judgement
where
    F: Facts<E>,
    O: Overrule,
{
    match bad {
        AttemptError::Error(error) => judges.error(rules, error),
        AttemptError::Value(_, fault) => judges.fault(rules, fault),
        AttemptError::TimedOut => judges.fault(rules, &Fault::timed_out()),
    }
}

/// What the core may ask of a session.
struct Asked<'s, Z, G, N> {
    environment: &'s mut Z,
    instruments: &'s mut G,
    guards: Option<&'s mut PolicyGuards>,
    now: Moment,
    nesting: N,
}

impl<Z, G, N> DecisionEnv for Asked<'_, Z, G, N>
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
