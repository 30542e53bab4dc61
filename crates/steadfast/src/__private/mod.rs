//! Support code for macro output and for this project's own crates. Public because both are outside of
//! this crate; not a stable API.

#[cfg(feature = "macros")]
mod facts;
#[cfg(all(feature = "file", feature = "macros"))]
mod named;
#[cfg(feature = "serde")]
mod object;
#[cfg(feature = "openapi")]
pub mod openapi;
#[cfg(feature = "serde")]
pub mod serde_integer;
#[cfg(feature = "macros")]
mod session;

#[cfg(feature = "macros")]
pub use crate::borrow_slot::BorrowSlot;
#[cfg(feature = "macros")]
pub use facts::{AsCause, AsHint, IsError, IsNoError, MaybeError};
#[cfg(all(feature = "file", feature = "macros"))]
pub use named::NamedPolicy;
#[cfg(feature = "macros")]
pub use session::{CloneForAttempt, FromGaveUp, call};

#[cfg(feature = "openapi")]
pub use crate::__openapi_schemas as openapi_schemas;
#[cfg(feature = "serde")]
pub use crate::__read_from_objects as read_from_objects;
#[cfg(feature = "file")]
pub use crate::file::problem::{Findings, excerpt};
#[cfg(feature = "serde")]
pub use crate::nearest::nearest;
#[cfg(feature = "file")]
pub use crate::registry::file_watcher::{AfterChange, FileWatcher};
#[cfg(feature = "serde")]
pub use object::Object;

/// The tree of a file in any of the formats.
#[cfg(feature = "file")]
pub mod tree {
    pub use crate::file::tree::{Content, Entry, Node, Span, check_size, parse};
}
