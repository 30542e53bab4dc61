//! The public types of a breaker: state, transition, permit, rejection and snapshot.

use std::fmt;
use std::time::Duration;

use super::cause::Cause;
use super::packed_state::PackedState;
use crate::named_enum::named_enum;
use crate::{Moment, duration};

named_enum! {
    /// The state of a circuit breaker.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
    #[non_exhaustive]
    pub enum BreakerState by as_str {
        /// Calls are permitted.
        Closed = "closed",
        /// Calls are rejected until the timeout has passed.
        Open = "open",
        /// A few calls are permitted, as probes.
        HalfOpen = "half_open",
        /// Calls are rejected until the breaker is closed manually.
        Isolated = "isolated",
        /// Calls are permitted and not counted until the breaker is closed or opened manually.
        Disabled = "disabled",
    }
}

impl BreakerState {
    /// All states.
    pub const ALL: &'static [Self] =
        &[Self::Closed, Self::Open, Self::HalfOpen, Self::Isolated, Self::Disabled];

    /// Whether calls are rejected until the state changes.
    #[must_use]
    pub const fn rejects(self) -> bool {
        matches!(self, Self::Open | Self::Isolated)
    }
}

/// A change of state. Returned to exactly one caller: the one whose call caused it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// The previous state.
    pub from: BreakerState,
    /// The new state.
    pub to: BreakerState,
}

impl Transition {
    /// The transition between two packed states; nothing if the state stays the same.
    pub(super) fn between(from: PackedState, to: PackedState) -> Option<Self> {
        let (from, to) = (from.state(), to.state());
        (from != to).then_some(Self { from, to })
    }
}

/// A permit to make one call.
///
/// Report the call's result with it, or release it through [`ignore`](super::Breaker::ignore) if
/// there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "report the call's result with the permit"]
pub struct Permit(PackedState);

/// The flag of the permit that half-opened the breaker; below all bits that are read from a permit's
/// packed state.
const FIRST: u64 = 1;

impl Permit {
    /// No permit: its result changes nothing.
    pub(crate) const NONE: Self = Self(PackedState::NO_PERMIT);

    #[inline]
    pub(super) const fn of_closed(packed: PackedState) -> Self {
        Self(packed.period())
    }

    pub(super) const fn of_probe(packed: PackedState, first: bool) -> Self {
        let PackedState(bits) = packed.batch_of_period();
        Self(PackedState(if first { bits | FIRST } else { bits }))
    }

    pub(super) const fn packed(self) -> PackedState {
        self.0
    }

    /// Whether the call is a probe of a half-open breaker.
    #[inline]
    #[must_use]
    pub const fn is_probe(self) -> bool {
        !self.0.is_closed()
    }

    /// The transition that this permit caused: from open to half open, if it is the first probe.
    #[must_use]
    pub const fn transition(self) -> Option<Transition> {
        if self.is_probe() && self.0.0 & FIRST != 0 {
            return Some(Transition { from: BreakerState::Open, to: BreakerState::HalfOpen });
        }
        None
    }
}

/// A rejected call. It was not made, so it does not count as an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// The state that rejected the call.
    pub state: BreakerState,
    /// The longest time until the next probe is permitted; `None` if the breaker is isolated.
    pub retry_after: Option<Duration>,
    /// What opened the breaker; absent while another thread opens it.
    pub cause: Option<Cause>,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "circuit breaker is {}", self.state)?;
        if let (Some(cause), BreakerState::Open) = (self.cause, self.state) {
            write!(f, " {cause}")?;
        }
        match self.retry_after {
            Some(wait) => write!(f, ", next probe in {}", duration::format_rounded(wait)),
            None => f.write_str(" until it is closed by hand"),
        }
    }
}

impl std::error::Error for Rejection {}

/// The state of a breaker at one moment, for display.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BreakerSnapshot {
    /// The state.
    pub state: BreakerState,
    /// While closed, the failures that count towards opening: consecutive failures, or the failures
    /// in the window if only rates open the breaker. After that, the failures that opened the breaker
    /// and those of its probes.
    pub failure_count: u64,
    /// When the last failure was counted.
    pub last_failure: Option<Moment>,
    /// The number of consecutive failures that open the breaker; `None` if only rates do.
    pub threshold: Option<u32>,
    /// How long the breaker first stays open.
    pub timeout: Duration,
    /// When the state last changed; `None` if it never changed.
    pub last_state_change: Option<Moment>,
    /// The longest time until a probe is permitted, if calls are rejected now and the breaker is not
    /// isolated.
    pub retry_after: Option<Duration>,
}
