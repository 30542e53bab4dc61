//! The server that is written to: a throwaway one, or the person's own.

use sqlx::{Connection, PgConnection};
use steadfast_testing::postgres::{Cluster, Database, Settings, System};

use crate::Problem;

/// Opposite relations are many here, so nobody should wait a second to be told.
const DEADLOCKS_ARE_SEEN_AFTER: &str = "deadlock_timeout=100ms";

pub(crate) enum Server {
    Throwaway { cluster: Cluster, url: String },
    Yours(Database),
}

impl Server {
    pub(crate) fn start(yours: Option<&str>, extensions: bool) -> Result<Self, Problem> {
        if let Some(url) = yours {
            return Ok(Self::Yours(Database::on(url)?));
        }
        let system = extensions.then(System::with_age_and_pgvector).transpose()?;
        let options = vec![DEADLOCKS_ARE_SEEN_AFTER.to_owned()];
        // As in earnest: what is promised is on the disk, and what is measured waits for it.
        let settings = Settings { durable: true, system, options, ..Settings::default() };
        let cluster = Cluster::start(settings)?;
        let url = cluster.create_database("storage")?;
        Ok(Self::Throwaway { cluster, url })
    }

    pub(crate) fn url(&self) -> &str {
        match self {
            Self::Throwaway { url, .. } => url,
            Self::Yours(database) => database.url(),
        }
    }

    pub(crate) async fn version(&self) -> Result<String, Problem> {
        let mut connection = PgConnection::connect(self.url()).await?;
        Ok(sqlx::query_scalar("SHOW server_version").fetch_one(&mut connection).await?)
    }

    /// Ends every session of the database but the one that does it; says how many.
    pub(crate) async fn terminate_sessions(&self) -> Result<i64, Problem> {
        let mut connection = PgConnection::connect(self.url()).await?;
        let terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        Ok(sqlx::query_scalar(terminate).fetch_one(&mut connection).await?)
    }
}
