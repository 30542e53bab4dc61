//! The database engines, behind one trait per role.
//!
//! Two engines (`sqlite`, `postgres`) implement every role in the file of the same name, and pass
//! one conformance suite. The traits speak of tasks and batches, never of SQL;
//! [`Store`](crate::Store) checks every input before an engine sees it. An engine makes no retry
//! decision: it moves tasks between the states of [`Status`](crate::Status), and rejects writes
//! under a stale lease.
//!
//! A [`Store`](crate::Store) holds its roles separately ([`Roles`]), so that a test can replace
//! one of them.

mod audit;
pub(crate) mod cache;
mod claim;
mod control;
pub(crate) mod inspect;
mod maintain;
pub(crate) mod postgres;
mod read;
mod records;
mod report;
pub(crate) mod row;
mod settle;
pub(crate) mod sqlite;
mod submit;
mod submit_batcher;
pub(crate) mod time;
mod workflows;

use std::sync::Arc;

pub use audit::Audit;
pub use claim::Claim;
pub use control::Control;
pub use maintain::Maintain;
pub use read::Read;
pub use records::Records;
pub use report::Report;
pub use settle::Settle;
pub use submit::{Connection, Submit, Submitted};
pub use workflows::Workflows;

use crate::events::notifier::Notifier;

/// A database that stores tasks.
pub trait Engine:
    Submit + Claim + Settle + Read + Control + Maintain + Report + Records + Audit + Workflows
{
    /// The source of wake-ups.
    fn notifier(&self) -> &Notifier;
}

/// The roles of an engine, each of which can be replaced.
///
/// ```
/// use std::sync::Arc;
/// use steadfast_store::engine::{Engine, Roles};
/// use steadfast_store::{Sqlite, Store};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), steadfast_store::StoreError> {
/// let engine: Arc<dyn Engine> = Arc::new(Sqlite::open("sqlite::memory:").await?);
/// let claims_elsewhere = Arc::new(Sqlite::open("sqlite::memory:").await?);
/// let roles = Roles { claim: claims_elsewhere, ..Roles::from(engine) };
/// let store = Store::with_roles(roles);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Roles {
    /// Writes new tasks.
    pub submit: Arc<dyn Submit>,
    /// Claims due tasks and extends leases.
    pub claim: Arc<dyn Claim>,
    /// Writes the outcomes of attempts.
    pub settle: Arc<dyn Settle>,
    /// Reads tasks, queues and counts.
    pub read: Arc<dyn Read>,
    /// Carries out operator actions.
    pub control: Arc<dyn Control>,
    /// Does the periodic maintenance.
    pub maintain: Arc<dyn Maintain>,
    /// Stores the reports of instances.
    pub report: Arc<dyn Report>,
    /// Stores records of sessions and events.
    pub records: Arc<dyn Records>,
    /// Stores the audit log.
    pub audit: Arc<dyn Audit>,
    /// Stores workflows and their executions.
    pub workflows: Arc<dyn Workflows>,
    /// The source of wake-ups.
    pub notifier: Notifier,
}

impl From<Arc<dyn Engine>> for Roles {
    fn from(engine: Arc<dyn Engine>) -> Self {
        Self {
            submit: engine.clone(),
            claim: engine.clone(),
            settle: engine.clone(),
            read: engine.clone(),
            control: engine.clone(),
            maintain: engine.clone(),
            report: engine.clone(),
            records: engine.clone(),
            audit: engine.clone(),
            workflows: engine.clone(),
            notifier: engine.notifier().clone(),
        }
    }
}
