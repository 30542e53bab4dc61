//! Nobody waits for ever for a server that has vanished.
//!
//! A machine that loses its power says nothing, and who waits for its answer hears nothing: TCP
//! would ask only if it were told to, and the driver has no way to tell it. So every call has a
//! time. What was cut off may have been done all the same, as with any connection that is lost.
//!
//! The pool asks a connection that comes back whether it is well, and waits for the answer as
//! patiently. So after a call was cut off, here or by whoever had asked, they are asked here first,
//! and thrown away if they do not answer. One that has rested is asked before it is handed out, and
//! has no longer to answer.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::Connection as _;
use sqlx::postgres::{PgConnection, PgPoolOptions};
use tokio::time::{Instant, timeout};

use crate::error::{Result, StoreError};

/// How long a call may take that touches few rows.
const LONGEST: Duration = Duration::from_secs(30);
/// How many times as long one may take that counts, or changes, very many.
const FOR_MANY: u32 = 20;
/// How many times as long the server may go on with a count. Whoever has stopped waiting for it
/// cannot tell.
const FOR_COUNTING: u32 = 4;
/// For so long after a call was cut off connections are not trusted.
const DISTRUST: Duration = Duration::from_secs(60);
/// How long a connection may take to say that it is well.
const A_WORD: Duration = Duration::from_secs(1);

/// How long calls may take, and when one last took longer.
#[derive(Clone, Debug)]
pub(super) struct Deadline {
    longest: Duration,
    missed: Arc<Mutex<Option<Instant>>>,
}

impl Default for Deadline {
    fn default() -> Self {
        Self::of(LONGEST)
    }
}

impl Deadline {
    pub(super) fn of(longest: Duration) -> Self {
        Self { longest, missed: Arc::default() }
    }

    /// A call that touches few rows.
    pub(super) async fn few<T>(&self, call: impl Future<Output = Result<T>>) -> Result<T> {
        self.within(self.longest, call).await
    }

    /// A call that touches as many rows as there are.
    pub(super) async fn many<T>(&self, call: impl Future<Output = Result<T>>) -> Result<T> {
        self.within(self.longest * FOR_MANY, call).await
    }

    /// How long the server may take to count.
    pub(super) fn for_counting(&self) -> Duration {
        self.longest * FOR_COUNTING
    }

    async fn within<T>(
        &self,
        longest: Duration,
        call: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let call = std::pin::pin!(call);
        // Dropped, and noted, before the call gives its connection back.
        let unanswered = Unanswered(&self.missed);
        let answer = timeout(longest, call).await.map_err(|_| StoreError::no_answer())?;
        std::mem::forget(unanswered);
        answer
    }

    /// A pool that throws away connections which do not answer.
    pub(super) fn guard(&self, pool: PgPoolOptions) -> PgPoolOptions {
        let deadline = self.clone();
        pool.after_release(move |connection, _| {
            let is_trusted = !deadline.was_missed();
            Box::pin(async move {
                match is_trusted {
                    true => Ok(true),
                    false => answers(connection).await.map(|()| true),
                }
            })
        })
    }

    fn was_missed(&self) -> bool {
        let missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        missed.is_some_and(|missed| missed.elapsed() < DISTRUST)
    }
}

/// A call that nobody waits for any more: its time was over, or whoever asked has gone.
struct Unanswered<'d>(&'d Mutex<Option<Instant>>);

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

