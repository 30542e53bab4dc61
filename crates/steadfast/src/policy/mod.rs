//! Retry policies.
//!
//! A policy is plain data: it can be written in code, read from a file, sent as JSON or stored with
//! a task, and means the same in all four (P1). A [`Draft`] is a policy before validation; a
//! [`Policy`] is always valid.
//!
//! ```
//! use std::time::Duration;
//! use steadfast::policy::{Draft, Nested, Timing};
//! use steadfast::{Class, Policy};
//!
//! let later = Draft::new().schedule([Duration::from_secs(86_400)]);
//! let policy = Policy::linear(Duration::from_secs(1))
//!     .id("calls")
//!     .description("calls to the billing service")
//!     .nested(Nested::Both)
//!     .max_duration(Duration::from_secs(30))
//!     .durable(later)
//!     .build()?;
//!
//! assert_eq!(policy.description(), Some("calls to the billing service"));
//! assert!(policy.is_enabled());
//! assert_eq!(policy.nested(), Nested::Both);
//! assert_eq!(policy.max_duration(), Some(Duration::from_secs(30)));
//! assert_eq!((policy.attempt_timeout(), policy.idempotent()), (None, None));
//! assert_eq!((policy.max_hint(), policy.max_rate_limit_waits()), (None, None));
//! assert!(policy.durable().is_some());
//! let timing: &Timing = policy.timing_on(Class::Retryable);
//! assert_eq!(timing.base_delay(3), Duration::from_secs(3));
//! # Ok::<(), steadfast::policy::PolicyError>(())
//! ```
//!
//! With the feature `serde`, a policy is read from JSON, and a draft is set by the names of its fields, as
//! in a file or a flag:
//!
//! ```
//! # #[cfg(feature = "serde")] {
//! use steadfast::policy::{BackoffType, Draft, FIELDS, PRESETS, Setting};
//!
//! let mut draft = Draft::new().backoff_type(BackoffType::Fixed);
//! draft.set("base_delay", &Setting::Number(1.5))?;
//! assert!(FIELDS.iter().any(|field| field.name == "base_delay") && PRESETS.contains(&"sql"));
//! # }
//! # Ok::<(), steadfast::policy::PolicyError>(())
//! ```

mod attribute;
mod check;
mod draft;
mod effect;
pub(crate) mod error;
#[cfg(feature = "serde")]
pub(crate) mod fields;
mod presets;
#[cfg(feature = "serde")]
mod set;
#[cfg(feature = "serde")]
mod setting;
mod timing;
#[cfg(feature = "serde")]
mod wire;

use std::time::Duration;

pub use draft::Draft;
pub use error::{PolicyError, RangeError, Value};
#[cfg(feature = "serde")]
pub use fields::{FIELDS, Field, FieldKind};
pub use presets::PRESETS;
#[cfg(feature = "serde")]
pub use setting::Setting;
pub use timing::{BackoffType, Jitter, Timing};

use crate::Class;
use crate::guard::{BreakerSettings, BudgetSettings, GuardCell};
use crate::judge::Rules;

/// Which session retries when one runs inside another (I7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Nested {
    /// The outer session; the inner session does not retry what the outer session will retry.
    Outer,
    /// The inner session; the outer session does not retry what the inner session gave up on.
    Inner,
    /// Both: attempts multiply.
    Both,
}

#[cfg(feature = "serde")]
impl Nested {
    pub(crate) const NAMES: [&'static str; 3] = ["outer", "inner", "both"];
}

/// What a session does when a circuit breaker rejects its attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum OnOpen {
    /// It gives up with [`Reason::BreakerOpen`](crate::Reason::BreakerOpen).
    #[default]
    GiveUp,
    /// It waits for the breaker's next probe, within its limits: see
    /// [`on_rejection`](crate::decide::on_rejection).
    Wait,
}

#[cfg(feature = "serde")]
impl OnOpen {
    pub(crate) const NAMES: [&'static str; 2] = ["give_up", "wait"];
}

/// A valid retry policy.
///
/// ```
/// use std::time::Duration;
/// use steadfast::{Jitter, Policy};
///
/// let policy = Policy::exponential(Duration::from_millis(500))
///     .max_attempts(4)
///     .max_delay(Duration::from_secs(10))
///     .jitter(Jitter::Full)
///     .build()?;
///
/// # #[cfg(feature = "serde")] {
/// let json = r#"{"id": "calls", "max_attempts": 4, "base_delay": "500ms", "max_delay": 10, "jitter": "full"}"#;
/// let same: Policy = serde_json::from_str(json).unwrap();
/// assert_eq!(same.timing(), policy.timing());
/// # }
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Draft"))]
pub struct Policy {
    /// Only delays and a count: the first attempt needs no clock, no guard and no session state.
    pub(crate) plain: bool,
    /// The same, but with custom rules: needs no clock, no guard and no idempotency key.
    pub(crate) clockless: bool,
    /// Whether inner sessions need to know no more than that it retries by the default rules.
    pub(crate) retries_by_default_rules: bool,
    pub(crate) enabled: bool,
    pub(crate) idempotent: Option<bool>,
    pub(crate) nested: Nested,
    pub(crate) on_open: OnOpen,
    pub(crate) max_attempts: u32,
    pub(crate) max_rate_limit_waits: Option<u32>,
    pub(crate) timing: Timing,
    pub(crate) max_duration: Option<Duration>,
    pub(crate) attempt_timeout: Option<Duration>,
    pub(crate) max_hint: Option<Duration>,
    pub(crate) rules: Rules,
    pub(crate) breaker: Option<BreakerSettings>,
    pub(crate) budget: Option<BudgetSettings>,
    pub(crate) on: [Option<Box<Timing>>; 4],
    pub(crate) durable: Option<Box<Policy>>,
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) guards: GuardCell,
}

