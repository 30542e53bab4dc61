//! Support code for macro output. Public because the output is in other crates; not a stable API.

mod facts;
#[cfg(feature = "file")]
mod named;
mod session;

pub use crate::borrow_slot::{BorrowSlot, SlotBorrow};
pub use facts::{AsCause, AsHint};
#[cfg(feature = "file")]
pub use named::NamedPolicy;
pub use session::{CloneForAttempt, FromGaveUp, call, future};
