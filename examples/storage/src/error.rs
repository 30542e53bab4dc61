//! The errors of the storages, with their facts.
//!
//! The database's errors have their own facts: SQLSTATE, reset, refused. An invalid argument stays
//! invalid, so its kind is `argument`.

use steadfast::{Fault, GaveUp};

/// The error of a storage.
#[derive(Debug, thiserror::Error, Fault)]
pub enum StorageError {
    /// The database failed or was unreachable.
    #[error(transparent)]
    #[fault(transparent)]
    Database(#[from] sqlx::Error),
    /// An entity of a relation does not exist.
    #[error("project {project} has no entity {name}: upsert it before its relations")]
    #[fault(kind = "argument")]
    NoSuchEntity {
        /// The project.
        project: String,
        /// The missing entity.
        name: String,
    },
    /// Retrying ended without an error of the database, as after a timeout.
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}
