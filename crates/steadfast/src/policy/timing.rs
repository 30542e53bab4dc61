//! The delays of a policy: backoff, cap and jitter.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::RangeError;
use super::draft::optional_fields;
use super::error::Value;
use crate::time::saturating_nanos;

/// How delays grow from one retry to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackoffType {
    /// Each delay is a multiple of the one before.
    Exponential,
    /// Each delay is longer than the one before by the same increment.
    Linear,
    /// All delays are the same.
    Fixed,
    /// No delay.
    Immediate,
    /// A list of delays; the last repeats.
    Custom,
}

impl BackoffType {
    pub(crate) const NAMES: [&'static str; 5] =
        ["exponential", "linear", "fixed", "immediate", "custom"];
}

/// Randomness of the delays, so that sessions that failed together do not retry together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Jitter {
    /// No randomness.
    None,
    /// Uniform from zero to the delay.
    Full,
    /// Uniform from half of the delay to the delay.
    Equal,
    /// Uniform from the base delay to three times the previous delay.
    Decorrelated,
    /// The delay plus a uniform addition of up to this duration.
    Additive(Duration),
}

impl Jitter {
    /// The names of the kinds that have an amount.
    pub(crate) const NAMES: [&'static str; 4] = ["none", "full", "equal", "decorrelated"];

    /// The name in `jitter_type`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Full => "full",
            Self::Equal => "equal",
            Self::Decorrelated => "decorrelated",
            Self::Additive(_) => "additive",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::None, Self::Full, Self::Equal, Self::Decorrelated]
            .into_iter()
            .find(|jitter| jitter.name() == name)
    }
}

/// The validated delays of a policy, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    pub(crate) backoff_type: BackoffType,
    pub(crate) base: u64,
    pub(crate) multiplier: f64,
    pub(crate) increment: u64,
    /// The longest delay before additive jitter.
    pub(crate) cap: u64,
    pub(crate) jitter: Jitter,
    pub(crate) jitter_amount: f64,
    /// Present and not empty for a custom backoff only.
    pub(crate) schedule: Option<Vec<Duration>>,
}

impl Timing {
    super::getters! {
        /// How delays grow.
        backoff_type: BackoffType;
        /// The factor by which exponential delays grow.
        multiplier: f64;
        /// The randomness of the delays.
        jitter: Jitter;
        /// The strength of the jitter, from 0 to 1.
        jitter_amount: f64;
    }

    /// The field `base_delay`.
    #[must_use]
    pub const fn initial_delay(&self) -> Duration {
        Duration::from_nanos(self.base)
    }

    /// The longest delay, if there is one.
    #[must_use]
    pub const fn max_delay(&self) -> Option<Duration> {
        if self.cap == u64::MAX { None } else { Some(Duration::from_nanos(self.cap)) }
    }

    /// The longest delay to serialize: only `fixed` and `custom` have no limit by default.
    pub(super) fn serialized_cap(&self) -> Option<Duration> {
        match self.backoff_type {
            BackoffType::Fixed | BackoffType::Custom => self.max_delay(),
            _ => Some(Duration::from_nanos(self.cap)),
        }
    }
}

optional_fields! {
    /// The delays of a draft: absent fields have their defaults.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub(crate) struct TimingDraft {
        backoff_type: BackoffType,
        base_delay: Duration,
        multiplier: f64,
        increment: Duration,
        max_delay: Duration,
        schedule: Vec<Duration>,
        jitter: Jitter,
        jitter_type: Jitter,
        jitter_amount: f64,
    }
}

const DEFAULT_BASE: Duration = Duration::from_secs(1);
const DEFAULT_CAP: Duration = Duration::from_secs(60);
const DEFAULT_MULTIPLIER: f64 = 2.0;
const DEFAULT_JITTER_AMOUNT: f64 = 0.1;

impl TimingDraft {
    pub(crate) const fn base_delay(&self) -> Duration {
        match self.base_delay {
            Some(base) => base,
            None => DEFAULT_BASE,
        }
    }

    const fn backoff_type(&self) -> BackoffType {
        match (self.backoff_type, &self.schedule) {
            (Some(backoff), _) => backoff,
            (None, Some(_)) => BackoffType::Custom,
            (None, None) => BackoffType::Exponential,
        }
    }

    /// The violations of the range rules.
    pub(crate) const fn checks(&self) -> [Option<RangeError>; 6] {
        [
            self.multiplier_problem(),
            self.unless_room_for_base("max_delay", self.max_delay),
            self.jitter_amount_problem(),
            self.jitter_forms_problem(),
            self.schedule_missing_problem(),
            self.schedule_unused_problem(),
        ]
    }

