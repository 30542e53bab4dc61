//! What the code that the macros write leans on. It is public because that code stands in
//! other crates, and hidden because nobody should write it by hand.

mod facts;
mod session;

pub use crate::lent::{Lent, Loan};
pub use facts::{AsCause, AsHint};
pub use session::{Again, FromGaveUp, call, future};
