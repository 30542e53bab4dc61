//! Schema versions and concurrent migrations (D14).

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use sqlx::Executor;
use steadfast_store::{Sqlite, StoreError};

use crate::Fixture;

/// The environment variable with the file that a child process opens.
const FILE: &str = "STEADFAST_TEST_FILE";

fn url(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

/// D14: the schema of a newer program is not changed.
#[tokio::test]
async fn newer_schema_is_rejected() {
    let fixture = Fixture::new().await;
    let mut other = fixture.connection().await;
    other.execute("INSERT INTO steadfast_schema (version) VALUES (99)").await.unwrap();
    let error = Sqlite::open(&url(&fixture.path)).await.unwrap_err();
    assert!(matches!(error, StoreError::NewerSchema { found: 99, known: 2.. }), "{error}");
}

/// D9, D14: a file with other tables gets the store's tables beside them.
#[tokio::test]
async fn foreign_tables_are_kept() {
    let fixture = Fixture::new().await;
    let mut other = fixture.connection().await;
    let strange = "SELECT count(*) FROM sqlite_schema \
         WHERE name NOT LIKE 'steadfast\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let strange: i64 = sqlx::query_scalar(strange).fetch_one(&mut other).await.unwrap();
    let version: i64 =
        sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut other).await.unwrap();
    assert_eq!((strange, version), (0, 0));
}

/// D14: ten threads that open an empty file together all get a store.
#[test]
fn ten_threads_open_an_empty_file_together() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tasks.db");
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| open_here(&path));
        }
    });
    assert_eq!(applied(&path), 1);
}

/// D14: so do ten processes.
#[test]
fn ten_processes_open_an_empty_file_together() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tasks.db");
    let processes: Vec<_> = (0..10).map(|_| open_elsewhere(&path)).collect();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    assert_eq!(applied(&path), 1);
}

/// D14: so does one process on a file of its own. The test above runs this one in each of its child
/// processes, and names the file.
#[test]
fn one_process_opens_an_empty_file() {
    let directory = tempfile::tempdir().unwrap();
    let named = std::env::var_os(FILE).map(PathBuf::from);
    let path = named.unwrap_or_else(|| directory.path().join("tasks.db"));
    open_here(&path);
    assert_eq!(applied(&path), 1);
}

fn open_elsewhere(path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "migrate::one_process_opens_an_empty_file"])
        .env(FILE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn open_here(path: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(Sqlite::open(&url(path))).unwrap();
}

/// How often the first migration was applied.
fn applied(path: &Path) -> i64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
        let mut connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
        let count = "SELECT count(*) FROM steadfast_schema WHERE version = 1";
        sqlx::query_scalar(count).fetch_one(&mut connection).await.unwrap()
    })
}
