//! The async driver: a retry session as a future.
//!
//! A session whose first attempt succeeds is polled by a few instructions and keeps no state
//! beyond the attempt itself. [`SessionState`], timers and probes exist only after the first
//! attempt has failed, or from the start if the policy needs them. The future only polls; the steps
//! of the session are in [`Session`], which is compiled once per error type.
//!
//! The states of the future ([`Stage`]), and the functions that move between them:
//!
//! ```text
//!                          poll_first                      first attempt succeeded
//!   NotStarted ──────────────────────────▶ FirstAttempt ─────────────────────────▶ Done
//!       │ rejected by a guard                   │ failed                             ▲
//!       ├───────────────▶ start_retrying ◀──────┘                                    │
//!   NeedsState                   │                                                   │
//!                                ▼                                                   │
//!                            Retrying ── poll_retries ── succeeded or gave up ───────┘
//! ```
//!
//! Within `Retrying`, `poll_retries` repeats these steps until the session ends. It runs the attempts;
//! what is between them is in [`Retries::poll_next`], and what the session waits for is its `Wait`:
//!
//! ```text
//!                 attempt ── failed ─▶ judge ── unknown outcome ─▶ probe
//!        ▲           │                   │                           │   │ took effect
//!        │           ▼ succeeded         │                           │   ▼
//!        │         return                ▼    took no effect         │  return
//!        │                             decide ◀──────────────────────┘
//!        │                               │ │ give up
//!        └── Wait::Backoff ◀── retry ────┘ ▼
//!                                        return
//! ```

use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::task::{self, Poll, ready};

use pin_project_lite::pin_project;

use super::Attempt;
use super::context::{CallContext, observe};
use super::environment::{Environment, Sleeper};
use super::error::{Ended, RetryError};
use super::first_attempt::{Failed, before_wait, examine, first_attempt_succeeded, prepare};
use super::instrument::{EventKind, Instrument};
use super::judges::{ClassOverride, ErrorFacts, Judges, ValueFacts};
use super::nested::Scope;
use super::operation::{AsyncOperation, Callable};
use super::probe::{AsyncProbe, Probes};
use super::report::{Outcome, Report};
use super::retries::Retries;
use super::retry::{Parts, Retry};
use super::session::Session;
use super::session_state::SessionState;
use crate::guard::Rejection;
use crate::policy::Policy;

pin_project! {
    /// The state of the future. A session that succeeds at its first attempt never enters
    /// `Retrying`.
    #[project = StageProjection]
    #[repr(u8)]
    pub(super) enum Stage<Attempt, Memory, Sleep, Probe, E, Rejected> {
        // The first attempt can start at once.
        NotStarted,
        // The policy needs the session state before the first attempt.
        NeedsState,
        FirstAttempt { #[pin] attempt: Attempt, memory: Memory },
        Retrying {
            #[pin]
            retries: Retries<Sleep, Probe, E, Rejected>,
            #[pin]
            attempt: Option<Attempt>,
        },
        Done,
    }
}

impl<Attempt, Memory, Sleep, Probe, E, Rejected> Stage<Attempt, Memory, Sleep, Probe, E, Rejected> {
    /// The stage of a new session.
    #[inline(always)]
    pub(super) const fn new(policy: &Policy) -> Self {
        if policy.plain { Self::NotStarted } else { Self::NeedsState }
    }

    /// Whether the session has started and not ended.
    #[inline(always)]
    pub(super) const fn is_running(&self) -> bool {
        matches!(self, Self::FirstAttempt { .. } | Self::Retrying { .. })
    }
}

/// A [`Retry`] whose operation is async. Its parts are associated types, so that the functions below
/// have one type parameter.
#[allow(missing_docs, reason = "the type parameters of `Retry`")]
trait AsyncCall: Sized {
    type PolicyRef: Deref<Target = Policy>;
    type Shape;
    type Operation: AsyncOperation<Self::Shape>;
    type Facts: ErrorFacts<Error<Self>>;
    type Values: ValueFacts<Value<Self>>;
    type Override: ClassOverride;
    type Instruments: Instrument;
    type Env: Sleeper;
    type Probe: AsyncProbe<Value<Self>>;
    type Success: Outcome<Value<Self>>;

    /// The fields, to poll them.
    fn split(self: Pin<&mut Self>) -> Option<Split<'_, Self>>;
}

type Value<Call> = <<Call as AsyncCall>::Operation as Callable<<Call as AsyncCall>::Shape>>::Value;
type Error<Call> = <<Call as AsyncCall>::Operation as Callable<<Call as AsyncCall>::Shape>>::Error;

impl<PolicyRef, Operation, Shape, Facts, Values, Override, Instruments, Env, Probe, Success>
    AsyncCall
    for Retry<
        PolicyRef,
        Operation,
        Shape,
        Judges<Facts, Values, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    >
where
    PolicyRef: Deref<Target = Policy>,
    Operation: AsyncOperation<Shape>,
    Facts: ErrorFacts<Operation::Error>,
    Values: ValueFacts<Operation::Value>,
    Override: ClassOverride,
    Instruments: Instrument,
    Env: Sleeper,
    Probe: AsyncProbe<Operation::Value>,
    Success: Outcome<Operation::Value>,
{
    type PolicyRef = PolicyRef;
    type Shape = Shape;
    type Operation = Operation;
    type Facts = Facts;
    type Values = Values;
    type Override = Override;
    type Instruments = Instruments;
    type Env = Env;
    type Probe = Probe;
    type Success = Success;

    #[inline(always)]
    fn split(self: Pin<&mut Self>) -> Option<Split<'_, Self>> {
        let this = self.project();
        this.parts.as_mut().map(|parts| Split { parts, stage: this.stage })
    }
}

