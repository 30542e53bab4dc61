//! The async driver: a retry session as a future.
//!
//! A session whose first attempt succeeds is polled by a few instructions and keeps no state
//! beyond the attempt itself. [`SessionState`], timers and probes exist only after the first
//! attempt has failed, or from the start if the policy needs them.
//!
//! The states of the future ([`Stage`]), and the functions that move between them:
//!
//! ```text
//!                          poll_first                      first attempt succeeded
//!   NotStarted ──────────────────────────▶ FirstAttempt ─────────────────────────▶ Done
//!       │ rejected by a guard                   │ failed                             ▲
//!       │                                       │                                    │
//!       └───────────────▶ start_session ◀───────┘                                    │
//!   NeedsSession ── resume ──▶   │                                                   │
//!                                ▼                                                   │
//!                             Session ── run ── succeeded, gave up or cancelled ─────┘
//! ```
//!
//! Within `Session`, `run` repeats these steps until the session ends; what it waits for
//! between polls is its [`Wait`]:
//!
//! ```text
//!   poll_attempt: attempt ── failed ─▶ judge ── unknown outcome ─▶ poll_probe
//!        ▲           │                   │                           │   │ took effect
//!        │           ▼ succeeded         │                           │   ▼
//!        │         return                ▼    took no effect         │  return
//!        │                             decide ◀──────────────────────┘
//!        │                               │ │ give up
//!        └── Wait::Backoff ◀── retry ────┘ ▼
//!                                        return
//! ```

use std::future::{Future, IntoFuture};
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::Attempt;
use super::environment::{Environment, Sleeper};
use super::error::RetryError;
use super::instrument::Instrument;
use super::judges::{ClassOverride, ErrorFacts, Judges, ValueFacts};
use super::nested::Scope;
use super::operation::{AsyncOperation, Callable};
use super::probe::{AsyncProbe, Effect};
use super::report::{Outcome, Report};
use super::retry::Retry;
use super::session::{AttemptError, Setup, Start, first_attempt_succeeded};
use super::session_state::SessionState;
use crate::Class;
use crate::guard::Rejection;
use crate::judge::Judgement;
use crate::policy::Policy;

/// A [`Retry`] whose operation is async. Its parts are associated types, so that the future and all
/// that it consists of have one type parameter.
#[allow(missing_docs, reason = "the type parameters of `Retry`, and those of its operation")]
pub trait AsyncCall: Sized {
    type PolicyRef: Deref<Target = Policy>;
    type Value;
    type Error;
    type Args;
    type Operation: AsyncOperation<Self::Args, Value = Self::Value, Error = Self::Error>;
    type Facts: ErrorFacts<Self::Error>;
    type Values: ValueFacts<Self::Value>;
    type Override: ClassOverride;
    type Instruments: Instrument;
    type Env: Sleeper;
    type Probe: AsyncProbe<Self::Value>;
    type Success: Outcome<Self::Value>;

    /// The session as a future.
    fn future(self) -> RetryFuture<Self>;
}

impl<PolicyRef, Operation, Args, Facts, Values, Override, Instruments, Env, Probe, Success>
    AsyncCall
    for Retry<
        PolicyRef,
        Operation,
        Args,
        Judges<Facts, Values, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    >
where
    PolicyRef: Deref<Target = Policy>,
    Operation: AsyncOperation<Args>,
    Facts: ErrorFacts<Operation::Error>,
    Values: ValueFacts<Operation::Value>,
    Override: ClassOverride,
    Instruments: Instrument,
    Env: Sleeper,
    Probe: AsyncProbe<Operation::Value>,
    Success: Outcome<Operation::Value>,
{
    type PolicyRef = PolicyRef;
    type Value = Operation::Value;
    type Error = Operation::Error;
    type Args = Args;
    type Operation = Operation;
    type Facts = Facts;
    type Values = Values;
    type Override = Override;
    type Instruments = Instruments;
    type Env = Env;
    type Probe = Probe;
    type Success = Success;

    #[inline]
    fn future(self) -> RetryFuture<Self> {
        let Self { setup, operation, probe, .. } = self;
        let plain = setup.policy.plain && !Success::REPORTS;
        let stage = if plain { Stage::NotStarted } else { Stage::NeedsSession };
        RetryFuture { setup, operation, probe, stage }
    }
}

impl<PolicyRef, Operation, Args, Judge, Instruments, Env, Probe, Success> IntoFuture
    for Retry<PolicyRef, Operation, Args, Judge, Instruments, Env, Probe, Success>
