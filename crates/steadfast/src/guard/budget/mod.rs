//! A retry budget: limits retries to a share of the calls.
//!
//! When a service fails, every caller that retries three times multiplies its load by four, and
//! callers that call each other multiply that again. A limit on the attempts of one session does not
//! prevent this. A budget is shared by all sessions that call a service: a success deposits, a retry
//! withdraws, and when the budget is exhausted a session gives up without waiting.
//!
//! | kind | allows | refills |
//! |---|---|---|
//! | [`Rate`](BudgetSettings::Rate) | a number of retries per second | with time |
//! | [`Ratio`](BudgetSettings::Ratio) | a number of retries per recent success, plus a few per second | with success, and with time |
//! | [`Tokens`](BudgetSettings::Tokens) | any, until half of the tokens are gone | with success, and with time |
//!
//! For every kind, the withdrawals of all threads together never exceed the deposits. The numbers
//! are integers, and each withdrawal is one compare-and-swap; there is no lock.

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
use crate::policy::RangeError;

/// A retry budget, shared by all callers of a service.
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
/// # Ok::<(), steadfast::policy::RangeError>(())
/// ```
///
/// Moments must come from one monotonic clock; if it goes back, the budget does not refill until the
/// clock has caught up.
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
    /// A new budget: a rate starts with the retries of one second, tokens start full, a ratio starts
    /// with the retries that need no success.
    ///
    /// # Errors
    /// The first of the settings' [`problems`](BudgetSettings::problems).
    pub fn new(settings: BudgetSettings) -> Result<Self, RangeError> {
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

    /// The budget's settings.
    #[must_use]
    pub const fn settings(&self) -> &BudgetSettings {
        &self.settings
    }

    /// Whether a success needs the time. If not, any moment that is not in the future can be passed.
    #[inline]
    #[must_use]
    pub const fn needs_clock_on_success(&self) -> bool {
        matches!(self.kind, Kind::Ratio(_))
    }

    /// Deposits for a successful call.
    #[inline]
    pub fn deposit(&self, now: Moment) {
        match &self.kind {
            Kind::Rate(_) => {}
            Kind::Ratio(ratio) => ratio.deposit(now),
            Kind::Tokens(tokens) => tokens.deposit(now),
        }
    }

    /// Deposits for a successful call; `now` is called only if the time is needed.
    ///
    /// ```
    /// use steadfast::Moment;
    /// use steadfast::guard::{Budget, BudgetSettings};
    ///
    /// let budget = Budget::new(BudgetSettings::Tokens { max_tokens: 10, token_ratio: 0.5 })?;
    /// budget.deposit_lazily(|| Moment::ORIGIN);
    /// assert!(budget.withdraw(Moment::ORIGIN));
    /// # Ok::<(), steadfast::policy::RangeError>(())
    /// ```
    ///
    /// Up to fifteen successes of a ratio are dated later, all together, with the time of the next
    /// call.
    #[inline]
    pub fn deposit_lazily(&self, now: impl FnOnce() -> Moment) {
        match &self.kind {
            Kind::Rate(_) => {}
            Kind::Ratio(ratio) => ratio.deposit_lazily(now),
            Kind::Tokens(tokens) => tokens.deposit(Moment::ORIGIN),
        }
    }

    /// Withdraws one retry; `false` if the budget is exhausted. Call it before the wait.
    #[must_use = "a rejected retry must not be made"]
    pub fn withdraw(&self, now: Moment) -> bool {
        match &self.kind {
            Kind::Rate(rate) => rate.withdraw(now),
            Kind::Ratio(ratio) => ratio.withdraw(now),
            Kind::Tokens(tokens) => tokens.withdraw(now),
        }
    }

    /// Whether it grants as many retries as a new budget, as far as is known without the time.
    pub(crate) fn is_pristine(&self) -> bool {
        match &self.kind {
            Kind::Rate(rate) => rate.is_pristine(),
            Kind::Ratio(ratio) => ratio.is_pristine(),
            Kind::Tokens(tokens) => tokens.is_pristine(),
        }
    }

    /// The number of retries that can be withdrawn now.
    #[must_use]
    pub fn balance(&self, now: Moment) -> u64 {
        match &self.kind {
            Kind::Rate(rate) => rate.balance(now),
            Kind::Ratio(ratio) => ratio.balance(now),
            Kind::Tokens(tokens) => tokens.balance(now),
        }
    }
}
