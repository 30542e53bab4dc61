//! Task ids derived from the run id, which is that of a file submission over all resumed runs.
//!
//! A killed run does not know whether its last batch was stored, and must send it again. A store
//! accepts a task id once, so a line must have the same id in every run: it is derived from the
//! run's id and the task's number, without asking the store. The number precedes the random bits,
//! so that ids ascend with the lines, which suits the index.

use steadfast_store::TaskId;
use uuid::Uuid;

/// Bit positions of the 32-bit task number: 12 bits follow the time and version, 20 bits the
/// variant, and 42 random bits remain.
const NUMBER_HIGH_SHIFT: u32 = 64;
const NUMBER_LOW_SHIFT: u32 = 42;

/// The id of the task with this number, from 0; `None` beyond four billion.
pub(super) fn task(run: Uuid, number: u64) -> Option<TaskId> {
    let number = u128::from(u32::try_from(number).ok()?);
    let (high, low) = (number >> 20, number & 0xf_ffff);
    let mask = (0xfff << NUMBER_HIGH_SHIFT) | (0xf_ffff << NUMBER_LOW_SHIFT);
    let bits = run.as_u128() & !mask;
    Some(Uuid::from_u128(bits | (high << NUMBER_HIGH_SHIFT) | (low << NUMBER_LOW_SHIFT)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D2: UUID version 7 ids, the same for the same line of the same run and for no other.
    #[test]
    fn task_id_is_unique_and_stable_per_run() {
        let run = Uuid::now_v7();
        let numbers = [0, 1, 4095, 1_000_000, 1 << 20, (1 << 20) + 1, u64::from(u32::MAX)];
        let ids: Vec<TaskId> = numbers.map(|number| task(run, number).unwrap()).to_vec();
        assert!(ids.is_sorted() && ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
        for (number, id) in numbers.into_iter().zip(&ids) {
            assert_eq!(task(run, number), Some(*id));
            assert_ne!(task(Uuid::now_v7(), number), Some(*id));
            let uuid = Uuid::try_parse(&id.to_string()).unwrap();
            assert_eq!(uuid.get_version_num(), 7);
            assert_eq!(uuid.get_variant(), uuid::Variant::RFC4122);
        }
        assert_eq!(task(run, 1 << 32), None);
    }
}
