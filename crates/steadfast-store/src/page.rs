//! Pagination: page requests, pages and cursors.
//!
//! A cursor names the order of its list, so that another list rejects it instead of starting at a
//! wrong position.

use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::InputError;
use crate::task::TaskId;

/// A request for one page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// The maximum number of items.
    pub limit: u32,
    /// The cursor of the previous page.
    pub after: Option<Cursor>,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { limit: 50, after: None }
    }
}

impl PageRequest {
    /// The cursor of a list whose items have numbers or ids.
    pub(crate) fn parsed<T: FromStr>(&self) -> Result<Option<T>, InputError> {
        let parse = |cursor: &Cursor| cursor.0.parse().map_err(|_| not_a_cursor());
        self.after.as_ref().map(parse).transpose()
    }

    /// A page of a list whose items have numbers or ids, from one item more than the limit.
    pub(crate) fn of<T, K: ToString>(
        &self,
        mut items: Vec<T>,
        key: impl Fn(&T) -> Option<K>,
    ) -> Page<T> {
        let is_more = items.len() > self.limit as usize;
        items.truncate(self.limit as usize);
        let last = items.last().filter(|_| is_more).and_then(key);
        Page { items, next: last.map(|key| Cursor(key.to_string())) }
    }
}

/// The opaque end of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Cursor(pub String);

impl Cursor {
    /// A cursor for [`latest_ended`](crate::Store::latest_ended) that starts at this time.
    #[must_use]
    pub fn ended_by(time: Timestamp) -> Self {
        SortKey::ended(time, Uuid::max().into()).cursor(SortKey::ENDED)
    }
}

/// A page of a list. It may be shorter than the limit, even empty, although more follows: `next`
/// decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// The cursor of the next page; `null` on the last page.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// The same page of other items.
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(convert).collect(), next: self.next }
    }
}

/// The sort key of a task in a list: the two numbers that the list is ordered by, or zeroes, and the
/// id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SortKey {
    pub(crate) first: i64,
    pub(crate) second: i64,
    pub(crate) id: TaskId,
}

impl SortKey {
    /// The order by end time.
    pub(crate) const ENDED: &'static str = "ended";

    /// The key of a task that ended at this time.
    pub(crate) fn ended(at: Timestamp, id: TaskId) -> Self {
        Self { first: at.as_microsecond(), second: 0, id }
    }

    pub(crate) fn cursor(&self, order: &str) -> Cursor {
        Cursor(format!("{order}:{}:{}:{}", self.first, self.second, self.id))
    }

    /// The key in a cursor of this order.
    pub(crate) fn read(cursor: &Cursor, order: &str) -> Result<Self, InputError> {
        let mut parts = cursor.0.split(':');
        let is_of_order = parts.next() == Some(order);
        let key = (part(&mut parts), part(&mut parts), part(&mut parts), parts.next());
        match key {
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

pub(crate) fn not_a_cursor() -> InputError {
    InputError::new("after", "not a valid cursor for this list; omit it to start at the first page")
}

fn foreign(cursor: &Cursor) -> InputError {
    let problem = format!(
        "`{}` is not a valid cursor for this list; omit it to start at the first page",
        cursor.0
    );
    InputError::new("after", problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H1: a cursor is valid only in its own list.
    #[test]
    fn cursor_is_read_by_its_own_list_only() {
        let key = SortKey { first: -7, second: i64::MAX, id: TaskId::fresh() };
        let cursor = key.cursor("line");
        assert_eq!(SortKey::read(&cursor, "line"), Ok(key));
        assert!(SortKey::read(&cursor, "due").is_err());
    }

    /// K4: an invalid cursor is rejected with what to do.
    #[test]
    fn invalid_cursor_is_rejected() {
        let id = TaskId::fresh();
        let texts = ["", ":", "line", "line:1:2", "line:1:2:3", "line:1:2:", "line:x:2:3"];
        let long = [format!("line:1:2:{id}:"), format!("line:99999999999999999999:2:{id}")];
        for text in texts.map(str::to_owned).into_iter().chain(long) {
            let error = SortKey::read(&Cursor(text.clone()), "line").unwrap_err();
            assert_eq!(error.field(), "after");
            assert!(error.to_string().contains("start at the first page"), "{error}");
        }
    }

    /// H1: an extra item makes a cursor of the last one shown.
    #[test]
    fn full_page_has_a_cursor() {
        let request = PageRequest { limit: 2, after: None };
        let page = request.of(vec![9, 8, 7], |number| Some(*number));
        assert_eq!((page.items, page.next), (vec![9, 8], Some(Cursor("8".to_owned()))));
        let page = request.of(vec![9, 8], |number| Some(*number));
        assert_eq!((page.items, page.next), (vec![9, 8], None));
    }

    /// H1: the cursor of a numbered list is a number.
    #[test]
    fn cursor_of_a_numbered_list_is_a_number() {
        let after = |text: &str| PageRequest { limit: 1, after: Some(Cursor(text.to_owned())) };
        assert_eq!(PageRequest::default().parsed::<i64>(), Ok(None));
        assert_eq!(after("12").parsed(), Ok(Some(12)));
        assert_eq!(after("line:1").parsed::<i64>().unwrap_err().field(), "after");
    }
}
