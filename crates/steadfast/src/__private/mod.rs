//! What the code that the macros write leans on. It is public because that code stands in
//! other crates, and hidden because nobody should write it by hand.

mod facts;
#[cfg(feature = "file")]
mod named;
mod session;

pub use crate::borrow_slot::{Lent, Loan};
pub use facts::{AsCause, AsHint};
#[cfg(feature = "file")]
pub use named::NamedPolicy;
pub use session::{Again, FromGaveUp, call, future};
