//! Tasks: sessions that are stored and outlive the process (D2).
//!
//! [`Task`] is a task to submit, [`StoredTask`] a stored one.

pub(crate) mod decode_error;
mod draft;
pub(crate) mod filter;
pub(crate) mod id;
mod limits;
pub(crate) mod policy_snapshot;
pub(crate) mod status;
mod stored;

pub use draft::{Task, When};
pub use id::TaskId;
pub use limits::{MAX_NAME, MAX_PAYLOAD};
pub use status::{Event, Status};
pub use stored::{FaultRecord, HeldLease, LastError, StoredTask};

pub(crate) use draft::{Before, Draft, Wanted};
pub use limits::{document, name};
pub(crate) use limits::{has_nul, optional_names};
