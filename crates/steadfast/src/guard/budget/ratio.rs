//! So many retries for each success of the last while.
//!
//! A fixed rate is too much for a quiet service and too little for a busy one;
//! a share of the successes fits both, and shrinks by itself when the
//! successes stop. The window is ten ticks long, and successes and retries
//! both leave it after their tenth.
//!
//! "Are there enough successes for one more retry?" is a sum over the window,
//! and a retry must not be granted on a sum that another thread has just
//! spent. So all retries go through one word, the *ledger*: the tick, and how
//! many retries were granted in it. It only ever grows. A retry sums up the
//! window and then swaps the ledger it started from; if the swap succeeds, no
//! other retry was granted meanwhile, and successes that came in meanwhile only
//! make the sum better. Before the ledger moves to a new tick, what it says of
//! the old one is put on record, by everybody who tries to move it: the record
//! of a tick is complete before any later tick is granted from.
//!
//! Successes are many and a clock is dear, so a success may come undated: it
//! is counted, and gets its date with the next withdrawal or the next fifteen
//! like it, whichever is first.

use std::time::Duration;

use super::rate::Rate;
use crate::Moment;
use crate::guard::sync::{AtomicU64, Ordering};
use crate::time::saturating_nanos;

const SLOTS: usize = if cfg!(loom) { 2 } else { 10 };
const BILLION: u128 = 1_000_000_000;
/// So many successes may wait for their date.
const MAX_UNDATED: u64 = 16;

#[derive(Debug)]
pub(super) struct Ratio {
    /// Retries for each success, in billionths.
    billionths: u128,
    /// Nanoseconds in a tick.
    width: u64,
    earned: Ring,
    /// Successes that have no date yet.
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
    pub(super) fn deposit_undated(&self, now: impl FnOnce() -> Moment) {
        let waiting = self.undated.fetch_add(1, Ordering::AcqRel);
        if waiting >= MAX_UNDATED - 1 {
            self.date(now());
        }
    }

    /// Gives the undated successes this date.
    #[inline(never)]
    fn date(&self, now: Moment) {
        let undated = self.undated.swap(0, Ordering::AcqRel);
        if undated > 0 {
            self.earned.add(undated, self.tick(now));
        }
    }

    pub(super) fn withdraw(&self, now: Moment) -> bool {
        self.date(now);
        self.withdraw_earned(self.tick(now))
            || self.floor.as_ref().is_some_and(|rate| rate.withdraw(now))
    }

    fn withdraw_earned(&self, tick: u64) -> bool {
        let granted = |ledger: u64| {
            let tick = tick.max(self.spent.tick_of(ledger));
            if self.left(ledger, tick) == 0 {
                return None;
            }
            self.spent.more(ledger, 1, tick)
        };
        self.ledger.fetch_update(Ordering::AcqRel, Ordering::Acquire, granted).is_ok()
    }

    /// The retries that are earned and not spent, when the ledger says this.
    fn left(&self, ledger: u64, tick: u64) -> u64 {
        self.spent.raise(ledger);
        let earned = u128::from(self.earned.sum(tick)) * self.billionths / BILLION;
        let earned = u64::try_from(earned).unwrap_or(u64::MAX);
        earned.saturating_sub(self.spent.sum(tick))
    }

    /// Nothing was ever drawn.
    pub(super) fn is_as_new(&self) -> bool {
        self.ledger.load(Ordering::Acquire) == 0 && self.floor.as_ref().is_none_or(Rate::is_as_new)
    }

    pub(super) fn balance(&self, now: Moment) -> u64 {
        self.date(now);
        let ledger = self.ledger.load(Ordering::Acquire);
        let tick = self.tick(now).max(self.spent.tick_of(ledger));
        let floor = self.floor.as_ref().map_or(0, |rate| rate.balance(now));
        self.left(ledger, tick).saturating_add(floor)
    }

    fn tick(&self, now: Moment) -> u64 {
        now.as_nanos() / self.width
    }
}

/// Counts of the last ticks, each one word: the tick above, the count below.
///
/// A tick of *w* nanoseconds leaves log₂ *w* bits to the count, so there is
/// room for one event in every two nanoseconds, however long the window is.
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

    /// `word`, so many higher, or the first of this tick if `word` is of an earlier
    /// one. Nothing if it is of a later one or has no more room.
    fn more(&self, word: u64, count: u64, tick: u64) -> Option<u64> {
        let more = word.max(tick << self.bits).checked_add(count)?;
        (self.tick_of(more) == tick).then_some(more)
    }

    fn add(&self, count: u64, tick: u64) {
        if let Some(word) = self.word_of(tick) {
            let more = |word| self.more(word, count, tick);
            let _ = word.fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        }
    }

    /// Puts at least `word` on record for its tick.
    fn raise(&self, word: u64) {
        if let Some(record) = self.word_of(self.tick_of(word)) {
            record.fetch_max(word, Ordering::AcqRel);
        }
    }

    /// All counts of `tick` and the ticks of the window before it.
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
