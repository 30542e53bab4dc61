//! When the breaker last changed its state.
//!
//! A moment takes 64 bits, and so does the [`Word`](super::packed_state::Word): the two
//! cannot change in one step. So the thread that won the change publishes its
//! moment just after, and each half of it carries the generation it belongs
//! to. A reader takes a moment only if both halves are of the generation it
//! asks about; until they are, the change is happening right now. Nobody waits
//! for anybody.

use crate::Moment;
use crate::guard::sync::{AtomicU64, Ordering};

const HALF: u32 = 32;
const LOW: u64 = (1 << HALF) - 1;
/// Of the word's 24 bits of generation, the half that lies ahead.
const AHEAD: u64 = 1 << 23;
const GENERATIONS: u64 = 1 << 24;

#[derive(Debug)]
pub(super) struct Stamp {
    high: AtomicU64,
    low: AtomicU64,
}

impl Stamp {
    /// Belongs to the generation before the first: nothing is published.
    pub(super) fn unpublished() -> Self {
        let before = (GENERATIONS - 1) << HALF;
        Self { high: AtomicU64::new(before), low: AtomicU64::new(before) }
    }

    /// Only the thread that began `generation` may publish its moment.
    pub(super) fn publish(&self, generation: u64, moment: Moment) {
        let nanos = moment.as_nanos();
        put(&self.high, generation, nanos >> HALF);
        put(&self.low, generation, nanos & LOW);
    }

    pub(super) fn read(&self, generation: u64) -> Option<Moment> {
        let high = get(&self.high, generation)?;
        let low = get(&self.low, generation)?;
        Some(Moment::from_nanos(high << HALF | low))
    }
}

/// A thread that was held up must not write over a later generation.
fn put(cell: &AtomicU64, generation: u64, half: u64) {
    let is_ahead = |tagged: u64| {
        let steps = generation.wrapping_sub(tagged >> HALF) % GENERATIONS;
        steps < AHEAD
    };
    let _ = cell.fetch_update(Ordering::AcqRel, Ordering::Acquire, |tagged| {
        is_ahead(tagged).then_some(generation << HALF | half)
    });
}

fn get(cell: &AtomicU64, generation: u64) -> Option<u64> {
    let tagged = cell.load(Ordering::Acquire);
    (tagged >> HALF == generation).then_some(tagged & LOW)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const EARLY: Moment = Moment::from_nanos(0x1234_5678_9abc_def0);
    const LATE: Moment = Moment::from_nanos(u64::MAX);

    #[test]
    fn nothing_is_published_at_first() {
        assert_eq!(Stamp::unpublished().read(0), None);
    }

    #[test]
    fn a_moment_is_read_back_whole_and_only_by_its_generation() {
        let stamp = Stamp::unpublished();
        stamp.publish(0, EARLY);
        assert_eq!(stamp.read(0), Some(EARLY));
        stamp.publish(1, LATE);
        assert_eq!(stamp.read(1), Some(LATE));
        assert_eq!(stamp.read(0), None);
    }

    #[test]
    fn a_late_publisher_does_not_write_over_a_later_generation() {
        let stamp = Stamp::unpublished();
        stamp.publish(2, LATE);
        stamp.publish(1, EARLY);
        assert_eq!(stamp.read(2), Some(LATE));
    }

    #[test]
    fn generations_go_round() {
        let stamp = Stamp::unpublished();
        for generation in [5, AHEAD + 4, GENERATIONS - 1, 0] {
            stamp.publish(generation, EARLY);
            assert_eq!(stamp.read(generation), Some(EARLY));
        }
    }
}
