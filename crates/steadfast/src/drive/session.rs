//! The steps of a session that both drivers share: start, judge, decide, observe.

use std::time::Duration;

use super::context::{AttemptError, SessionContext};
use super::error::{Ended, FailedAttempt, GaveUp};
use super::hooks::AttemptFailed;
use super::instrument::{EventKind, Instrument};
use super::report::Report;
use super::session_state::{Conditions, PastFailure, SessionState};
use super::{Attempt, nested};
use crate::decide::{self, Decision, DecisionEnv, LimitedEnv, Progress, Reason, SessionLimits};
use crate::guard::{Rejection, Transition};
use crate::judge::Judgement;
use crate::policy::Policy;
use crate::time::saturating_nanos;
use crate::{Class, Fault, Moment};

/// A session in progress: its policy, its state and its context.
pub(super) struct Session<'s, E> {
    pub(super) policy: &'s Policy,
    pub(super) state: &'s mut SessionState<E>,
    pub(super) context: &'s mut dyn SessionContext<E>,
}

impl<E> Session<'_, E> {
    /// The time, or the origin where the session does not need the clock.
    #[inline]
    fn now(&self) -> Moment {
        if self.state.conditions.is_timed() { self.context.now() } else { Moment::ORIGIN }
    }

    /// Asks the guards whether the next attempt may start, and returns its deadline. Only for
    /// sessions that need the time.
    pub(super) fn before_attempt(&mut self) -> Result<Option<Moment>, Rejection> {
        let now = self.context.now();
        let mut guards = self.state.conditions.guards();
        guards.before_attempt(|| now)?;
        self.context.before_attempt(now).inspect_err(|_| guards.abandoned())?;
        self.state.conditions.reset_rejections();
        Ok(self.attempt_limit(now).map(|limit| now + limit))
    }

    /// The timeout of an attempt that starts now.
    fn attempt_limit(&self, now: Moment) -> Option<Duration> {
        Progress::attempt_limit(self.policy, &self.state.conditions.limits(), now)
    }

    /// The attempt that the operation receives.
    #[inline(never)]
    pub(super) fn attempt(&mut self) -> Attempt {
        let now = self.now();
        let previous = self.state.failures().next_back();
        Attempt {
            number: self.state.progress.attempt(),
            deadline: self.attempt_limit(now).map(|limit| now + limit),
            stopped_clock: (!self.context.has_real_clock()).then_some(now),
            previous: previous.map(|failed| self.context.report(&failed.error)),
            key_used: self.state.conditions.key_used(),
            key: self.state.conditions.key(),
        }
    }

    /// Reports a success to the guards and instruments. A simple session has none.
    #[cold]
    #[inline(never)]
    pub(super) fn report_success(&mut self) {
        let now = self.now();
        let by_policy = self.state.conditions.guards().after_success(|| now);
        let transition = self.context.after_success(now).or(by_policy);
        let attempt = self.state.progress.attempt();
        self.observe_transition(attempt, now, transition);
        self.context.observe(self.policy, attempt, now, EventKind::Succeeded);
    }

    /// Follows a failure in a session with guards, observers or a deadline, or one in which an inner
    /// session has retried.
    fn on_watched_failure(
        &mut self,
        error: AttemptError<E>,
        judgement: &Judgement,
    ) -> Result<u64, Box<Ended<E>>> {
        let attempt = self.state.progress.attempt();
        let now = self.state.conditions.is_timed().then(|| self.context.now());
        if let Some(now) = now {
            self.report_failure(&error, judgement.class, attempt, now);
        }
        let Self { policy, state, context } = self;
        let decision = decide(policy, state, *context, &error, judgement, now);
        let now = now.unwrap_or(Moment::ORIGIN);
        // Asked now: an instrument may observe from the first failure on.
        if self.context.observes() {
            self.observe_retry(&decision, &error, judgement, attempt, now);
        }
        match decision {
            Err(reason) => Err(self.end(error, judgement, reason, now)),
            Ok(delay) => {
                if !self.state.conditions.is_timed() {
                    self.state.conditions.count_wait(delay);
                }
                self.state.push_failure(PastFailure::new(error, judgement, attempt, delay));
                Ok(delay)
            }
        }
    }

    /// Ends the session after a failure.
    fn end(
        &mut self,
        error: AttemptError<E>,
        judgement: &Judgement,
        reason: Reason,
        now: Moment,
    ) -> Box<Ended<E>> {
        nested::gave_up(reason);
        self.give_up(Some((error, *judgement)), reason, None, now)
    }

    /// Reports a failure to the guards.
    fn report_failure(&mut self, error: &AttemptError<E>, class: Class, attempt: u32, now: Moment) {
        let by_policy = self.state.conditions.guards().after_failure(class, now);
        let transition = self.context.after_failure(class, now).or(by_policy);
        if transition.is_some() {
            self.record_cause(error);
        }
        self.observe_transition(attempt, now, transition);
    }

    /// Gives the breakers the facts of the failure that opened one of them.
    #[cold]
    #[inline(never)]
    fn record_cause(&mut self, error: &AttemptError<E>) {
        let fault = self.context.report(error);
        self.state.conditions.guards().record_cause(&fault);
        self.context.record_cause(&fault);
    }

    #[cold]
    #[inline(never)]
    fn observe_retry(
        &mut self,
        decision: &Result<u64, Reason>,
        error: &AttemptError<E>,
        judgement: &Judgement,
        attempt: u32,
        now: Moment,
    ) {
        if let Ok(delay) = decision {
            let (delay, fault) = (Duration::from_nanos(*delay), &self.context.report(error));
            let error = match error {
                AttemptError::Error(error) => Some(error),
                _ => None,
            };
            let failed = AttemptFailed { error, fault, class: judgement.class, attempt };
            self.context.on_retry(&failed, delay);
            let (judgement, next_attempt) = (*judgement, self.state.progress.attempt());
            let kind = EventKind::Retrying { fault, judgement, delay, next_attempt };
            self.context.observe(self.policy, attempt, now, kind);
        }
    }

    /// A guard rejected the next attempt: the wait before it is asked again, in nanoseconds, or the
    /// end.
    #[cold]
    #[inline(never)]
    pub(super) fn on_rejection(&mut self, rejection: Rejection) -> Result<u64, Box<Ended<E>>> {
        let (now, rejections) = (self.context.now(), self.state.conditions.count_rejection());
        let limits = self.state.conditions.limits();
        let mut env = Draws(&mut *self.context);
        match decide::on_rejection(self.policy, &limits, now, &rejection, rejections, &mut env) {
            Decision::Retry(delay) => {
                let attempt = self.state.progress.attempt();
                let kind = EventKind::Rejected { rejection, delay };
                self.context.observe(self.policy, attempt, now, kind);
                Ok(saturating_nanos(delay))
            }
            Decision::GiveUp(reason) => Err(self.give_up(None, reason, Some(rejection), now)),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn on_cancel(&mut self) -> Box<Ended<E>> {
        self.context.abandoned();
        self.state.conditions.guards().abandoned();
        let now = self.context.now();
        self.give_up(None, Reason::Cancelled, None, now)
    }

    #[cold]
    #[inline(never)]
    fn give_up(
        &mut self,
        failure: Option<(AttemptError<E>, Judgement)>,
        reason: Reason,
        rejection: Option<Rejection>,
        now: Moment,
    ) -> Box<Ended<E>> {
        let attempt = match failure {
            Some(_) => self.state.progress.attempts.max(1),
            None => self.state.progress.attempt(),
        };
        let mut failures = self.failures();
        let (last, judgement) = match failure {
            Some((error, judgement)) => {
                let fault = self.context.report(&error);
                failures.push(self.failed_attempt(attempt, fault, &judgement, None));
                (Some(error), Some(judgement))
            }
            None => match self.state.take_last_failure() {
                Some(failed) => {
                    let judgement = failed.judgement();
                    (Some(failed.error), Some(judgement))
                }
                None => (None, None),
            },
        };
        let fault = failures.last().map(|failure| &failure.fault);
        let kind = EventKind::GaveUp { reason, fault, judgement };
        self.context.observe(self.policy, attempt, now, kind);
        let gave_up = GaveUp {
            reason,
            attempts: self.state.progress.attempts,
            rate_limit_waits: self.state.progress.rate_limit_waits,
            elapsed: self.state.conditions.elapsed(now),
            rejection,
            failures,
        };
        let error = match last {
            Some(AttemptError::Error(error)) => Some(error),
            _ => None,
        };
        Box::new(Ended { gave_up, error, source: self.context.source() })
    }

    #[inline(never)]
    pub(super) fn report(&self) -> Report {
        Report {
            attempts: self.state.progress.attempt(),
            rate_limit_waits: self.state.progress.rate_limit_waits,
            elapsed: self.state.conditions.elapsed(self.context.now()),
            failures: self.failures(),
        }
    }

    /// The recorded failures, rendered for the caller.
    fn failures(&self) -> Vec<FailedAttempt> {
        let render = |failed: &PastFailure<E>| {
            let fault = self.context.report(&failed.error);
            let delay = Duration::from_nanos(failed.delay);
            self.failed_attempt(failed.attempt, fault, &failed.judgement(), Some(delay))
        };
        self.state.failures().map(render).collect()
    }

    fn failed_attempt(
        &self,
        attempt: u32,
        fault: Fault,
        judgement: &Judgement,
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
            self.context.observe(self.policy, attempt, now, EventKind::Breaker(transition));
        }
    }
}

