//! The delays of a policy: backoff, cap and jitter.

use std::time::Duration;

use super::RangeError;
use super::draft::optional_fields;
use super::error::Value;
use crate::time::saturating_nanos;

/// How delays grow from one retry to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum BackoffType {
    /// Each delay is a multiple of the one before.
    Exponential,
    /// Each delay is longer than the one before by the same increment.
    Linear,
    /// Each delay is the sum of the two before.
    Fibonacci,
    /// All delays are the same.
    Fixed,
    /// No delay.
    Immediate,
    /// A list of delays; the last repeats.
    Custom,
}

impl BackoffType {
    /// Whether the delays depend on `base_delay`.
    pub(super) const fn uses_base_delay(self) -> bool {
        !matches!(self, Self::Immediate | Self::Custom)
    }

    /// The name in `backoff_type`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Exponential => "exponential",
            Self::Linear => "linear",
            Self::Fibonacci => "fibonacci",
            Self::Fixed => "fixed",
            Self::Immediate => "immediate",
            Self::Custom => "custom",
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) const NAMES: [&'static str; 6] = [
        Self::Exponential.name(),
        Self::Linear.name(),
        Self::Fibonacci.name(),
        Self::Fixed.name(),
        Self::Immediate.name(),
        Self::Custom.name(),
    ];
}

/// Randomness of the delays, so that sessions that failed together do not retry together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Jitter {
    /// No randomness.
    None,
    /// Uniform from zero to the delay.
    Full,
    /// Uniform from half of the delay to the delay.
    Equal,
    /// Uniform from the base delay to three times the previous delay.
    Decorrelated,
    /// Uniform from zero to twice the delay, or to `max_delay` if that is shorter. With a
    /// [`jitter_amount`](super::Draft::jitter_amount) of 0.2, the delay ± 20 %.
    Proportional,
    /// The delay plus a uniform addition of up to this duration.
    Additive(Duration),
}

impl Jitter {
    /// The names of the kinds that have an amount.
    #[cfg(feature = "serde")]
    pub(crate) const NAMES: [&'static str; 5] =
        ["none", "full", "equal", "decorrelated", "proportional"];

    /// The name in `jitter_type`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Full => "full",
            Self::Equal => "equal",
            Self::Decorrelated => "decorrelated",
            Self::Proportional => "proportional",
            Self::Additive(_) => "additive",
        }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::None, Self::Full, Self::Equal, Self::Decorrelated, Self::Proportional]
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
    /// How many delays in a row the base can be shifted for: none unless they double.
    pub(crate) doublings: u32,
    pub(crate) increment: u64,
    /// The shortest delay, after jitter.
    pub(crate) floor: u64,
    /// The longest delay before additive jitter.
    pub(crate) cap: u64,
    pub(crate) jitter: Jitter,
    pub(crate) jitter_amount: f64,
    /// Whether the jitter is [`Jitter::Full`], at full strength.
    pub(crate) is_full_jitter: bool,
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

    /// The shortest delay; zero by default.
    #[must_use]
    pub const fn min_delay(&self) -> Duration {
        Duration::from_nanos(self.floor)
    }

    /// The longest delay, if there is one.
    #[must_use]
    pub const fn max_delay(&self) -> Option<Duration> {
        if self.cap == u64::MAX { None } else { Some(Duration::from_nanos(self.cap)) }
    }

    /// The longest delay to serialize: only `fixed` and `custom` have no limit by default.
    #[cfg(feature = "serde")]
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
        min_delay: Duration,
        max_delay: Duration,
        schedule: Vec<Duration>,
        jitter: Jitter,
        jitter_type: Jitter,
        jitter_amount: f64,
    }
}

const DEFAULT_BASE: Duration = Duration::from_secs(1);
pub(super) const DEFAULT_CAP: Duration = Duration::from_secs(60);
const DEFAULT_MULTIPLIER: f64 = 2.0;
const DEFAULT_JITTER_AMOUNT: f64 = 0.1;

/// The number of delays that are the base shifted by their index, without overflow.
const fn doublings(backoff_type: BackoffType, multiplier: f64, base: u64) -> u32 {
    match backoff_type {
        // A base of zero can be shifted for ever, but by no more than 63 bits.
        BackoffType::Exponential if multiplier == 2.0 && base == 0 => u64::BITS,
        BackoffType::Exponential if multiplier == 2.0 => base.leading_zeros() + 1,
        _ => 0,
    }
}

