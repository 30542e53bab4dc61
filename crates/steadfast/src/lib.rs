//! Steadfast.

pub mod decide;
pub mod drive;
pub mod duration;
#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod expanded;
pub mod fault;
pub mod guard;
pub mod judge;
pub mod observe;
pub mod policy;
mod text;
mod time;

pub use decide::Reason;
pub use drive::{
    Attempt, CancelHandle, Effect, GaveUp, Instrument, Key, Report, Retry, RetryError, retry,
};
pub use fault::{Failure, Fault, GrpcCode, Hint, Kind, SqlState, extract};
pub use judge::Class;
pub use policy::{Jitter, Policy};
#[cfg(feature = "macros")]
pub use steadfast_macros::{Fault, retry};
pub use time::Moment;
