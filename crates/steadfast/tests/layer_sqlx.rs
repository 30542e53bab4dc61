//! Retried transactions: on a real SQLite file, and by the real
//! PostgreSQL driver on a socket with scripted responses (I11).

#![cfg(all(feature = "sqlx", feature = "tokio"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may panic")]

mod loopback;

use std::future::{self, pending};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use loopback::postgres::{self, Reply, Server};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions};
use sqlx::{ConnectOptions, Executor, PgPool, SqlitePool};
use steadfast::guard::{Breaker, BreakerSettings};
use steadfast::layer::sqlx::{transaction, transaction_with};
use steadfast::policy::Draft;
use steadfast::{Class, Effect, GaveUp, Key, Kind, Moment, Policy, Reason, RetryError, retry};
use tempfile::TempDir;
use tokio::sync::{Mutex, Notify};

const LIMIT: Duration = Duration::from_secs(30);

fn policy() -> Draft {
    Policy::immediate()
}

/// A database in a file, with an account of 100 in it.
struct Bank {
    directory: TempDir,
    journal: SqliteJournalMode,
    pool: SqlitePool,
    connections: Arc<AtomicUsize>,
}

impl Bank {
    async fn open(journal: SqliteJournalMode) -> Self {
        let directory = TempDir::new().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let pool = SqlitePoolOptions::new().max_connections(1).after_connect(move |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
            Box::pin(async { Ok(()) })
        });
        let pool = pool.connect_with(options(&directory, journal)).await.unwrap();
        let schema = "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER);
                      CREATE TABLE entry (id TEXT UNIQUE);
                      INSERT INTO account VALUES (1, 100)";
        pool.execute(schema).await.unwrap();
        Self { directory, journal, pool, connections }
    }

    /// Another connection.
    async fn other(&self) -> SqliteConnection {
        options(&self.directory, self.journal).connect().await.unwrap()
    }

    async fn balance(&self) -> i64 {
        let query = sqlx::query_scalar("SELECT balance FROM account");
        query.fetch_one(&self.pool).await.unwrap()
    }

    async fn entries(&self) -> i64 {
        let query = sqlx::query_scalar("SELECT count(*) FROM entry");
        query.fetch_one(&self.pool).await.unwrap()
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

/// No connection waits for a lock.
fn options(directory: &TempDir, journal: SqliteJournalMode) -> SqliteConnectOptions {
    let options = SqliteConnectOptions::new().filename(directory.path().join("bank.db"));
    options.create_if_missing(true).busy_timeout(Duration::ZERO).journal_mode(journal)
}

/// I11: a lock of another connection is free at the next attempt.
#[tokio::test]
async fn locked_database() {
    let bank = Bank::open(SqliteJournalMode::Wal).await;
    let other = Mutex::new(bank.other().await);
    other.lock().await.execute("BEGIN IMMEDIATE").await.unwrap();
    let attempts = AtomicUsize::new(0);
    let policy = policy().build().unwrap();
    let deposit = transaction(&bank.pool, &policy, async |mut tx| {
        if attempts.fetch_add(1, Ordering::Relaxed) == 1 {
            other.lock().await.execute("ROLLBACK").await?;
        }
        tx.execute("UPDATE account SET balance = balance + 1").await?;
        Ok::<_, sqlx::Error>("done")
    });
    let (value, report) = deposit.with_report().await.unwrap();
    assert_eq!((value, report.attempts), ("done", 2));
    assert_eq!(report.failures[0].fault.kind, Some(Kind::Busy));
    assert_eq!(bank.balance().await, 101);
    assert_eq!(bank.connections(), 1);
}

/// I11: with another statement to begin it, it is the beginning that fails and is repeated.
#[tokio::test]
async fn lock_taken_at_begin() {
    let bank = Bank::open(SqliteJournalMode::Wal).await;
    let mut other = bank.other().await;
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let mut bodies = 0;
    let policy = policy().max_attempts(2).build().unwrap();
    let blocked = transaction_with(&bank.pool, &policy, "BEGIN IMMEDIATE", |_| {
        bodies += 1;
        future::ready(Ok::<_, sqlx::Error>(()))
    });
    let error = blocked.await.unwrap_err();
    assert_eq!((error.reason(), error.attempts()), (Reason::AttemptsExhausted, 2));
    assert_eq!((bodies, bank.connections()), (0, 1));
}

/// I11: what was read is no longer true, so it is read again: the whole transaction is run
/// again, and its effects are there once.
#[tokio::test]
async fn stale_snapshot() {
    let bank = Bank::open(SqliteJournalMode::Wal).await;
    let other = Mutex::new(bank.other().await);
    let seen = Mutex::new(Vec::new());
    let policy = policy().build().unwrap();
    transaction(&bank.pool, &policy, async |mut tx| {
        let query = sqlx::query_scalar("SELECT balance FROM account");
        let balance: i64 = query.fetch_one(&mut *tx).await?;
        let mut seen = seen.lock().await;
        seen.push(balance);
        if seen.len() < 3 {
            other.lock().await.execute("UPDATE account SET balance = balance * 2").await?;
        }
        let update = sqlx::query("UPDATE account SET balance = ?").bind(balance + 1);
        update.execute(&mut *tx).await?;
        tx.execute("INSERT INTO entry VALUES ('deposit')").await?;
        Ok::<_, sqlx::Error>(())
    })
    .await
    .unwrap();
    assert_eq!(*seen.lock().await, [100, 200, 400]);
    assert_eq!((bank.balance().await, bank.entries().await), (401, 1));
}

/// I11: a commit that fails takes all of its attempt with it.
#[tokio::test]
async fn failing_commit() {
    let bank = Bank::open(SqliteJournalMode::Delete).await;
    let reader = Mutex::new(bank.other().await);
    // A reader does not stop a writer before its commit.
    reader.lock().await.execute("BEGIN; SELECT * FROM account").await.unwrap();
    let attempts = AtomicUsize::new(0);
    let policy = policy().idempotent(false).build().unwrap();
    let deposit = transaction(&bank.pool, &policy, async |mut tx| {
        if attempts.fetch_add(1, Ordering::Relaxed) == 1 {
            reader.lock().await.execute("ROLLBACK").await?;
        }
        tx.execute("UPDATE account SET balance = balance + 1").await?;
        tx.execute("INSERT INTO entry VALUES ('deposit')").await?;
        Ok::<_, sqlx::Error>(())
    });
    let ((), report) = deposit.with_report().await.unwrap();
    assert_eq!((report.attempts, report.failures[0].class), (2, Class::Retryable));
    assert_eq!((bank.balance().await, bank.entries().await), (101, 1));
    assert_eq!(bank.connections(), 1);
}

/// J7: a value that is there already is there the next time, too; what came before it is undone.
#[tokio::test]
async fn unique_violation() {
    let bank = Bank::open(SqliteJournalMode::Wal).await;
    bank.pool.execute("INSERT INTO entry VALUES ('deposit')").await.unwrap();
    let policy = policy().build().unwrap();
    let deposit = transaction(&bank.pool, &policy, async |mut tx| {
        tx.execute("UPDATE account SET balance = balance + 1").await?;
        tx.execute("INSERT INTO entry VALUES ('deposit')").await?;
        Ok::<_, sqlx::Error>(())
    });
    let error = deposit.await.unwrap_err();
    assert_eq!((error.reason(), error.attempts()), (Reason::Final, 1));
    let error = sqlx::Error::from(error);
    assert!(error.as_database_error().unwrap().is_unique_violation());
    assert_eq!((bank.balance().await, bank.connections()), (100, 1));
}

type Boxed = Box<dyn std::error::Error + Send + Sync>;

/// J4: a connection that an attempt failed on like this is closed; any other is kept.
#[tokio::test]
async fn broken_connection() {
    let timed_out = || io::Error::from(io::ErrorKind::TimedOut);
    let cases: [(&dyn Fn() -> io::Error, usize); 3] = [
        (&timed_out, 2),
        (&|| io::Error::other(timed_out()), 2),
        (&|| io::Error::from(io::ErrorKind::WouldBlock), 1),
    ];
    for (error, connections) in cases {
        let bank = Bank::open(SqliteJournalMode::Wal).await;
        let attempts = AtomicUsize::new(0);
        let policy = policy().build().unwrap();
        let deposit = transaction(&bank.pool, &policy, async |mut tx| {
            tx.execute("UPDATE account SET balance = balance + 1").await?;
            let is_first = attempts.fetch_add(1, Ordering::Relaxed) == 0;
            if is_first { Err(error().into()) } else { Ok::<_, Boxed>(()) }
        });
        deposit.await.unwrap();
        assert_eq!((bank.balance().await, bank.connections()), (101, connections), "{}", error());
    }
}

/// J9: an attempt that timed out before its commit has done nothing, so it is repeated even
/// if it is not idempotent; J4: its connection is closed.
#[tokio::test]
async fn attempt_that_times_out() {
    let bank = Bank::open(SqliteJournalMode::Wal).await;
    let attempts = AtomicUsize::new(0);
    let policy = policy().idempotent(false).attempt_timeout(LIMIT).build().unwrap();
    let deposit = transaction(&bank.pool, &policy, async |mut tx| {
        tx.execute("UPDATE account SET balance = balance + 1").await?;
        if attempts.fetch_add(1, Ordering::Relaxed) == 0 {
            tokio::time::pause();
            tokio::time::advance(LIMIT).await;
            pending::<()>().await;
        }
        Ok::<_, sqlx::Error>(())
    });
    deposit.on_retry(|_, _| tokio::time::resume()).await.unwrap();
    assert_eq!((bank.balance().await, bank.connections()), (101, 2));
}

/// I6: a session that is dropped rolls back.
#[tokio::test]
async fn dropped_session() {
    let bank = Bank::open(SqliteJournalMode::Wal).await;
    let written = Notify::new();
    let policy = policy().build().unwrap();
    let deposit = transaction(&bank.pool, &policy, async |mut tx| {
        tx.execute("UPDATE account SET balance = balance + 1").await?;
        written.notify_one();
        pending::<sqlx::Result<()>>().await
    });
    tokio::select! {
        _ = deposit.into_future() => panic!("it never ends"),
        () = written.notified() => {}
    }
    assert_eq!(bank.balance().await, 100);
}

/// I11: it runs wherever a future can, borrows what it needs, and takes whatever a session can
/// be given.
#[tokio::test]
async fn session_accepts_other_settings() {
    let bank = Bank::open(SqliteJournalMode::Wal).await;
    let pool = bank.pool.clone();
    let balance = tokio::spawn(async move {
        let policy = policy().build().unwrap();
        let breaker = Breaker::new(BreakerSettings::consecutive(1, LIMIT)).unwrap();
        let (entry, sum) = ("deposit".to_owned(), 1);
        let mut numbers = Vec::new();
        let session = transaction(&pool, &policy, |mut tx| {
            numbers.push(numbers.len());
            let entry = &entry;
            async move {
                sqlx::query("INSERT INTO entry VALUES (?)").bind(entry).execute(&mut *tx).await?;
                deposit(&mut tx, &sum).await
            }
        });
        let balance = session.named("deposit").breaker(&breaker).await;
        (balance.map_err(RetryError::into_gave_up), numbers)
    });
    assert_eq!(balance.await.unwrap(), (Ok(101), vec![0]));
    assert_eq!(bank.entries().await, 1);

    let (pool, entry) = (bank.pool.clone(), "another".to_owned());
    let balance = tokio::spawn(async move {
        let policy = policy().build().unwrap();
        let session = transaction(&pool, &policy, async |mut tx| {
            sqlx::query("INSERT INTO entry VALUES (?)").bind(&entry).execute(&mut *tx).await?;
            deposit(&mut tx, &1).await
        });
        session.await.map_err(RetryError::into_gave_up)
    });
    assert_eq!(balance.await.unwrap(), Ok(102));
}

async fn deposit(connection: &mut SqliteConnection, sum: &i64) -> sqlx::Result<i64> {
    let add = "UPDATE account SET balance = balance + ? RETURNING balance";
    sqlx::query_scalar(add).bind(sum).fetch_one(connection).await
}

/// I11: there is nothing to commit if the body has not given the transaction back.
#[tokio::test]
async fn transaction_that_outlives_its_body() {
    let bank = Bank::open(SqliteJournalMode::Wal).await;
    let kept = Mutex::new(None);
    let policy = policy().build().unwrap();
    let session = transaction(&bank.pool, &policy, async |mut tx| {
        tx.execute("UPDATE account SET balance = balance + 1").await?;
        *kept.lock().await = Some(tx);
        Ok::<_, sqlx::Error>(())
    });
    let error = session.await.unwrap_err();
    assert_eq!((error.reason(), error.attempts()), (Reason::Final, 1));
    drop(kept);
    assert_eq!(bank.balance().await, 100);
}

/// A pool of one connection to this server.
fn pool(server: &Server) -> PgPool {
    let options = PgConnectOptions::new_without_pgpass().ssl_mode(PgSslMode::Disable);
    let options = options.host("127.0.0.1").port(server.address.port()).username("test");
    PgPoolOptions::new().max_connections(1).connect_lazy_with(options)
}

/// A transaction of one statement on a server that answers by this script.
async fn update(
    policy: Draft,
    script: impl IntoIterator<Item = Reply>,
) -> (Result<u32, RetryError<sqlx::Error>>, String) {
    let server = postgres::server(script).await;
    let (pool, policy) = (pool(&server), policy.build().unwrap());
    let session = transaction(&pool, &policy, async |mut tx| {
        tx.execute(sqlx::raw_sql("UPDATE")).await?;
        Ok(())
    });
    let outcome = session.with_report().await.map(|((), report)| report.attempts);
    (outcome, server.statements())
}

fn reason(outcome: &Result<u32, RetryError<sqlx::Error>>) -> Reason {
    outcome.as_ref().unwrap_err().reason()
}

/// I11, J3: a deadlock or a serialization failure restarts the whole transaction, on the same
/// connection, once it has been rolled back.
#[tokio::test]
async fn serialization_failure() {
    for sqlstate in ["40001", "40P01"] {
        let script = [Reply::Done, Reply::Fails(sqlstate)];
        let (outcome, statements) = update(policy().idempotent(false), script).await;
        assert_eq!(outcome.unwrap(), 2);
        assert_eq!(statements, "/ BEGIN UPDATE ROLLBACK BEGIN UPDATE COMMIT");
    }
}

/// I11: under serializable isolation it is often the commit that fails, and the server has
/// ended the transaction itself.
#[tokio::test]
async fn serialization_failure_at_commit() {
    let script = [Reply::Done, Reply::Done, Reply::Fails("40001")];
    let (outcome, statements) = update(policy().idempotent(false), script).await;
    assert_eq!(outcome.unwrap(), 2);
    let (first, second) = statements.split_once("COMMIT").unwrap();
    assert_eq!(first, "/ BEGIN UPDATE ");
    assert!(second.ends_with("BEGIN UPDATE COMMIT"), "{second}");
}

/// J3: an error of any other class is not retried.
#[tokio::test]
async fn invalid_statement_is_final() {
    let script = [Reply::Done, Reply::Fails("42601")];
    let (outcome, statements) = update(policy(), script).await;
    assert_eq!(reason(&outcome), Reason::Final);
    assert_eq!(statements, "/ BEGIN UPDATE ROLLBACK");
}

/// J4, J9: a connection lost before the commit leaves no doubt: nothing was done.
#[tokio::test]
async fn connection_lost_before_the_commit() {
    let (outcome, statements) = update(policy().idempotent(false), [Reply::Leaves]).await;
    assert_eq!((outcome.unwrap(), &*statements), (2, "/ BEGIN / BEGIN UPDATE COMMIT"));

    let script = [Reply::Done, Reply::Leaves];
    let (outcome, statements) = update(policy().idempotent(false), script).await;
    assert_eq!((outcome.unwrap(), &*statements), (2, "/ BEGIN UPDATE / BEGIN UPDATE COMMIT"));
}

/// J9: nor does it if an earlier attempt came to its commit, or if a probe has no response.
#[tokio::test]
async fn connection_lost_before_a_later_commit() {
    let first = [Reply::Done, Reply::Done, Reply::Fails("40001"), Reply::Done];
    let second = [Reply::Done, Reply::Leaves];
    let script = first.into_iter().chain(second);
    let (outcome, statements) = update(policy().idempotent(false), script).await;
    assert_eq!(outcome.unwrap(), 3);
    let expected = "/ BEGIN UPDATE COMMIT ROLLBACK BEGIN UPDATE / BEGIN UPDATE COMMIT";
    assert_eq!(statements, expected);

    let server = postgres::server([Reply::Done, Reply::Fails("57P01")]).await;
    let (pool, policy) = (pool(&server), policy().idempotent(false).build().unwrap());
    let session = transaction(&pool, &policy, async |mut tx| {
        tx.execute(sqlx::raw_sql("UPDATE")).await?;
        Ok::<_, sqlx::Error>(())
    });
    session.probe(|_| future::ready(Effect::Unknown)).await.unwrap();
}

/// J9: one lost during the commit does.
#[tokio::test]
async fn connection_lost_during_the_commit() {
    let script = [Reply::Done, Reply::Done, Reply::Leaves];
    let (outcome, statements) = update(policy().idempotent(false), script).await;
    assert_eq!(reason(&outcome), Reason::NotSafeToRetry);
    assert_eq!(statements, "/ BEGIN UPDATE COMMIT");

    let (outcome, statements) = update(policy().idempotent(true), script).await;
    assert_eq!(outcome.unwrap(), 2);
    assert_eq!(statements, "/ BEGIN UPDATE COMMIT / BEGIN UPDATE COMMIT");
}

/// J9: where the policy does not say, a commit in doubt is repeated only if it wrote nothing.
#[tokio::test]
async fn connection_lost_during_the_commit_of_an_unset_policy() {
    let script = [Reply::Done, Reply::Done, Reply::Leaves];
    let (outcome, _) = update(policy(), script).await;
    assert_eq!(reason(&outcome), Reason::NotSafeToRetry);

    let read = async |draft: Draft, begin: &'static str, key: Option<Key>| {
        let server = postgres::server(script).await;
        let (pool, policy) = (pool(&server), draft.build().unwrap());
        let session = transaction_with(&pool, &policy, begin, async |mut tx| {
            tx.execute(sqlx::raw_sql("SELECT")).await?;
            Ok::<_, sqlx::Error>(())
        });
        let outcome = session.maybe_key(key).with_report().await;
        outcome.map(|((), report)| report.attempts).map_err(|error| error.reason())
    };
    let not_safe = Err(Reason::NotSafeToRetry);
    for begin in ["BEGIN READ ONLY", "begin isolation level serializable, read only;"] {
        assert_eq!(read(policy(), begin, None).await, Ok(2), "{begin}");
        assert_eq!(read(policy().idempotent(false), begin, None).await, not_safe, "{begin}");
    }
    assert_eq!(read(policy(), "BEGIN READ WRITE", None).await, not_safe);
    assert_eq!(read(policy(), "BEGIN", Some("invoice-42".into())).await, Ok(2));
}