    const fn multiplier_problem(&self) -> Option<RangeError> {
        let Some(multiplier) = self.multiplier else {
            return None;
        };
        let (rule, bound) = match multiplier {
            _ if !multiplier.is_finite() => ("is not a finite number", None),
            ..1.0 => ("is below", Some(Value::Number(1.0))),
            _ => return None,
        };
        Some(RangeError { field: "multiplier", value: Value::Number(multiplier), rule, bound })
    }

    const fn jitter_amount_problem(&self) -> Option<RangeError> {
        match self.jitter_amount {
            None | Some(0.0..=1.0) => None,
            Some(amount) => Some(RangeError::new(
                "jitter_amount",
                Value::Number(amount),
                "is outside 0.0..=1.0",
            )),
        }
    }

    /// An error if `duration` is shorter than the base delay, where the backoff uses one.
    pub(crate) const fn unless_room_for_base(
        &self,
        field: &'static str,
        duration: Option<Duration>,
    ) -> Option<RangeError> {
        let unused = matches!(self.backoff_type(), BackoffType::Custom | BackoffType::Immediate);
        let base = self.base_delay();
        match duration {
            Some(duration) if !unused && duration.as_nanos() < base.as_nanos() => {
                let value = Value::Duration(duration);
                let problem = RangeError::new(field, value, "is shorter than base_delay");
                Some(problem.bound(Value::Duration(base)))
            }
            _ => None,
        }
    }

    const fn jitter_forms_problem(&self) -> Option<RangeError> {
        match (self.jitter, self.jitter_type) {
            (Some(short), Some(long)) => Some(
                RangeError::new("jitter", Value::Name(short.name()), "conflicts with jitter_type")
                    .bound(Value::Name(long.name())),
            ),
            _ => None,
        }
    }

    const fn schedule_missing_problem(&self) -> Option<RangeError> {
        let empty = match &self.schedule {
            Some(schedule) => schedule.is_empty(),
            None => matches!(self.backoff_type, Some(BackoffType::Custom)),
        };
        if !empty {
            return None;
        }
        Some(RangeError::new("schedule", Value::Name("[]"), "needs at least one delay"))
    }

    const fn schedule_unused_problem(&self) -> Option<RangeError> {
        match (self.backoff_type, &self.schedule) {
            (None | Some(BackoffType::Custom), _) | (_, None) => None,
            (Some(_), Some(schedule)) => Some(
                RangeError::new(
                    "schedule",
                    Value::Count(schedule.len() as u64),
                    "delays are used only with backoff_type",
                )
                .bound(Value::Name("custom")),
            ),
        }
    }

    /// The timing with its defaults filled in. The caller has checked every rule.
    pub(crate) const fn resolve(mut self) -> Timing {
        let backoff_type = self.backoff_type();
        let base_delay = saturating_nanos(self.base_delay());
        let cap = self.cap(backoff_type);
        let (jitter, jitter_amount) = self.jitter();
        let multiplier = match self.multiplier {
            Some(multiplier) => multiplier,
            None => DEFAULT_MULTIPLIER,
        };
        let increment = match self.increment {
            Some(increment) => saturating_nanos(increment),
            None => base_delay,
        };
        let base = match (backoff_type, &self.schedule) {
            (BackoffType::Immediate, _) => 0,
            (BackoffType::Custom, Some(schedule)) => match schedule.as_slice() {
                [first, ..] => saturating_nanos(*first),
                [] => 0,
            },
            _ => base_delay,
        };
        let schedule = self.schedule.take();
        // Nothing is left in it, but a constant cannot run its destructor.
        std::mem::forget(self);
        Timing { backoff_type, base, multiplier, increment, cap, jitter, jitter_amount, schedule }
    }

    /// `fixed` and `custom` delays are only capped by an explicit `max_delay`.
    const fn cap(&self, backoff_type: BackoffType) -> u64 {
        let base = self.base_delay();
        match (self.max_delay, backoff_type) {
            (Some(cap), _) => saturating_nanos(cap),
            (None, BackoffType::Fixed | BackoffType::Custom) => u64::MAX,
            (None, _) if base.as_nanos() > DEFAULT_CAP.as_nanos() => saturating_nanos(base),
            (None, _) => saturating_nanos(DEFAULT_CAP),
        }
    }

    const fn jitter(&self) -> (Jitter, f64) {
        match (self.jitter, self.jitter_type) {
            (Some(Jitter::None), _) | (None, Some(Jitter::None)) => (Jitter::None, 0.0),
            (Some(short), _) | (None, Some(short @ Jitter::Additive(_))) => (short, 1.0),
            (None, Some(long)) => match self.jitter_amount {
                Some(amount) => (long, amount),
                None => (long, DEFAULT_JITTER_AMOUNT),
            },
            (None, None) => (Jitter::None, 0.0),
        }
    }
}