/// Judges a failure and decides what follows: the delay in nanoseconds, or the end.
///
/// The common case is compiled for each kind of context, which saves 36 instructions: the judge is
/// then often computed by the compiler. All other cases are compiled once per error type.
#[inline(always)]
pub(super) fn on_failure<E>(
    policy: &Policy,
    state: &mut SessionState<E>,
    context: &mut impl SessionContext<E>,
    error: AttemptError<E>,
) -> Result<u64, Box<Ended<E>>> {
    if !matches!(error, AttemptError::Error(_)) || !policy.rules.are_default() {
        return on_unjudged(policy, state, context.as_dyn(), error);
    }
    let judgement = context.judge(&policy.rules, &error);
    follow(policy, state, context, error, judgement)
}

/// Follows a failure that the compiler cannot have judged. Apart from the others, so that what it
/// knows of their judgement is not lost where the two would meet.
#[cold]
#[inline(never)]
fn on_unjudged<E>(
    policy: &Policy,
    state: &mut SessionState<E>,
    context: &mut dyn SessionContext<E>,
    error: AttemptError<E>,
) -> Result<u64, Box<Ended<E>>> {
    let judgement = context.judge(&policy.rules, &error);
    on_judged(policy, state, context, error, judgement)
}

/// Decides what follows a failure that a probe was asked about.
#[cold]
#[inline(never)]
pub(super) fn on_judged<E>(
    policy: &Policy,
    state: &mut SessionState<E>,
    context: &mut dyn SessionContext<E>,
    error: AttemptError<E>,
    judgement: Judgement,
) -> Result<u64, Box<Ended<E>>> {
    follow(policy, state, context, error, judgement)
}

