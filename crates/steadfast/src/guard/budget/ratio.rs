//! A budget of retries per recent success.
//!
//! A fixed rate is too much for a quiet service and too little for a busy one; a share of the
//! successes fits both, and shrinks when the successes stop. The window is ten ticks long; successes
//! and retries both leave it ten ticks later.
//!
//! Whether there are enough successes for one more retry is a sum over the window, and two threads
//! must not withdraw on the same sum. So all withdrawals go through one word, the *ledger*: the tick
//! and the number of withdrawals in it, which only ever grows. A withdrawal sums the window and then
//! swaps the ledger value that it started from; if the swap succeeds, there was no other withdrawal
//! in between, and deposits in between only raise the sum. Before the ledger moves to a new tick,
//! every thread that tries to move it records the count of the old tick in the ring, so the count of
//! a tick is complete before any withdrawal in a later tick.
//!
//! Successes are frequent and reading a clock is expensive, so a success may be deposited without a
//! time: it is counted, and dated with the next withdrawal or the sixteenth such success, whichever
//! comes first.

use std::time::Duration;

use super::rate::Rate;
use crate::Moment;
use crate::guard::sync::{AtomicU64, Ordering};
use crate::time::saturating_nanos;

const SLOTS: usize = if cfg!(loom) { 2 } else { 10 };
const BILLION: u128 = 1_000_000_000;
const MAX_UNDATED: u64 = 16;

#[derive(Debug)]
pub(super) struct Ratio {
    /// Retries per success, in billionths.
    billionths: u128,
    /// The length of a tick in nanoseconds.
    width: u64,
    earned: Ring,
    /// Successes without a time.
    undated: AtomicU64,
    spent: Ring,
    ledger: AtomicU64,
    floor: Option<Rate>,
}

impl Ratio {
    pub(super) fn new(ratio: f64, min_per_second: f64, window: Duration) -> Self {
        let width = (saturating_nanos(window) / SLOTS as u64).max(1);
        let bits = width.ilog2();
        Self {
            billionths: (ratio * 1e9).round() as u128,
            width,
            earned: Ring::new(bits),
            undated: AtomicU64::new(0),
            spent: Ring::new(bits),
            ledger: AtomicU64::new(0),
            floor: (min_per_second > 0.0).then(|| Rate::new(min_per_second)),
        }
    }

    pub(super) fn deposit(&self, now: Moment) {
        self.earned.add(1, self.tick(now));
    }

    #[inline]
    pub(super) fn deposit_lazily(&self, now: impl FnOnce() -> Moment) {
        let undated = self.undated.fetch_add(1, Ordering::AcqRel);
        if undated >= MAX_UNDATED - 1 {
            self.date_deposits(now());
        }
    }

    /// Dates the undated successes with `now`.
    #[inline(never)]
    fn date_deposits(&self, now: Moment) {
        let undated = self.undated.swap(0, Ordering::AcqRel);
        if undated > 0 {
            self.earned.add(undated, self.tick(now));
        }
    }

    pub(super) fn withdraw(&self, now: Moment) -> bool {
        self.date_deposits(now);
        self.withdraw_earned(self.tick(now))
            || self.floor.as_ref().is_some_and(|rate| rate.withdraw(now))
    }

    fn withdraw_earned(&self, tick: u64) -> bool {
        let granted = |ledger: u64| {
            let tick = tick.max(self.spent.tick_of(ledger));
            if self.remaining(ledger, tick) == 0 {
                return None;
            }
            self.spent.add_to(ledger, 1, tick)
        };
        self.ledger.fetch_update(Ordering::AcqRel, Ordering::Acquire, granted).is_ok()
    }

    /// The retries that are earned and not spent, for this value of the ledger.
    fn remaining(&self, ledger: u64, tick: u64) -> u64 {
        self.spent.raise(ledger);
        let earned = u128::from(self.earned.sum(tick)) * self.billionths / BILLION;
        let earned = u64::try_from(earned).unwrap_or(u64::MAX);
        earned.saturating_sub(self.spent.sum(tick))
    }

    /// Whether nothing was ever withdrawn.
    pub(super) fn is_pristine(&self) -> bool {
        self.ledger.load(Ordering::Acquire) == 0
            && self.floor.as_ref().is_none_or(Rate::is_pristine)
    }

    pub(super) fn balance(&self, now: Moment) -> u64 {
        self.date_deposits(now);
        let ledger = self.ledger.load(Ordering::Acquire);
        let tick = self.tick(now).max(self.spent.tick_of(ledger));
        let floor = self.floor.as_ref().map_or(0, |rate| rate.balance(now));
        self.remaining(ledger, tick).saturating_add(floor)
    }

    fn tick(&self, now: Moment) -> u64 {
        now.as_nanos() / self.width
    }
}

/// The counts of the last ticks, each in one word: the tick in the high bits, the count in the low
/// bits.
///
/// A tick of *w* nanoseconds leaves log₂ *w* bits for the count: enough for one event every two
/// nanoseconds, however long the window is.
#[derive(Debug)]
struct Ring {
    bits: u32,
    words: [AtomicU64; SLOTS],
}

impl Ring {
    fn new(bits: u32) -> Self {
        Self { bits, words: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    fn tick_of(&self, word: u64) -> u64 {
        word >> self.bits
    }

    fn count_of(&self, word: u64) -> u64 {
        word & ((1 << self.bits) - 1)
    }

    /// `word` plus `count`, restarted if `word` is of an earlier tick. Nothing if it is of a later
    /// tick or the count overflows.
    fn add_to(&self, word: u64, count: u64, tick: u64) -> Option<u64> {
        let sum = word.max(tick << self.bits).checked_add(count)?;
        (self.tick_of(sum) == tick).then_some(sum)
    }

    fn add(&self, count: u64, tick: u64) {
        if let Some(word) = self.word_of(tick) {
            let added = |word| self.add_to(word, count, tick);
            let _ = word.fetch_update(Ordering::AcqRel, Ordering::Acquire, added);
        }
    }

    /// Records at least the count of `word` for its tick.
    fn raise(&self, word: u64) {
        if let Some(record) = self.word_of(self.tick_of(word)) {
            record.fetch_max(word, Ordering::AcqRel);
        }
    }

    /// The sum of the counts of `tick` and of the earlier ticks in the window.
    fn sum(&self, tick: u64) -> u64 {
        let is_within = |word: u64| tick.wrapping_sub(self.tick_of(word)) < SLOTS as u64;
        let words = self.words.iter().map(|word| word.load(Ordering::Acquire));
        words
            .filter(|&word| is_within(word))
            .map(|word| self.count_of(word))
            .fold(0, u64::saturating_add)
    }

    fn word_of(&self, tick: u64) -> Option<&AtomicU64> {
        self.words.get((tick % SLOTS as u64) as usize)
    }
}
