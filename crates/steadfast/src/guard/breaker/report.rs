//! What a breaker says: its state, a permit, a rejection, a change.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::packed_state::Word;
use crate::{Moment, duration};

/// Where a breaker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreakerState {
    /// Calls pass.
    Closed,
    /// Calls are rejected until its time is over.
    Open,
    /// A few calls pass, as probes.
    HalfOpen,
    /// Calls are rejected until somebody closes it by hand.
    Isolated,
}

impl BreakerState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Closed, Self::Open, Self::HalfOpen, Self::Isolated];

    /// The state's name, as events and files spell it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
            Self::Isolated => "isolated",
        }
    }
}

impl fmt::Display for BreakerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A change of state, told to exactly one caller: the one who brought it about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// The state it left.
    pub from: BreakerState,
    /// The state it entered.
    pub to: BreakerState,
}

impl Transition {
    /// Nothing, if the state stayed the same.
    pub(super) fn between(from: Word, to: Word) -> Option<Self> {
        let (from, to) = (from.state(), to.state());
        (from != to).then_some(Self { from, to })
    }
}

/// AttemptPermit to make one call.
///
/// Give it back with the call's result, or with
/// [`ignore`](super::Breaker::ignore) if there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a permit is given back with the call's result"]
pub struct Permit(Word);

/// Set in the permit that half-opened the breaker; below everything that is
/// read from it as a word.
const FIRST: u64 = 1;

impl Permit {
    /// AttemptPermit to make no call: its result changes nothing.
    pub(crate) const NONE: Self = Self(Word::NEVER);

    #[inline]
    pub(super) const fn of_closed(word: Word) -> Self {
        Self(word.period())
    }

    pub(super) const fn of_probe(word: Word, first: bool) -> Self {
        let Word(bits) = word.batch_of_period();
        Self(Word(if first { bits | FIRST } else { bits }))
    }

    pub(super) const fn word(self) -> Word {
        self.0
    }

    /// Is the call a probe of a half-open breaker?
    #[inline]
    #[must_use]
    pub const fn is_probe(self) -> bool {
        !self.0.is_closed()
    }

    /// The change that came with this permit: from open to half open, if it is
    /// the first probe.
    #[must_use]
    pub const fn transition(self) -> Option<Transition> {
        if self.is_probe() && self.0.0 & FIRST != 0 {
            return Some(Transition { from: BreakerState::Open, to: BreakerState::HalfOpen });
        }
        None
    }
}

/// A call that was not let through. It was not made, so it is no attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Why: the state that rejected it.
    pub state: BreakerState,
    /// The longest time until the next probe is let through; none if the
    /// breaker is isolated.
    pub retry_after: Option<Duration>,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "circuit breaker is {}", self.state)?;
        match self.retry_after {
            Some(wait) => write!(f, ", next probe in {}", duration::format(wait)),
            None => f.write_str(" until it is closed by hand"),
        }
    }
}

impl std::error::Error for Rejection {}

/// A breaker at one moment, for display.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BreakerSnapshot {
    /// Where it stands.
    pub state: BreakerState,
    /// While closed, the failures that count towards opening: those in a row,
    /// or those in the window if no run of failures opens it. After that, the
    /// failures that opened it and those of its probes.
    pub failure_count: u64,
    /// When a failure last counted.
    pub last_failure: Option<Moment>,
    /// The failures in a row that open it; none if only rates do.
    pub threshold: Option<u32>,
    /// How long it stays open, at first.
    pub timeout: Duration,
    /// When the state last changed; none if it never did.
    pub last_state_change: Option<Moment>,
    /// The longest time until a probe is let through, if calls are rejected now
    /// and will not always be.
    pub retry_after: Option<Duration>,
}
