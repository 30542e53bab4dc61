//! A graph storage and a vector storage on PostgreSQL that survive its outages.
//!
//! Whoever keeps a knowledge graph writes thousands of small rows while somebody restarts the
//! server, cuts a session, or takes the same locks in another order. Here each method says in
//! one attribute what it does about that. The bodies know nothing of it.
//!
//! One thing no attribute can do: a connection that dies while the server commits leaves open
//! whether it did. So every write takes its session's key along, and the ledger sees to it
//! that a key writes once.
//!
//! The storages use Apache AGE and pgvector where the server has them and plain tables where
//! it has not: a [`Form`] each.

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
