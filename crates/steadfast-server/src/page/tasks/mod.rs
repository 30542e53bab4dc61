//! Tasks: the list of them, one of them, and what can be done to them.

mod filter;
mod list;
mod rows;

pub(super) use list::list;
pub(super) use rows::rows;