#[inline(always)]
fn follow<E>(
    policy: &Policy,
    state: &mut SessionState<E>,
    context: &mut (impl SessionContext<E> + ?Sized),
    error: AttemptError<E>,
    judgement: Judgement,
) -> Result<u64, Box<Ended<E>>> {
    if !state.conditions.is_simple() {
        return on_watched_failure(policy, state, context.as_dyn(), error, judgement);
    }
    let attempt = state.progress.attempt();
    match decide(policy, state, context, &error, &judgement, None) {
        Err(reason) => Err(end(policy, state, context.as_dyn(), error, judgement, reason)),
        Ok(delay) => {
            state.conditions.count_wait(delay);
            state.push_failure(PastFailure::new(error, &judgement, attempt, delay));
            Ok(delay)
        }
    }
}

#[cold]
#[inline(never)]
fn on_watched_failure<E>(
    policy: &Policy,
    state: &mut SessionState<E>,
    context: &mut dyn SessionContext<E>,
    error: AttemptError<E>,
    judgement: Judgement,
) -> Result<u64, Box<Ended<E>>> {
    Session { policy, state, context }.on_watched_failure(error, &judgement)
}

#[cold]
#[inline(never)]
fn end<E>(
    policy: &Policy,
    state: &mut SessionState<E>,
    context: &mut dyn SessionContext<E>,
    error: AttemptError<E>,
    judgement: Judgement,
    reason: Reason,
) -> Box<Ended<E>> {
    Session { policy, state, context }.end(error, &judgement, reason, Moment::ORIGIN)
}

/// Counts the attempt and decides what follows it, at `now` if the session needs the time.
#[inline(always)]
fn decide<E>(
    policy: &Policy,
    state: &mut SessionState<E>,
    context: &mut (impl SessionContext<E> + ?Sized),
    error: &AttemptError<E>,
    judgement: &Judgement,
    now: Option<Moment>,
) -> Result<u64, Reason> {
    let SessionState { progress, conditions, .. } = state;
    let mut env = SessionEnv { policy, conditions, context, error, now };
    progress.try_decide(policy, now, judgement, &mut env)
}

/// The environment of a decision after a rejection, which needs only randomness.
struct Draws<'s, E>(&'s mut dyn SessionContext<E>);

impl<E> DecisionEnv for Draws<'_, E> {
    fn draw(&mut self) -> u64 {
        self.0.draw()
    }
}

/// The environment of a decision within a session.
struct SessionEnv<'s, E, Context: ?Sized> {
    policy: &'s Policy,
    conditions: &'s mut Conditions<E>,
    context: &'s mut Context,
    error: &'s AttemptError<E>,
    /// The time, if the session needs it.
    now: Option<Moment>,
}

impl<E, Context: SessionContext<E> + ?Sized> DecisionEnv for SessionEnv<'_, E, Context> {
    #[inline(always)]
    fn draw(&mut self) -> u64 {
        self.context.draw()
    }

    #[inline(always)]
    fn withdraw(&mut self) -> bool {
        self.now
            .is_none_or(|now| self.conditions.guards().withdraw(now) && self.context.withdraw(now))
    }

    #[inline(always)]
    fn nesting(&mut self) -> Option<Reason> {
        if !self.conditions.is_simple() && self.conditions.take_retried_inside() {
            return Some(Reason::RetriedInside);
        }
        if !nested::has_outer() {
            return None;
        }
        left_to_outer(self.policy, self.context.as_dyn(), self.error)
    }
}

impl<E, Context: SessionContext<E> + ?Sized> LimitedEnv for SessionEnv<'_, E, Context> {
    #[inline(always)]
    fn limits(&self) -> SessionLimits {
        self.conditions.limits().key_in_use(self.conditions.key_in_use(self.policy))
    }
}

#[cold]
#[inline(never)]
fn left_to_outer<E>(
    policy: &Policy,
    context: &dyn SessionContext<E>,
    error: &AttemptError<E>,
) -> Option<Reason> {
    nested::left_to_outer(policy, |rules| context.class_by(rules, error))
}
