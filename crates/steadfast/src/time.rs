//! The time type of the decision core and the guards.
//!
//! The core and the guards run under a real clock, a paused test clock, a database's clock or the
//! simulator's virtual clock, so they never read a clock themselves: a [`Moment`] is an argument. Only
//! differences between moments of one clock are meaningful.

use std::fmt;
use std::ops::Add;
use std::time::Duration;

/// A point in time: nanoseconds since the origin of its clock.
///
/// Arithmetic saturates at 584 years.
///
/// ```
/// use std::time::Duration;
/// use steadfast::Moment;
///
/// let start = Moment::ORIGIN;
/// let later = start + Duration::from_millis(250);
/// assert_eq!(later.since(start), Duration::from_millis(250));
/// assert_eq!(start.since(later), Duration::ZERO);
/// assert_eq!(Moment::from_nanos(later.as_nanos()), later);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Moment(u64);

impl Moment {
    /// The clock's origin.
    pub const ORIGIN: Self = Self(0);

    /// The moment this many nanoseconds after the clock's origin.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the clock's origin.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) const fn plus_nanos(self, nanos: u64) -> Self {
        Self(self.0.saturating_add(nanos))
    }

    /// The time since `earlier`, or zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, rhs: Duration) -> Self {
        self.plus_nanos(saturating_nanos(rhs))
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", Duration::from_nanos(self.0))
    }
}

/// A duration in nanoseconds, saturating at 584 years.
#[must_use]
pub(crate) const fn saturating_nanos(duration: Duration) -> u64 {
    let nanos = duration.as_nanos();
    if nanos > u64::MAX as u128 { u64::MAX } else { nanos as u64 }
}