type CallJudges<Call> =
    Judges<<Call as AsyncCall>::Facts, <Call as AsyncCall>::Values, <Call as AsyncCall>::Override>;

type CallParts<Call> = Parts<
    <Call as AsyncCall>::PolicyRef,
    <Call as AsyncCall>::Operation,
    CallJudges<Call>,
    <Call as AsyncCall>::Instruments,
    <Call as AsyncCall>::Env,
    <Call as AsyncCall>::Probe,
>;

/// What the operation keeps of its first attempt.
type Memory<Call> =
    <<Call as AsyncCall>::Operation as Callable<<Call as AsyncCall>::Shape>>::Memory;

type Rejected<Call> = <<Call as AsyncCall>::Values as ValueFacts<Value<Call>>>::Rejected;

type CallStage<Call> = Stage<
    <<Call as AsyncCall>::Operation as Callable<<Call as AsyncCall>::Shape>>::Output,
    Memory<Call>,
    <<Call as AsyncCall>::Env as Environment>::Sleep,
    <<Call as AsyncCall>::Probe as Probes>::Output,
    Error<Call>,
    Rejected<Call>,
>;

type CallFailed<Call> = Failed<Error<Call>, Rejected<Call>>;

type SessionError<Call> = RetryError<Error<Call>, Rejected<Call>>;

type SessionResult<Call> =
    Result<<<Call as AsyncCall>::Success as Outcome<Value<Call>>>::Output, SessionError<Call>>;

/// Reports a session that is dropped before it has ended.
#[cold]
#[inline(never)]
pub(super) fn on_drop<
    PolicyRef: Deref<Target = Policy>,
    Operation,
    Judge,
    Instruments: Instrument,
    Env: Environment,
    Probe,
    Attempt,
    Memory,
    Probing,
    E,
    Rejected,
>(
    parts: &mut Parts<PolicyRef, Operation, Judge, Instruments, Env, Probe>,
    stage: &Stage<Attempt, Memory, Env::Sleep, Probing, E, Rejected>,
) {
    let attempt = match stage {
        Stage::NotStarted | Stage::NeedsState | Stage::Done => return,
        Stage::FirstAttempt { .. } => 1,
        Stage::Retrying { retries, .. } => retries.attempt_number(),
    };
    let CallContext { environment, instruments, .. } = &mut parts.context;
    let now = environment.now();
    observe(&parts.policy, environment, instruments, attempt, now, EventKind::Dropped);
}