/// An error is what has the pool drop a connection without a word to it.
pub(super) async fn answers(connection: &mut PgConnection) -> sqlx::Result<()> {
    timeout(A_WORD, connection.ping()).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

#[cfg(test)]
mod tests {
    use steadfast_testing::postgres::Database;
    use tokio::io::copy_bidirectional;
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::watch;

    use super::super::Postgres;
    use super::*;
    use crate::engine::Engine;

    /// Stands before a server. What it has let through by then it can forget: those connections
    /// hear nothing any more, not even that they are over.
    struct Relay {
        url: String,
        forgets: watch::Sender<()>,
    }

    impl Relay {
        async fn before(url: &str) -> Self {
            let (credentials, rest) = url.split_once('@').unwrap();
            let (server, database) = rest.split_once('/').unwrap();
            let (server, credentials) = (server.to_owned(), credentials.to_owned());
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("{credentials}@{}/{database}", listener.local_addr().unwrap());
            let (forgets, forgotten) = watch::channel(());
            tokio::spawn(async move {
                loop {
                    let (client, _) = listener.accept().await.unwrap();
                    let server = TcpStream::connect(&server).await.unwrap();
                    tokio::spawn(relay(client, server, forgotten.clone()));
                }
            });
            Self { url, forgets }
        }
    }

    async fn relay(
        mut client: TcpStream,
        mut server: TcpStream,
        mut forgotten: watch::Receiver<()>,
    ) {
        forgotten.mark_unchanged();
        tokio::select! {
            _ = copy_bidirectional(&mut client, &mut server) => {}
            _ = forgotten.changed() => std::future::pending().await,
        }
    }

    /// A store with as many connections as there may be.
    async fn store_with_all_connections(relay: &Relay, deadline: Deadline) -> Postgres {
        let store = Postgres::open_with(&relay.url, deadline).await.unwrap();
        let mut all = Vec::new();
        for _ in 0..super::super::MOST_CONNECTIONS - 1 {
            all.push(store.pool.acquire().await.unwrap());
        }
        drop(all);
        while store.pool.num_idle() < 9 {
            tokio::task::yield_now().await;
        }
        store
    }

    async fn a_vanished_server_is_given_up(url: &str) {
        let relay = Relay::before(url).await;
        let deadline = Deadline::of(Duration::from_millis(500));
        let store = store_with_all_connections(&relay, deadline).await;
        relay.forgets.send(()).unwrap();
        for _ in 0..2 * super::super::MOST_CONNECTIONS {
            match store.now().await {
                Ok(_) => return,
                Err(error) => assert!(error.is_passing(), "{error}"),
            }
        }
        panic!("no connection was made anew");
    }

    async fn a_vanished_server_is_given_up_by_those_who_go(url: &str) {
        let relay = Relay::before(url).await;
        let store = store_with_all_connections(&relay, Deadline::default()).await;
        relay.forgets.send(()).unwrap();
        for _ in 0..50 {
            match timeout(Duration::from_millis(200), store.now()).await {
                Ok(Ok(_)) => return,
                Ok(Err(error)) => assert!(error.is_passing(), "{error}"),
                Err(_) => {}
            }
        }
        panic!("no connection was made anew");
    }

    async fn a_connection_that_has_rested_answers_soon(url: &str) {
        let relay = Relay::before(url).await;
        let store = Postgres::open_with(&relay.url, Deadline::default()).await.unwrap();
        store.now().await.unwrap();
        // Time is what makes it one that is asked first.
        tokio::time::sleep(super::super::FRESH * 2).await;
        relay.forgets.send(()).unwrap();
        store.now().await.unwrap();
    }

    fn on_a_database(test: impl AsyncFnOnce(&str)) {
        let database = Database::fresh().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(test(database.url()));
    }

    /// K4: a server that is there again under its name is found without a restart, though the
    /// connections to the one before it hear nothing.
    #[test]
    fn connections_that_hear_nothing_are_replaced() {
        on_a_database(a_vanished_server_is_given_up);
    }

    /// K4: the same if nobody waits long enough to be told.
    #[test]
    fn connections_that_nobody_waited_for_are_replaced() {
        on_a_database(a_vanished_server_is_given_up_by_those_who_go);
    }

    /// K4: and if it is the pool that finds one that hears nothing, nobody is told at all.
    #[test]
    fn a_connection_that_hears_nothing_is_replaced_before_it_is_used() {
        on_a_database(a_connection_that_has_rested_answers_soon);
    }
}
