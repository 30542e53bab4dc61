//! Classification of faults by rules.
//!
//! A fault is judged by the policy's own rules first, then by the default rules. Precedence, highest
//! first:
//!
//! | | decides by |
//! |---|---|
//! | 1 | the other side's word not to retry: a gRPC pushback that means stop, `x-should-retry: false` |
//! | 2 | the policy's `abort_on` and `retry_on`: the most specific matching rule, `abort_on` on a tie (J10) |
//! | 3 | the default rules (J3 to J7), `x-should-retry: true` first; their *retry* half only if the policy has no `retry_on` |
//! | 4 | the same for the next link of the cause chain (J8) |
//! | 5 | no rule matches: final |
//!
//! The rules decide whether to retry; the facts decide which of the three retryable classes applies:
//! a request that may have taken effect is `unknown_outcome`, a throttled one is `rate_limited`.

mod class;
mod defaults;
mod rule;
mod rules;
#[cfg(feature = "serde")]
mod wire;

use std::ops::ControlFlow;
use std::time::Duration;

use crate::fault::{Fault, MAX_CAUSES, RetrySignal};

pub use class::Class;
use defaults::DefaultRule;
pub use rule::{Rule, RuleError};
pub use rules::Rules;

/// The list that contains the deciding rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MatchedBy {
    /// The default rules.
    Default,
    /// The policy's `retry_on`.
    RetryOn,
    /// The policy's `abort_on`.
    AbortOn,
    /// A judge in code.
    Code,
    /// No rule matched.
    Nothing,
}

/// The deciding rule, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    Default(DefaultRule),
    RetryOn(u32),
    AbortOn(u32),
    Code,
    Nothing,
}

/// A class, the rule that decided it, and the wait that the other side asked for.
///
/// ```
/// use steadfast::judge::{self, MatchedBy, Rules};
/// use steadfast::{Class, Fault};
///
/// let deadlock = judge::judge(&Rules::default(), &Fault::sql("40P01"));
/// assert_eq!(deadlock.class(), Class::Retryable);
/// assert_eq!(deadlock.matched_by(), MatchedBy::Default);
/// assert_eq!(deadlock.rule(&Rules::default()), Some("40"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    pub(crate) class: Class,
    pub(crate) ruling: Ruling,
    pub(crate) hint: Option<Duration>,
    pub(crate) hint_source: Option<RetrySignal>,
}

impl Judgement {
    /// A judgement by code, without a rule.
    #[must_use]
    pub const fn by_code(class: Class, hint: Option<Duration>) -> Self {
        Self { class, ruling: Ruling::Code, hint, hint_source: None }
    }

    /// The judgement if no rule matches.
    pub(crate) const UNDECIDED: Self =
        Self { class: Class::Final, ruling: Ruling::Nothing, hint: None, hint_source: None };

    /// The same judgement after a probe found that the attempt took no effect.
    pub(crate) const fn without_effect(self) -> Self {
        Self { class: Class::Retryable, ..self }
    }

    /// The wait that the other side asked for, unless that is zero: then the backoff applies (J2).
    #[inline(always)]
    pub(crate) const fn wait(&self) -> Option<Duration> {
        match self.hint {
            Some(hint) if !hint.is_zero() => Some(hint),
            _ => None,
        }
    }

    /// The class of the fault.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.class
    }

    /// The wait that the other side asked for. After a hint of zero the backoff applies.
    #[must_use]
    pub const fn hint(&self) -> Option<Duration> {
        self.hint
    }

    /// The signal that contained the hint, such as `retry-after`.
    #[must_use]
    pub const fn hint_source(&self) -> Option<RetrySignal> {
        self.hint_source
    }

    /// The list that contains the deciding rule.
    #[must_use]
    pub const fn matched_by(&self) -> MatchedBy {
        match self.ruling {
            Ruling::Default(_) => MatchedBy::Default,
            Ruling::RetryOn(_) => MatchedBy::RetryOn,
            Ruling::AbortOn(_) => MatchedBy::AbortOn,
            Ruling::Code => MatchedBy::Code,
            Ruling::Nothing => MatchedBy::Nothing,
        }
    }

    /// The text of the deciding rule; `rules` are the rules of the judgement.
    #[must_use]
    pub fn rule<'r>(&self, rules: &'r Rules) -> Option<&'r str> {
        match self.ruling {
            Ruling::Default(rule) => Some(rule.text()),
            Ruling::RetryOn(index) => rules.retry_rule(index).map(Rule::as_str),
            Ruling::AbortOn(index) => rules.abort_rule(index).map(Rule::as_str),
            Ruling::Code | Ruling::Nothing => None,
        }
    }
}

/// Judges a fault and, while no rule matches, its causes.
#[must_use]
pub fn judge(rules: &Rules, fault: &Fault) -> Judgement {
    judge_by(fault, &mut |fault| judge_link(rules, fault))
}

/// Judges a fault with a custom judge of single links.
pub(crate) fn judge_by(
    fault: &Fault,
    link: &mut dyn FnMut(&Fault) -> ControlFlow<Judgement>,
) -> Judgement {
    let mut left = MAX_CAUSES;
    judge_nested(fault, link, &mut left).unwrap_or(Judgement::UNDECIDED)
}

/// Causes can have causes; `left` limits the walk over all of them.
fn judge_nested(
    fault: &Fault,
    link: &mut dyn FnMut(&Fault) -> ControlFlow<Judgement>,
    left: &mut usize,
) -> Option<Judgement> {
    if *left == 0 {
        return None;
    }
    *left -= 1;
    if let ControlFlow::Break(found) = link(fault) {
        return Some(found);
    }
    fault.causes.iter().find_map(|cause| judge_nested(cause, link, left))
}

/// Judges one link of a cause chain.
#[inline(always)]
pub(crate) fn judge_link(rules: &Rules, fault: &Fault) -> ControlFlow<Judgement> {
    let Some((retry, ruling)) = rules.decide(fault) else {
        return ControlFlow::Continue(());
    };
    let class = if retry { class_of(fault) } else { Class::Final };
    let hint = if retry { fault.wait() } else { None };
    let hint_source = hint.and(fault.hint_source);
    ControlFlow::Break(Judgement { class, ruling, hint, hint_source })
}

/// The class of a retryable fault.
#[inline(always)]
fn class_of(fault: &Fault) -> Class {
    if defaults::outcome_is_unknown(fault) {
        return Class::UnknownOutcome;
    }
    if defaults::is_rate_limited(fault) { Class::RateLimited } else { Class::Retryable }
}
