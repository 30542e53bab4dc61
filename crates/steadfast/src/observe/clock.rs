//! Conversion from a session's monotonic clock to timestamps.

use jiff::{SignedDuration, Timestamp};

use crate::Moment;

/// The wall clock is read once, at the first moment; later times are relative to it, by the
/// session's monotonic clock.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Calendar {
    begins: Option<Timestamp>,
    origin: Option<(Timestamp, Moment)>,
}

impl Calendar {
    /// A calendar whose first moment is `at` instead of now.
    pub(super) const fn beginning(at: Timestamp) -> Self {
        Self { begins: Some(at), origin: None }
    }

    /// The timestamp of a moment, in milliseconds.
    pub(super) fn at(&mut self, moment: Moment) -> Timestamp {
        let begins = self.begins;
        let (first, origin) =
            *self.origin.get_or_insert_with(|| (begins.unwrap_or_else(Timestamp::now), moment));
        let passed = SignedDuration::try_from(moment.since(origin)).unwrap_or(SignedDuration::MAX);
        let at = first.checked_add(passed).unwrap_or(Timestamp::MAX);
        Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
    }

    /// The timestamp of the first moment, in milliseconds.
    pub(super) fn start(&mut self, otherwise: Moment) -> Timestamp {
        let origin = self.origin.map_or(otherwise, |(_, origin)| origin);
        self.at(origin)
    }
}