impl<PolicyRef, Operation, Shape, Facts, Values, Override, Instruments, Env, Probe, Success> Future
    for Retry<
        PolicyRef,
        Operation,
        Shape,
        Judges<Facts, Values, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    >
where
    PolicyRef: Deref<Target = Policy>,
    Operation: AsyncOperation<Shape>,
    Facts: ErrorFacts<Operation::Error>,
    Values: ValueFacts<Operation::Value>,
    Override: ClassOverride,
    Instruments: Instrument,
    Env: Sleeper,
    Probe: AsyncProbe<Operation::Value>,
    Success: Outcome<Operation::Value>,
{
    type Output = Result<Success::Output, RetryError<Operation::Error, Values::Rejected>>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, waker: &mut task::Context<'_>) -> Poll<Self::Output> {
        poll(self, waker)
    }
}

#[inline(always)]
fn poll<Call: AsyncCall>(
    mut call: Pin<&mut Call>,
    waker: &mut task::Context<'_>,
) -> Poll<SessionResult<Call>> {
    let Some(Split { parts, .. }) = call.as_mut().split() else { return Poll::Pending };
    if parts.context.environment.is_cancelled() {
        return cancel(call);
    }
    let polled = poll_first(call.as_mut(), waker);
    if polled.is_pending()
        && let Some(Split { parts, .. }) = call.as_mut().split()
    {
        // Only here, so that a session that ends at its first poll does not pay for it.
        let CallContext { environment, instruments, .. } = &mut parts.context;
        before_wait(&parts.policy, environment, instruments);
        if environment.poll_cancelled(waker).is_ready() {
            return cancel(call);
        }
    }
    polled
}

/// The fast path: starts and polls the first attempt without session state.
#[inline(always)]
fn poll_first<Call: AsyncCall>(
    mut call: Pin<&mut Call>,
    waker: &mut task::Context<'_>,
) -> Poll<SessionResult<Call>> {
    let Some(Split { parts, mut stage }) = call.as_mut().split() else { return Poll::Pending };
    let Parts { policy, context, operation, .. } = parts;
    let CallContext { judges, instruments, environment } = context;
    if matches!(*stage, Stage::NotStarted) {
        if Call::Success::REPORTS {
            return retry(call, None, waker);
        }
        if let Err(rejection) = instruments.before_attempt(|| environment.now()) {
            return on_first_rejection(call, rejection, waker);
        }
        let mut memory = Memory::<Call>::default();
        let scope = Scope::plain();
        let attempt = operation.start(&mut memory, Attempt::first);
        drop(scope);
        stage.set(Stage::FirstAttempt { attempt, memory });
    }
    let StageProjection::FirstAttempt { attempt, .. } = stage.as_mut().project() else {
        return retry(call, None, waker);
    };
    let scope = Scope::plain();
    let polled = attempt.poll(waker);
    drop(scope);
    match examine(&judges.values, ready!(polled)) {
        Ok(value) => {
            first_attempt_succeeded::<Call::Success, _>(policy, environment, instruments, &value);
            if instruments.observes() {
                stage.set(Stage::Done);
            }
            Poll::Ready(Ok(Call::Success::of(value, Report::default)))
        }
        Err(failed) => retry(call, Some(failed), waker),
    }
}

/// A guard rejected the first attempt.
#[cold]
#[inline(never)]
fn on_first_rejection<Call: AsyncCall>(
    mut call: Pin<&mut Call>,
    rejection: Rejection,
    waker: &mut task::Context<'_>,
) -> Poll<SessionResult<Call>> {
    if let Some(mut split) = call.as_mut().split() {
        split.start_retrying();
        let Split { parts: Parts { policy, context, .. }, mut stage } = split;
        if let StageProjection::Retrying { retries, .. } = stage.as_mut().project()
            && let Err(error) = retries.on_rejection(policy, context, rejection)
        {
            stage.set(Stage::Done);
            return Poll::Ready(Err(error));
        }
    }
    retry(call, None, waker)
}

