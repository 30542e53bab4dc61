//! The sliding window of a closed breaker: the last calls, by number or by time.
//!
//! The window is a ring of slots. A slot covers one tick: one call (or a thousandth of the window if
//! it is longer than a thousand calls), or a tenth of the time. Each count in a slot carries its
//! generation and tick, so nothing has to be cleared: a count of another tick is not part of the
//! sum, and the first call of a new tick restarts the count. A call of an older generation never
//! changes the counts of a newer one.
//!
//! The sum is not one atomic step. Calls that finish at the same time may or may not be in it, as if
//! they had finished a little earlier or later.

use std::time::Duration;

use crate::Moment;
use crate::guard::sync::{AtomicU64, Ordering};
use crate::time::saturating_nanos;

const TIME_SLOTS: u64 = if cfg!(loom) { 2 } else { 10 };
const MAX_CALL_SLOTS: u64 = 1000;

#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) failed: bool,
    pub(super) slow: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) slow: u64,
}

#[derive(Debug)]
pub(super) struct Window {
    ticking: Ticking,
    slots: Box<[Slot]>,
}

#[derive(Debug)]
enum Ticking {
    Calls { next: AtomicU64, per_slot: u64 },
    Time { width: u64 },
}

#[derive(Debug, Default)]
struct Slot {
    calls: Count,
    failed: Count,
    slow: Count,
}

impl Window {
    pub(super) fn of_calls(calls: u32) -> Self {
        let calls = u64::from(calls).max(1);
        let per_slot = calls.div_ceil(MAX_CALL_SLOTS);
        let next = AtomicU64::new(0);
        Self::new(Ticking::Calls { next, per_slot }, calls.div_ceil(per_slot))
    }

    pub(super) fn of_time(window: Duration) -> Self {
        let width = (saturating_nanos(window) / TIME_SLOTS).max(1);
        Self::new(Ticking::Time { width }, TIME_SLOTS)
    }

    fn new(ticking: Ticking, slots: u64) -> Self {
        let slots = (0..slots).map(|_| Slot::default()).collect();
        Self { ticking, slots }
    }

    pub(super) fn needs_clock(&self) -> bool {
        matches!(self.ticking, Ticking::Time { .. })
    }

    /// Records a call. `false` if the window had `volume` calls already, and the call cannot have
    /// raised a rate unless it counts towards it.
    pub(super) fn record(
        &self,
        generation: u64,
        now: Moment,
        outcome: Outcome,
        volume: u32,
    ) -> bool {
        let (tick, may_raise) = match &self.ticking {
            Ticking::Calls { next, per_slot } => {
                let call = next.fetch_add(1, Ordering::AcqRel);
                // Before this call is counted, which may take the slot of that one.
                let earlier = call.checked_sub(u64::from(volume)).map(|call| call / per_slot);
                let filled = earlier.is_some_and(|tick| self.calls_at(generation, tick) > 0);
                (call / per_slot, !filled)
            }
            // Calls that leave the window raise a rate, too.
            Ticking::Time { width } => (now.as_nanos() / width, true),
        };
        let tag = Tag::new(generation, tick);
        let Some(slot) = self.slot(tick) else {
            return false;
        };
        slot.calls.add(tag);
        if outcome.failed {
            slot.failed.add(tag);
        }
        if outcome.slow {
            slot.slow.add(tag);
        }
        may_raise
    }

    fn slot(&self, tick: u64) -> Option<&Slot> {
        self.slots.get((tick % self.len()) as usize)
    }

    fn calls_at(&self, generation: u64, tick: u64) -> u64 {
        self.slot(tick).map_or(0, |slot| slot.calls.get(Tag::new(generation, tick)))
    }

    pub(super) fn tally(&self, generation: u64, now: Moment) -> Tally {
        let last = match &self.ticking {
            Ticking::Calls { next, per_slot } => {
                next.load(Ordering::Acquire).saturating_sub(1) / per_slot
            }
            Ticking::Time { width } => now.as_nanos() / width,
        };
        let oldest = last.saturating_sub(self.len() - 1);
        let ring = self.slots.iter().cycle();
        let from = (oldest % self.len()) as usize;
        let mut tally = Tally::default();
        for (tick, slot) in (oldest..=last).zip(ring.skip(from)) {
            let tag = Tag::new(generation, tick);
            tally.calls += slot.calls.get(tag);
            tally.failed += slot.failed.get(tag);
            tally.slow += slot.slow.get(tag);
        }
        tally
    }

    fn len(&self) -> u64 {
        self.slots.len() as u64
    }
}

const TICK_BITS: u32 = 20;
const COUNT_BITS: u32 = 24;
const COUNT_MAX: u64 = (1 << COUNT_BITS) - 1;
const GENERATIONS: u64 = 1 << 20;

/// Generation (20 bits) and tick (20 bits), truncated: two ticks share a tag only if they are an
/// exact multiple of a million ticks apart.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Tag(u64);

