//! Connection and pool options.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, PgPool};
use tokio::time::timeout;

use super::deadline::ping;
use crate::error::{Result, StoreError};
use crate::location::without_password;

/// The time that a call waits for a connection before the database counts as unreachable.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit of the connection that finds the cause of an unreachable database.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
pub(super) const MAX_CONNECTIONS: u32 = 10;
/// The application name of the store's connections.
pub(crate) const APPLICATION_NAME: &str = "steadfast";
/// A connection that was idle for less than this is not pinged before use: a ping costs as much
/// as a submission.
pub(super) const PING_AFTER_IDLE: Duration = Duration::from_millis(500);

/// The options of a connection, and whether to listen for notifications.
pub(super) fn connect_options(url: &str) -> Result<(PgConnectOptions, bool)> {
    let (url, listens) = split_listen(url);
    let options = PgConnectOptions::from_str(&url).map_err(|error| StoreError::Url {
        url: without_password(&url),
        problem: format!("{error}; use postgres://USER@HOST/DATABASE"),
    })?;
    Ok((options.application_name(APPLICATION_NAME), listens))
}

pub(super) fn pool_options(listens: bool) -> PgPoolOptions {
    let pool = PgPoolOptions::new()
        .max_connections(MAX_CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for > PING_AFTER_IDLE {
                    ping(connection).await?;
                }
                Ok(true)
            })
        });
    // Behind a pooler, session settings would leak to the connection's next client.
    if !listens {
        return pool;
    }
    pool.after_connect(|connection, _| {
        Box::pin(async {
            sqlx::raw_sql(include_str!("sql/session.sql")).execute(connection).await.map(drop)
        })
    })
}

/// Opens a pool. Its error is that of a connection: a pool that times out does not say why.
pub(super) async fn connect(pool: PgPoolOptions, options: PgConnectOptions) -> Result<PgPool> {
    match pool.connect_with(options.clone()).await {
        Err(error @ sqlx::Error::PoolTimedOut) => {
            let connected = timeout(CONNECT_TIMEOUT, options.connect()).await;
            let cause = connected.ok().and_then(std::result::Result::err);
            Err(cause.unwrap_or(error).into())
        }
        pool => Ok(pool?),
    }
}

/// The URL without the store's own parameter, and whether to listen for notifications.
fn split_listen(url: &str) -> (String, bool) {
    let off = url.contains("listen=off");
    let url = url.replace("?listen=off&", "?").replace("&listen=off", "");
    (url.replace("?listen=off", ""), !off)
}
