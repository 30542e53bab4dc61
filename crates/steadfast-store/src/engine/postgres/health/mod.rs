//! Health checks of a store on PostgreSQL.
//!
//! Every fact is one statement in its own read-only transaction, with a time limit: one that fails
//! or is not permitted does not affect the others.

mod read;
mod server;
mod tasks;

use std::time::Duration;

use jiff::Timestamp;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection as _};
use tokio::time::timeout;

use self::read::Probe;
use super::options::connect_options;
use crate::error::{Result, StoreError};
use crate::health::{EngineHealth, Fact, Health, PostgresHealth, Unavailable, work_unavailable};

const BACKEND: &str = "SELECT pg_backend_pid()";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The application name of health checks, so that they do not count as workers.
const APPLICATION_NAME: &str = "steadfast doctor";

pub(crate) async fn examine(
    url: &str,
    clock: &(impl Fn() -> Timestamp + Send + Sync),
) -> Result<Health> {
    let (options, listens) = connect_options(url)?;
    let options = options.application_name(APPLICATION_NAME).disable_statement_logging();
    let mut probe = Probe::on(connect(&options).await?);
    let schema = probe.schema().await;
    let work = match work_unavailable(&schema) {
        Some(why) => Err(why),
        None => probe.work().await,
    };
    let engine = PostgresHealth {
        server: probe.server().await,
        missing_rights: probe.missing_rights().await,
        clock: probe.clock(clock).await,
        transactions: probe.transactions().await,
        prepared: probe.prepared().await,
        slots: probe.slots().await,
        listening: probe.listening().await,
        tables: probe.tables().await,
        numbers: probe.numbers().await,
        connections: probe.connections().await,
        other_connections: probe.other_connections().await,
        pooled: pooled(&mut probe, &options).await,
        listens,
    };
    probe.close().await;
    Ok(Health { schema, work, engine: EngineHealth::Postgres(Box::new(engine)) })
}

async fn connect(options: &PgConnectOptions) -> Result<PgConnection> {
    match timeout(CONNECT_TIMEOUT, options.connect()).await {
        Ok(connected) => Ok(connected?),
        Err(_) => Err(StoreError::timed_out()),
    }
}

/// Whether two open connections share one server process, as behind a pooler.
async fn pooled(probe: &mut Probe, options: &PgConnectOptions) -> Fact<bool> {
    let mut second = connect(options).await.map_err(|error| Unavailable::new(error.to_string()))?;
    let first: i32 = probe.value(BACKEND).await?;
    let other: i32 = sqlx::query_scalar(BACKEND).persistent(false).fetch_one(&mut second).await?;
    let _ = second.close().await;
    Ok(first == other)
}
