//! The database of both storages: its pool, schema and tables.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection};
use steadfast::observe::{Memory, Recorder};
use steadfast::retry;

use crate::{Form, GraphStorage, StorageError, VectorStorage, ledger};

/// The pool's timeout for a connection. The default of half a minute is long for one attempt: longer
/// outages are left to the policy.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);

const CONNECTIONS: u32 = 16;

/// A database with the tables of both storages.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) pool: PgPool,
    pub(crate) form: &'static Form,
    writes: ledger::Writes,
    records: Option<Arc<Memory>>,
}

impl Database {
    /// Connects, detects the server's extensions, and creates missing tables.
    ///
    /// # Errors
    /// The error of the last attempt.
    #[retry(policy = "sql", name = "database.open")]
    pub async fn open(url: &str) -> Result<Self, StorageError> {
        let options: PgConnectOptions = url.parse()?;
        let options = options.disable_statement_logging();
        let mut connection = options.connect().await?;
        let form = Form::of(&mut connection).await?;
        connection.close().await?;

        let options = options.options(form.settings.iter().copied());
        let mut connection = options.connect().await?;
        form.prepare(&mut connection).await?;
        connection.close().await?;

        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect_lazy_with(options);
        ledger::prune(&pool).await?;
        Ok(Self { pool, form, writes: ledger::Writes::default(), records: None })
    }

    /// Records every call in memory, attempt by attempt. A long-running program would export the
    /// records instead.
    #[must_use]
    pub fn recorded(mut self, records: &Arc<Memory>) -> Self {
        self.records = Some(Arc::clone(records));
        self
    }

    /// The recorder of one call, if calls are recorded.
    pub(crate) fn recorder(&self) -> Option<Recorder<Arc<Memory>>> {
        self.records.clone().map(Recorder::new)
    }

    /// Counts a write.
    pub(crate) async fn wrote(&self) {
        self.writes.add(&self.pool).await;
    }

    /// The form of its tables.
    #[must_use]
    pub fn form(&self) -> &'static Form {
        self.form
    }

    /// The graph in it.
    #[must_use]
    pub fn graph(&self) -> GraphStorage {
        GraphStorage(self.clone())
    }

    /// The vectors in it.
    #[must_use]
    pub fn vectors(&self) -> VectorStorage {
        VectorStorage(self.clone())
    }
}
