//! Retries of whole transactions.
//!
//! A database may abort a transaction at any statement, or at the commit, because it conflicts with
//! concurrent transactions: SQLSTATE 40001 (serialization failure), 40P01 (deadlock), SQLite's
//! `BUSY`. Repeating the statement does not help, because the rows read before may have changed; the
//! whole transaction must run again, and [`transaction`] does that. These failures are `retryable` by
//! the default rules, as are lost connections and exhausted pools.
//!
//! # Unknown outcomes
//!
//! A transaction that did not reach its commit has no effect, however it ended: after a lost
//! connection or a timeout it runs again even if the policy is not idempotent. If the connection is
//! lost *during* the commit, the outcome is unknown, and the transaction runs again only if that is
//! safe (J9): the policy says `idempotent`, or does not say and the transaction is `READ ONLY`, or the
//! session has a [key](Retry::key) that the transaction stores, so that a second run finds it. To find
//! out before the retry, set a [probe](Retry::probe).
//!
//! Only the database rolls back. Other side effects of the body happen once per attempt. The body must
//! return the errors of its statements: after an error that the body swallows, PostgreSQL answers
//! `COMMIT` with a rollback, which sqlx reports as success.

#![allow(clippy::type_complexity, reason = "the settings of a session are type parameters")]

use std::fmt;
use std::future::{self, Future, Ready};
use std::io;
use std::ops::{ControlFlow, Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use sqlx::pool::PoolConnection;
use sqlx::{Database, Pool, SqlSafeStr, SqlStr};
use sqlx_core::transaction::TransactionManager;

use crate::drive::{
    AnyValue, Async, Callable, ClassOverride, FromFn, Judges, Known, NoKey, OwnFacts, Real,
};
use crate::fault::{Failure, Fault, extract};
use crate::judge::judge_link;
use crate::observe::DefaultInstrument;
use crate::sync::lock;
use crate::{Effect, GaveUp, Key, Policy, Retry, RetryError, retry};

/// Runs a transaction under a policy: begins it, runs the body, commits it, and repeats all of that
/// after a retryable failure.
///
/// If the body returns an error, the transaction is rolled back. A connection that broke, or whose
/// attempt timed out, is closed (J4).
///
/// Returns a session that has not started: set a [breaker](Retry::breaker) or a [name](Retry::named),
/// and await it. Your own [judge](Retry::judge) or [probe](Retry::probe) replaces a built-in one that
/// knows which attempts reached their commit.
///
/// ```no_run
/// use sqlx::{Pool, Sqlite};
/// use steadfast::Policy;
/// use steadfast::layer::sqlx::transaction;
///
/// # #[cfg(feature = "tokio")]
/// async fn transfer(pool: &Pool<Sqlite>, policy: &Policy, sum: i64) -> sqlx::Result<()> {
///     transaction(pool, policy, async |mut tx| {
///         let debit = "UPDATE account SET balance = balance - ? WHERE id = 1";
///         sqlx::query(debit).bind(sum).execute(&mut *tx).await?;
///         let credit = "UPDATE account SET balance = balance + ? WHERE id = 2";
///         sqlx::query(credit).bind(sum).execute(&mut *tx).await?;
///         Ok::<_, sqlx::Error>(())
///     })
///     .named("transfer")
///     .await?;
///     Ok(())
/// }
/// ```
pub fn transaction<'a, DB, F, Fut, T, E>(
    pool: &'a Pool<DB>,
    policy: &'a Policy,
    body: F,
) -> Retry<
    &'a Policy,
    impl Callable<
        Async<()>,
        Value = T,
        Error = E,
        Output = impl Future<Output = Result<T, E>>,
        Memory = NoKey,
    >,
    Async<()>,
    Judges<OwnFacts, AnyValue, impl ClassOverride>,
    DefaultInstrument,
    Real,
    FromFn<impl FnMut(Key) -> Ready<Effect<T>>>,
>
where
    DB: Database,
    F: FnMut(Tx<DB>) -> Fut,
    Fut: Future<Output = Result<T, E>>,
    E: From<sqlx::Error> + Failure,
{
    session(pool, policy, None, body)
}

