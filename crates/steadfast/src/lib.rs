//! Steadfast.

pub mod decide;
pub mod drive;
pub mod duration;
pub mod fault;
pub mod guard;
pub mod judge;
pub mod layer;
pub mod observe;
pub mod policy;
mod time;

pub use decide::Reason;
pub use drive::{
    Attempt, CancelHandle, Effect, GaveUp, Instrument, Key, Report, Retry, RetryError, retry,
};
pub use fault::{Failure, Fault, GrpcCode, Hint, Kind, SqlState, extract};
pub use judge::Class;
pub use policy::{Jitter, Policy};
pub use time::Moment;
