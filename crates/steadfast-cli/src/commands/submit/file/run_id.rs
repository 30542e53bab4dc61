//! The ids of a run's tasks.
//!
//! A run that was killed does not know whether its last words were heard, and must say them
//! again. A store takes a task once for each id, so the same line must have the same id in
//! every run: it is made of the run's own id and the number of the task, and no store has to be
//! asked for anything. The number stands in front of the chance, so that ids ascend with the
//! lines, as an index likes it.

use steadfast_store::TaskId;
use uuid::Uuid;

/// One bulk submission, from its first start to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunId(Uuid);

/// The first and the last of the 32 bits that are a task's number: behind the time and the
/// version come 12 of them, behind the variant 20, and 42 bits of chance are left.
const NUMBER_HIGH_SHIFT: u32 = 64;
const NUMBER_LOW_SHIFT: u32 = 42;

impl RunId {
    /// A run that no other is like.
    pub(super) fn fresh() -> Self {
        Self(Uuid::now_v7())
    }

    /// The id of the task of this number, from 0; none for more than four billion.
    pub(super) fn task(self, number: u64) -> Option<TaskId> {
        let number = u128::from(u32::try_from(number).ok()?);
        let (high, low) = (number >> 20, number & 0xf_ffff);
        let places = (0xfff << NUMBER_HIGH_SHIFT) | (0xf_ffff << NUMBER_LOW_SHIFT);
        let bits = self.0.as_u128() & !places;
        Some(Uuid::from_u128(bits | (high << NUMBER_HIGH_SHIFT) | (low << NUMBER_LOW_SHIFT)).into())
    }
}

impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for RunId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        Uuid::try_parse(text).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D2: ids of version 7, the same for the same line of the same run, and for no other.
    #[test]
    fn a_line_has_one_id_and_no_other_line_has_it() {
        let run = RunId::fresh();
        let again: RunId = run.to_string().parse().unwrap();
        let numbers = [0, 1, 4095, 1_000_000, 1 << 20, (1 << 20) + 1, u64::from(u32::MAX)];
        let ids: Vec<TaskId> = numbers.map(|number| run.task(number).unwrap()).to_vec();
        assert!(ids.is_sorted() && ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
        for (number, id) in numbers.into_iter().zip(&ids) {
            assert_eq!(again.task(number), Some(*id));
            assert_ne!(RunId::fresh().task(number), Some(*id));
            let uuid = Uuid::try_parse(&id.to_string()).unwrap();
            assert_eq!(uuid.get_version_num(), 7);
            assert_eq!(uuid.get_variant(), uuid::Variant::RFC4122);
        }
        assert_eq!(run.task(1 << 32), None);
    }
}
