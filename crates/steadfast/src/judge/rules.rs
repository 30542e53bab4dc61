//! The rules of a policy, combined with the default rules.

use std::sync::Arc;

use super::defaults::{self, DefaultRule};
use super::{Rule, Ruling};
use crate::fault::{Fault, Hint};

/// The `retry_on` and `abort_on` of a policy.
///
/// ```
/// use steadfast::judge::{self, Rules};
/// use steadfast::{Class, Fault};
///
/// let rules = Rules::new(Some(vec!["5xx".parse()?, "429".parse()?]), vec!["4xx".parse()?]);
/// assert_eq!(judge::judge(&rules, &Fault::http(429)).class(), Class::RateLimited);
/// assert_eq!(judge::judge(&rules, &Fault::http(404)).class(), Class::Final);
/// # Ok::<(), steadfast::judge::RuleError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(Option<Arc<Lists>>);

#[derive(Debug, PartialEq, Eq)]
struct Lists {
    retry_on: Option<Vec<Rule>>,
    abort_on: Vec<Rule>,
}

impl Rules {
    /// Only the default rules.
    pub const DEFAULT: Self = Self(None);

    /// `retry_on` replaces the retryable part of the default rules; `abort_on` adds to the final part.
    #[must_use]
    pub fn new(retry_on: Option<Vec<Rule>>, abort_on: Vec<Rule>) -> Self {
        if retry_on.is_none() && abort_on.is_empty() {
            return Self::DEFAULT;
        }
        Self(Some(Arc::new(Lists { retry_on, abort_on })))
    }

    /// What is retried, if the policy has its own list.
    #[must_use]
    pub fn retry_on(&self) -> Option<&[Rule]> {
        self.0.as_ref()?.retry_on.as_deref()
    }

    /// What is not retried.
    #[must_use]
    pub fn abort_on(&self) -> &[Rule] {
        self.0.as_ref().map_or(&[], |lists| &lists.abort_on)
    }

    #[inline]
    pub(crate) const fn are_default(&self) -> bool {
        self.0.is_none()
    }

    /// Whether the rules need the fault's message.
    #[inline]
    pub(crate) fn read_messages(&self) -> bool {
        !self.are_default() && self.any_reads_message()
    }

    #[cold]
    fn any_reads_message(&self) -> bool {
        self.retry_on().unwrap_or_default().iter().chain(self.abort_on()).any(Rule::reads_message)
    }

    pub(super) fn retry_rule(&self, index: u32) -> Option<&Rule> {
        self.retry_on()?.get(index as usize)
    }

    pub(super) fn abort_rule(&self, index: u32) -> Option<&Rule> {
        self.abort_on().get(index as usize)
    }

    /// Whether to retry, by the facts of one link.
    #[inline(always)]
    pub(super) fn decide(&self, fault: &Fault) -> Option<(bool, Ruling)> {
        if fault.hint == Some(Hint::Stop) {
            return Some((false, Ruling::Default(DefaultRule::Pushback)));
        }
        if fault.should_retry == Some(false) {
            return Some((false, Ruling::Default(DefaultRule::ShouldRetry)));
        }
        if !self.are_default()
            && let Some(decided) = self.decide_by_custom(fault)
        {
            return Some(decided);
        }
        let (retry, rule) = defaults::decide(fault)?;
        if retry && self.retry_on().is_some() {
            return None;
        }
        Some((retry, Ruling::Default(rule)))
    }

    #[cold]
    fn decide_by_custom(&self, fault: &Fault) -> Option<(bool, Ruling)> {
        let retry = most_specific(self.retry_on().unwrap_or_default(), fault);
        let abort = most_specific(self.abort_on(), fault);
        match (retry, abort) {
            (Some((retry, index)), Some((abort, _))) if retry > abort => {
                Some((true, Ruling::RetryOn(index)))
            }
            (_, Some((_, index))) => Some((false, Ruling::AbortOn(index))),
            (Some((_, index)), None) => Some((true, Ruling::RetryOn(index))),
            (None, None) => None,
        }
    }
}

/// The specificity and index of the most specific rule that matches.
fn most_specific(rules: &[Rule], fault: &Fault) -> Option<(impl Ord + use<>, u32)> {
    (0u32..)
        .zip(rules)
        .filter(|(_, rule)| rule.matches(fault))
        .map(|(index, rule)| (rule.specificity(), index))
        .max_by(|(left, _), (right, _)| left.cmp(right))
}
