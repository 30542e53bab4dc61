//! The whole state of a breaker in one word, and its steps as plain functions.
//!
//! State, generation and counters share 64 bits so that each step is one
//! compare-and-swap: nobody can act on a state that another thread has already
//! left. The generation grows with every change of state; a result that carries
//! an older one is about a world that is gone.
//!
//! ```text
//! 63 62 | 61 ........ 38 | 37 ...................................... 0
//! state | generation     | closed:    failures in a row (0..32)
//!                        | open:      openings (30..38)
//!                        | half open: openings (30..38), batch (20..30),
//!                        |            probes out (10..20), successes (0..10)
//! ```
//!
//! *Openings* counts how often it opened without closing in between. *Batch*
//! counts how often the probes that were out had to be given up for lost: a
//! probe of an earlier batch that does come back is still evidence, but it has
//! no permit to give back.

use super::BreakerState;

const STATE_SHIFT: u32 = 62;
const GENERATION_SHIFT: u32 = 38;
const OPENINGS: Field = Field { shift: 30, bits: 8 };
const BATCH: Field = Field { shift: 20, bits: 10 };
const OUT: Field = Field { shift: 10, bits: 10 };
const SUCCESSES: Field = Field { shift: 0, bits: 10 };
const FAILURES: Field = Field { shift: 0, bits: 32 };
const GENERATION: Field = Field { shift: GENERATION_SHIFT, bits: STATE_SHIFT - GENERATION_SHIFT };

/// The most probes and successes that the word has room to count.
pub(super) const MOST_PROBES: u32 = 1000;

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

    /// Keeps to the field's own bits: what is too big wraps.
    const fn set(self, word: u64, value: u64) -> u64 {
        word & !(self.max() << self.shift) | (value & self.max()) << self.shift
    }

    const fn add(self, word: u64, by: u64) -> u64 {
        self.set(word, self.get(word).wrapping_add(by))
    }

    const fn take_one(self, word: u64) -> u64 {
        self.set(word, self.get(word).saturating_sub(1))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word(pub(super) u64);

impl Word {
    /// Closed, and nothing has ever happened.
    pub(super) const NEW: Self = Self(0);

    /// The lowest word of a breaker that is not closed.
    pub(super) const FIRST_NOT_CLOSED: u64 = 1 << STATE_SHIFT;

    /// Closed in a period with failures already in it, which no permit names.
    pub(super) const NEVER: Self = Self(1);

    const fn enter(self, state: u64, openings: u64) -> Self {
        let word = GENERATION.set(state << STATE_SHIFT, self.generation().wrapping_add(1));
        Self(OPENINGS.set(word, openings))
    }

    pub(super) const fn closed(self) -> Self {
        self.enter(0, 0)
    }

    pub(super) fn opened(self) -> Self {
        let openings = match self.state() {
            BreakerState::Closed | BreakerState::Isolated => 1,
            BreakerState::Open => self.openings(),
            BreakerState::HalfOpen => (self.openings() + 1).min(OPENINGS.max()),
        };
        self.enter(1, openings)
    }

    /// Half open, with the first probe on its way.
    pub(super) const fn half_opened(self) -> Self {
        self.enter(2, self.openings()).probe_out()
    }

    pub(super) const fn isolated(self) -> Self {
        self.enter(3, 0)
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
            _ => BreakerState::Isolated,
        }
    }

    pub(super) const fn generation(self) -> u64 {
        GENERATION.get(self.0)
    }

    /// Is `other` of the same state and generation?
    pub(super) const fn is_same_period(self, other: Self) -> bool {
        (self.0 ^ other.0) >> GENERATION_SHIFT == 0
    }

    /// State and generation alone: equal to the word of a breaker that has
    /// just closed and seen no failure since.
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

    pub(super) const fn probes_out(self) -> u32 {
        OUT.get(self.0) as u32
    }

    pub(super) const fn probe_out(self) -> Self {
        Self(OUT.add(self.0, 1))
    }

    /// All probes that are out are given up for lost, and a new one is sent.
    pub(super) const fn next_batch(self) -> Self {
        Self(BATCH.add(OUT.set(self.0, 0), 1)).probe_out()
    }

    /// A probe of this period came back: its permit is free again, unless it
    /// had been given up for lost.
    pub(super) const fn probe_back(self, probe: Self) -> Self {
        if BATCH.get(self.0) == BATCH.get(probe.0) { Self(OUT.take_one(self.0)) } else { self }
    }

    pub(super) const fn successes(self) -> u32 {
        SUCCESSES.get(self.0) as u32
    }

    pub(super) const fn with_success(self) -> Self {
        Self(SUCCESSES.add(self.0, 1))
    }
}
