//! Facts of `sqlx::Error`: from a real SQLite, and from the real PostgreSQL
//! driver on a socket with scripted responses (J2 to J4, J7, J11).

#![cfg(feature = "sqlx")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod loopback;

use std::error::Error;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use loopback::{no_listener, peer, postgres};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgSslMode};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqlitePoolOptions};
use sqlx::{ConnectOptions, Connection, Executor};
use steadfast::judge::{self, Rules};
use steadfast::{Class, Failure, Fault, Kind, extract};
use tempfile::TempDir;

fn class(fault: &Fault) -> Class {
    judge::judge(&Rules::default(), fault).class()
}

fn facts(error: &sqlx::Error) -> (Option<Kind>, bool, Class) {
    let fault = error.fault();
    (fault.kind, fault.unknown_outcome, class(&extract::failure(error)))
}

/// The SQLSTATE alone must decide: no kind stands in its way.
fn state(error: &sqlx::Error) -> (Option<String>, Option<Kind>, Class) {
    let fault = error.fault();
    let state = fault.sqlstate.map(|state| state.to_string());
    (state, fault.kind, class(&extract::failure(error)))
}

async fn memory() -> SqliteConnection {
    SqliteConnection::connect("sqlite::memory:").await.unwrap()
}

/// J7: SQLite's 2067 is a constraint, and not a SQLSTATE of class 20.
#[tokio::test]
async fn unique_violation() {
    let mut sqlite = memory().await;
    sqlite
        .execute("CREATE TABLE run (id TEXT UNIQUE); INSERT INTO run VALUES ('a')")
        .await
        .unwrap();
    let error = sqlite.execute("INSERT INTO run VALUES ('a')").await.unwrap_err();
    assert_eq!(error.as_database_error().unwrap().code().unwrap(), "2067");
    assert_eq!(state(&error), (None, Some(Kind::Data), Class::Final));
}

/// J7: a constraint that sqlx has no name for is one all the same.
#[tokio::test]
async fn value_of_wrong_type() {
    let mut sqlite = memory().await;
    sqlite.execute("CREATE TABLE run (id INTEGER) STRICT").await.unwrap();
    let error = sqlite.execute("INSERT INTO run VALUES ('a')").await.unwrap_err();
    assert_eq!(error.as_database_error().unwrap().code().unwrap(), "3091");
    assert_eq!(state(&error), (None, Some(Kind::Data), Class::Final));
}

/// J7: a statement that is wrong.
#[tokio::test]
async fn syntax_error() {
    let error = memory().await.execute("SELEC 1").await.unwrap_err();
    assert_eq!(state(&error), (None, Some(Kind::Query), Class::Final));
}

/// A connection to the one database in a directory, which does not wait for a lock.
async fn open(directory: &TempDir) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(directory.path().join("test.db"));
    let options = options.create_if_missing(true).busy_timeout(Duration::ZERO);
    options.connect().await.unwrap()
}

/// A lock of another connection is transient.
#[tokio::test]
async fn locked_database() {
    let directory = TempDir::new().unwrap();
    let mut holder = open(&directory).await;
    holder.execute("CREATE TABLE run (id); BEGIN IMMEDIATE").await.unwrap();
    let mut other = open(&directory).await;
    let error = other.execute("INSERT INTO run VALUES (1)").await.unwrap_err();
    assert_eq!(error.as_database_error().unwrap().code().unwrap(), "5");
    assert_eq!(facts(&error), (Some(Kind::Busy), false, Class::Retryable));

    holder.execute("ROLLBACK").await.unwrap();
    other.execute("INSERT INTO run VALUES (1)").await.unwrap();
}

/// An extended code is of its primary code's kind: 517 is a stale snapshot.
#[tokio::test]
async fn stale_snapshot() {
    let directory = TempDir::new().unwrap();
    let mut reader = open(&directory).await;
    reader.execute("PRAGMA journal_mode = WAL; CREATE TABLE run (id)").await.unwrap();
    reader.execute("BEGIN; SELECT * FROM run").await.unwrap();
    open(&directory).await.execute("INSERT INTO run VALUES (1)").await.unwrap();
    let error = reader.execute("INSERT INTO run VALUES (2)").await.unwrap_err();
    assert_eq!(error.as_database_error().unwrap().code().unwrap(), "517");
    assert_eq!(facts(&error), (Some(Kind::Busy), false, Class::Retryable));
}

/// J4, J7: what the pool itself has to say.
#[tokio::test]
async fn exhausted_pool() {
    let pool = SqlitePoolOptions::new().max_connections(1);
    let pool = pool.acquire_timeout(Duration::from_secs(30)).connect("sqlite::memory:");
    let pool = pool.await.unwrap();
    let held = pool.acquire().await.unwrap();
    tokio::time::pause();
    let error = pool.acquire().await.unwrap_err();
    tokio::time::resume();
    assert_eq!(facts(&error), (Some(Kind::PoolTimeout), false, Class::Retryable));

    drop(held);
    pool.close().await;
    let error = pool.acquire().await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::Cancelled), false, Class::Final));
}

