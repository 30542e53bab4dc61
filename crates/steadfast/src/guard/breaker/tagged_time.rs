//! A moment that belongs to one generation of a breaker: the time of its last transition, or the end
//! of its open time.
//!
//! A moment takes 64 bits, and so does the [`PackedState`](super::packed_state::PackedState): the
//! two cannot change in one atomic step. So the thread that made the transition publishes the moment
//! right after it, in two halves that each carry the generation. A reader uses the moment only if
//! both halves have the generation that it looks up; until then the transition is in progress. No
//! thread waits for another.

use super::packed_state::GENERATIONS;
use crate::Moment;
use crate::guard::sync::{AtomicU64, Ordering};

const HALF_BITS: u32 = 32;
const LOW_MASK: u64 = (1 << HALF_BITS) - 1;
/// Half of the range of generations: those that count as later.
const LATER_RANGE: u64 = GENERATIONS / 2;

#[derive(Debug)]
pub(super) struct TaggedTime {
    high: AtomicU64,
    low: AtomicU64,
}

impl TaggedTime {
    /// A time of the generation before the first: nothing is published.
    pub(super) fn unpublished() -> Self {
        let before = (GENERATIONS - 1) << HALF_BITS;
        Self { high: AtomicU64::new(before), low: AtomicU64::new(before) }
    }

    /// Only the thread that started `generation` may publish its time.
    pub(super) fn publish(&self, generation: u64, moment: Moment) {
        let nanos = moment.as_nanos();
        put(&self.high, generation, nanos >> HALF_BITS);
        put(&self.low, generation, nanos & LOW_MASK);
    }

    pub(super) fn read(&self, generation: u64) -> Option<Moment> {
        let high = get(&self.high, generation)?;
        let low = get(&self.low, generation)?;
        Some(Moment::from_nanos(high << HALF_BITS | low))
    }
}

/// A delayed thread must not overwrite a later generation.
fn put(cell: &AtomicU64, generation: u64, half: u64) {
    let _ = cell.fetch_update(Ordering::AcqRel, Ordering::Acquire, |tagged| {
        is_not_before(generation, tagged >> HALF_BITS).then_some(generation << HALF_BITS | half)
    });
}

/// Whether `generation` is `other` or a later one. Generations wrap around.
pub(super) fn is_not_before(generation: u64, other: u64) -> bool {
    generation.wrapping_sub(other) % GENERATIONS < LATER_RANGE
}

fn get(cell: &AtomicU64, generation: u64) -> Option<u64> {
    let tagged = cell.load(Ordering::Acquire);
    (tagged >> HALF_BITS == generation).then_some(tagged & LOW_MASK)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const EARLY: Moment = Moment::from_nanos(0x1234_5678_9abc_def0);
    const LATE: Moment = Moment::from_nanos(u64::MAX);

    #[test]
    fn new_time_is_unpublished() {
        assert_eq!(TaggedTime::unpublished().read(0), None);
    }

    #[test]
    fn time_is_read_only_with_its_generation() {
        let time = TaggedTime::unpublished();
        time.publish(0, EARLY);
        assert_eq!(time.read(0), Some(EARLY));
        time.publish(1, LATE);
        assert_eq!(time.read(1), Some(LATE));
        assert_eq!(time.read(0), None);
    }

    #[test]
    fn late_publish_does_not_overwrite_later_generation() {
        let time = TaggedTime::unpublished();
        time.publish(2, LATE);
        time.publish(1, EARLY);
        assert_eq!(time.read(2), Some(LATE));
    }

    #[test]
    fn generations_wrap_around() {
        let time = TaggedTime::unpublished();
        for generation in [5, LATER_RANGE + 4, GENERATIONS - 1, 0] {
            time.publish(generation, EARLY);
            assert_eq!(time.read(generation), Some(EARLY));
        }
    }
}