/// J9: a commit can be in doubt though a server, or a pooler before it, had something to say.
#[tokio::test]
async fn server_lost_during_the_commit() {
    for sqlstate in ["08006", "57P01", "58030", "40003"] {
        let script = [Reply::Done, Reply::Done, Reply::Fails(sqlstate)];
        let (outcome, _) = update(policy().idempotent(false), script).await;
        assert_eq!(reason(&outcome), Reason::NotSafeToRetry, "{sqlstate}");
        let error = outcome.unwrap_err();
        assert_eq!(error.gave_up().failures[0].class, Class::UnknownOutcome, "{sqlstate}");

        let (outcome, _) = update(policy().idempotent(true), script).await;
        assert_eq!(outcome.unwrap(), 2, "{sqlstate}");

        // Before the commit the outcome is known.
        let script = [Reply::Done, Reply::Fails(sqlstate)];
        let (outcome, _) = update(policy().idempotent(false), script).await;
        assert_eq!(outcome.unwrap(), 2, "{sqlstate}");
    }
}

/// J10: a commit in doubt is still judged by the policy's own rules.
#[tokio::test]
async fn server_lost_during_the_commit_with_custom_rules() {
    let script = [Reply::Done, Reply::Done, Reply::Fails("57P01")];
    let (outcome, _) = update(policy().abort_on(["57P01"]), script).await;
    assert_eq!(reason(&outcome), Reason::Final);
}

