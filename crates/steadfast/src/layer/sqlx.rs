//! Transactions that are started again, whole, when they fail.
//!
//! A database that runs transactions side by side may end one of them at any
//! statement, or at the commit, because it cannot be put in order with the
//! others: SQLSTATE 40001 (serialization failure), 40P01 (deadlock), SQLite's
//! `BUSY`. Repeating the statement does not help, for what was read before it
//! is no longer true; the whole transaction must be run again, and that is what
//! [`transaction`] does. These failures are `retryable` by the default rules, as
//! are lost connections and exhausted pools.
//!
//! # What became of it
//!
//! A transaction that was not yet told to commit has done nothing, however it
//! ended: a lost connection or a timeout leaves no doubt then, and it is run
//! again even if it is not idempotent. A connection lost *during* the commit
//! does leave doubt: the outcome is unknown, and it is run again only if the
//! policy says `idempotent: true` or if it was given a [key](Retry::key) that it
//! stores, so that a second run finds it (J9). To look before that, give it a
//! [probe](Retry::probe).
//!
//! Only the database rolls back. Whatever else the body does, it does once for
//! each attempt. And it must return the errors of its statements: after one that
//! it keeps to itself, PostgreSQL answers `COMMIT` by rolling back, which sqlx
//! takes for success.

#![allow(clippy::type_complexity, reason = "a session is what its type says, and cannot say less")]

