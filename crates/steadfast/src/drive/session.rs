//! The steps that both drivers share: start, judge, decide, observe.

use std::ops::Deref;
use std::time::Duration;

use super::environment::Environment;
use super::error::{FailedAttempt, GaveUp, Last, RetryError};
use super::instrument::{EventKind, Instrument, SessionEvent};
use super::judges::{ClassOverride, ErrorFacts, Judges, ValueFacts};
use super::report::{Outcome, Report};
use super::session_state::{PastFailure, SessionState};
use super::{Attempt, Key, nested};
use crate::decide::{self, DecisionEnv, Progress, Reason};
use crate::guard::{PolicyGuards, Rejection, Transition};
use crate::judge::{Judgement, Rules};
use crate::policy::Policy;
use crate::{Fault, Moment};

/// Everything a session is configured with.
pub(super) struct Setup<PolicyRef, Judge, Instruments, Env> {
    pub(super) policy: PolicyRef,
    pub(super) judges: Judge,
    pub(super) instruments: Instruments,
    pub(super) environment: Env,
}

/// How far a session came before its state was created.
pub(super) enum Start<T, E> {
    /// No attempt has started.
    New,
    Failed(AttemptError<T, E>),
    Rejected(Rejection),
}

pub(super) enum AttemptError<T, E> {
    Error(E),
    Value(T, Box<Fault>),
    TimedOut,
}

impl<T, E> AttemptError<T, E> {
    /// The facts of the failure, for a report.
    pub(super) fn report(&self, facts: &impl ErrorFacts<E>) -> Fault {
        match self {
            Self::Error(error) => facts.report(error),
            Self::Value(_, fault) => (**fault).clone(),
            Self::TimedOut => Fault::timed_out(),
        }
    }

    #[inline]
    fn without_value(self) -> AttemptError<(), E> {
        match self {
            Self::Error(error) => AttemptError::Error(error),
            Self::Value(_, fault) => AttemptError::Value((), fault),
            Self::TimedOut => AttemptError::TimedOut,
        }
    }
}

impl<PolicyRef, Facts, Values, Override, Instruments, Env>
    Setup<PolicyRef, Judges<Facts, Values, Override>, Instruments, Env>
