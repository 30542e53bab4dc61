//! The audit writer (K3): records actions and reads, aggregates frequent ones, and writes them to the
//! store in batches.

mod aggregate;
mod read_dedup;
mod token_bucket;
mod writer;

pub(crate) use writer::AuditWriter;