use std::fmt;
use std::future::{self, Future, Ready};
use std::io;
use std::ops::{ControlFlow, Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sqlx::pool::PoolConnection;
use sqlx::{Database, Pool, SqlSafeStr, SqlStr};
use sqlx_core::transaction::TransactionManager;

use crate::drive::{Any, By, Callable, Judges, NoKey, Overrule, Own, Real};
use crate::fault::{Failure, Fault, extract};
use crate::judge::judge_link;
use crate::observe::Unasked;
use crate::{Effect, GaveUp, Key, Policy, Retry, RetryError, retry};

/// Runs a transaction under a policy: begins it, runs the body, commits it, and does all of
/// that again if it failed in a way that may pass.
///
/// If the body returns an error, the transaction is rolled back. A connection that broke, or
/// that an attempt was cut off on, is thrown away (J4).
///
/// What is returned is a session like any other, not yet begun: give it a
/// [breaker](Retry::breaker) or a [name](Retry::named), and await it. Only a
/// [judge](Retry::judge) or a [probe](Retry::probe) of your own takes the place of one that is
/// there already: they know which attempts were committing.
///
/// ```no_run
/// use sqlx::{Pool, Sqlite};
/// use steadfast::Policy;
/// use steadfast::layer::sqlx::transaction;
///
/// # #[cfg(feature = "tokio")]
/// async fn transfer(pool: &Pool<Sqlite>, policy: &Policy, sum: i64) -> sqlx::Result<()> {
///     transaction(pool, policy, async |mut tx| {
///         let take = "UPDATE account SET balance = balance - ? WHERE id = 1";
///         sqlx::query(take).bind(sum).execute(&mut *tx).await?;
///         let give = "UPDATE account SET balance = balance + ? WHERE id = 2";
///         sqlx::query(give).bind(sum).execute(&mut *tx).await?;
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
    impl Callable<(), Output = impl Future<Output = Result<T, E>>, Memory = NoKey>,
    (),
    Judges<Own, Any, impl Overrule>,
    Unasked,
    Real,
    By<impl FnMut(Key) -> Ready<Effect<T>>>,
>
where
    DB: Database,
    F: FnMut(Tx<DB>) -> Fut,
    Fut: Future<Output = Result<T, E>>,
    E: From<sqlx::Error> + Failure,
{
    session(pool, policy, None, body)
}

/// The same, with another statement to begin it.
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
    impl Callable<(), Output = impl Future<Output = Result<T, E>>, Memory = NoKey>,
    (),
    Judges<Own, Any, impl Overrule>,
    Unasked,
    Real,
    By<impl FnMut(Key) -> Ready<Effect<T>>>,
>
where
    DB: Database,
    F: FnMut(Tx<DB>) -> Fut,
    Fut: Future<Output = Result<T, E>>,
    E: From<sqlx::Error> + Failure,
{
    session(pool, policy, Some(begin.into_sql_str()), body)
}

/// A transaction under way, as its body sees it: a connection. Give `&mut *tx` to sqlx where it
/// wants an executor, and `&mut tx` to functions that take a `&mut PgConnection` or the like.
/// (One that takes a `&mut Transaction` had better take that, too: a transaction coerces to it.)
///
/// The body owns it, and so may be any function that returns a future. As an `AsyncFnMut` that
/// borrows it, the body could borrow nothing else and still be `Send`: that is more than the
/// compiler can see through today.
///
/// It must not outlive the body: if it does, there is nothing to commit, and the attempt fails.
pub struct Tx<DB: Database> {
    held: Option<Held<DB>>,
    /// Where it goes back to when it is dropped.
    home: Home<DB>,
}

type Home<DB> = Arc<Mutex<Option<Held<DB>>>>;

const HELD: &str = "only dropping takes it out";

impl<DB: Database> Deref for Tx<DB> {
    type Target = DB::Connection;

    fn deref(&self) -> &DB::Connection {
        match &self.held {
            Some(held) => &held.connection,
            None => unreachable!("{HELD}"),
        }
    }
}

impl<DB: Database> DerefMut for Tx<DB> {
    fn deref_mut(&mut self) -> &mut DB::Connection {
        match &mut self.held {
            Some(held) => &mut held.connection,
            None => unreachable!("{HELD}"),
        }
    }
}

impl<DB: Database> Drop for Tx<DB> {
    fn drop(&mut self) {
        *lock(&self.home) = self.held.take();
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
    impl Callable<(), Output = impl Future<Output = Result<T, E>>, Memory = NoKey>,
    (),
    Judges<Own, Any, impl Overrule>,
    Unasked,
    Real,
    By<impl FnMut(Key) -> Ready<Effect<T>>>,
>
where
    DB: Database,
    F: FnMut(Tx<DB>) -> Fut,
    Fut: Future<Output = Result<T, E>>,
    E: From<sqlx::Error> + Failure,
{
    let work = Arc::new(Work { begin, body: Mutex::new(body), committing: AtomicBool::new(false) });
    let (judged, probed) = (Arc::clone(&work), Arc::clone(&work));
    let attempt = move || {
        let work = Arc::clone(&work);
        async move { work.attempt(pool).await }
    };
    retry(policy, attempt)
        .judge(move |fault| {
            if !judged.is_committing() || !leaves_commit_in_doubt(fault) {
                return None;
            }
            match judge_link(policy.rules(), &fault.clone().with_unknown_outcome()) {
                ControlFlow::Break(judgement) => Some(judgement.class()),
                ControlFlow::Continue(()) => None,
            }
        })
        .probe(move |_| {
            future::ready(if probed.is_committing() { Effect::Unknown } else { Effect::No })
        })
}

/// One transaction, however often it is run.
struct Work<F> {
    begin: Option<SqlStr>,
    body: Mutex<F>,
    /// Whether the latest attempt got as far as telling the database to commit.
    committing: AtomicBool,
}

impl<F> Work<F> {
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
        let mut held = Held::new(pool.acquire().await?);
        held.begin(self.begin.clone()).await?;
        let home = Home::default();
        let tx = Tx { held: Some(held), home: Arc::clone(&home) };
        let result = self.run_body(tx).await;
        let held = lock(&home).take();
        match result {
            Ok(value) => {
                let mut held = held.ok_or_else(kept)?;
                self.committing.store(true, Ordering::Relaxed);
                held.commit().await?;
                Ok(value)
            }
            Err(error) => {
                if let Some(mut held) = held
                    && !breaks_connection(&error)
                {
                    held.roll_back().await;
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

/// Nothing that it protects can be left half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The body still has the transaction, or has lost it.
fn kept() -> sqlx::Error {
    sqlx::Error::InvalidArgument("the transaction was kept beyond its body".to_owned())
}

/// A connection in a transaction. It goes back to its pool only if it is known to be sound: one
/// that an attempt was cut off on may be in the middle of anything, and one whose other end has
/// gone silent would hold its place in the pool for as long as TCP has patience.
struct Held<DB: Database> {
    connection: PoolConnection<DB>,
    is_open: bool,
    is_sound: bool,
}

impl<DB: Database> Held<DB> {
    fn new(connection: PoolConnection<DB>) -> Self {
        // It cannot be known of a statement that was cut off whether it began something.
        Self { connection, is_open: true, is_sound: false }
    }

    async fn begin(&mut self, statement: Option<SqlStr>) -> sqlx::Result<()> {
        let begun = DB::TransactionManager::begin(&mut self.connection, statement).await;
        self.is_sound = begun.as_ref().is_err_and(|error| !breaks_connection(error));
        begun
    }

    async fn commit(&mut self) -> sqlx::Result<()> {
        let ended = DB::TransactionManager::commit(&mut self.connection).await;
        self.is_open = ended.is_err();
        self.is_sound = !ended.as_ref().is_err_and(breaks_connection);
        ended
    }

    /// Whoever calls this has an error to report already.
    async fn roll_back(&mut self) {
        let ended = DB::TransactionManager::rollback(&mut self.connection).await;
        self.is_open = ended.is_err();
        self.is_sound = ended.is_ok();
    }
}

impl<DB: Database> Drop for Held<DB> {
    fn drop(&mut self) {
        if self.is_open {
            DB::TransactionManager::start_rollback(&mut self.connection);
        }
        if !self.is_sound {
            self.connection.close_on_drop();
        }
    }
}

fn breaks_connection<E: Failure>(error: &E) -> bool {
    extract::failure(error).spoils_connection()
}

/// Whether a commit that failed like this may have been done all the same.
///
/// An error of the driver says so itself. An error in the words of SQL was sent by a server,
/// but not always by the one that was to commit: a pooler in between says 08 when it has lost
/// its server, and a server that is shutting down (57P) or failing (58) says no more than that.
/// 40003 is the one in its class that means "completion unknown".
fn leaves_commit_in_doubt(fault: &Fault) -> bool {
    fault.sqlstate.is_some_and(|state| {
        let state = state.as_str();
        ["08", "57P", "58", "40003"].iter().any(|doubtful| state.starts_with(doubtful))
    })
}

/// So that a function may return the same error with and without retrying.
impl From<GaveUp> for sqlx::Error {
    fn from(gave_up: GaveUp) -> Self {
        Self::Io(io::Error::from(gave_up))
    }
}

/// The last attempt's own error, if it left one.
impl From<RetryError<sqlx::Error>> for sqlx::Error {
    fn from(error: RetryError<sqlx::Error>) -> Self {
        error.into_error().unwrap_or_else(Self::from)
    }
}
