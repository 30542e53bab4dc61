//! The database of both storages: its pool, schema and tables.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection};
use steadfast::observe::{Memory, Recorder};
use steadfast::retry;

use crate::{Form, GraphStorage, StorageError, VectorStorage, ledger};

/// The pool tries to connect for as long as this by itself, half a minute unless it is told.
/// That is long for one attempt: a server that is away for longer is the policy's matter.
const PATIENCE: Duration = Duration::from_secs(2);

const CONNECTIONS: u32 = 16;

/// A database with everything that the storages need.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) pool: PgPool,
    pub(crate) form: &'static Form,
    writes: ledger::Writes,
    records: Option<Arc<Memory>>,
}

impl Database {
    /// Connects, finds out what the server can, and makes the tables that are missing.
    ///
    /// # Errors
    /// What the last attempt failed with.
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
            .acquire_timeout(PATIENCE)
            .connect_lazy_with(options);
        ledger::prune(&pool).await?;
        Ok(Self { pool, form, writes: ledger::Writes::default(), records: None })
    }

    /// Has what becomes of every call kept here, attempt by attempt. A program that runs for
    /// long would rather hand it on.
    #[must_use]
    pub fn recorded(mut self, records: &Arc<Memory>) -> Self {
        self.records = Some(Arc::clone(records));
        self
    }

    /// What records one call, if anything does.
    pub(crate) fn recorder(&self) -> Option<Recorder<Arc<Memory>>> {
        self.records.clone().map(Recorder::new)
    }

    /// Something was written.
    pub(crate) async fn wrote(&self) {
        self.writes.add(&self.pool).await;
    }

    /// How it keeps things.
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
