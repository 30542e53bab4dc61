//! The judges of one call: where the facts of an error come from, which values are rejected, and
//! which classes code overrides.

use std::convert::Infallible;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::Duration;

use super::hooks::AttemptFailed;
use crate::fault::{Failure, Fault, MAX_CAUSES, walk};
use crate::forward::forward;
use crate::judge::{self, Judgement, Rules};
use crate::{Class, Kind};

/// The facts that the error itself reports through [`Failure`].
#[derive(Clone, Copy, Debug)]
pub struct OwnFacts;

/// A judge or a probe that is a function of the caller.
#[derive(Clone, Copy, Debug)]
pub struct FromFn<F>(pub(super) F);

/// The source of facts of a call, which can be replaced by another.
pub trait FactsSource {
    /// The same with another source: what is around the source stays.
    type With<New>;

    /// Replaces it.
    fn replace_with<New>(self, new: New) -> Self::With<New>;
}

impl FactsSource for OwnFacts {
    type With<New> = New;

    fn replace_with<New>(self, new: New) -> New {
        new
    }
}

impl<F> FactsSource for FromFn<F> {
    type With<New> = New;

    fn replace_with<New>(self, new: New) -> New {
        new
    }
}

/// The source of an error's facts.
pub trait ErrorFacts<E> {
    /// Judges the error and, while no rule matches, its causes.
    fn judge(&self, error: &E, link: impl FnMut(&Fault) -> ControlFlow<Judgement>) -> Judgement;

    /// The facts for a report, with the error's message.
    fn report(&self, error: &E) -> Fault;

    /// The error as the source of a [`RetryError`](crate::RetryError), if it is a standard error.
    fn source(error: &E) -> Option<&(dyn Error + 'static)>;

    /// Whether [`on_retry`](Self::on_retry) does anything.
    #[inline]
    fn has_hook(&self) -> bool {
        false
    }

    /// Called before each retry.
    fn on_retry(&mut self, failed: &AttemptFailed<'_, E>, delay: Duration) {
        let _ = (failed, delay);
    }
}

impl<E: Failure> ErrorFacts<E> for OwnFacts {
    #[inline]
    fn judge(
        &self,
        error: &E,
        mut link: impl FnMut(&Fault) -> ControlFlow<Judgement>,
    ) -> Judgement {
        let fault = error.fault();
        let judged = link(&fault);
        fault.discard();
        if let ControlFlow::Break(found) = judged {
            return found;
        }
        walk(error.cause(), MAX_CAUSES - 1, link).unwrap_or(Judgement::UNDECIDED)
    }

    fn report(&self, error: &E) -> Fault {
        let mut fault = error.fault();
        fault.message = fault.message.or_else(|| error.message());
        walk::<()>(error.cause(), MAX_CAUSES - 1, |cause| {
            if *cause != Fault::default() {
                fault.causes.push(cause.clone());
            }
            ControlFlow::Continue(())
        });
        fault
    }

    fn source(error: &E) -> Option<&(dyn Error + 'static)> {
        error.as_error()
    }
}

impl<E: Error + 'static, F: Fn(&E) -> Fault> ErrorFacts<E> for FromFn<F> {
    fn judge(
        &self,
        error: &E,
        mut link: impl FnMut(&Fault) -> ControlFlow<Judgement>,
    ) -> Judgement {
        judge::judge_by(&(self.0)(error), &mut link)
    }

    fn report(&self, error: &E) -> Fault {
        let mut fault = (self.0)(error);
        fault.message.get_or_insert_with(|| error.to_string());
        fault
    }

    fn source(error: &E) -> Option<&(dyn Error + 'static)> {
        Some(error)
    }
}

/// A function for errors that need not be standard errors. The session's error has no source.
#[cfg(feature = "tower")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpaqueFacts<F>(pub(super) F);

#[cfg(feature = "tower")]
impl<E, F: Fn(&E) -> Fault> ErrorFacts<E> for OpaqueFacts<F> {
    fn judge(
        &self,
        error: &E,
        mut link: impl FnMut(&Fault) -> ControlFlow<Judgement>,
    ) -> Judgement {
        judge::judge_by(&(self.0)(error), &mut link)
    }

    fn report(&self, error: &E) -> Fault {
        (self.0)(error)
    }

    fn source(_: &E) -> Option<&(dyn Error + 'static)> {
        None
    }
}

/// A source of facts, and a function that decides which errors are retried.
#[derive(Clone, Copy, Debug)]
pub struct When<Facts, F> {
    pub(super) facts: Facts,
    pub(super) is_retryable: F,
}

impl<Facts: FactsSource, F> FactsSource for When<Facts, F> {
    type With<New> = When<Facts::With<New>, F>;

    fn replace_with<New>(self, new: New) -> Self::With<New> {
        When { facts: self.facts.replace_with(new), is_retryable: self.is_retryable }
    }
}

impl<E, Facts: ErrorFacts<E>, F: Fn(&E) -> bool> ErrorFacts<E> for When<Facts, F> {
    fn judge(&self, error: &E, link: impl FnMut(&Fault) -> ControlFlow<Judgement>) -> Judgement {
        let judgement = self.facts.judge(error, link);
        match (self.is_retryable)(error) {
            // What the facts say beyond "retryable", such as a requested wait, still holds.
            true if judgement.class() != Class::Final => judgement,
            true => Judgement::by_code(Class::Retryable, None),
            false => Judgement::by_code(Class::Final, None),
        }
    }

    fn report(&self, error: &E) -> Fault {
        self.facts.report(error)
    }

    fn source(error: &E) -> Option<&(dyn Error + 'static)> {
        Facts::source(error)
    }

