//! The retries of an async session, without its operation.
//!
//! The future of a call has a type of its own for each operation. What it does between attempts
//! does not depend on the operation, so it is here: all calls with the same settings share it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::Key;
use super::context::{CallContext, SessionContext};
use super::environment::Sleeper;
use super::error::RetryError;
use super::first_attempt::{Failed, prepare};
use super::instrument::Instrument;
use super::nested::Scope;
use super::probe::{AsyncProbe, Effect};
use super::report::Outcome;
use super::session::{self, Session};
use super::session_state::SessionState;
use crate::guard::Rejection;
use crate::judge::Judgement;
use crate::policy::Policy;
use crate::{Class, Moment};

pin_project! {
    /// The state of a session that retries, and what it waits for.
    #[project = RetriesProjection]
    pub(super) struct Retries<Sleep, Probe, E, Rejected> {
        state: SessionState<E>,
        #[pin]
        wait: Wait<Sleep, Probe, E, Rejected>,
    }
}

pin_project! {
    /// What the session waits for, beside or between attempts.
    #[project = WaitProjection]
    enum Wait<Sleep, Probe, E, Rejected> {
        None,
        // The attempt in flight times out then. Its timer starts when it is first pending.
        Deadline { at: Moment },
        // The timeout of the attempt in flight.
        AttemptTimeout { #[pin] sleep: Sleep },
        // The delay before the next attempt.
        Backoff { #[pin] sleep: Sleep },
        // The probe that finds out whether the failed attempt took effect.
        Probe { #[pin] probe: Probe, failure: Option<(Failed<E, Rejected>, Judgement)> },
    }
}

impl<Sleep, Probe, E, Rejected> Wait<Sleep, Probe, E, Rejected> {
    #[inline(always)]
    fn set_backoff<Env: Sleeper<Sleep = Sleep>>(
        mut self: Pin<&mut Self>,
        environment: &Env,
        delay: u64,
    ) {
        // A timer of zero length would still cost a poll.
        if delay == 0 {
            self.set(Self::None);
        } else {
            self.set(Self::Backoff { sleep: environment.sleep(Duration::from_nanos(delay)) });
        }
    }
}

impl<Sleep, Probe, E, Rejected> Retries<Sleep, Probe, E, Rejected> {
    #[inline(always)]
    pub(super) const fn new(idempotent: Option<bool>) -> Self {
        Self { state: SessionState::new(idempotent), wait: Wait::None }
    }

    /// See [`prepare`].
    #[inline(always)]
    pub(super) fn prepare<Judge, Instruments: Instrument, Env: Sleeper>(
        self: Pin<&mut Self>,
        policy: &Policy,
        context: &CallContext<Judge, Instruments, Env>,
        reports: bool,
        given: Option<Key>,
        generated: Option<Key>,
    ) where
        CallContext<Judge, Instruments, Env>: SessionContext<E>,
    {
        prepare(self.project().state, policy, context, reports, given, generated);
    }

    pub(super) fn attempt_number(&self) -> u32 {
        self.state.progress.attempt()
    }

    #[inline]
    pub(super) fn session<'s>(
        self: Pin<&'s mut Self>,
        policy: &'s Policy,
        context: &'s mut dyn SessionContext<E>,
    ) -> Session<'s, E> {
        Session { policy, state: self.project().state, context }
    }

    #[inline(always)]
    pub(super) fn enter_scope(&self, policy: &Policy) -> Scope {
        Scope::enter(policy, &self.state)
    }

    #[inline(always)]
    pub(super) fn end_scope(self: Pin<&mut Self>, scope: Scope) {
        if scope.end() {
            self.project().state.conditions.set_retried_inside();
        }
    }

    /// Runs the session up to its next attempt: decides what follows a failure, waits, and asks the
    /// guards. The error ends the session.
    ///
    /// One function for all of it: each one more costs 60 bytes per call site.
    #[inline(never)]
    pub(super) fn poll_next<Judge, Instruments, Env>(
        mut self: Pin<&mut Self>,
        policy: &Policy,
        context: &mut CallContext<Judge, Instruments, Env>,
        failed: Option<Failed<E, Rejected>>,
        waker: &mut Context<'_>,
    ) -> Poll<Result<(), RetryError<E, Rejected>>>
    where
        CallContext<Judge, Instruments, Env>: SessionContext<E>,
        Env: Sleeper<Sleep = Sleep>,
        Sleep: Future,
    {
        if let Some(failed) = failed {
            self.as_mut().on_failure(policy, context, failed)?;
        } else if self.state.conditions.is_in_flight {
            return Poll::Ready(Ok(()));
        }
        loop {
            let mut wait = self.as_mut().project().wait;
            // Compared first: the jump table of a projection costs nine instructions.
            if matches!(*wait, Wait::Backoff { .. })
                && let WaitProjection::Backoff { sleep } = wait.as_mut().project()
            {
                ready!(sleep.poll(waker));
                wait.set(Wait::None);
            }
            if !self.state.conditions.is_timed()
                || self.as_mut().before_timed_attempt(policy, context)?
            {
                break;
            }
        }
        let state = self.project().state;
        state.conditions.is_in_flight = true;
        state.conditions.enters_plain_scope = Scope::is_plain(policy, &state.progress);
        Poll::Ready(Ok(()))
    }

    /// Judges a failure and starts the wait that follows.
    #[inline(always)]
    fn on_failure<Judge, Instruments, Env>(
        self: Pin<&mut Self>,
        policy: &Policy,
        context: &mut CallContext<Judge, Instruments, Env>,
        failed: Failed<E, Rejected>,
    ) -> Result<(), RetryError<E, Rejected>>
    where
        CallContext<Judge, Instruments, Env>: SessionContext<E>,
        Env: Sleeper<Sleep = Sleep>,
    {
        let RetriesProjection { state, wait } = self.project();
        state.conditions.is_in_flight = false;
        let Failed { error, value } = failed;
        match session::on_failure(policy, state, context, error) {
            Ok(delay) => wait.set_backoff(&context.environment, delay),
            Err(ended) => return Err(RetryError::new(ended, value)),
        }
        Ok(())
    }

    /// The same for a call with a probe: asks it about an unknown outcome before it decides. Returns
    /// the value that the probe found, if the attempt took effect.
    #[inline(never)]
    pub(super) fn poll_probe<Judge, Instruments, Env, P, T>(
        mut self: Pin<&mut Self>,
        policy: &Policy,
        context: &mut CallContext<Judge, Instruments, Env>,
        prober: &mut P,
        failed: &mut Option<Failed<E, Rejected>>,
        waker: &mut Context<'_>,
    ) -> Poll<Result<Option<T>, RetryError<E, Rejected>>>
    where
        CallContext<Judge, Instruments, Env>: SessionContext<E>,
        Env: Sleeper<Sleep = Sleep>,
        P: AsyncProbe<T, Output = Probe>,
    {
        if let Some(failed) = failed.take() {
            let RetriesProjection { state, mut wait } = self.as_mut().project();
            state.conditions.is_in_flight = false;
            let judgement = context.judge(&policy.rules, &failed.error);
            let probe = match judgement.class() {
                Class::UnknownOutcome => prober.probe(|| state.conditions.key()),
                _ => None,
            };
            let failure = Some((failed, judgement));
            match probe {
                Some(probe) => wait.set(Wait::Probe { probe, failure }),
                None => self.as_mut().on_judged(policy, context, failure)?,
            }
        }
        let mut wait = self.as_mut().project().wait;
        let WaitProjection::Probe { probe, failure } = wait.as_mut().project() else {
            return Poll::Ready(Ok(None));
        };
        let effect = ready!(P::poll(probe, waker));
        let mut failure = failure.take();
        wait.set(Wait::None);
        match (effect, &mut failure) {
            (Effect::Yes(found), _) => return Poll::Ready(Ok(Some(found))),
            (Effect::No, Some((_, judgement))) => *judgement = judgement.without_effect(),
            _ => {}
        }
        self.on_judged(policy, context, failure)?;
        Poll::Ready(Ok(None))
    }

    /// Starts the wait that follows a judged failure.
    fn on_judged<Judge, Instruments, Env>(
        self: Pin<&mut Self>,
        policy: &Policy,
        context: &mut CallContext<Judge, Instruments, Env>,
        failure: Option<(Failed<E, Rejected>, Judgement)>,
    ) -> Result<(), RetryError<E, Rejected>>
    where
        CallContext<Judge, Instruments, Env>: SessionContext<E>,
        Env: Sleeper<Sleep = Sleep>,
    {
        let Some((Failed { error, value }, judgement)) = failure else { return Ok(()) };
        let RetriesProjection { state, wait } = self.project();
        match session::on_judged(policy, state, context, error, judgement) {
            Ok(delay) => wait.set_backoff(&context.environment, delay),
            Err(ended) => return Err(RetryError::new(ended, value)),
        }
        Ok(())
    }

    #[inline(never)]
    fn before_timed_attempt<Judge, Instruments, Env>(
        self: Pin<&mut Self>,
        policy: &Policy,
        context: &mut CallContext<Judge, Instruments, Env>,
    ) -> Result<bool, RetryError<E, Rejected>>
    where
        CallContext<Judge, Instruments, Env>: SessionContext<E>,
        Env: Sleeper<Sleep = Sleep>,
    {
        let RetriesProjection { state, mut wait } = self.project();
        let mut session = Session { policy, state, context };
        match session.before_attempt() {
            Ok(None) => Ok(true),
            Ok(Some(at)) => {
                wait.set(Wait::Deadline { at });
                Ok(true)
            }
            Err(rejection) => {
                let delay = session.on_rejection(rejection).map_err(RetryError::without_value)?;
                wait.set_backoff(&context.environment, delay);
                Ok(false)
            }
        }
    }

    /// A guard rejected the first attempt: waits until it is asked again, or ends the session.
    #[cold]
    pub(super) fn on_rejection<Judge, Instruments, Env>(
        self: Pin<&mut Self>,
        policy: &Policy,
        context: &mut CallContext<Judge, Instruments, Env>,
        rejection: Rejection,
    ) -> Result<(), RetryError<E, Rejected>>
    where
        CallContext<Judge, Instruments, Env>: SessionContext<E>,
        Env: Sleeper<Sleep = Sleep>,
    {
        let RetriesProjection { state, wait } = self.project();
        let mut session = Session { policy, state, context };
        let delay = session.on_rejection(rejection).map_err(RetryError::without_value)?;
        wait.set_backoff(&context.environment, delay);
        Ok(())
    }

    /// Polls the timeout of a pending attempt, if it has one.
    #[inline(never)]
    pub(super) fn poll_timeout<Env: Sleeper<Sleep = Sleep>>(
        self: Pin<&mut Self>,
        environment: &Env,
        waker: &mut Context<'_>,
    ) -> Poll<()> {
        let mut wait = self.project().wait;
        if let WaitProjection::Deadline { at } = wait.as_mut().project() {
            let sleep = environment.sleep(at.since(environment.now()));
            wait.set(Wait::AttemptTimeout { sleep });
        }
        match wait.project() {
            WaitProjection::AttemptTimeout { sleep } => sleep.poll(waker).map(|_| ()),
            _ => Poll::Pending,
        }
    }

    /// Ends the session with a value.
    #[inline(never)]
    pub(super) fn succeed<Success: Outcome<T>, Judge, Instruments: Instrument, Env, T>(
        mut self: Pin<&mut Self>,
        policy: &Policy,
        context: &mut CallContext<Judge, Instruments, Env>,
        value: T,
    ) -> Success::Output
    where
        CallContext<Judge, Instruments, Env>: SessionContext<E>,
    {
        Success::record(&value, &mut context.instruments);
        if !self.state.conditions.is_simple() {
            self.as_mut().session(policy, context).report_success();
        }
        Success::of(value, || self.session(policy, context).report())
    }
}
