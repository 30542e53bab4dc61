//! A graph storage and a vector storage on PostgreSQL that survive its outages.
//!
//! A knowledge graph consists of thousands of small writes, during which the server may restart, a
//! session may be terminated, or another transaction may cause a deadlock. Each method handles that
//! by one attribute; its body contains no retry code.
//!
//! One case needs more than an attribute: when a connection is lost during a commit, the outcome is
//! unknown. So every write stores its session's key, and the ledger ensures that a key writes once.
//!
//! The storages use Apache AGE and pgvector if the server has them, and plain tables otherwise: each
//! is a [`Form`].

mod database;
mod error;
mod form;
mod graph;
mod ledger;
mod model;
mod vector;

pub use database::Database;
pub use error::StorageError;
pub use form::Form;
pub use graph::GraphStorage;
pub use ledger::Written;
pub use model::{Document, Entity, Neighbour, Relation};
pub use vector::VectorStorage;