/// Ends the session because its handle cancelled it.
#[cold]
#[inline(never)]
fn cancel<Call: AsyncCall>(call: Pin<&mut Call>) -> Poll<SessionResult<Call>> {
    let Some(Split { parts: Parts { policy, context, .. }, mut stage }) = call.split() else {
        return Poll::Pending;
    };
    let policy: &Policy = policy;
    let ended: Box<Ended<_>> = match stage.as_mut().project() {
        StageProjection::Retrying { retries, .. } => retries.session(policy, context).on_cancel(),
        _ => {
            let state = &mut SessionState::new(None);
            prepare(state, policy, context, false, None, None);
            Session { policy, state, context }.on_cancel()
        }
    };
    stage.set(Stage::Done);
    Poll::Ready(Err(RetryError::new(ended, None)))
}

/// Runs the session until it waits or ends. `failed` is the first attempt, if it has failed.
#[cold]
#[inline(never)]
fn retry<Call: AsyncCall>(
    call: Pin<&mut Call>,
    failed: Option<CallFailed<Call>>,
    waker: &mut task::Context<'_>,
) -> Poll<SessionResult<Call>> {
    let Some(mut split) = call.split() else { return Poll::Pending };
    match *split.stage {
        Stage::Done => return Poll::Pending,
        Stage::Retrying { .. } => {}
        _ => split.start_retrying(),
    }
    let result = ready!(split.poll_retries(failed, waker));
    split.stage.set(Stage::Done);
    Poll::Ready(result)
}

/// The parts of a session and its stage.
struct Split<'p, Call: AsyncCall> {
    parts: &'p mut CallParts<Call>,
    stage: Pin<&'p mut CallStage<Call>>,
}

impl<Call: AsyncCall> Split<'_, Call> {
    /// Creates the session state.
    #[inline(always)]
    fn start_retrying(&mut self) {
        let generated = match self.stage.as_mut().project() {
            StageProjection::FirstAttempt { memory, .. } => std::mem::take(memory).into(),
            _ => None,
        };
        let Parts { policy, context, operation, .. } = &*self.parts;
        let retries = Retries::new(operation.idempotent());
        self.stage.set(Stage::Retrying { retries, attempt: None });
        if let StageProjection::Retrying { retries, .. } = self.stage.as_mut().project() {
            let reports = Call::Success::REPORTS;
            retries.prepare(policy, context, reports, operation.key(), generated);
        }
    }

    #[inline(always)]
    fn poll_retries(
        &mut self,
        failed: Option<CallFailed<Call>>,
        waker: &mut task::Context<'_>,
    ) -> Poll<SessionResult<Call>> {
        let Parts { policy, context, operation, probe } = &mut *self.parts;
        let policy: &Policy = policy;
        let StageProjection::Retrying { mut retries, mut attempt } = self.stage.as_mut().project()
        else {
            return Poll::Pending;
        };
        let mut failed = failed;
        loop {
            if Call::Probe::IS_SET {
                let probed =
                    retries.as_mut().poll_probe(policy, context, probe, &mut failed, waker);
                if let Some(found) = ready!(probed)? {
                    return Poll::Ready(Ok(
                        retries.succeed::<Call::Success, _, _, _, _>(policy, context, found)
                    ));
                }
            }
            ready!(retries.as_mut().poll_next(policy, context, failed, waker))?;
            let scope = retries.enter_scope(policy);
            if attempt.is_none() {
                let memory = &mut Memory::<Call>::default();
                let started = operation
                    .start(memory, |_| retries.as_mut().session(policy, context).attempt());
                attempt.set(Some(started));
            }
            let polled = match attempt.as_mut().as_pin_mut() {
                Some(attempt) => attempt.poll(waker),
                None => Poll::Pending,
            };
            retries.as_mut().end_scope(scope);
            let examined = match polled {
                Poll::Ready(result) => examine(&context.judges.values, result),
                Poll::Pending => {
                    ready!(retries.as_mut().poll_timeout(&context.environment, waker));
                    Err(Failed::TIMED_OUT)
                }
            };
            match examined {
                Ok(value) => {
                    return Poll::Ready(Ok(
                        retries.succeed::<Call::Success, _, _, _, _>(policy, context, value)
                    ));
                }
                Err(error) => failed = Some(error),
            }
            attempt.set(None);
        }
    }
}