    fn has_hook(&self) -> bool {
        self.facts.has_hook()
    }

    fn on_retry(&mut self, failed: &AttemptFailed<'_, E>, delay: Duration) {
        self.facts.on_retry(failed, delay);
    }
}

/// Without its hook, which is called by the session that owns it.
impl<E, F: ErrorFacts<E>> ErrorFacts<E> for &F {
    forward! { self => (**self);
        #[inline]
        fn judge(&self, error: &E, link: impl FnMut(&Fault) -> ControlFlow<Judgement>) -> Judgement;
        fn report(&self, error: &E) -> Fault;
    }

    fn source(error: &E) -> Option<&(dyn Error + 'static)> {
        F::source(error)
    }
}

/// The check that turns values into faults (I3).
pub trait ValueFacts<T> {
    /// The type of a rejected value that [`RetryError`](crate::RetryError) returns.
    type Rejected;

    /// The facts of a rejected value; nothing accepts the value.
    fn fault(&self, value: &T) -> Option<Fault>;

    /// The rejected value to return, if this check can reject values at all.
    fn reject(value: T) -> Option<Self::Rejected>;
}

/// Accepts every value.
#[derive(Clone, Copy, Debug)]
pub struct AnyValue;

impl<T> ValueFacts<T> for AnyValue {
    type Rejected = Infallible;

    #[inline]
    fn fault(&self, _: &T) -> Option<Fault> {
        None
    }

    fn reject(_: T) -> Option<Infallible> {
        None
    }
}

/// The function returns the facts of rejected values.
impl<T, F: Fn(&T) -> Option<Fault>> ValueFacts<T> for FromFn<F> {
    type Rejected = T;

    fn fault(&self, value: &T) -> Option<Fault> {
        (self.0)(value)
    }

    fn reject(value: T) -> Option<T> {
        Some(value)
    }
}

/// Accepts the first value that passes the test.
#[derive(Clone, Copy, Debug)]
pub struct Until<F>(pub(super) F);

impl<T, F: Fn(&T) -> bool> ValueFacts<T> for Until<F> {
    type Rejected = T;

    fn fault(&self, value: &T) -> Option<Fault> {
        if (self.0)(value) { None } else { Some(Fault::of(Kind::ValueRejected)) }
    }

    fn reject(value: T) -> Option<T> {
        Some(value)
    }
}

/// The judges of a call whose operation returns a `T`.
pub trait JudgesOf<T> {
    /// The type of a rejected value.
    type Rejected;
}

impl<T, Facts, Values: ValueFacts<T>, Override> JudgesOf<T> for Judges<Facts, Values, Override> {
    type Rejected = Values::Rejected;
}

/// A class given in code, which takes precedence over every rule.
pub trait ClassOverride {
    /// The class of this fault, or nothing to apply the rules.
    fn class(&self, fault: &Fault) -> Option<Class>;
}

/// Overrides nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoOverride;

impl ClassOverride for NoOverride {
    #[inline]
    fn class(&self, _: &Fault) -> Option<Class> {
        None
    }
}

impl<F: Fn(&Fault) -> Option<Class>> ClassOverride for FromFn<F> {
    fn class(&self, fault: &Fault) -> Option<Class> {
        (self.0)(fault)
    }
}

/// The three judges of a call.
#[derive(Clone, Copy, Debug)]
pub struct Judges<Facts = OwnFacts, Values = AnyValue, Override = NoOverride> {
    pub(super) facts: Facts,
    pub(super) values: Values,
    pub(super) class_override: Override,
}

impl<Facts, Values, Override: ClassOverride> Judges<Facts, Values, Override> {
    /// The same source of facts without the override, which applies to this session only.
    pub(super) fn without_override(&self) -> Judges<&Facts, AnyValue, NoOverride> {
        Judges { facts: &self.facts, values: AnyValue, class_override: NoOverride }
    }

    #[inline(always)]
    pub(super) fn error<E>(&self, rules: &Rules, error: &E) -> Judgement
    where
        Facts: ErrorFacts<E>,
    {
        if !rules.are_default() {
            return self.error_by_custom_rules(rules, error);
        }
        let judgement = self.facts.judge(error, |fault| self.link(&Rules::DEFAULT, fault));
        if judgement == Judgement::UNDECIDED { self.in_full(rules, error) } else { judgement }
    }

    /// Judges the complete report of an error, its own list of causes included.
    #[cold]
    #[inline(never)]
    fn in_full<E>(&self, rules: &Rules, error: &E) -> Judgement
    where
        Facts: ErrorFacts<E>,
    {
        self.fault(rules, &self.facts.report(error))
    }

    /// Judges an error by custom rules. Separate from the default rules, so that for those the
    /// compiler can often judge an error at compile time and no fault is built.
    #[cold]
    #[inline(never)]
    fn error_by_custom_rules<E>(&self, rules: &Rules, error: &E) -> Judgement
    where
        Facts: ErrorFacts<E>,
    {
        if rules.read_messages() {
            return self.in_full(rules, error);
        }
        let judgement = self.facts.judge(error, |fault| self.link(rules, fault));
        if judgement == Judgement::UNDECIDED { self.in_full(rules, error) } else { judgement }
    }

    pub(super) fn fault(&self, rules: &Rules, fault: &Fault) -> Judgement {
        judge::judge_by(fault, &mut |fault| self.link(rules, fault))
    }

    #[inline(always)]
    fn link(&self, rules: &Rules, fault: &Fault) -> ControlFlow<Judgement> {
        match self.class_override.class(fault) {
            Some(class) => ControlFlow::Break(Judgement::by_code(class, fault.wait())),
            None => judge::judge_link(rules, fault),
        }
    }
}
