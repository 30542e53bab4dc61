//! The context of a session: its judges, its instruments and its environment.
//!
//! Each of them is a type parameter of the call, so that a success at the first attempt pays only
//! for what it uses. After a failure they are behind one trait, [`SessionContext`]: the common
//! failure of an async session is compiled for each kind of context, all other steps once per error
//! type, with a trait object.

use std::time::Duration;

use super::environment::Environment;
use super::error::SourceFn;
use super::hooks::AttemptFailed;
use super::instrument::{EventKind, Instrument, SessionEvent};
use super::judges::{AnyValue, ClassOverride, ErrorFacts, Judges};
use crate::guard::{Rejection, Transition};
use crate::judge::{Judgement, Rules};
use crate::policy::Policy;
use crate::{Class, Fault, Moment};

/// Why an attempt failed.
pub(super) enum AttemptError<E> {
    Error(E),
    /// The facts of a rejected value.
    Value(Box<Fault>),
    TimedOut,
}

/// The judges, instruments and environment of a call.
pub(super) struct CallContext<Judge, Instruments, Env> {
    pub(super) judges: Judge,
    pub(super) instruments: Instruments,
    pub(super) environment: Env,
}

impl<Facts, Values, Override, Instruments, Env>
    CallContext<Judges<Facts, Values, Override>, Instruments, Env>
{
    /// The check of values, and the context without it.
    pub(super) fn split_values(
        self,
    ) -> (Values, CallContext<Judges<Facts, AnyValue, Override>, Instruments, Env>) {
        let Self { judges, instruments, environment } = self;
        let Judges { facts, values, class_override } = judges;
        let judges = Judges { facts, values: AnyValue, class_override };
        (values, CallContext { judges, instruments, environment })
    }
}

/// A [`CallContext`] as the steps of a session see it.
pub(super) trait SessionContext<E> {
    /// The context for the steps that are compiled once per error type.
    fn as_dyn(&mut self) -> &mut dyn SessionContext<E>;

    fn now(&self) -> Moment;
    fn has_real_clock(&self) -> bool;
    fn draw(&mut self) -> u64;
    fn is_cancelled(&self) -> bool;

    /// The judgement by the rules and by the code of the call.
    fn judge(&self, rules: &Rules, error: &AttemptError<E>) -> Judgement;
    /// The class by the rules of another session, which the code of this call does not override.
    fn class_by(&self, rules: &Rules, error: &AttemptError<E>) -> Class;
    /// The facts of the failure, for a report.
    fn report(&self, error: &AttemptError<E>) -> Fault;
    /// The function that turns the error into the source of a `RetryError`.
    fn source(&self) -> SourceFn<E>;
    /// Calls the hook that receives the error, if there is one.
    fn on_retry(&mut self, failed: &AttemptFailed<'_, E>, delay: Duration);

    fn before_attempt(&mut self, now: Moment) -> Result<(), Rejection>;
    fn after_success(&mut self, now: Moment) -> Option<Transition>;
    fn after_failure(&mut self, class: Class, now: Moment) -> Option<Transition>;
    fn record_cause(&mut self, fault: &Fault);
    fn abandoned(&mut self);
    fn withdraw(&mut self, now: Moment) -> bool;

    /// Whether a hook or an instrument observes the session.
    fn observes(&self) -> bool;
    fn observe(&mut self, policy: &Policy, attempt: u32, now: Moment, kind: EventKind<'_>);
}

impl<E, Facts, Values, Override, Instruments, Env> SessionContext<E>
    for CallContext<Judges<Facts, Values, Override>, Instruments, Env>
where
    Facts: ErrorFacts<E>,
    Override: ClassOverride,
    Instruments: Instrument,
    Env: Environment,
{
    #[inline]
    fn as_dyn(&mut self) -> &mut dyn SessionContext<E> {
        self
    }

    fn now(&self) -> Moment {
        self.environment.now()
    }

    fn has_real_clock(&self) -> bool {
        self.environment.has_real_clock()
    }

    #[inline]
    fn draw(&mut self) -> u64 {
        self.environment.draw()
    }

    fn is_cancelled(&self) -> bool {
        self.environment.is_cancelled()
    }

    #[inline]
    fn judge(&self, rules: &Rules, error: &AttemptError<E>) -> Judgement {
        judge_by(&self.judges, rules, error)
    }

    fn class_by(&self, rules: &Rules, error: &AttemptError<E>) -> Class {
        judge_by(&self.judges.without_override(), rules, error).class
    }

    fn report(&self, error: &AttemptError<E>) -> Fault {
        match error {
            AttemptError::Error(error) => self.judges.facts.report(error),
            AttemptError::Value(fault) => (**fault).clone(),
            AttemptError::TimedOut => Fault::timed_out(),
        }
    }

    fn source(&self) -> SourceFn<E> {
        Facts::source
    }

    fn on_retry(&mut self, failed: &AttemptFailed<'_, E>, delay: Duration) {
        self.judges.facts.on_retry(failed, delay);
    }

    fn before_attempt(&mut self, now: Moment) -> Result<(), Rejection> {
        self.instruments.before_attempt(|| now)
    }

    fn after_success(&mut self, now: Moment) -> Option<Transition> {
        self.instruments.after_success(|| now)
    }

    fn after_failure(&mut self, class: Class, now: Moment) -> Option<Transition> {
        self.instruments.after_failure(class, now)
    }

    fn record_cause(&mut self, fault: &Fault) {
        self.instruments.record_cause(fault);
    }

    fn abandoned(&mut self) {
        self.instruments.abandoned();
    }

    fn withdraw(&mut self, now: Moment) -> bool {
        self.instruments.withdraw(now)
    }

    fn observes(&self) -> bool {
        self.instruments.observes() || self.judges.facts.has_hook()
    }

    fn observe(&mut self, policy: &Policy, attempt: u32, now: Moment, kind: EventKind<'_>) {
        observe(policy, &self.environment, &mut self.instruments, attempt, now, kind);
    }
}

#[inline(always)]
fn judge_by<E, Facts, Values, Override>(
    judges: &Judges<Facts, Values, Override>,
    rules: &Rules,
    error: &AttemptError<E>,
) -> Judgement
where
    Facts: ErrorFacts<E>,
    Override: ClassOverride,
{
    match error {
        AttemptError::Error(error) => judges.error(rules, error),
        AttemptError::Value(fault) => judge_fault(judges, rules, fault),
        AttemptError::TimedOut => judge_timeout(judges, rules),
    }
}

/// Not inlined, and neither is the next: the registers and the memory that they need would be
/// set up for every error, at 14 instructions.
#[cold]
#[inline(never)]
fn judge_fault<Facts, Values, Override: ClassOverride>(
    judges: &Judges<Facts, Values, Override>,
    rules: &Rules,
    fault: &Fault,
) -> Judgement {
    judges.fault(rules, fault)
}

#[cold]
#[inline(never)]
fn judge_timeout<Facts, Values, Override: ClassOverride>(
    judges: &Judges<Facts, Values, Override>,
    rules: &Rules,
) -> Judgement {
    judges.fault(rules, &Fault::timed_out())
}

/// Reports an event to the instruments, if one of them observes.
#[inline]
pub(super) fn observe<Instruments: Instrument, Env: Environment>(
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