impl Tag {
    fn new(generation: u64, tick: u64) -> Self {
        let ticks = 1 << TICK_BITS;
        Self(((generation % GENERATIONS) << TICK_BITS) | (tick % ticks))
    }

    fn is_older_generation_than(self, other: Self) -> bool {
        let ahead = (other.0 >> TICK_BITS).wrapping_sub(self.0 >> TICK_BITS) % GENERATIONS;
        ahead != 0 && ahead < GENERATIONS / 2
    }
}

/// Tag (40 bits) and count (24 bits).
#[derive(Debug)]
struct Count(AtomicU64);

impl Default for Count {
    fn default() -> Self {
        Self(AtomicU64::new(0))
    }
}

impl Count {
    fn add(&self, tag: Tag) {
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |word| {
            let held = Tag(word >> COUNT_BITS);
            let count = match word & COUNT_MAX {
                0 => 1,
                COUNT_MAX if held == tag => return None,
                count if held == tag => count + 1,
                _ if tag.is_older_generation_than(held) => return None,
                _ => 1,
            };
            Some(tag.0 << COUNT_BITS | count)
        });
    }

    fn get(&self, tag: Tag) -> u64 {
        let word = self.0.load(Ordering::Acquire);
        if Tag(word >> COUNT_BITS) == tag { word & COUNT_MAX } else { 0 }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const SUCCESS: Outcome = Outcome { failed: false, slow: false };
    const FAILURE: Outcome = Outcome { failed: true, slow: true };

    fn at(millis: u64) -> Moment {
        Moment::ORIGIN + Duration::from_millis(millis)
    }

    #[test]
    fn only_the_last_calls_count() {
        let window = Window::of_calls(3);
        for outcome in [FAILURE, FAILURE, SUCCESS, SUCCESS, FAILURE] {
            window.record(0, at(0), outcome, 1);
        }
        let (calls, failed, slow) = (3, 1, 1);
        assert_eq!(window.tally(0, at(0)), Tally { calls, failed, slow });
    }

    #[test]
    fn long_window_of_calls_moves_by_thousandths() {
        let window = Window::of_calls(10_000);
        for _ in 0..10_000 {
            window.record(0, at(0), FAILURE, 1);
        }
        assert_eq!(window.tally(0, at(0)).failed, 10_000);
        for _ in 0..9_990 {
            window.record(0, at(0), SUCCESS, 1);
        }
        assert_eq!(window.tally(0, at(0)).failed, 10);
        window.record(0, at(0), SUCCESS, 1);
        assert_eq!(window.tally(0, at(0)).failed, 0);
    }

    #[test]
    fn only_the_calls_up_to_the_volume_may_raise_a_rate() {
        for (window, volume) in [(5, 5), (5, 3), (4000, 3000)] {
            let recent = Window::of_calls(window);
            let filling = (0..9000).take_while(|_| recent.record(0, at(0), SUCCESS, volume));
            assert_eq!(filling.count() as u32, volume, "{window}");
            assert!(!recent.record(0, at(0), FAILURE, volume));
            assert!(recent.record(1, at(0), SUCCESS, volume), "of another generation");
        }
        let timed = Window::of_time(Duration::from_secs(1));
        assert!((0..9).all(|_| timed.record(0, at(0), SUCCESS, 3)));
    }

    #[test]
    fn calls_expire_from_a_time_window() {
        let window = Window::of_time(Duration::from_secs(1));
        window.record(0, at(0), FAILURE, 1);
        window.record(0, at(950), FAILURE, 1);
        assert_eq!(window.tally(0, at(999)).failed, 2);
        assert_eq!(window.tally(0, at(1000)).failed, 1);
        assert_eq!(window.tally(0, at(1900)).failed, 0);
    }

    #[test]
    fn slot_idle_for_years_counts_again() {
        let window = Window::of_time(Duration::from_millis(10));
        for years in [0, 1, 5, 100, 400] {
            let now = Moment::ORIGIN + Duration::from_secs(years * 31_557_600);
            window.record(0, now, FAILURE, 1);
            assert_eq!(window.tally(0, now).calls, 1, "after {years} years");
        }
    }

    #[test]
    fn generations_are_counted_separately() {
        let window = Window::of_time(Duration::from_secs(1));
        window.record(7, at(0), FAILURE, 1);
        assert_eq!(window.tally(8, at(0)).calls, 0);
        window.record(8, at(0), SUCCESS, 1);
        window.record(7, at(0), FAILURE, 1);
        let after = window.tally(8, at(0));
        assert_eq!((after.calls, after.failed), (1, 0));
        assert_eq!(window.tally(7, at(0)).calls, 0);
    }

    #[test]
    fn generations_wrap_around() {
        let window = Window::of_calls(1);
        for generation in [0, GENERATIONS / 2 - 1, GENERATIONS - 2, GENERATIONS, 1] {
            window.record(generation, at(0), SUCCESS, 1);
            assert_eq!(window.tally(generation, at(0)).calls, 1);
        }
    }
}
