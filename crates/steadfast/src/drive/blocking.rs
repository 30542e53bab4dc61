//! The blocking driver: a retry session that runs on the calling thread.
//!
//! The first attempt is compiled into the caller. Everything after it is in [`run`], which calls the
//! operation through a trait object and is compiled once per error type.

use std::marker::PhantomData;
use std::ops::Deref;
use std::time::Duration;

use super::context::{AttemptError, CallContext, SessionContext};
use super::environment::BlockingSleeper;
use super::error::{Ended, RetryError};
use super::first_attempt::{Failed, Start, before_wait, examine, first_attempt_succeeded, prepare};
use super::instrument::Instrument;
use super::judges::{ClassOverride, ErrorFacts, Judges, ValueFacts};
use super::nested::Scope;
use super::operation::{BlockingOperation, Callable};
use super::probe::{BlockingProbe, Effect};
use super::report::{Outcome, Report};
use super::retry::{Parts, Retry};
use super::session::{self, Session};
use super::session_state::SessionState;
use super::{Attempt, Key};
use crate::Class;
use crate::guard::Rejection;
use crate::policy::Policy;

type SessionResult<Operation, Shape, Values, Success> = Result<
    <Success as Outcome<<Operation as Callable<Shape>>::Value>>::Output,
    RetryError<
        <Operation as Callable<Shape>>::Error,
        <Values as ValueFacts<<Operation as Callable<Shape>>::Value>>::Rejected,
    >,
>;

impl<PolicyRef, Operation, Shape, Facts, Values, Override, Instruments, Env, Probe, Success>
    Retry<
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
    Operation: Callable<Shape>,
    Values: ValueFacts<Operation::Value>,
    Override: ClassOverride,
    Instruments: Instrument,
    Env: BlockingSleeper,
    Probe: BlockingProbe<Operation::Value>,
    Success: Outcome<Operation::Value>,
{
    /// Runs the operation on this thread, waits included.
    ///
    /// A blocking call cannot be interrupted, so `attempt_timeout` and `max_duration` are only
    /// passed to the operation, as its [deadline](crate::Attempt::deadline). A late success is still
    /// a success.
    ///
    /// ```
    /// use std::fs;
    /// use steadfast::{Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let manifest = retry(&policy, || fs::read_to_string("Cargo.toml")).call()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The session gave up: [`RetryError`] says why and holds the last error.
    #[inline(always)]
    pub fn call(self) -> SessionResult<Operation, Shape, Values, Success>
    where
        // Here and not on the impl, so that the compiler names the missing trait.
        Operation: BlockingOperation<Shape>,
        Facts: ErrorFacts<Operation::Error>,
    {
        // Destructured, so that a success keeps all of it in registers.
        let Parts { policy, context, mut operation, probe } = self.into_parts();
        let CallContext { judges, mut instruments, mut environment } = context;
        let mut memory = Operation::Memory::default();
        let mut start = Start::New;
        before_wait(&policy, &mut environment, &mut instruments);
        if policy.plain && !Success::REPORTS && !environment.is_cancelled() {
            start = match instruments.before_attempt(|| environment.now()) {
                Err(rejection) => Start::Rejected(rejection),
                Ok(()) => {
                    let scope = Scope::plain();
                    let result = operation.start(&mut memory, Attempt::first);
                    drop(scope);
                    match examine(&judges.values, result) {
                        Err(failed) => Start::Failed(failed),
                        Ok(value) => {
                            first_attempt_succeeded::<Success, _>(
                                &policy,
                                &environment,
                                &mut instruments,
                                &value,
                            );
                            return Ok(Success::of(value, Report::default));
                        }
                    }
                }
            };
        }
        let context = CallContext { judges, instruments, environment };
        Self::run(Parts { policy, context, operation, probe }, start, memory.into())
    }

    /// Runs the session with its state until it ends.
    #[cold]
    #[inline(never)]
    fn run(
        parts: Parts<
            PolicyRef,
            Operation,
            Judges<Facts, Values, Override>,
            Instruments,
            Env,
            Probe,
        >,
        start: Start<Operation::Error, Values::Rejected>,
        generated: Option<Key>,
    ) -> SessionResult<Operation, Shape, Values, Success>
    where
        Operation: BlockingOperation<Shape>,
        Facts: ErrorFacts<Operation::Error>,
    {
        let Parts { policy, context, operation, probe } = parts;
        let (known, given) = (operation.idempotent(), operation.key());
        let (values, context) = context.split_values();
        let shape = PhantomData::<fn() -> Shape>;
        let mut attempts = Attempts { operation, shape, values, probe, rejected: None };
        let started = match start {
            Start::New => Ok(None),
            Start::Rejected(rejection) => Err(rejection),
            Start::Failed(Failed { error, value }) => {
                attempts.rejected = value;
                Ok(Some(error))
            }
        };
        let keys = (given, generated);
        run_session::<Success, _, _, _, _, _>(&policy, context, &mut attempts, started, known, keys)
            .map_err(|ended| RetryError::new(ended, attempts.rejected))
    }
}