impl TimingDraft {
    pub(crate) const fn base_delay(&self) -> Duration {
        match self.base_delay {
            Some(base) => base,
            None => DEFAULT_BASE,
        }
    }

    pub(super) const fn backoff_type(&self) -> BackoffType {
        match (self.backoff_type, &self.schedule) {
            (Some(backoff), _) => backoff,
            (None, Some(_)) => BackoffType::Custom,
            (None, None) => BackoffType::Exponential,
        }
    }

    /// The violations of the range rules.
    pub(crate) const fn checks(&self) -> [Option<RangeError>; 7] {
        [
            self.multiplier_problem(),
            self.min_delay_problem(),
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
            _ if !multiplier.is_finite() => ("must be a finite number", None),
            ..1.0 => ("must be at least", Some(Value::Number(1.0))),
            _ => return None,
        };
        Some(RangeError { field: "multiplier", value: Value::Number(multiplier), rule, bound })
    }

    const fn min_delay_problem(&self) -> Option<RangeError> {
        let cap = self.cap(self.backoff_type());
        match self.min_delay {
            Some(floor) if saturating_nanos(floor) > cap => Some(
                RangeError::new("min_delay", Value::Duration(floor), "is longer than max_delay")
                    .bound(Value::Duration(Duration::from_nanos(cap))),
            ),
            _ => None,
        }
    }

    const fn jitter_amount_problem(&self) -> Option<RangeError> {
        match self.jitter_amount {
            None | Some(0.0..=1.0) => None,
            Some(amount) => Some(RangeError::new(
                "jitter_amount",
                Value::Number(amount),
                "must be between 0 and 1",
            )),
        }
    }

    /// An error if `duration` is shorter than the base delay, where the backoff uses one.
    pub(crate) const fn unless_room_for_base(
        &self,
        field: &'static str,
        duration: Option<Duration>,
    ) -> Option<RangeError> {
        let used = self.backoff_type().uses_base_delay();
        let base = self.base_delay();
        match duration {
            Some(duration) if used && duration.as_nanos() < base.as_nanos() => {
                let value = Value::Duration(duration);
                let problem = RangeError::new(field, value, "is shorter than base_delay");
                Some(problem.bound(Value::Duration(base)))
            }
            _ => None,
        }
    }

    const fn jitter_forms_problem(&self) -> Option<RangeError> {
        match (self.jitter, self.jitter_type) {
            (Some(short), Some(_)) => Some(RangeError::new(
                "jitter",
                Value::Name(short.name()),
                "set only one of jitter and jitter_type",
            )),
            _ => None,
        }
    }

    const fn schedule_missing_problem(&self) -> Option<RangeError> {
        match (&self.schedule, self.backoff_type) {
            (Some(schedule), _) if schedule.is_empty() => {
                let empty = Value::Name("[]");
                Some(RangeError::new("schedule", empty, "must have at least one delay"))
            }
            (None, Some(BackoffType::Custom)) => {
                let custom = Value::Name("custom");
                Some(RangeError::new("backoff_type", custom, "requires a schedule"))
            }
            _ => None,
        }
    }

    const fn schedule_unused_problem(&self) -> Option<RangeError> {
        match (self.backoff_type, &self.schedule) {
            (None | Some(BackoffType::Custom), _) | (_, None) => None,
            (Some(_), Some(schedule)) => Some(
                RangeError::new(
                    "schedule",
                    Value::Count(schedule.len() as u64),
                    "is only used with backoff_type",
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
        let floor = match self.min_delay {
            Some(floor) => saturating_nanos(floor),
            None => 0,
        };
        let schedule = self.schedule.take();
        // Nothing is left in it, but a constant cannot run its destructor.
        std::mem::forget(self);
        Timing {
            backoff_type,
            base,
            multiplier,
            doublings: doublings(backoff_type, multiplier, base),
            increment,
            floor,
            cap,
            jitter,
            jitter_amount,
            is_full_jitter: matches!(jitter, Jitter::Full) && jitter_amount == 1.0,
            schedule,
        }
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
