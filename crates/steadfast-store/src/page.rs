//! Where a page of tasks ended, as a text that comes back.
//!
//! It names the order that it is a place in, so that the cursor of one list is refused by
//! another instead of silently starting somewhere.

use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::Invalid;
use crate::task::TaskId;

/// How much of a list, and from where on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// At most so many.
    pub limit: u32,
    /// What the page before ended with.
    pub after: Option<Cursor>,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { limit: 50, after: None }
    }
}

impl PageRequest {
    /// Where to go on, in a list of numbered things.
    pub(crate) fn number(&self) -> Result<Option<i64>, Invalid> {
        let foreign = |_| Invalid::new("after", "not one of this list; start again without it");
        self.after.as_ref().map(|cursor| cursor.0.parse().map_err(foreign)).transpose()
    }

    /// A page of numbered things, of which one more was read than is shown.
    pub(crate) fn cut<T>(&self, mut items: Vec<T>, number: impl Fn(&T) -> Option<i64>) -> Page<T> {
        let is_more = items.len() > self.limit as usize;
        items.truncate(self.limit as usize);
        let last = items.last().filter(|_| is_more).and_then(number);
        Page { items, next: last.map(|number| Cursor(number.to_string())) }
    }
}

/// Where a page ended. Meant for the store that made it, and for nobody to look into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(pub String);

impl Cursor {
    /// Where a [list by ends](crate::Store::latest_ended) goes on with what ended no later than this.
    #[must_use]
    pub fn ended_by(time: Timestamp) -> Self {
        Place::ended(time, Uuid::max().into()).cursor(Place::ENDED)
    }
}

/// A part of a list. It may be shorter than was asked for, even empty, and more may follow all the
/// same: `next` says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Page<T> {
    /// The part.
    pub items: Vec<T>,
    /// Where to go on, if there is more.
    pub next: Option<Cursor>,
}

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

    /// H1: one more than is shown says that there is more, and where.
    #[test]
    fn a_page_is_cut_where_it_is_full() {
        let request = PageRequest { limit: 2, after: None };
        let page = request.cut(vec![9, 8, 7], |number| Some(*number));
        assert_eq!((page.items, page.next), (vec![9, 8], Some(Cursor("8".to_owned()))));
        let page = request.cut(vec![9, 8], |number| Some(*number));
        assert_eq!((page.items, page.next), (vec![9, 8], None));
    }

    /// H1: a number is a place in a numbered list, and nothing else is.
    #[test]
    fn a_cursor_of_a_numbered_list_is_a_number() {
        let after = |text: &str| PageRequest { limit: 1, after: Some(Cursor(text.to_owned())) };
        assert_eq!(PageRequest::default().number(), Ok(None));
        assert_eq!(after("12").number(), Ok(Some(12)));
        assert_eq!(after("line:1").number().unwrap_err().field(), "after");
    }
}
