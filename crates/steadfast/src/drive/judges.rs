//! How one call judges: where facts come from, which values will not do, and
//! what code overrules.

use std::convert::Infallible;
use std::ops::ControlFlow;

use super::session::AttemptError;
use crate::fault::{Failure, Fault, MAX_CAUSES, walk};
use crate::judge::{self, Judgement, Rules};
use crate::{Class, Kind};

/// Facts as the error tells them itself.
#[derive(Clone, Copy, Debug)]
pub struct Own;

/// Facts as a given function tells them.
#[derive(Clone, Copy, Debug)]
pub struct By<F>(pub(super) F);

/// How facts are drawn from an error.
pub trait Facts<E> {
    /// Judges the error and, as long as nothing is decided, its causes.
    fn judge(&self, error: &E, link: impl FnMut(&Fault) -> ControlFlow<Judgement>) -> Judgement;

    /// The facts for a report, with the error's own words.
    fn report(&self, error: &E) -> Fault;
}

impl<E: Failure> Facts<E> for Own {
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
}

impl<E, F: Fn(&E) -> Fault> Facts<E> for By<F> {
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
}

impl<E, F: Facts<E>> Facts<E> for &F {
    #[inline]
    fn judge(&self, error: &E, link: impl FnMut(&Fault) -> ControlFlow<Judgement>) -> Judgement {
        (**self).judge(error, link)
    }

    fn report(&self, error: &E) -> Fault {
        (**self).report(error)
    }
}

/// Which values will not do (I3).
pub trait Values<T> {
    /// What is kept of a value that would not do when the session gives up.
    type Kept;

    /// The facts of a value that will not do.
    fn fault(&self, value: &T) -> Option<Fault>;

    /// The value itself, if values can be refused at all.
    fn keep(value: T) -> Option<Self::Kept>;
}

/// Every value will do.
#[derive(Clone, Copy, Debug)]
pub struct Any;

impl<T> Values<T> for Any {
    type Kept = Infallible;

    #[inline]
    fn fault(&self, _: &T) -> Option<Fault> {
        None
    }

    fn keep(_: T) -> Option<Infallible> {
        None
    }
}

/// A given function finds the facts of values that will not do.
impl<T, F: Fn(&T) -> Option<Fault>> Values<T> for By<F> {
    type Kept = T;

    fn fault(&self, value: &T) -> Option<Fault> {
        (self.0)(value)
    }

    fn keep(value: T) -> Option<T> {
        Some(value)
    }
}

/// Values will do from the first one that passes the test.
#[derive(Clone, Copy, Debug)]
pub struct Until<F>(pub(super) F);

impl<T, F: Fn(&T) -> bool> Values<T> for Until<F> {
    type Kept = T;

    fn fault(&self, value: &T) -> Option<Fault> {
        if (self.0)(value) { None } else { Some(Fault::of(Kind::ValueRejected)) }
    }

    fn keep(value: T) -> Option<T> {
        Some(value)
    }
}

/// A class given in code, before any rule.
pub trait Overrule {
    /// The class of this fault, or nothing to leave it to the rules.
    fn class(&self, fault: &Fault) -> Option<Class>;
}

/// Nothing is overruled.
#[derive(Clone, Copy, Debug)]
pub struct Never;

impl Overrule for Never {
    #[inline]
    fn class(&self, _: &Fault) -> Option<Class> {
        None
    }
}

impl<F: Fn(&Fault) -> Option<Class>> Overrule for By<F> {
    fn class(&self, fault: &Fault) -> Option<Class> {
        (self.0)(fault)
    }
}

/// All of it together.
#[derive(Clone, Copy, Debug)]
pub struct Judges<F = Own, V = Any, O = Never> {
    pub(super) facts: F,
    pub(super) values: V,
    pub(super) overrule: O,
}

impl<F, V, O: Overrule> Judges<F, V, O> {
    /// The same eyes without the opinion, which is this session's alone.
    pub(super) fn without_opinion(&self) -> Judges<&F, Any, Never> {
        Judges { facts: &self.facts, values: Any, overrule: Never }
    }

    /// Judges an error by these rules.
    #[inline(always)]
    pub(super) fn error<E>(&self, rules: &Rules, error: &E) -> Judgement
    where
        F: Facts<E>,
    {
        if !rules.are_default() {
            return self.error_by_own(rules, error);
        }
        let judgement = self.facts.judge(error, |fault| self.link(&Rules::DEFAULT, fault));
        if judgement == Judgement::UNDECIDED { self.in_full(rules, error) } else { judgement }
    }

    /// Judges everything that an error tells, told causes included.
    #[cold]
    #[inline(never)]
    fn in_full<E>(&self, rules: &Rules, error: &E) -> Judgement
    where
        F: Facts<E>,
    {
        self.fault(rules, &self.facts.report(error))
    }

    /// Judges an error by rules of the policy's own. Apart from the default ones, which then
    /// need no fault in memory: often the compiler can judge an error at compile time.
    #[cold]
    #[inline(never)]
    fn error_by_own<E>(&self, rules: &Rules, error: &E) -> Judgement
    where
        F: Facts<E>,
    {
        if rules.read_messages() {
            return self.in_full(rules, error);
        }
        let judgement = self.facts.judge(error, |fault| self.link(rules, fault));
        if judgement == Judgement::UNDECIDED { self.in_full(rules, error) } else { judgement }
    }

    /// Whether a result is a success.
    #[inline]
    pub(super) fn examine<T, E>(&self, result: Result<T, E>) -> Result<T, AttemptError<T, E>>
    where
        V: Values<T>,
    {
        match result {
            Ok(value) => match self.values.fault(&value) {
                None => Ok(value),
                Some(fault) => Err(AttemptError::Value(value, Box::new(fault))),
            },
            Err(error) => Err(AttemptError::Error(error)),
        }
    }

    /// Judges facts by these rules.
    pub(super) fn fault(&self, rules: &Rules, fault: &Fault) -> Judgement {
        judge::judge_by(fault, &mut |fault| self.link(rules, fault))
    }

    #[inline(always)]
    fn link(&self, rules: &Rules, fault: &Fault) -> ControlFlow<Judgement> {
        match self.overrule.class(fault) {
            Some(class) => ControlFlow::Break(Judgement::by_code(class, fault.wait())),
            None => judge::judge_link(rules, fault),
        }
    }
}
