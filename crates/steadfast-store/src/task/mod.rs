//! Tasks: sessions that are stored and outlive the process (D2).
//!
//! [`Task`] is a task to submit, [`StoredTask`] a stored one.

pub(crate) mod decode_error;
mod draft;
pub(crate) mod faults;
pub(crate) mod filter;
mod id;
mod limits;
pub(crate) mod policy_snapshot;
mod status;
mod stored;

pub use draft::{Task, When};
pub use id::TaskId;
pub use limits::{MAX_NAME, MAX_PAYLOAD};
pub use status::{Event, Status};
pub use stored::{FaultRecord, HeldLease, LastError, StoredTask};

pub(crate) use draft::{Before, Draft, Wanted};
pub(crate) use limits::has_nul;
pub use limits::{document, name};
