//! Where a page of tasks ended, as a text that comes back.
//!
//! It names the order that it is a place in, so that the cursor of one list is refused by
//! another instead of silently starting somewhere.

use std::str::FromStr;

use crate::error::Invalid;
use crate::query::Cursor;
use crate::task::TaskId;

/// A place in a list of tasks: what the list is ordered by, and the task. Lists without such
/// an order have zeroes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) first: i64,
    pub(super) second: i64,
    pub(super) id: TaskId,
}

impl Place {
    pub(super) fn cursor(&self, order: &str) -> Cursor {
        Cursor(format!("{order}:{}:{}:{}", self.first, self.second, self.id))
    }

    /// The place that a page of this order goes on behind.
    pub(super) fn read(cursor: &Cursor, order: &str) -> Result<Self, Invalid> {
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
    Invalid::new("cursor", problem)
}