where
    Self: AsyncCall,
{
    type Output = SessionResult<Self>;
    type IntoFuture = RetryFuture<Self>;

    #[inline]
    fn into_future(self) -> RetryFuture<Self> {
        self.future()
    }
}

type CallSetup<Call> = Setup<
    <Call as AsyncCall>::PolicyRef,
    Judges<<Call as AsyncCall>::Facts, <Call as AsyncCall>::Values, <Call as AsyncCall>::Override>,
    <Call as AsyncCall>::Instruments,
    <Call as AsyncCall>::Env,
>;

type AttemptFuture<Call> =
    <<Call as AsyncCall>::Operation as AsyncOperation<<Call as AsyncCall>::Args>>::Future;

/// What the operation keeps of its first attempt.
type Memory<Call> = <<Call as AsyncCall>::Operation as Callable<<Call as AsyncCall>::Args>>::Memory;

type Sleep<Call> = <<Call as AsyncCall>::Env as Sleeper>::Sleep;

type ProbeFuture<Call> =
    <<Call as AsyncCall>::Probe as AsyncProbe<<Call as AsyncCall>::Value>>::Future;

type CallError<Call> = AttemptError<<Call as AsyncCall>::Value, <Call as AsyncCall>::Error>;

type SessionError<Call> = RetryError<
    <Call as AsyncCall>::Error,
    <<Call as AsyncCall>::Values as ValueFacts<<Call as AsyncCall>::Value>>::Rejected,
>;

type SessionResult<Call> = Result<
    <<Call as AsyncCall>::Success as Outcome<<Call as AsyncCall>::Value>>::Output,
    SessionError<Call>,
>;

pin_project! {
    /// A retry session as a future. Made by awaiting a [`Retry`].
    #[must_use = "futures do nothing unless awaited"]
    pub struct RetryFuture<Call: AsyncCall> {
        setup: CallSetup<Call>,
        operation: Call::Operation,
        probe: Call::Probe,
        #[pin]
        stage: Stage<Call>,
    }

    impl<Call: AsyncCall> PinnedDrop for RetryFuture<Call> {
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            match &*this.stage {
                Stage::NotStarted | Stage::NeedsSession | Stage::Done => {}
                Stage::FirstAttempt { .. } => this.setup.on_drop::<Call::Error>(None),
                Stage::Session { session } => this.setup.on_drop(Some(&session.state)),
            }
        }
    }
}

