//! The time of a breaker's last transition.
//!
//! A moment takes 64 bits, and so does the [`PackedState`](super::packed_state::PackedState): the
//! two cannot change in one atomic step. So the thread that made the transition publishes its time
//! right after it, in two halves that each carry the generation. A reader uses the time only if
//! both halves have the generation that it looks up; until then the transition is in progress. No
//! thread waits for another.

use crate::Moment;
use crate::guard::sync::{AtomicU64, Ordering};

const HALF_BITS: u32 = 32;
const LOW_MASK: u64 = (1 << HALF_BITS) - 1;
/// Half of the 24-bit range of generations: those that count as later.
const LATER_RANGE: u64 = 1 << 23;
const GENERATIONS: u64 = 1 << 24;

#[derive(Debug)]
pub(super) struct TransitionTime {
    high: AtomicU64,
    low: AtomicU64,
}

impl TransitionTime {
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
    let is_ahead = |tagged: u64| {
        let steps = generation.wrapping_sub(tagged >> HALF_BITS) % GENERATIONS;
        steps < LATER_RANGE
    };
    let _ = cell.fetch_update(Ordering::AcqRel, Ordering::Acquire, |tagged| {
        is_ahead(tagged).then_some(generation << HALF_BITS | half)
    });
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
    fn new_transition_time_is_unpublished() {
        assert_eq!(TransitionTime::unpublished().read(0), None);
    }

    #[test]
    fn time_is_read_only_with_its_generation() {
        let time = TransitionTime::unpublished();
        time.publish(0, EARLY);
        assert_eq!(time.read(0), Some(EARLY));
        time.publish(1, LATE);
        assert_eq!(time.read(1), Some(LATE));
        assert_eq!(time.read(0), None);
    }

    #[test]
    fn late_publish_does_not_overwrite_later_generation() {
        let time = TransitionTime::unpublished();
        time.publish(2, LATE);
        time.publish(1, EARLY);
        assert_eq!(time.read(2), Some(LATE));
    }

    #[test]
    fn generations_wrap_around() {
        let time = TransitionTime::unpublished();
        for generation in [5, LATER_RANGE + 4, GENERATIONS - 1, 0] {
            time.publish(generation, EARLY);
            assert_eq!(time.read(generation), Some(EARLY));
        }
    }
}