/// Runs a session with its state until it ends. It does not depend on the operation, so that all
/// calls with the same settings share it.
#[inline(never)]
fn run_session<Success: Outcome<T>, T, E, Judge, Instruments: Instrument, Env: BlockingSleeper>(
    policy: &Policy,
    mut context: CallContext<Judge, Instruments, Env>,
    attempts: &mut dyn BlockingAttempts<T, E>,
    started: Result<Option<AttemptError<E>>, Rejection>,
    idempotent: Option<bool>,
    (given, generated): (Option<Key>, Option<Key>),
) -> Result<Success::Output, Box<Ended<E>>>
where
    CallContext<Judge, Instruments, Env>: SessionContext<E>,
{
    let state = &mut SessionState::new(idempotent);
    prepare(state, policy, &context, Success::REPORTS, given, generated);
    let value = run(policy, state, &mut context, attempts, started)?;
    Success::record(&value, &mut context.instruments);
    let is_simple = state.conditions.is_simple();
    let mut session = Session { policy, state, context: &mut context };
    if !is_simple {
        session.report_success();
    }
    Ok(Success::of(value, || session.report()))
}

/// The attempts of a call: its operation, the check of its values, and its probe.
struct Attempts<Operation, Shape, Values, Probe, Rejected> {
    operation: Operation,
    shape: PhantomData<fn() -> Shape>,
    values: Values,
    probe: Probe,
    /// The value of the last attempt, if it was rejected.
    rejected: Option<Rejected>,
}

/// [`Attempts`] of operations with the same value and error.
trait BlockingAttempts<T, E> {
    fn attempt(&mut self, session: &mut Session<'_, E>) -> Result<T, AttemptError<E>>;
    fn probe(&mut self, state: &mut SessionState<E>) -> Effect<T>;
}

impl<Operation, Shape, Values, Probe, T, E> BlockingAttempts<T, E>
    for Attempts<Operation, Shape, Values, Probe, Values::Rejected>
where
    Operation: BlockingOperation<Shape> + Callable<Shape, Value = T, Error = E>,
    Values: ValueFacts<T>,
    Probe: BlockingProbe<T>,
{
    fn attempt(&mut self, session: &mut Session<'_, E>) -> Result<T, AttemptError<E>> {
        let mut memory = Operation::Memory::default();
        let result = self.operation.start(&mut memory, |_| session.attempt());
        examine(&self.values, result).map_err(|Failed { error, value }| {
            self.rejected = value;
            error
        })
    }

    fn probe(&mut self, state: &mut SessionState<E>) -> Effect<T> {
        self.probe.probe(|| state.conditions.key())
    }
}

/// The context of a session that blocks.
trait BlockingContext<E>: SessionContext<E> {
    fn block(&self, delay: Duration);
}

impl<Judge, Instruments, Env: BlockingSleeper, E> BlockingContext<E>
    for CallContext<Judge, Instruments, Env>
where
    Self: SessionContext<E>,
{
    fn block(&self, delay: Duration) {
        self.environment.block(delay);
    }
}

/// Runs attempts until one succeeds or the session gives up. `started` is the error of the first
/// attempt, if it has run, or its rejection.
fn run<T, E>(
    policy: &Policy,
    state: &mut SessionState<E>,
    context: &mut dyn BlockingContext<E>,
    attempts: &mut dyn BlockingAttempts<T, E>,
    started: Result<Option<AttemptError<E>>, Rejection>,
) -> Result<T, Box<Ended<E>>> {
    let (mut failed, mut rejected) = match started {
        Ok(failed) => (failed, None),
        Err(rejection) => (None, Some(rejection)),
    };
    loop {
        if let Some(rejection) = rejected.take() {
            let mut session = Session { policy, state, context: &mut *context };
            let delay = session.on_rejection(rejection)?;
            context.block(Duration::from_nanos(delay));
        } else if let Some(error) = failed.take() {
            let mut judgement = context.judge(&policy.rules, &error);
            if judgement.class() == Class::UnknownOutcome {
                match attempts.probe(state) {
                    Effect::Yes(value) => return Ok(value),
                    Effect::No => judgement = judgement.without_effect(),
                    Effect::Unknown => {}
                }
            }
            let delay = session::on_judged(policy, state, &mut *context, error, judgement)?;
            if delay > 0 {
                context.block(Duration::from_nanos(delay));
            }
        }
        let mut session = Session { policy, state, context: &mut *context };
        if session.context.is_cancelled() {
            return Err(session.on_cancel());
        }
        if session.state.conditions.is_timed()
            && let Err(rejection) = session.before_attempt()
        {
            rejected = Some(rejection);
            continue;
        }
        session.state.conditions.enters_plain_scope =
            Scope::is_plain(policy, &session.state.progress);
        let scope = Scope::enter(policy, session.state);
        let result = attempts.attempt(&mut session);
        if scope.end() {
            state.conditions.set_retried_inside();
        }
        match result {
            Ok(value) => return Ok(value),
            Err(error) => failed = Some(error),
        }
    }
}