/// J7: answers that are not what was asked for.
#[tokio::test]
async fn undecodable_column() {
    let mut sqlite = memory().await;
    let none = sqlx::query("SELECT 1 WHERE 0").fetch_one(&mut sqlite).await.unwrap_err();
    assert_eq!(facts(&none), (Some(Kind::NotFound), false, Class::Final));

    let query = sqlx::query_scalar::<_, i64>("SELECT 'a'");
    let decode = query.fetch_one(&mut sqlite).await.unwrap_err();
    assert_eq!(facts(&decode), (Some(Kind::Data), false, Class::Final));

    let row = sqlx::query("SELECT 1").fetch_one(&mut sqlite).await.unwrap();
    let column = sqlx::Row::try_get::<i64, _>(&row, "no_such").unwrap_err();
    assert_eq!(facts(&column), (Some(Kind::Query), false, Class::Final));

    let options = SqliteConnection::connect("sqlite:?no_such=1").await.unwrap_err();
    assert_eq!(facts(&options), (Some(Kind::Argument), false, Class::Final));
}

async fn connect(address: SocketAddr) -> sqlx::Result<PgConnection> {
    let options = PgConnectOptions::new_without_pgpass().ssl_mode(PgSslMode::Disable);
    options.host("127.0.0.1").port(address.port()).username("test").connect().await
}

/// J3: a server that is starting up refuses with a SQLSTATE.
#[tokio::test]
async fn failed_authentication() {
    let error = connect(postgres::refusing("57P03").await).await.unwrap_err();
    assert_eq!(state(&error), (Some("57P03".into()), None, Class::Retryable));
}

/// J3: the classes of SQLSTATE, as the driver reports them.
#[tokio::test]
async fn failing_statement() {
    let cases = [
        ("40P01", Class::Retryable),
        ("40001", Class::Retryable),
        ("53300", Class::Retryable),
        ("08007", Class::UnknownOutcome),
        ("23505", Class::Final),
        ("42601", Class::Final),
        ("P0001", Class::Final),
    ];
    for (sqlstate, class) in cases {
        let mut connection = connect(postgres::failing(sqlstate).await).await.unwrap();
        let error = connection.execute(sqlx::raw_sql("SELECT 1")).await.unwrap_err();
        assert_eq!(state(&error), (Some(sqlstate.into()), None, class));
    }
}

/// J4: no process listens, and nothing was sent.
#[tokio::test]
async fn refused_connection() {
    let (address, _socket) = no_listener();
    let error = connect(address).await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::ConnectionRefused), false, Class::Retryable));
}

/// J2: a server that goes away while a statement is in flight may have done it.
#[tokio::test]
async fn connection_lost_before_the_response() {
    let mut connection = connect(postgres::leaving().await).await.unwrap();
    let error = connection.execute(sqlx::raw_sql("SELECT 1")).await.unwrap_err();
    let (kind, unknown_outcome, class) = facts(&error);
    assert!(kind.is_some_and(|kind| kind.family() == steadfast::fault::Family::Connection));
    assert_eq!((unknown_outcome, class), (true, Class::UnknownOutcome));
}

/// J7: a server that speaks something else.
#[tokio::test]
async fn invalid_server_response() {
    let address = peer(|mut stream| async move {
        use tokio::io::AsyncWriteExt;
        stream.write_all(b"?\0\0\0\x04").await.unwrap();
        let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    });
    let error = connect(address.await).await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::Data), false, Class::Final));
}

/// J4: a server that goes away while a connection is made was asked nothing.
#[test]
fn server_closes_before_the_handshake() {
    let left = sqlx::Error::Protocol("unexpected response from SSLRequest: 0x00".to_owned());
    assert_eq!(facts(&left), (Some(Kind::UnexpectedEof), false, Class::Retryable));
    let strange = sqlx::Error::Protocol("unexpected response from SSLRequest: 0x47".to_owned());
    assert_eq!(facts(&strange), (Some(Kind::Data), false, Class::Final));
}

/// J4, J5: a handshake fails for the reason that it gives.
#[test]
fn failed_handshake() {
    let bare = sqlx::Error::Tls("no TLS here".into());
    assert_eq!(facts(&bare), (Some(Kind::Tls), false, Class::Final));
    let reset = sqlx::Error::Tls(io::Error::from(io::ErrorKind::ConnectionReset).into());
    assert_eq!(facts(&reset), (Some(Kind::ConnectionReset), false, Class::Retryable));
}

/// J5: the driver reports a bad certificate as an error of the socket.
#[cfg(feature = "rustls")]
#[test]
fn untrusted_certificate() {
    let untrusted = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
    let socket = sqlx::Error::Io(io::Error::new(io::ErrorKind::InvalidData, untrusted.clone()));
    assert_eq!(class(&extract::failure(&socket)), Class::Final);
    let handshake = sqlx::Error::Tls(untrusted.into());
    assert_eq!(facts(&handshake), (Some(Kind::TlsCertificate), false, Class::Final));
}

/// J2: after a crash of the worker the outcome of the statement is unknown.
#[test]
fn crashed_worker() {
    let crashed = sqlx::Error::WorkerCrashed;
    assert_eq!(facts(&crashed), (Some(Kind::Connection), true, Class::UnknownOutcome));
}

/// A wrapper as `#[error(transparent)]` makes it.
#[derive(Debug)]
struct Transparent(sqlx::Error);

impl fmt::Display for Transparent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Transparent {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// J8: the database's own error is found behind a wrapper that hides sqlx's.
#[tokio::test]
async fn transparent_wrapper() {
    let mut connection = connect(postgres::failing("40P01").await).await.unwrap();
    let error = connection.execute(sqlx::raw_sql("SELECT 1")).await.unwrap_err();
    assert_eq!(class(&extract::chain(&Transparent(error))), Class::Retryable);
}
