//! A policy: plain data that says how to try again.
//!
//! The same value can be written in code, in a file, sent as JSON or kept in a
//! task's row, and means the same in all four (P1). [`Draft`] is a policy as
//! written, [`Policy`] is one that was checked: whoever holds a [`Policy`] never
//! has to ask whether it makes sense.
//!
//! ```
//! use std::time::Duration;
//! use steadfast::policy::{BackoffType, Draft, FIELDS, Nested, PRESETS, Setting, Timing};
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
//! assert!(policy.is_enabled() && policy.is_idempotent());
//! assert_eq!(policy.nested(), Nested::Both);
//! assert_eq!(policy.max_duration(), Some(Duration::from_secs(30)));
//! assert_eq!((policy.attempt_timeout(), policy.max_hint()), (None, None));
//! assert_eq!(policy.max_rate_limit_waits(), 100);
//! assert!(policy.durable().is_some());
//! let timing: &Timing = policy.timing_on(Class::Retryable);
//! assert_eq!(timing.base_delay(3), Duration::from_secs(3));
//!
//! // The same by the names of its fields, as a file or a flag has them.
//! let mut draft = Draft::new().backoff_type(BackoffType::Fixed);
//! draft.set("base_delay", &Setting::Number(1.5))?;
//! assert!(FIELDS.iter().any(|field| field.name == "base_delay") && PRESETS.contains(&"sql"));
//! # Ok::<(), steadfast::policy::PolicyError>(())
//! ```

mod attribute;
mod check;
mod draft;
pub(crate) mod error;
pub(crate) mod fields;
mod presets;
mod set;
mod setting;
mod timing;
mod wire;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use draft::Draft;
pub use error::{OutOfRange, PolicyError, Value};
pub use fields::{FIELDS, Field, FieldKind};
pub use presets::PRESETS;
pub use setting::Setting;
pub use timing::{BackoffType, Jitter, Timing};

use crate::Class;
use crate::guard::{BreakerSettings, BudgetSettings, GuardCell};
use crate::judge::Rules;

/// Who retries when one session runs inside another (I7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nested {
    /// The outer one; the inner one leaves to it whatever it will retry.
    Outer,
    /// The inner one; the outer one does not repeat what the inner one gave up.
    Inner,
    /// Each for itself: attempts multiply.
    Both,
}

impl Nested {
    pub(crate) const NAMES: [&'static str; 3] = ["outer", "inner", "both"];
}

/// How to try again.
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
/// let json = r#"{"id": "calls", "max_attempts": 4, "base_delay": "500ms", "max_delay": 10, "jitter": "full"}"#;
/// let same: Policy = serde_json::from_str(json).unwrap();
/// assert_eq!(same.timing(), policy.timing());
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Draft")]
pub struct Policy {
    /// Nothing but delays and a count: no clock to read, no guard to ask and nothing
    /// special to announce before the first attempt.
    pub(crate) plain: bool,
    /// The same with rules: no clock to read, no guard to ask and no key to look after.
    pub(crate) timeless: bool,
    /// Whether sessions inside need only know that it retries by the default rules, always.
    pub(crate) announces_plainly: bool,
    pub(crate) enabled: bool,
    pub(crate) idempotent: bool,
    pub(crate) nested: Nested,
    pub(crate) max_attempts: u32,
    pub(crate) max_rate_limit_waits: u32,
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

impl Policy {
    /// Delays that double (or grow by another [`multiplier`](Draft::multiplier)).
    pub const fn exponential(base_delay: Duration) -> Draft {
        Draft::new().backoff_type(BackoffType::Exponential).base_delay(base_delay)
    }

    /// Delays that grow by the base delay (or by another [`increment`](Draft::increment)).
    pub const fn linear(base_delay: Duration) -> Draft {
        Draft::new().backoff_type(BackoffType::Linear).base_delay(base_delay)
    }

    /// The same delay every time.
    pub const fn fixed(delay: Duration) -> Draft {
        Draft::new().backoff_type(BackoffType::Fixed).base_delay(delay)
    }

    /// No delay.
    pub const fn immediate() -> Draft {
        Draft::new().backoff_type(BackoffType::Immediate)
    }

    /// These delays, one after the other; as many attempts as that takes.
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

    /// The name by which it is found; a policy written in code may have none.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The name for people: the id, if it has no other.
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

    /// How many attempts at most, the first one counted.
    #[must_use]
    pub const fn max_attempts(&self) -> u32 {
        self.max_attempts
    }

    /// How long to wait.
    #[must_use]
    pub const fn timing(&self) -> &Timing {
        &self.timing
    }

    /// How long to wait after a fault of this class.
    #[must_use]
    #[inline]
    pub fn timing_on(&self, class: Class) -> &Timing {
        match self.on.get(class as usize) {
            Some(Some(timing)) => timing,
            _ => &self.timing,
        }
    }

    /// The longest the whole session may take.
    #[must_use]
    pub const fn max_duration(&self) -> Option<Duration> {
        self.max_duration
    }

    /// The longest one attempt may take.
    #[must_use]
    pub const fn attempt_timeout(&self) -> Option<Duration> {
        self.attempt_timeout
    }

    /// What is retried and what is not.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether doing it twice is as good as doing it once.
    #[must_use]
    pub const fn is_idempotent(&self) -> bool {
        self.idempotent
    }

    /// The longest hint that is honoured, if it is written.
    #[must_use]
    pub const fn max_hint(&self) -> Option<Duration> {
        self.max_hint
    }

    /// How many hinted waits there may be.
    #[must_use]
    pub const fn max_rate_limit_waits(&self) -> u32 {
        self.max_rate_limit_waits
    }

    /// Who retries when one session runs inside another.
    #[must_use]
    pub const fn nested(&self) -> Nested {
        self.nested
    }

    /// The breaker of its sessions.
    #[must_use]
    pub const fn breaker(&self) -> Option<&BreakerSettings> {
        self.breaker.as_ref()
    }

    /// The budget of its retries.
    #[must_use]
    pub const fn budget(&self) -> Option<&BudgetSettings> {
        self.budget.as_ref()
    }

    /// The policy that goes on in a store when this one is exhausted.
    #[must_use]
    pub fn durable(&self) -> Option<&Self> {
        self.durable.as_deref()
    }
}
