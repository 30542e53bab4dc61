//! The first attempt of a session, which needs no session state under a plain policy.

use super::Key;
use super::context::{AttemptError, CallContext, SessionContext, observe};
use super::environment::Environment;
use super::instrument::{EventKind, Instrument};
use super::judges::ValueFacts;
use super::report::Outcome;
use super::session_state::SessionState;
use crate::Moment;
use crate::guard::Rejection;
use crate::policy::Policy;

/// How far a session came before its state was created.
pub(super) enum Start<E, Rejected> {
    /// No attempt has started.
    New,
    Failed(Failed<E, Rejected>),
    Rejected(Rejection),
}

/// A failed attempt, with its value if that was the failure.
pub(super) struct Failed<E, Rejected> {
    pub(super) error: AttemptError<E>,
    pub(super) value: Option<Rejected>,
}

impl<E, Rejected> Failed<E, Rejected> {
    pub(super) const TIMED_OUT: Self = Self { error: AttemptError::TimedOut, value: None };
}

/// Splits a result into success and failure: a rejected value is a failure.
#[inline]
pub(super) fn examine<T, E, Values: ValueFacts<T>>(
    values: &Values,
    result: Result<T, E>,
) -> Result<T, Failed<E, Values::Rejected>> {
    match result {
        Ok(value) => match values.fault(&value) {
            None => Ok(value),
            Some(fault) => {
                let error = AttemptError::Value(Box::new(fault));
                Err(Failed { error, value: Values::reject(value) })
            }
        },
        Err(error) => Err(Failed { error: AttemptError::Error(error), value: None }),
    }
}

/// Prepares the state of a new session, unless it needs nothing beside its policy. `given` is the
/// key that came with the operation, `generated` the one that the first attempt received.
#[inline(always)]
pub(super) fn prepare<E, Judge, Instruments: Instrument, Env: Environment>(
    state: &mut SessionState<E>,
    policy: &Policy,
    context: &CallContext<Judge, Instruments, Env>,
    reports: bool,
    given: Option<Key>,
    generated: Option<Key>,
) where
    CallContext<Judge, Instruments, Env>: SessionContext<E>,
{
    let is_timed = reports
        || !policy.clockless
        || !Instruments::IDLE
        || context.environment.can_be_cancelled();
    if is_timed || context.observes() || given.is_some() || generated.is_some() {
        prepare_rest(state, policy, context, is_timed, given, generated);
    }
}

#[cold]
#[inline(never)]
fn prepare_rest<E, Judge, Instruments: Instrument, Env: Environment>(
    state: &mut SessionState<E>,
    policy: &Policy,
    context: &CallContext<Judge, Instruments, Env>,
    is_timed: bool,
    given: Option<Key>,
    generated: Option<Key>,
) where
    CallContext<Judge, Instruments, Env>: SessionContext<E>,
{
    let now = is_timed.then(|| context.environment.now());
    state.conditions.prepare(policy, now, context.observes(), given, generated);
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
