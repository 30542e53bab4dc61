//! A budget: it keeps retries to a share of the work.
//!
//! When a service fails, every caller that retries three times turns its load
//! into four times as much, just when it can bear the least; and callers that
//! call each other multiply that. A limit on each session's attempts cannot
//! see this. A budget is shared by all sessions that call a service: a success
//! pays in, a retry draws, and when nothing is left the session gives up at
//! once instead of waiting for its turn to make things worse.
//!
//! | kind | allows | refills |
//! |---|---|---|
//! | [`Rate`](BudgetSettings::Rate) | so many retries a second | with time |
//! | [`Ratio`](BudgetSettings::Ratio) | so many for each success of the last while, and a few a second besides | with success, and with time |
//! | [`Tokens`](BudgetSettings::Tokens) | any, until half of the tokens are gone | with success, and with time |
//!
//! Whatever the kind, a draw that is granted was there: what all threads are
//! granted together never exceeds what has been paid in. The numbers are
//! integers, and each draw is one compare-and-swap; there is no lock.

mod rate;
mod ratio;
mod settings;
mod tokens;

pub(crate) use settings::BudgetDraft;
pub use settings::BudgetSettings;

use self::rate::Rate;
use self::ratio::Ratio;
use self::tokens::Tokens;
use crate::Moment;
use crate::policy::OutOfRange;

/// A retry budget, to be shared by all who call the same service.
///
/// ```
/// use std::time::Duration;
/// use steadfast::Moment;
/// use steadfast::guard::{Budget, BudgetSettings};
///
/// let one_for_five = BudgetSettings::Ratio {
///     ratio: 0.2,
///     min_per_second: 0.0,
///     window: Duration::from_secs(10),
/// };
/// let budget = Budget::new(one_for_five)?;
/// let now = Moment::ORIGIN;
///
/// for _ in 0..5 {
///     budget.deposit(now);
/// }
/// assert!(budget.withdraw(now));
/// assert!(!budget.withdraw(now));
/// # Ok::<(), steadfast::policy::OutOfRange>(())
/// ```
///
/// Moments must come from one clock that does not go back; if it does, the
/// budget refills no further until the clock has caught up.
#[derive(Debug)]
pub struct Budget {
    settings: BudgetSettings,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Rate(Rate),
    Ratio(Box<Ratio>),
    Tokens(Tokens),
}

impl Budget {
    /// A budget as yet untouched: a rate starts with a second's worth, tokens
    /// start full, a ratio starts with what needs no success.
    ///
    /// # Errors
    /// The first of the settings' [`problems`](BudgetSettings::problems).
    pub fn new(settings: BudgetSettings) -> Result<Self, OutOfRange> {
        if let Some(problem) = settings.checks().into_iter().flatten().next() {
            return Err(problem);
        }
        let kind = match settings {
            BudgetSettings::Rate { retries_per_second } => {
                Kind::Rate(Rate::new(retries_per_second))
            }
            BudgetSettings::Ratio { ratio, min_per_second, window } => {
                Kind::Ratio(Box::new(Ratio::new(ratio, min_per_second, window)))
            }
            BudgetSettings::Tokens { max_tokens, token_ratio } => {
                Kind::Tokens(Tokens::new(max_tokens, token_ratio))
            }
        };
        Ok(Self { settings, kind })
    }

    /// What it was made with.
    #[must_use]
    pub const fn settings(&self) -> &BudgetSettings {
        &self.settings
    }

    /// Must a success come with the time? If not, any moment will do that is
    /// not still to come.
    #[inline]
    #[must_use]
    pub const fn needs_clock_on_success(&self) -> bool {
        matches!(self.kind, Kind::Ratio(_))
    }

    /// A call succeeded.
    #[inline]
    pub fn deposit(&self, now: Moment) {
        match &self.kind {
            Kind::Rate(_) => {}
            Kind::Ratio(ratio) => ratio.deposit(now),
            Kind::Tokens(tokens) => tokens.deposit(now),
        }
    }

    /// A call succeeded, at a time that is asked for only if it must be.
    ///
    /// ```
    /// use steadfast::Moment;
    /// use steadfast::guard::{Budget, BudgetSettings};
    ///
    /// let budget = Budget::new(BudgetSettings::Tokens { max_tokens: 10, token_ratio: 0.5 })?;
    /// budget.deposit_undated(|| Moment::ORIGIN);
    /// assert!(budget.withdraw(Moment::ORIGIN));
    /// # Ok::<(), steadfast::policy::OutOfRange>(())
    /// ```
    ///
    /// A few successes of a ratio may wait for their date and get one that is later than
    /// they are; never more than fifteen.
    #[inline]
    pub fn deposit_undated(&self, now: impl FnOnce() -> Moment) {
        match &self.kind {
            Kind::Rate(_) => {}
            Kind::Ratio(ratio) => ratio.deposit_undated(now),
            Kind::Tokens(tokens) => tokens.deposit(Moment::ORIGIN),
        }
    }

    /// May a call be retried? To be asked before the wait: a retry that is
    /// refused should not be waited for.
    #[must_use = "a retry that is refused must not be made"]
    pub fn withdraw(&self, now: Moment) -> bool {
        match &self.kind {
            Kind::Rate(rate) => rate.withdraw(now),
            Kind::Ratio(ratio) => ratio.withdraw(now),
            Kind::Tokens(tokens) => tokens.withdraw(now),
        }
    }

    /// Whether a new one would grant as much, as far as is known without the time.
    pub(crate) fn is_as_new(&self) -> bool {
        match &self.kind {
            Kind::Rate(rate) => rate.is_as_new(),
            Kind::Ratio(ratio) => ratio.is_as_new(),
            Kind::Tokens(tokens) => tokens.is_as_new(),
        }
    }

    /// The retries it would grant now, one after the other.
    #[must_use]
    pub fn balance(&self, now: Moment) -> u64 {
        match &self.kind {
            Kind::Rate(rate) => rate.balance(now),
            Kind::Ratio(ratio) => ratio.balance(now),
            Kind::Tokens(tokens) => tokens.balance(now),
        }
    }
}
