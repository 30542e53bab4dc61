//! Health facts about other processes on the same file. Locks belong to a process, so each test
//! starts a real one.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Executor};
use steadfast_store::health::Access;
use steadfast_testing::process::ignored_test;

use crate::{Fixture, task};

/// The file and the statement of the child process.
const FILE: &str = "STEADFAST_TEST_HELD_FILE";
const STATEMENT: &str = "STEADFAST_TEST_HELD_BY";
const READY: &str = "lock held";

/// A process that holds a file until it is dropped.
struct LockHolder {
    process: Child,
    /// Kept open, because the process may print at its end.
    _output: BufReader<ChildStdout>,
}

impl LockHolder {
    fn start(path: &Path, statement: &str) -> Self {
        let mut process =
            child(path, statement).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let ready = output.by_ref().lines().map_while(Result::ok).find(|line| line.contains(READY));
        assert!(ready.is_some(), "the process ended before it held the file");
        Self { process, _output: output }
    }
}

impl Drop for LockHolder {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        self.process.wait().unwrap();
    }
}

/// The command of the child process that holds this file by a statement.
fn child(path: &Path, statement: &str) -> Command {
    let mut child = ignored_test("health::process::hold_a_file_while_stdin_is_open").unwrap();
    child.env(FILE, path).env(STATEMENT, statement);
    child
}

/// The child process of the tests below.
#[test]
#[ignore = "started by the other tests as a child process"]
fn hold_a_file_while_stdin_is_open() {
    let (file, statement) = (std::env::var_os(FILE).unwrap(), std::env::var(STATEMENT).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = SqliteConnectOptions::new().filename(PathBuf::from(file));
        let mut connection = options.connect().await.unwrap();
        connection.execute(AssertSqlSafe(statement)).await.unwrap();
        println!("{READY}");
        std::io::stdin().lines().for_each(drop);
    });
}

/// A process that holds the write lock is named.
#[tokio::test]
async fn holder_of_the_write_lock_is_named() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1)).await.unwrap();
    assert_eq!(fixture.own().await.holders, Ok(vec![]), "this process does not count");
    let other = LockHolder::start(&fixture.path, "BEGIN IMMEDIATE");
    let own = fixture.own().await;
    let holders = own.holders.unwrap();
    assert_eq!((own.locked, holders.len()), (Ok(true), 1));
    assert_eq!((holders[0].pid, holders[0].access), (other.process.id(), Access::Writing));
    assert!(holders[0].name.is_some());
    drop(other);
    assert_eq!(fixture.own().await.locked, Ok(false));
    fixture.store.submit(task(2)).await.unwrap();
}

/// A process in a read transaction is named; one that only has the file open is distinguished.
#[tokio::test]
async fn reader_is_distinguished_from_a_waiting_writer() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1)).await.unwrap();
    let reader = LockHolder::start(&fixture.path, "BEGIN; SELECT count(*) FROM steadfast_tasks");
    let idle = LockHolder::start(&fixture.path, "SELECT count(*) FROM steadfast_tasks");
    let holders = fixture.own().await.holders.unwrap();
    let access = |other: &LockHolder| {
        holders.iter().find(|holder| holder.pid == other.process.id()).map(|holder| holder.access)
    };
    assert_eq!(access(&reader), Some(Access::Reading));
    assert_eq!(access(&idle), Some(Access::Open));
}

/// D14: a health check does not release the locks of a store that is open in the same process.
#[tokio::test]
async fn health_check_keeps_the_locks_of_this_process() {
    let fixture = Fixture::with("?busy_timeout=50ms").await;
    let mut own = fixture.connection().await;
    own.execute("BEGIN IMMEDIATE").await.unwrap();
    let _ = fixture.health().await;
    let taken = std::thread::scope(|scope| {
        let path = fixture.path.clone();
        scope.spawn(move || can_write_elsewhere(&path)).join().unwrap()
    });
    assert!(!taken, "another process got the lock that this one still holds");
    own.execute("ROLLBACK").await.unwrap();
    assert!(can_write_elsewhere(&fixture.path));
}

fn can_write_elsewhere(path: &Path) -> bool {
    let ended = child(path, "PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    ended.unwrap().success()
}