/// The same, with a custom `BEGIN` statement.
///
/// ```no_run
/// use sqlx::{Pool, Postgres};
/// use steadfast::Policy;
/// use steadfast::layer::sqlx::transaction_with;
///
/// # #[cfg(feature = "tokio")]
/// async fn bump(pool: &Pool<Postgres>, policy: &Policy) -> sqlx::Result<i64> {
///     let begin = "BEGIN ISOLATION LEVEL SERIALIZABLE";
///     let next = transaction_with(pool, policy, begin, async |mut tx| {
///         let last: i64 = sqlx::query_scalar("SELECT max(n) FROM run").fetch_one(&mut *tx).await?;
///         sqlx::query("INSERT INTO run VALUES ($1)").bind(last + 1).execute(&mut *tx).await?;
///         Ok::<_, sqlx::Error>(last + 1)
///     })
///     .await?;
///     Ok(next)
/// }
/// ```
pub fn transaction_with<'a, DB, F, Fut, T, E>(
    pool: &'a Pool<DB>,
    policy: &'a Policy,
    begin: impl SqlSafeStr,
    body: F,
) -> Retry<
    &'a Policy,
    impl Callable<
        Async<()>,
        Value = T,
        Error = E,
        Output = impl Future<Output = Result<T, E>>,
        Memory = NoKey,
    >,
    Async<()>,
    Judges<OwnFacts, AnyValue, impl ClassOverride>,
    DefaultInstrument,
    Real,
    FromFn<impl FnMut(Key) -> Ready<Effect<T>>>,
>
where
    DB: Database,
    F: FnMut(Tx<DB>) -> Fut,
    Fut: Future<Output = Result<T, E>>,
    E: From<sqlx::Error> + Failure,
{
    session(pool, policy, Some(begin.into_sql_str()), body)
}

/// An open transaction, which dereferences to its connection. Pass `&mut *tx` to sqlx as an executor,
/// and `&mut tx` to functions that take a `&mut PgConnection` or the like. (Functions that take a
/// `&mut Transaction` can take a connection instead: a transaction coerces to it.)
///
/// The body owns it, so the body can be any function that returns a future. With an `AsyncFnMut` that
/// borrows it, the compiler could not yet prove that a body that borrows anything else is `Send`.
///
/// It must not outlive the body: otherwise there is nothing to commit, and the attempt fails.
pub struct Tx<DB: Database> {
    connection: Option<TxConnection<DB>>,
    /// Where the connection is returned when the transaction is dropped.
    slot: Slot<DB>,
}

type Slot<DB> = Arc<Mutex<Option<TxConnection<DB>>>>;

const PRESENT_UNTIL_DROP: &str = "only `drop` takes the connection";

impl<DB: Database> Deref for Tx<DB> {
    type Target = DB::Connection;

    fn deref(&self) -> &DB::Connection {
        match &self.connection {
            Some(tx) => &tx.connection,
            None => unreachable!("{PRESENT_UNTIL_DROP}"),
        }
    }
}

impl<DB: Database> DerefMut for Tx<DB> {
    fn deref_mut(&mut self) -> &mut DB::Connection {
        match &mut self.connection {
            Some(tx) => &mut tx.connection,
            None => unreachable!("{PRESENT_UNTIL_DROP}"),
        }
    }
}

impl<DB: Database> Drop for Tx<DB> {
    fn drop(&mut self) {
        *lock(&self.slot) = self.connection.take();
    }
}

impl<DB: Database> fmt::Debug for Tx<DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tx").finish_non_exhaustive()
    }
}

fn session<'a, DB, F, Fut, T, E>(
    pool: &'a Pool<DB>,
    policy: &'a Policy,
    begin: Option<SqlStr>,
    body: F,
) -> Retry<
    &'a Policy,
    impl Callable<
        Async<()>,
        Value = T,
        Error = E,
        Output = impl Future<Output = Result<T, E>>,
        Memory = NoKey,
    >,
    Async<()>,
    Judges<OwnFacts, AnyValue, impl ClassOverride>,
    DefaultInstrument,
    Real,
    FromFn<impl FnMut(Key) -> Ready<Effect<T>>>,
>
where
    DB: Database,
    F: FnMut(Tx<DB>) -> Fut,
    Fut: Future<Output = Result<T, E>>,
    E: From<sqlx::Error> + Failure,
{
    let idempotent = begin.as_ref().is_some_and(|begin| is_read_only(begin.as_str()));
    let work = Arc::new(RepeatableTx {
        begin,
        body: Mutex::new(body),
        committing: AtomicBool::new(false),
    });
    let (judge_tx, probe_tx) = (Arc::clone(&work), Arc::clone(&work));
    let attempt = move || {
        let work = Arc::clone(&work);
        async move { work.attempt(pool).await }
    };
    retry(policy, Known { operation: attempt, idempotent })
        .judge(move |fault| {
            if !judge_tx.is_committing() || !leaves_commit_in_doubt(fault) {
                return None;
            }
            match judge_link(policy.rules(), &fault.clone().with_unknown_outcome()) {
                ControlFlow::Break(judgement) => Some(judgement.class()),
                ControlFlow::Continue(()) => None,
            }
        })
        .probe(move |_| {
            future::ready(if probe_tx.is_committing() { Effect::Unknown } else { Effect::No })
        })
}