where
    PolicyRef: Deref<Target = Policy>,
    Override: ClassOverride,
    Instruments: Instrument,
    Env: Environment,
{
    /// Creates the session state. `given` is the key that came with the operation, `generated` the
    /// one that the first attempt received.
    #[inline(always)]
    pub(super) fn new_state<E>(
        &self,
        reports: bool,
        given: Option<Key>,
        generated: Option<Key>,
    ) -> SessionState<E> {
        let timed = reports
            || !self.policy.clockless
            || !Instruments::IDLE
            || self.environment.can_be_cancelled();
        let now = timed.then(|| self.environment.now());
        SessionState::new(&self.policy, now, given, generated)
    }

    #[inline]
    pub(super) fn before_wait(&mut self) {
        before_wait(&self.policy, &mut self.environment, &mut self.instruments);
    }

    /// The time, or the origin where the session does not need the clock.
    #[inline]
    fn now<E>(&self, state: &SessionState<E>) -> Moment {
        if state.timed { self.environment.now() } else { Moment::ORIGIN }
    }

    /// Asks the guards whether the next attempt may begin.
    #[inline]
    pub(super) fn before_attempt<E>(
        &mut self,
        state: &mut SessionState<E>,
    ) -> Result<(), Rejection> {
        if !state.timed {
            return Ok(());
        }
        let now = self.environment.now();
        state.set_attempt_started(now);
        let mut guards = state.guards();
        guards.before_attempt(|| now)?;
        self.instruments.before_attempt(|| now).inspect_err(|_| guards.abandoned())
    }

    /// The timeout of the attempt in flight.
    #[inline]
    pub(super) fn attempt_limit<E>(&self, state: &SessionState<E>) -> Option<Duration> {
        self.policy.attempt_timeout()?;
        Progress::attempt_limit(&self.policy, &state.limits(&self.policy), state.attempt_started())
    }

    /// The attempt that the operation receives.
    pub(super) fn attempt<E>(&mut self, state: &mut SessionState<E>) -> Attempt
    where
        Facts: ErrorFacts<E>,
    {
        let started = state.attempt_started();
        let timeout = self.attempt_limit(state).map(|limit| started + limit);
        Attempt {
            number: state.progress.attempt(),
            key: state.key(),
            deadline: timeout
                .or_else(|| decide::deadline(&self.policy, &state.limits(&self.policy))),
            previous: state.previous(&self.judges.facts),
            key_used: state.key_used(),
        }
    }

    /// Reports a success to the guards and instruments.
    pub(super) fn on_success<Success: Outcome<T>, T, E>(
        &mut self,
        state: &mut SessionState<E>,
        value: &T,
    ) {
        Success::record(value, &mut self.instruments);
        let now = self.now(state);
        let by_policy = state.guards().after_success(|| now);
        let transition = self.instruments.after_success(|| now).or(by_policy);
        let attempt = state.progress.attempt();
        self.observe_transition(attempt, now, transition);
        self.observe(attempt, now, EventKind::Succeeded);
    }

    #[inline(always)]
    pub(super) fn judge<T, E>(&self, error: &AttemptError<T, E>) -> Judgement
    where
        Facts: ErrorFacts<E>,
    {
        judge_by(&self.judges, &self.policy.rules, error)
    }

    /// Decides what follows a failure: the delay in nanoseconds, or the error to return.
    #[inline(always)]
    pub(super) fn on_failure<T, E>(
        &mut self,
        state: &mut SessionState<E>,
        error: AttemptError<T, E>,
        judgement: Judgement,
    ) -> Result<u64, RetryError<E, Values::Rejected>>
    where
        Facts: ErrorFacts<E>,
        Values: ValueFacts<T>,
    {
        let now = self.now(state);
        if state.timed {
            let by_policy = state.guards().after_failure(judgement.class, now);
            let transition = self.instruments.after_failure(judgement.class, now);
            self.observe_transition(state.progress.attempt(), now, transition.or(by_policy));
        }
        let attempt = state.progress.attempt();
        match self.decide(state, &error, judgement, now) {
            Ok(delay) => {
                if self.instruments.observes() {
                    let delay = Duration::from_nanos(delay);
                    let fault = error.report(&self.judges.facts);
                    self.observe(
                        attempt,
                        now,
                        EventKind::Retrying { fault: &fault, judgement, delay },
                    );
                }
                let error = error.without_value();
                state.push_failure(PastFailure { error, judgement, delay, attempt });
                Ok(delay)
            }
            Err(reason) => {
                nested::gave_up(reason);
                Err(self.give_up(state, Some((error, judgement)), reason, None, now))
            }
        }
    }

    #[inline(always)]
    fn decide<T, E>(
        &mut self,
        state: &mut SessionState<E>,
        error: &AttemptError<T, E>,
        judgement: Judgement,
        now: Moment,
    ) -> Result<u64, Reason>
    where
        Facts: ErrorFacts<E>,
    {
        let policy = &*self.policy;
        let limits = state.limits(&self.policy);
        let retried_inside = std::mem::take(&mut state.retried_inside);
        let mut progress = state.progress;
        let judges = &self.judges;
        let mut env = SessionEnv {
            environment: &mut self.environment,
            instruments: &mut self.instruments,
            guards: state.guards(),
            now,
            nesting: || {
                if retried_inside {
                    return Some(Reason::RetriedInside);
                }
                nested::left_to_outer(policy, |rules| {
                    judge_by(&judges.without_override(), rules, error).class
                })
            },
        };
        let decision = progress.try_decide(policy, &limits, now, &judgement, &mut env);
        state.progress = progress;
        decision
    }

    pub(super) fn on_rejection<T, E>(
        &mut self,
        state: &mut SessionState<E>,
        rejection: &Rejection,
    ) -> RetryError<E, Values::Rejected>
    where
        Facts: ErrorFacts<E>,
        Values: ValueFacts<T>,
    {
        let now = self.environment.now();
        let retry_after = rejection.retry_after;
        self.give_up::<T, E>(state, None, Reason::BreakerOpen, retry_after, now)
    }

    pub(super) fn on_cancel<T, E>(
        &mut self,
        state: Option<&mut SessionState<E>>,
    ) -> RetryError<E, Values::Rejected>
    where
        Facts: ErrorFacts<E>,
        Values: ValueFacts<T>,
    {
        self.instruments.abandoned();
        let now = self.environment.now();
        match state {
            Some(state) => {
                state.guards().abandoned();
                self.give_up::<T, E>(state, None, Reason::Cancelled, None, now)
            }
            None => {
                let mut state = self.new_state(false, None, None);
                self.give_up::<T, E>(&mut state, None, Reason::Cancelled, None, now)
            }
        }
    }

    /// The session is dropped before it has ended.
    #[inline]
    pub(super) fn on_drop<E>(&mut self, state: Option<&SessionState<E>>) {
        if self.instruments.observes() {
            let attempt = state.map_or(1, |state| state.progress.attempt());
            let now = self.environment.now();
            self.observe(attempt, now, EventKind::Dropped);
        }
    }

    #[cold]
    fn give_up<T, E>(
        &mut self,
        state: &mut SessionState<E>,
        failure: Option<(AttemptError<T, E>, Judgement)>,
        reason: Reason,
        retry_after: Option<Duration>,
        now: Moment,
    ) -> RetryError<E, Values::Rejected>
    where
        Facts: ErrorFacts<E>,
        Values: ValueFacts<T>,
    {
        let attempt = match failure {
            Some(_) => state.progress.attempts.max(1),
            None => state.progress.attempt(),
        };
        let mut failures = self.failures(state);
        let (last, judgement) = match failure {
            Some((error, judgement)) => {
                let fault = error.report(&self.judges.facts);
                failures.push(self.failed_attempt(attempt, fault, judgement, None));
                let last = match error {
                    AttemptError::Error(error) => Last::Error(error),
                    AttemptError::Value(value, _) => {
                        Values::reject(value).map_or(Last::Nothing, Last::Value)
                    }
                    AttemptError::TimedOut => Last::Nothing,
                };
                (last, Some(judgement))
            }
            None => match state.take_last() {
                Some(PastFailure { error: AttemptError::Error(error), judgement, .. }) => {
                    (Last::Error(error), Some(judgement))
                }
                earlier => (Last::Nothing, earlier.map(|failed| failed.judgement)),
            },
        };
        let fault = failures.last().map(|failure| &failure.fault);
        self.observe(attempt, now, EventKind::GaveUp { reason, fault, judgement });
        let gave_up = GaveUp {
            reason,
            attempts: state.progress.attempts,
            rate_limit_waits: state.progress.rate_limit_waits,
            elapsed: state.elapsed(now),
            retry_after,
            failures,
        };
        RetryError::new(gave_up, last)
    }

    pub(super) fn report<E>(&self, state: &SessionState<E>) -> Report
    where
        Facts: ErrorFacts<E>,
    {
        Report {
            attempts: state.progress.attempt(),
            rate_limit_waits: state.progress.rate_limit_waits,
            elapsed: state.elapsed(self.environment.now()),
            failures: self.failures(state),
        }
    }

    /// The recorded failures, rendered for the caller.
    fn failures<E>(&self, state: &SessionState<E>) -> Vec<FailedAttempt>
    where
        Facts: ErrorFacts<E>,
    {
        let render = |failed: &PastFailure<E>| {
            let fault = failed.error.report(&self.judges.facts);
            let delay = Duration::from_nanos(failed.delay);
            self.failed_attempt(failed.attempt, fault, failed.judgement, Some(delay))
        };
        state.failures().map(render).collect()
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

    #[inline]
    fn observe_transition(&mut self, attempt: u32, now: Moment, transition: Option<Transition>) {
        if let Some(transition) = transition {
            self.observe(attempt, now, EventKind::Breaker(transition));
        }
    }

    #[inline]
    fn observe(&mut self, attempt: u32, now: Moment, kind: EventKind<'_>) {
        observe(&self.policy, &self.environment, &mut self.instruments, attempt, now, kind);
    }
}

#[inline]
fn observe<Instruments: Instrument, Env: Environment>(
    policy: &Policy,
    environment: &Env,
    instruments: &mut Instruments,
    attempt: u32,
    now: Moment,
    kind: EventKind<'_>,
) {
    if !instruments.observes() {
        return;
    }
    let operation = environment.operation().or(policy.id()).unwrap_or("operation");
    let (session, found_by) = (instruments.session(), environment.found_by());
    instruments.observe(&SessionEvent { operation, session, policy, found_by, attempt, now, kind });
}

/// Notifies the instruments that the session is about to wait.
#[inline]
pub(super) fn before_wait<Instruments: Instrument, Env: Environment>(
    policy: &Policy,
    environment: &mut Env,
    instruments: &mut Instruments,
) {
    if let Some(handle) = instruments.before_wait(environment.operation(), policy) {
        environment.add_cancel_handle(handle);
    }
}

/// Reports the success of a first attempt that needed no session state.
#[inline]
pub(super) fn first_attempt_succeeded<Success: Outcome<T>, T>(
    policy: &Policy,
    environment: &impl Environment,
    instruments: &mut impl Instrument,
    value: &T,
) {
    Success::record(value, instruments);
    let transition = instruments.after_success(|| environment.now());
    let now = Moment::ORIGIN;
    if let Some(transition) = transition {
        observe(policy, environment, instruments, 1, now, EventKind::Breaker(transition));
    }
    observe(policy, environment, instruments, 1, now, EventKind::Succeeded);
}

#[inline(always)]
fn judge_by<Facts, Values, Override, T, E>(
    judges: &Judges<Facts, Values, Override>,
    rules: &Rules,
    error: &AttemptError<T, E>,
) -> Judgement
where
    Facts: ErrorFacts<E>,
    Override: ClassOverride,
{
    match error {
        AttemptError::Error(error) => judges.error(rules, error),
        AttemptError::Value(_, fault) => judges.fault(rules, fault),
        AttemptError::TimedOut => judges.fault(rules, &Fault::timed_out()),
    }
}

struct SessionEnv<'s, Env, Instruments, N> {
    environment: &'s mut Env,
    instruments: &'s mut Instruments,
    guards: Option<&'s mut PolicyGuards>,
    now: Moment,
    nesting: N,
}

impl<Env, Instruments, N> DecisionEnv for SessionEnv<'_, Env, Instruments, N>
where
    Env: Environment,
    Instruments: Instrument,
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