/// J4: a pool that has no connection to give is retried.
#[tokio::test]
async fn exhausted_pool() {
    let server = postgres::server([]).await;
    let pool = pool(&server);
    let held = pool.acquire().await.unwrap();
    let mut held = Some(held);
    let policy = policy().idempotent(false).build().unwrap();
    let session = transaction(&pool, &policy, async |_| Ok::<_, sqlx::Error>(()));
    // Nothing but the pool's limit depends on the time, so it may fly.
    tokio::time::pause();
    let session = session.on_retry(|_, _| drop(held.take())).with_report();
    let ((), report) = session.await.unwrap();
    assert_eq!(report.failures[0].fault.kind, Some(Kind::PoolTimeout));
}

/// I8: a function that returns `sqlx::Error` can be retried and still return it.
#[tokio::test]
async fn function_with_its_own_error_type() {
    let breaker = Breaker::new(BreakerSettings::consecutive(1, LIMIT)).unwrap();
    breaker.isolate(Moment::ORIGIN);
    let bank = Bank::open(SqliteJournalMode::Wal).await;
    let deposit = async || -> sqlx::Result<()> {
        let policy = policy().build().unwrap();
        let work = transaction(&bank.pool, &policy, async |_| Ok::<_, sqlx::Error>(()));
        Ok(work.breaker(&breaker).await?)
    };
    let sqlx::Error::Io(error) = deposit().await.unwrap_err() else {
        panic!("no error of its own")
    };
    let gave_up = error.get_ref().unwrap().downcast_ref::<GaveUp>().unwrap();
    assert_eq!(gave_up.reason, Reason::BreakerOpen);

    let policy = policy().build().unwrap();
    let missing = || async { Err::<(), _>(sqlx::Error::RowNotFound) };
    let original: sqlx::Error = retry(&policy, missing).await.unwrap_err().into();
    assert!(matches!(original, sqlx::Error::RowNotFound));
}

/// I8: and so can one that `#[retry]` is written on, even if its last attempt left no error.
#[cfg(feature = "macros")]
#[tokio::test(start_paused = true)]
async fn transaction_in_a_retried_function() {
    #[steadfast::retry(backoff_type = "immediate", max_attempts = 2, attempt_timeout = "1s")]
    async fn never(attempts: &AtomicUsize) -> sqlx::Result<()> {
        attempts.fetch_add(1, Ordering::Relaxed);
        pending().await
    }

    let attempts = AtomicUsize::new(0);
    let sqlx::Error::Io(error) = never(&attempts).await.unwrap_err() else { panic!("another") };
    let gave_up = error.get_ref().unwrap().downcast_ref::<GaveUp>().unwrap();
    assert_eq!((gave_up.reason, attempts.into_inner()), (Reason::AttemptsExhausted, 2));
}
