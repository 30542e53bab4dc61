//! Where a page of tasks ended, as a text that comes back.
//!
//! It names the order that it is a place in, so that the cursor of one list is refused by
//! another instead of silently starting somewhere.

use std::str::FromStr;

use jiff::Timestamp;

use crate::error::Invalid;
use crate::query::Cursor;
use crate::task::TaskId;

/// A place in a list of tasks: what the list is ordered by, and the task. Lists without such
/// an order have zeroes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) first: i64,
    pub(crate) second: i64,
    pub(crate) id: TaskId,
}

impl Place {
    /// The order of tasks by their ends.
    pub(crate) const ENDED: &'static str = "ended";

    /// The place of a task that ended then.
    pub(crate) fn ended(at: Timestamp, id: TaskId) -> Self {
        Self { first: at.as_microsecond(), second: 0, id }
    }

    pub(crate) fn cursor(&self, order: &str) -> Cursor {
        Cursor(format!("{order}:{}:{}:{}", self.first, self.second, self.id))
    }

    /// The place that a page of this order goes on behind.
    pub(crate) fn read(cursor: &Cursor, order: &str) -> Result<Self, Invalid> {
        let mut parts = cursor.0.split(':');
        let is_of_order = parts.next() == Some(order);
        let place = (part(&mut parts), part(&mut parts), part(&mut parts), parts.next());
        match place {
            (Some(first), Some(second), Some(id), None) if is_of_order => {
                Ok(Self { first, second, id })
            }
            _ => Err(foreign(cursor)),
        }
    }
}

fn part<'c, T: FromStr>(parts: &mut impl Iterator<Item = &'c str>) -> Option<T> {
    parts.next()?.parse().ok()
}

fn foreign(cursor: &Cursor) -> Invalid {
    let problem = format!("`{}` is not one of this list; begin without one", cursor.0);
    Invalid::new("after", problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H1: a cursor leads back to its place, and only in its own list.
    #[test]
    fn a_cursor_is_read_by_the_list_that_wrote_it() {
        let place = Place { first: -7, second: i64::MAX, id: TaskId::fresh() };
        let cursor = place.cursor("line");
        assert_eq!(Place::read(&cursor, "line"), Ok(place));
        assert!(Place::read(&cursor, "due").is_err());
    }

    /// K4: everything else is told to be foreign, with what to do.
    #[test]
    fn a_cursor_that_makes_no_sense_is_refused() {
        let id = TaskId::fresh();
        let texts = ["", ":", "line", "line:1:2", "line:1:2:3", "line:1:2:", "line:x:2:3"];
        let long = [format!("line:1:2:{id}:"), format!("line:99999999999999999999:2:{id}")];
        for text in texts.map(str::to_owned).into_iter().chain(long) {
            let refused = Place::read(&Cursor(text.clone()), "line").unwrap_err();
            assert_eq!(refused.field(), "after");
            assert!(refused.to_string().contains("begin without one"), "{refused}");
        }
    }
}