pin_project! {
    /// The state of the future. A session that succeeds at its first attempt never enters
    /// `Session`.
    #[project = StageProjection]
    #[repr(u8)]
    enum Stage<Call: AsyncCall> {
        // The first attempt can start at once.
        NotStarted,
        // The policy needs session state before the first attempt.
        NeedsSession,
        FirstAttempt { #[pin] attempt: AttemptFuture<Call>, memory: Memory<Call> },
        Session { #[pin] session: Session<Call> },
        Done,
    }
}

pin_project! {
    /// A session that has state: its first attempt failed, or its policy needs state.
    #[project = SessionProjection]
    struct Session<Call: AsyncCall> {
        state: SessionState<Call::Error>,
        // The attempt in flight.
        #[pin]
        attempt: Option<AttemptFuture<Call>>,
        #[pin]
        wait: Wait<Call>,
    }
}

pin_project! {
    /// What the session waits for, beside or between attempts.
    #[project = WaitProjection]
    enum Wait<Call: AsyncCall> {
        None,
        // The timeout of the attempt in flight.
        AttemptTimeout { #[pin] sleep: Sleep<Call> },
        // The delay before the next attempt.
        Backoff { #[pin] sleep: Sleep<Call> },
        // The probe that finds out whether the failed attempt took effect.
        Probe { #[pin] probe: ProbeFuture<Call>, failure: Option<(CallError<Call>, Judgement)> },
    }
}

impl<Call: AsyncCall> Future for RetryFuture<Call> {
    type Output = SessionResult<Call>;

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.setup.environment.is_cancelled() {
            return Poll::Ready(Err(self.cancel()));
        }
        let polled = self.as_mut().poll_first(context);
        if polled.is_pending() {
            // Only here, so that a session that ends at its first poll does not pay for it.
            let setup = self.as_mut().project().setup;
            setup.before_wait();
            if setup.environment.poll_cancelled(context).is_ready() {
                return Poll::Ready(Err(self.cancel()));
            }
        }
        polled
    }
}

impl<Call: AsyncCall> RetryFuture<Call> {
    /// The fast path: starts and polls the first attempt without session state.
    #[inline(always)]
    fn poll_first(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<SessionResult<Call>> {
        let mut this = self.as_mut().project();
        if matches!(*this.stage, Stage::NotStarted) {
            let Setup { instruments, environment, .. } = this.setup;
            if let Err(rejection) = instruments.before_attempt(|| environment.now()) {
                return self.start_session(Start::Rejected(rejection), context);
            }
            let mut memory = Memory::<Call>::default();
            let scope = Scope::plain();
            let attempt = this.operation.start(&mut memory, Attempt::first);
            drop(scope);
            this.stage.set(Stage::FirstAttempt { attempt, memory });
        }
        let StageProjection::FirstAttempt { attempt, .. } = this.stage.as_mut().project() else {
            return self.resume(context);
        };
        let scope = Scope::plain();
        let polled = attempt.poll(context);
        drop(scope);
        match this.setup.judges.examine(ready!(polled)) {
            Ok(value) => {
                let Setup { policy, instruments, environment, .. } = this.setup;
                first_attempt_succeeded::<Call::Success, _>(
                    policy,
                    environment,
                    instruments,
                    &value,
                );
                if instruments.observes() {
                    this.stage.set(Stage::Done);
                }
                Poll::Ready(Ok(Call::Success::of(value, Report::default)))
            }
            Err(error) => self.start_session(Start::Failed(error), context),
        }
    }

    /// Ends the session because its handle cancelled it.
    #[cold]
    fn cancel(self: Pin<&mut Self>) -> SessionError<Call> {
        let mut this = self.project();
        let error = match this.stage.as_mut().project() {
            StageProjection::Session { session } => {
                this.setup.on_cancel::<Call::Value, _>(Some(session.project().state))
            }
            _ => this.setup.on_cancel::<Call::Value, _>(None),
        };
        this.stage.set(Stage::Done);
        error
    }

    /// Continues a session that is not at its first attempt.
    #[cold]
    #[inline(never)]
    fn resume(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<SessionResult<Call>> {
        if matches!(self.stage, Stage::NeedsSession) {
            return self.start_session(Start::New, context);
        }
        self.run(Start::New, context)
    }

    /// Creates the session state and runs the session from `start`.
    #[cold]
    #[inline(never)]
    fn start_session(
        mut self: Pin<&mut Self>,
        start: Start<Call::Value, Call::Error>,
        context: &mut Context<'_>,
    ) -> Poll<SessionResult<Call>> {
        let mut this = self.as_mut().project();
        let generated = match this.stage.as_mut().project() {
            StageProjection::FirstAttempt { memory, .. } => std::mem::take(memory).into(),
            _ => None,
        };
        let state = this.setup.new_state(Call::Success::REPORTS, this.operation.key(), generated);
        let session = Session { state, attempt: None, wait: Wait::None };
        this.stage.set(Stage::Session { session });
        self.run(start, context)
    }

    /// Runs the session until it waits or ends.
    #[inline(always)]
    fn run(
        self: Pin<&mut Self>,
        mut start: Start<Call::Value, Call::Error>,
        context: &mut Context<'_>,
    ) -> Poll<SessionResult<Call>> {
        let mut this = self.project();
        let StageProjection::Session { session } = this.stage.as_mut().project() else {
            return Poll::Pending;
        };
        let mut session = session.project();
        let mut driver = Driver { setup: this.setup, operation: this.operation, probe: this.probe };
        let result = loop {
            let (error, judgement) = match ready!(driver.poll_attempt(&mut session, start, context))
            {
                Step::Failed(error, judgement) => (error, judgement),
                Step::Succeeded(value) => {
                    driver.setup.on_success::<Call::Success, _, _>(session.state, &value);
                    break Ok(Call::Success::of(value, || driver.setup.report(session.state)));
                }
                Step::Rejected(rejection) => {
                    break Err(driver
                        .setup
                        .on_rejection::<Call::Value, _>(session.state, &rejection));
                }
            };
            match driver.setup.on_failure(session.state, error, judgement) {
                // A timer of zero length would still cost a poll.
                Ok(0) => session.wait.set(Wait::None),
                Ok(delay) => {
                    let sleep = driver.setup.environment.sleep(Duration::from_nanos(delay));
                    session.wait.set(Wait::Backoff { sleep });
                }
                Err(error) => break Err(error),
            }
            start = Start::New;
        };
        this.stage.set(Stage::Done);
        Poll::Ready(result)
    }
}

/// The parts of the future that stay the same while the session runs.
struct Driver<'s, Call: AsyncCall> {
    setup: &'s mut CallSetup<Call>,
    operation: &'s mut Call::Operation,
    probe: &'s mut Call::Probe,
}

/// How an attempt ended, after its probe if there was one.
enum Step<T, E> {
    Succeeded(T),
    Failed(AttemptError<T, E>, Judgement),
    Rejected(Rejection),
}

impl<Call: AsyncCall> Driver<'_, Call> {
    /// Polls the backoff, the attempt and the probe, in this order, until the attempt ends.
    #[inline(always)]
    fn poll_attempt(
        &mut self,
        session: &mut SessionProjection<'_, Call>,
        start: Start<Call::Value, Call::Error>,
        context: &mut Context<'_>,
    ) -> Poll<Step<Call::Value, Call::Error>> {
        let error = match start {
            Start::Failed(error) => error,
            Start::Rejected(rejection) => return Poll::Ready(Step::Rejected(rejection)),
            Start::New => {
                match session.wait.as_mut().project() {
                    WaitProjection::Backoff { sleep } => {
                        ready!(sleep.poll(context));
                        session.wait.set(Wait::None);
                    }
                    WaitProjection::Probe { .. } => return self.poll_probe(session, context),
                    WaitProjection::None | WaitProjection::AttemptTimeout { .. } => {}
                }
                if session.attempt.is_none()
                    && let Err(rejection) = self.acquire_permit(session)
                {
                    return Poll::Ready(Step::Rejected(rejection));
                }
                match ready!(self.poll_operation(session, context)) {
                    Ok(value) => return Poll::Ready(Step::Succeeded(value)),
                    Err(error) => error,
                }
            }
        };
        session.attempt.set(None);
        let judgement = self.setup.judge(&error);
        if judgement.class() == Class::UnknownOutcome
            && let Some(probe) = self.probe.probe(|| session.state.key())
        {
            session.wait.set(Wait::Probe { probe, failure: Some((error, judgement)) });
            return self.poll_probe(session, context);
        }
        Poll::Ready(Step::Failed(error, judgement))
    }

    /// Asks the guards for permission to start an attempt, and arms its timeout.
    #[inline(always)]
    fn acquire_permit(
        &mut self,
        session: &mut SessionProjection<'_, Call>,
    ) -> Result<(), Rejection> {
        self.setup.before_attempt(session.state)?;
        if let Some(limit) = self.setup.attempt_limit(session.state) {
            session.wait.set(Wait::AttemptTimeout { sleep: self.setup.environment.sleep(limit) });
        }
        Ok(())
    }

    /// Starts the operation unless it is in flight, and polls it and its timeout.
    #[inline(always)]
    fn poll_operation(
        &mut self,
        session: &mut SessionProjection<'_, Call>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Call::Value, CallError<Call>>> {
        let scope = Scope::enter(&self.setup.policy, session.state);
        if session.attempt.is_none() {
            let memory = &mut Memory::<Call>::default();
            let attempt = self.operation.start(memory, |_| self.setup.attempt(session.state));
            session.attempt.set(Some(attempt));
        }
        let polled = match session.attempt.as_mut().as_pin_mut() {
            Some(attempt) => attempt.poll(context),
            None => Poll::Pending,
        };
        session.state.retried_inside |= scope.end();
        if let Poll::Ready(result) = polled {
            return Poll::Ready(self.setup.judges.examine(result));
        }
        let WaitProjection::AttemptTimeout { sleep } = session.wait.as_mut().project() else {
            return Poll::Pending;
        };
        ready!(sleep.poll(context));
        Poll::Ready(Err(AttemptError::TimedOut))
    }

    /// Polls the probe that finds out whether the failed attempt took effect.
    #[cold]
    fn poll_probe(
        &mut self,
        session: &mut SessionProjection<'_, Call>,
        context: &mut Context<'_>,
    ) -> Poll<Step<Call::Value, Call::Error>> {
        let WaitProjection::Probe { probe, failure } = session.wait.as_mut().project() else {
            return Poll::Pending;
        };
        let effect = ready!(probe.poll(context));
        let Some((error, judgement)) = failure.take() else {
            return Poll::Pending;
        };
        session.wait.set(Wait::None);
        Poll::Ready(match effect {
            Effect::Yes(value) => Step::Succeeded(value),
            Effect::No => Step::Failed(error, judgement.without_effect()),
            Effect::Unknown => Step::Failed(error, judgement),
        })
    }
}
