//! Other processes on the same file. Locks are a process's, so each is a real one.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Executor};
use steadfast_store::health::Access;

use crate::{Fixture, task};

/// Names the file and the statement of a process of its own.
const FILE: &str = "STEADFAST_TEST_HELD_FILE";
const STATEMENT: &str = "STEADFAST_TEST_HELD_BY";
const READY: &str = "it holds";

/// A process that holds a file until it is dropped.
struct Other {
    process: Child,
    /// It may say something at its end, and must be able to.
    _output: BufReader<ChildStdout>,
}

impl Other {
    fn holding(path: &Path, statement: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "health::process::holds_a_file_while_its_input_is_open",
                "--nocapture",
            ])
            .env(FILE, path)
            .env(STATEMENT, statement)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let said = output.by_ref().lines().map_while(Result::ok).find(|line| line.contains(READY));
        assert!(said.is_some(), "it ended before it held anything");
        Self { process, _output: output }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        self.process.wait().unwrap();
    }
}

/// Run by the tests below in a process of its own; alone, it holds nothing.
#[test]
fn holds_a_file_while_its_input_is_open() {
    let (Some(file), Ok(statement)) = (std::env::var_os(FILE), std::env::var(STATEMENT)) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = SqliteConnectOptions::new().filename(PathBuf::from(file));
        let mut connection = options.connect().await.unwrap();
        connection.execute(AssertSqlSafe(statement)).await.unwrap();
        println!("{READY}");
        std::io::stdin().lines().for_each(drop);
    });
}

/// A process that holds the lock for writing is named.
#[tokio::test]
async fn whoever_holds_the_lock_for_writing_is_named() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1)).await.unwrap();
    assert_eq!(fixture.own().await.holders, Ok(vec![]), "this process does not count");
    let other = Other::holding(&fixture.path, "BEGIN IMMEDIATE");
    let own = fixture.own().await;
    let holders = own.holders.unwrap();
    assert_eq!((own.locked, holders.len()), (Ok(true), 1));
    assert_eq!((holders[0].pid, holders[0].access), (other.process.id(), Access::Writing));
    assert!(holders[0].name.is_some());
    drop(other);
    assert_eq!(fixture.own().await.locked, Ok(false));
    fixture.store.submit(task(2)).await.unwrap();
}

/// So is one that reads on and on; one that has the file open and does nothing is told apart.
#[tokio::test]
async fn whoever_reads_is_told_from_whoever_waits() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1)).await.unwrap();
    let reader = Other::holding(&fixture.path, "BEGIN; SELECT count(*) FROM steadfast_tasks");
    let idle = Other::holding(&fixture.path, "SELECT count(*) FROM steadfast_tasks");
    let holders = fixture.own().await.holders.unwrap();
    let access = |other: &Other| {
        holders.iter().find(|holder| holder.pid == other.process.id()).map(|holder| holder.access)
    };
    assert_eq!(access(&reader), Some(Access::Reading));
    assert_eq!(access(&idle), Some(Access::Open));
}

/// D14: a look does not take the locks away from a store that is open in the same process.
#[tokio::test]
async fn a_look_leaves_the_locks_of_this_process_alone() {
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
    let ended = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "health::process::holds_a_file_while_its_input_is_open", "--nocapture"])
        .env(FILE, path)
        .env(STATEMENT, "PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    ended.unwrap().success()
}
