//! Looking at a store on PostgreSQL from outside.
//!
//! Every fact is one statement in a read-only transaction of its own, with a limit to its time:
//! one that fails or is not allowed leaves the others as they are.

mod read;
mod server;
mod tasks;

use jiff::Timestamp;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection as _};
use tokio::time::timeout;

use self::read::Look;
use super::{PATIENCE, connect_options};
use crate::error::{Result, StoreError};
use crate::health::{EngineHealth, Health, PostgresHealth, Seen, Unseen, work_unseen};

const BACKEND: &str = include_str!("../sql/health_backend.sql");

/// What our own connections are called here, so that they are not taken for a worker's.
const APPLICATION: &str = "steadfast doctor";

pub(crate) async fn examine(
    url: &str,
    clock: &(impl Fn() -> Timestamp + Send + Sync),
) -> Result<Health> {
    let (options, listens) = connect_options(url)?;
    let options = options.application_name(APPLICATION).disable_statement_logging();
    let mut look = Look::on(connect(&options).await?);
    let schema = look.schema().await;
    let work = match work_unseen(&schema) {
        Some(why) => Err(why),
        None => look.work().await,
    };
    let engine = PostgresHealth {
        server: look.server().await,
        missing_rights: look.missing_rights().await,
        clock: look.clock(clock).await,
        transactions: look.transactions().await,
        prepared: look.prepared().await,
        slots: look.slots().await,
        listening: look.listening().await,
        tables: look.tables().await,
        numbers: look.numbers().await,
        connections: look.connections().await,
        colleagues: look.colleagues().await,
        pooled: pooled(&mut look, &options).await,
        listens,
    };
    look.close().await;
    Ok(Health { schema, work, engine: EngineHealth::Postgres(Box::new(engine)) })
}

async fn connect(options: &PgConnectOptions) -> Result<PgConnection> {
    match timeout(PATIENCE, options.connect()).await {
        Ok(connected) => Ok(connected?),
        Err(_) => Err(StoreError::no_answer()),
    }
}

/// Whether two connections that are open at the same time are one to the server. A pooler gives
/// the one that was used last to whoever comes next.
async fn pooled(look: &mut Look, options: &PgConnectOptions) -> Seen<bool> {
    let mut second = connect(options).await.map_err(|error| Unseen::because(error.to_string()))?;
    let first: i32 = look.value(BACKEND).await?;
    let other: i32 = sqlx::query_scalar(BACKEND).persistent(false).fetch_one(&mut second).await?;
    let _ = second.close().await;
    Ok(first == other)
}
