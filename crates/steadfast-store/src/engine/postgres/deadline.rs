//! Deadlines for calls to a server that has vanished. A file of SQLite cannot.
//!
//! A machine that loses its power closes no connection, and the driver sets no TCP keepalive. So
//! every call has a deadline. A call that missed it may have taken effect, as with any lost
//! connection.
//!
//! The pool pings a released connection without a deadline. So for a while after a call was cut
//! off, by its deadline or by its caller, released connections are pinged here first, and closed
//! if they do not answer. An idle connection is pinged before it is handed out, with the same
//! deadline.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::Connection as _;
use sqlx::postgres::{PgConnection, PgPoolOptions};
use tokio::time::{Instant, timeout};

use crate::error::{Result, StoreError};

/// The deadline of a call that touches few rows.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// The deadline of a call that reads or changes many rows, in multiples of a short one.
const LONG_CALL_FACTOR: u32 = 20;
/// The server's own limit for a count, in the same multiples. A caller that stops waiting cannot
/// cancel the statement.
const COUNT_FACTOR: u32 = 4;
/// The time after a missed deadline during which released connections are pinged.
const DISTRUST_PERIOD: Duration = Duration::from_secs(60);
const PING_TIMEOUT: Duration = Duration::from_secs(1);

/// The deadlines of calls, and the time of the last missed one.
#[derive(Clone, Debug)]
pub(super) struct Deadline {
    call_timeout: Duration,
    missed: Arc<Mutex<Option<Instant>>>,
}

impl Default for Deadline {
    fn default() -> Self {
        Self::of(CALL_TIMEOUT)
    }
}

impl Deadline {
    pub(super) fn of(call_timeout: Duration) -> Self {
        Self { call_timeout, missed: Arc::default() }
    }

    /// Runs a call that touches few rows.
    pub(super) async fn short<T>(&self, call: impl Future<Output = Result<T>>) -> Result<T> {
        self.within(self.call_timeout, call).await
    }

    /// Runs a call that may touch every row.
    pub(super) async fn long<T>(&self, call: impl Future<Output = Result<T>>) -> Result<T> {
        self.within(self.call_timeout * LONG_CALL_FACTOR, call).await
    }

    pub(super) fn count_timeout(&self) -> Duration {
        self.call_timeout * COUNT_FACTOR
    }

    async fn within<T>(&self, limit: Duration, call: impl Future<Output = Result<T>>) -> Result<T> {
        let call = std::pin::pin!(call);
        // Dropped, and so recorded, before the call releases its connection.
        let unanswered = UnansweredCall(&self.missed);
        let answer = timeout(limit, call).await.map_err(|_| StoreError::timed_out())?;
        std::mem::forget(unanswered);
        answer
    }

    /// Adds the closing of connections that do not answer to a pool.
    pub(super) fn guard(&self, pool: PgPoolOptions) -> PgPoolOptions {
        let deadline = self.clone();
        pool.after_release(move |connection, _| {
            let is_trusted = !deadline.was_missed();
            Box::pin(async move {
                match is_trusted {
                    true => Ok(true),
                    false => ping(connection).await.map(|()| true),
                }
            })
        })
    }

    fn was_missed(&self) -> bool {
        let missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        missed.is_some_and(|missed| missed.elapsed() < DISTRUST_PERIOD)
    }
}

/// A call whose deadline passed, or whose caller stopped waiting.
struct UnansweredCall<'d>(&'d Mutex<Option<Instant>>);

impl Drop for UnansweredCall<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

/// Pings a connection. An error makes the pool close it without another message.
pub(super) async fn ping(connection: &mut PgConnection) -> sqlx::Result<()> {
    timeout(PING_TIMEOUT, connection.ping()).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

#[cfg(test)]
mod tests {
    use tokio::io::copy_bidirectional;
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::watch;

    use super::super::Postgres;
    use super::super::options::{MAX_CONNECTIONS, PING_AFTER_IDLE};
    use super::super::tests::on_a_database;
    use super::*;
    use crate::engine::Read as _;

    /// A proxy before a server, which can silently drop the connections it has: they receive
    /// nothing any more, not even a close.
    struct Relay {
        url: String,
        silence: watch::Sender<()>,
    }

    impl Relay {
        async fn start(url: &str) -> Self {
            let (credentials, rest) = url.split_once('@').unwrap();
            let (server, database) = rest.split_once('/').unwrap();
            let (server, credentials) = (server.to_owned(), credentials.to_owned());
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("{credentials}@{}/{database}", listener.local_addr().unwrap());
            let (silence, silenced) = watch::channel(());
            tokio::spawn(async move {
                loop {
                    let (client, _) = listener.accept().await.unwrap();
                    let server = TcpStream::connect(&server).await.unwrap();
                    tokio::spawn(relay(client, server, silenced.clone()));
                }
            });
            Self { url, silence }
        }
    }

    async fn relay(
        mut client: TcpStream,
        mut server: TcpStream,
        mut silenced: watch::Receiver<()>,
    ) {
        silenced.mark_unchanged();
        tokio::select! {
            _ = copy_bidirectional(&mut client, &mut server) => {}
            _ = silenced.changed() => std::future::pending().await,
        }
    }

    async fn engine_with_full_pool(relay: &Relay, deadline: Deadline) -> Postgres {
        let store = Postgres::open_with(&relay.url, deadline).await.unwrap();
        let mut all = Vec::new();
        for _ in 0..MAX_CONNECTIONS - 1 {
            all.push(store.pool.acquire().await.unwrap());
        }
        drop(all);
        while store.pool.num_idle() < 9 {
            tokio::task::yield_now().await;
        }
        store
    }

    /// K4: a server that returns under its name is found without a restart, even if the old
    /// connections are silent.
    #[test]
    fn silent_connections_are_replaced_after_the_deadline() {
        on_a_database(async |url| {
            let relay = Relay::start(url).await;
            let deadline = Deadline::of(Duration::from_millis(500));
            let store = engine_with_full_pool(&relay, deadline).await;
            relay.silence.send(()).unwrap();
            for _ in 0..2 * MAX_CONNECTIONS {
                match store.now().await {
                    Ok(_) => return,
                    Err(error) => assert!(error.is_transient(), "{error}"),
                }
            }
            panic!("no connection was replaced");
        });
    }

    /// K4: the same if callers give up before the deadline.
    #[test]
    fn silent_connections_are_replaced_after_cancelled_calls() {
        on_a_database(async |url| {
            let relay = Relay::start(url).await;
            let store = engine_with_full_pool(&relay, Deadline::default()).await;
            relay.silence.send(()).unwrap();
            for _ in 0..50 {
                match timeout(Duration::from_millis(200), store.now()).await {
                    Ok(Ok(_)) => return,
                    Ok(Err(error)) => assert!(error.is_transient(), "{error}"),
                    Err(_) => {}
                }
            }
            panic!("no connection was replaced");
        });
    }

    /// K4: a silent idle connection is replaced by the pool, without an error for the caller.
    #[test]
    fn silent_idle_connection_is_replaced_before_use() {
        on_a_database(async |url| {
            let relay = Relay::start(url).await;
            let store = Postgres::open_with(&relay.url, Deadline::default()).await.unwrap();
            store.now().await.unwrap();
            // Only an idle connection is pinged before use.
            tokio::time::sleep(PING_AFTER_IDLE * 2).await;
            relay.silence.send(()).unwrap();
            store.now().await.unwrap();
        });
    }
}