/// Whether a `BEGIN` statement opens a read-only transaction.
fn is_read_only(begin: &str) -> bool {
    let begin = begin.to_ascii_uppercase();
    let words = begin.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().windows(2).any(|pair| pair == ["READ", "ONLY"])
}

/// A transaction that can be run more than once.
struct RepeatableTx<F> {
    begin: Option<SqlStr>,
    body: Mutex<F>,
    /// Whether the latest attempt has sent its commit.
    committing: AtomicBool,
}

impl<F> RepeatableTx<F> {
    fn is_committing(&self) -> bool {
        self.committing.load(Ordering::Relaxed)
    }

    async fn attempt<DB, Fut, T, E>(&self, pool: &Pool<DB>) -> Result<T, E>
    where
        DB: Database,
        F: FnMut(Tx<DB>) -> Fut,
        Fut: Future<Output = Result<T, E>>,
        E: From<sqlx::Error> + Failure,
    {
        self.committing.store(false, Ordering::Relaxed);
        let mut connection = TxConnection::new(pool.acquire().await?);
        connection.begin(self.begin.clone()).await?;
        let slot = Slot::default();
        let tx = Tx { connection: Some(connection), slot: Arc::clone(&slot) };
        let result = self.run_body(tx).await;
        let connection = lock(&slot).take();
        match result {
            Ok(value) => {
                let mut connection = connection.ok_or_else(tx_outlived_body)?;
                self.committing.store(true, Ordering::Relaxed);
                connection.commit().await?;
                Ok(value)
            }
            Err(error) => {
                if let Some(mut connection) = connection
                    && !breaks_connection(&error)
                {
                    connection.roll_back().await;
                }
                Err(error)
            }
        }
    }

    fn run_body<DB: Database, Fut>(&self, tx: Tx<DB>) -> Fut
    where
        F: FnMut(Tx<DB>) -> Fut,
    {
        lock(&self.body)(tx)
    }
}

/// The body did not drop the transaction.
fn tx_outlived_body() -> sqlx::Error {
    sqlx::Error::InvalidArgument("the transaction outlived its body".to_owned())
}

/// A connection in a transaction. It goes back to its pool only if it is known to be usable: after a
/// timeout it may be in the middle of a statement, and a connection whose server does not respond
/// would occupy the pool until TCP times out.
struct TxConnection<DB: Database> {
    connection: PoolConnection<DB>,
    is_open: bool,
    is_usable: bool,
}

impl<DB: Database> TxConnection<DB> {
    fn new(connection: PoolConnection<DB>) -> Self {
        // A `BEGIN` that timed out may have opened a transaction.
        Self { connection, is_open: true, is_usable: false }
    }

    async fn begin(&mut self, statement: Option<SqlStr>) -> sqlx::Result<()> {
        let result = DB::TransactionManager::begin(&mut self.connection, statement).await;
        self.is_usable = result.as_ref().is_err_and(|error| !breaks_connection(error));
        result
    }

    async fn commit(&mut self) -> sqlx::Result<()> {
        let result = DB::TransactionManager::commit(&mut self.connection).await;
        self.is_open = result.is_err();
        self.is_usable = !result.as_ref().is_err_and(breaks_connection);
        result
    }

    /// The caller already has an error to report, so a failed rollback is not returned.
    async fn roll_back(&mut self) {
        let result = DB::TransactionManager::rollback(&mut self.connection).await;
        self.is_open = result.is_err();
        self.is_usable = result.is_ok();
    }
}

impl<DB: Database> Drop for TxConnection<DB> {
    fn drop(&mut self) {
        if self.is_open {
            DB::TransactionManager::start_rollback(&mut self.connection);
        }
        if !self.is_usable {
            self.connection.close_on_drop();
        }
    }
}

fn breaks_connection<E: Failure>(error: &E) -> bool {
    extract::failure(error).invalidates_connection()
}

/// Whether a commit that failed with this fault may have taken effect.
///
/// A driver error is marked already. An SQL error was sent by a server, but not always by the one that
/// commits: a pooler reports 08 when it has lost its server, and a server that is shutting down (57P)
/// or failing (58) does not report the outcome. 40003 means "statement completion unknown".
fn leaves_commit_in_doubt(fault: &Fault) -> bool {
    fault.sqlstate.is_some_and(|state| {
        let state = state.as_str();
        ["08", "57P", "58", "40003"].iter().any(|doubtful| state.starts_with(doubtful))
    })
}

/// Lets a function return the same error type with and without retries.
impl From<GaveUp> for sqlx::Error {
    fn from(gave_up: GaveUp) -> Self {
        Self::Io(io::Error::from(gave_up))
    }
}

/// Lets `?` return the last attempt's own error.
impl<T> From<RetryError<Self, T>> for sqlx::Error {
    fn from(error: RetryError<Self, T>) -> Self {
        error.into_own()
    }
}
