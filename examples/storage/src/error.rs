//! The errors of the storages, with their facts.
//!
//! The database's errors tell their own facts: SQLSTATE, reset, refused. An argument that is
//! wrong stays wrong, so it says that it is one.

use steadfast::{Fault, GaveUp};

/// Why a storage could not do what it was asked for.
#[derive(Debug, thiserror::Error, Fault)]
pub enum StorageError {
    /// The database said so, or was not there to say anything.
    #[error(transparent)]
    #[fault(transparent)]
    Database(#[from] sqlx::Error),
    /// A relation needs both its ends.
    #[error("project {project} has no entity {name}: upsert it before its relations")]
    #[fault(kind = "argument")]
    NoSuchEntity {
        /// The project that was asked.
        project: String,
        /// The entity that it has not.
        name: String,
    },
    /// Retrying ended without an error of the database, as after a timeout.
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}
