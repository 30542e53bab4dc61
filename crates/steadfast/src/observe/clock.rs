//! From a session's own clock to the calendar.

use jiff::{SignedDuration, Timestamp};

use crate::Moment;

/// The calendar is read once, at the first moment; from there the session's clock, which
/// never goes back, says how far it has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Calendar {
    begins: Option<Timestamp>,
    origin: Option<(Timestamp, Moment)>,
}

impl Calendar {
    /// One whose first moment is then, instead of now.
    pub(super) const fn beginning(at: Timestamp) -> Self {
        Self { begins: Some(at), origin: None }
    }

    /// When that moment is, to the millisecond.
    pub(super) fn at(&mut self, moment: Moment) -> Timestamp {
        let begins = self.begins;
        let (first, origin) =
            *self.origin.get_or_insert_with(|| (begins.unwrap_or_else(Timestamp::now), moment));
        let passed = SignedDuration::try_from(moment.since(origin)).unwrap_or(SignedDuration::MAX);
        let at = first.checked_add(passed).unwrap_or(Timestamp::MAX);
        Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
    }

    /// When the first moment was, to the millisecond.
    pub(super) fn start(&mut self, otherwise: Moment) -> Timestamp {
        let origin = self.origin.map_or(otherwise, |(_, origin)| origin);
        self.at(origin)
    }
}
