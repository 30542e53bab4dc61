//! The state of a breaker packed into 64 bits, and its transitions as pure functions.
//!
//! State, generation and counters share one word, so that each transition is one compare-and-swap
//! and no thread acts on an outdated state. The generation grows with every change of state;
//! results of an older generation are ignored.
//!
//! ```text
//! 63 62 | 61 ........ 38 | 37 ...................................... 0
//! state | generation     | closed:    failures in a row (0..32)
//!                        | open:      openings (30..38)
//!                        | half open: openings (30..38), batch (24..30),
//!                        |            probes in flight (16..24), failed probes (8..16),
//!                        |            successful probes (0..8)
//!                        | isolated:  disabled (0)
//! ```
//!
//! Two bits are four states; the fifth, disabled, is a flag of the fourth.
//!
//! *Openings* counts how often the breaker opened without closing in between. *Batch* counts how
//! often the probes in flight were declared lost: the result of a probe of an earlier batch still
//! counts, but its permit is already released.

use super::BreakerState;

const STATE_SHIFT: u32 = 62;
const GENERATION_SHIFT: u32 = 38;
const OPENINGS: Field = Field { shift: 30, bits: 8 };
const BATCH: Field = Field { shift: 24, bits: 6 };
const IN_FLIGHT: Field = Field { shift: 16, bits: 8 };
const PROBE_FAILURES: Field = Field { shift: 8, bits: 8 };
const SUCCESSES: Field = Field { shift: 0, bits: 8 };
const DISABLED: Field = Field { shift: 0, bits: 1 };
const FAILURES: Field = Field { shift: 0, bits: 32 };
const GENERATION: Field = Field { shift: GENERATION_SHIFT, bits: STATE_SHIFT - GENERATION_SHIFT };

/// The number of generations, after which they wrap around.
pub(super) const GENERATIONS: u64 = GENERATION.max() + 1;

/// The largest number of probes that fits into the packed state.
pub(super) const MAX_PROBES: u32 = 250;

#[derive(Clone, Copy)]
struct Field {
    shift: u32,
    bits: u32,
}

impl Field {
    const fn max(self) -> u64 {
        (1 << self.bits) - 1
    }

    const fn get(self, word: u64) -> u64 {
        (word >> self.shift) & self.max()
    }

    /// Sets only the bits of the field: a larger value wraps.
    const fn set(self, word: u64, value: u64) -> u64 {
        word & !(self.max() << self.shift) | (value & self.max()) << self.shift
    }

    const fn add(self, word: u64, by: u64) -> u64 {
        self.set(word, self.get(word).wrapping_add(by))
    }

    const fn saturating_dec(self, word: u64) -> u64 {
        self.set(word, self.get(word).saturating_sub(1))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedState(pub(super) u64);

impl PackedState {
    /// The state of a new breaker: closed.
    pub(super) const NEW: Self = Self(0);

    /// The state of a new breaker that starts open.
    pub(super) const NEW_OPEN: Self = Self(OPENINGS.set(1 << STATE_SHIFT, 1));

    /// The state of a new breaker that starts disabled.
    pub(super) const NEW_DISABLED: Self = Self(DISABLED.set(3 << STATE_SHIFT, 1));

    /// The lowest packed state that is not closed.
    pub(super) const FIRST_NOT_CLOSED: u64 = 1 << STATE_SHIFT;

    /// Closed with failures, which no permit carries.
    pub(super) const NO_PERMIT: Self = Self(1);

    const fn enter(self, state: u64, openings: u64) -> Self {
        let word = GENERATION.set(state << STATE_SHIFT, self.generation().wrapping_add(1));
        Self(OPENINGS.set(word, openings))
    }

    pub(super) const fn closed(self) -> Self {
        self.enter(0, 0)
    }

    pub(super) fn opened(self) -> Self {
        let openings = match self.state() {
            BreakerState::Closed | BreakerState::Isolated | BreakerState::Disabled => 1,
            BreakerState::Open => self.openings(),
            BreakerState::HalfOpen => (self.openings() + 1).min(OPENINGS.max()),
        };
        self.enter(1, openings)
    }

    /// Half open, with the first probe in flight.
    pub(super) const fn half_opened(self) -> Self {
        self.enter(2, self.openings()).with_probe()
    }

    pub(super) const fn isolated(self) -> Self {
        self.enter(3, 0)
    }

    pub(super) const fn disabled(self) -> Self {
        Self(DISABLED.set(self.enter(3, 0).0, 1))
    }

    #[inline]
    pub(super) const fn is_closed(self) -> bool {
        self.0 >> STATE_SHIFT == 0
    }

    pub(super) const fn state(self) -> BreakerState {
        match self.0 >> STATE_SHIFT {
            0 => BreakerState::Closed,
            1 => BreakerState::Open,
            2 => BreakerState::HalfOpen,
            _ if DISABLED.get(self.0) == 1 => BreakerState::Disabled,
            _ => BreakerState::Isolated,
        }
    }

    /// Whether no transition has happened yet.
    pub(super) const fn is_new(self) -> bool {
        self.generation() == 0
    }

    pub(super) const fn generation(self) -> u64 {
        GENERATION.get(self.0)
    }

    /// Whether `other` has the same state and generation.
    pub(super) const fn is_same_period(self, other: Self) -> bool {
        (self.0 ^ other.0) >> GENERATION_SHIFT == 0
    }

    /// State and generation only: equal to the packed state of a closed breaker without failures.
    #[inline]
    pub(super) const fn period(self) -> Self {
        Self(self.0 >> GENERATION_SHIFT << GENERATION_SHIFT)
    }

    /// State, generation and batch.
    pub(super) const fn batch_of_period(self) -> Self {
        Self(BATCH.set(self.period().0, BATCH.get(self.0)))
    }

    pub(super) const fn failures(self) -> u32 {
        FAILURES.get(self.0) as u32
    }

    pub(super) const fn with_failures(self, failures: u32) -> Self {
        Self(FAILURES.set(self.0, failures as u64))
    }

    pub(super) const fn openings(self) -> u64 {
        OPENINGS.get(self.0)
    }

    pub(super) const fn probes_in_flight(self) -> u32 {
        IN_FLIGHT.get(self.0) as u32
    }

    pub(super) const fn with_probe(self) -> Self {
        Self(IN_FLIGHT.add(self.0, 1))
    }

    /// Declares all probes in flight lost and sends a new one.
    pub(super) const fn next_batch(self) -> Self {
        Self(BATCH.add(IN_FLIGHT.set(self.0, 0), 1)).with_probe()
    }

    /// Releases the permit of a probe of this period, unless the probe was declared lost.
    pub(super) const fn without_probe(self, probe: Self) -> Self {
        if BATCH.get(self.0) == BATCH.get(probe.0) {
            Self(IN_FLIGHT.saturating_dec(self.0))
        } else {
            self
        }
    }

    pub(super) const fn successes(self) -> u32 {
        SUCCESSES.get(self.0) as u32
    }

    pub(super) const fn with_success(self) -> Self {
        Self(SUCCESSES.add(self.0, 1))
    }

    pub(super) const fn probe_failures(self) -> u32 {
        PROBE_FAILURES.get(self.0) as u32
    }

    pub(super) const fn with_probe_failure(self) -> Self {
        Self(PROBE_FAILURES.add(self.0, 1))
    }

    /// The probes of this period that have ended or are in flight.
    pub(super) const fn probes_sent(self) -> u32 {
        self.probes_in_flight() + self.successes() + self.probe_failures()
    }
}