/// Methods that return a field.
macro_rules! getters {
    ($($(#[doc = $doc:literal])* $field:ident: $type:ty;)*) => {$(
        $(#[doc = $doc])*
        #[must_use]
        pub const fn $field(&self) -> $type {
            self.$field
        }
    )*};
}
use getters;

/// Three attempts, a second and two seconds apart: every field has its default.
impl Default for Policy {
    fn default() -> Self {
        Draft::new().constant()
    }
}

impl Policy {
    /// Delays that double (or grow by another [`multiplier`](Draft::multiplier)).
    pub const fn exponential(base_delay: Duration) -> Draft {
        Draft::new().backoff_type(BackoffType::Exponential).base_delay(base_delay)
    }

    /// Delays that grow by the base delay (or by another [`increment`](Draft::increment)).
    pub const fn linear(base_delay: Duration) -> Draft {
        Draft::new().backoff_type(BackoffType::Linear).base_delay(base_delay)
    }

    /// Delays of 1, 1, 2, 3, 5, 8 … times the base delay.
    pub const fn fibonacci(base_delay: Duration) -> Draft {
        Draft::new().backoff_type(BackoffType::Fibonacci).base_delay(base_delay)
    }

    /// The same delay every time.
    pub const fn fixed(delay: Duration) -> Draft {
        Draft::new().backoff_type(BackoffType::Fixed).base_delay(delay)
    }

    /// No delay.
    pub const fn immediate() -> Draft {
        Draft::new().backoff_type(BackoffType::Immediate)
    }

    /// These delays, one after the other; one attempt more than there are delays.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::Policy;
    ///
    /// const DAY: Duration = Duration::from_secs(86_400);
    /// let policy = Policy::custom([DAY * 7, DAY * 14]).build()?;
    /// assert_eq!(policy.max_attempts(), 3);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn custom(delays: impl IntoIterator<Item = Duration>) -> Draft {
        let draft = Draft::new().backoff_type(BackoffType::Custom).schedule(delays);
        let delays = draft.timing.schedule.as_ref().map_or(0, Vec::len);
        draft.max_retries(u32::try_from(delays).unwrap_or(u32::MAX))
    }

    /// The name for lookups; a policy written in code may have none.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The display name; defaults to the id.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref().or(self.id())
    }

    /// When to use it, and why.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Whether it retries at all.
    #[must_use]
    pub const fn is_enabled(&self) -> bool {
        self.enabled
    }

    getters! {
        /// Maximum number of attempts, including the first.
        max_attempts: u32;
        /// The longest the whole session may take.
        max_duration: Option<Duration>;
        /// The longest one attempt may take.
        attempt_timeout: Option<Duration>;
        /// The longest hint that is honoured, if it is set.
        max_hint: Option<Duration>;
        /// The number of hinted waits that consume no attempt, if it is set.
        max_rate_limit_waits: Option<u32>;
        /// Whether the operation is safe to repeat, if it is set: see [`Draft::idempotent`].
        idempotent: Option<bool>;
        /// Which session retries when one runs inside another.
        nested: Nested;
        /// What a session does when a circuit breaker rejects its attempt.
        on_open: OnOpen;
    }

    /// The delays.
    #[must_use]
    pub const fn timing(&self) -> &Timing {
        &self.timing
    }

    /// The delays after a fault of this class.
    #[must_use]
    #[inline]
    pub fn timing_on(&self, class: Class) -> &Timing {
        match self.on.get(class as usize) {
            Some(Some(timing)) => timing,
            _ => &self.timing,
        }
    }

    /// The rules that decide what is retried.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether it says that an attempt which may have taken effect is not repeated (J9).
    #[inline]
    pub(crate) const fn forbids_repeat(&self) -> bool {
        matches!(self.idempotent, Some(false))
    }

    /// The same policy for an operation that is, or is not, idempotent.
    #[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
    pub(crate) fn for_operation(&self, idempotent: bool) -> Self {
        Self {
            idempotent: Some(idempotent),
            plain: self.plain && idempotent,
            clockless: self.clockless && idempotent,
            retries_by_default_rules: self.retries_by_default_rules && idempotent,
            ..self.clone()
        }
    }

    /// The settings of the breaker that its sessions share.
    #[must_use]
    pub const fn breaker(&self) -> Option<&BreakerSettings> {
        self.breaker.as_ref()
    }

    /// The settings of the budget that its sessions share.
    #[must_use]
    pub const fn budget(&self) -> Option<&BudgetSettings> {
        self.budget.as_ref()
    }

    /// The policy that continues in a store when this one is exhausted.
    #[must_use]
    pub fn durable(&self) -> Option<&Self> {
        self.durable.as_deref()
    }
}
