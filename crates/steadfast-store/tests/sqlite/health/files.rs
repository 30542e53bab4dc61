//! Facts about the files of a store.

use std::fs::{File, Permissions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;

use jiff::Timestamp;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection as _, Executor};
use steadfast_store::health::{Filesystem, examine};
use steadfast_store::{Sqlite, Store};

use super::{examine_file, own};
use crate::{Fixture, task};

#[tokio::test]
async fn healthy_file_is_reported() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1)).await.unwrap();
    let own = fixture.own().await;
    assert_eq!((own.corruption, own.journal), (Ok(vec![]), Ok("wal".to_owned())));
    assert_eq!((own.locked, own.directory_writable), (Ok(false), Ok(true)));
    assert!(own.file.writable && own.log.unwrap().bytes > 0 && own.index.is_some());
    let space = own.space.unwrap();
    assert!(space.free > 0 && space.free < space.total, "{space:?}");
    let Filesystem { kind, network } = own.filesystem.unwrap();
    assert!(!kind.is_empty() && !network, "{kind}");
}

/// A long-running reader prevents the log from being truncated.
#[tokio::test]
async fn growing_log_is_reported() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(0)).await.unwrap();
    let mut reader = fixture.connection().await;
    reader.execute("BEGIN").await.unwrap();
    reader.execute("SELECT count(*) FROM steadfast_tasks").await.unwrap();
    let before = fixture.own().await.log.unwrap().bytes;
    let mut writer = fixture.connection().await;
    writer.execute("CREATE TABLE bulk (body BLOB)").await.unwrap();
    for _ in 0..20 {
        writer.execute("INSERT INTO bulk VALUES (randomblob(1048576))").await.unwrap();
    }
    let log = fixture.own().await.log.unwrap().bytes;
    assert!(log > before + 20 * 1_048_576, "{before} {log}");
}

/// Deleted rows leave free pages in the file.
#[tokio::test]
async fn free_pages_are_counted() {
    let fixture = Fixture::new().await;
    let mut other = fixture.connection().await;
    other.execute("CREATE TABLE bulk (body BLOB)").await.unwrap();
    other.execute("INSERT INTO bulk VALUES (randomblob(1048576))").await.unwrap();
    let before = fixture.own().await.pages.unwrap();
    other.execute("DROP TABLE bulk").await.unwrap();
    let after = fixture.own().await.pages.unwrap();
    assert!(after.free >= before.free + 1_048_576 / after.size, "{before:?} {after:?}");
    assert!(after.free < after.count);
}

/// Corrupt bytes are found, and not changed.
#[tokio::test]
async fn corruption_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tasks.db");
    let options = SqliteConnectOptions::new().filename(&path);
    {
        let store = Store::with_engine(std::sync::Arc::new(
            Sqlite::open(&format!("sqlite:{}", path.display())).await.unwrap(),
        ));
        store.submit_all((0..2000).map(task).collect()).await.unwrap();
    }
    // After a checkpoint all rows are in the file itself.
    let mut connection = options.connect().await.unwrap();
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").await.unwrap();
    connection.close().await.unwrap();
    let length = path.metadata().unwrap().len();
    let mut file = File::options().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(length / 2)).unwrap();
    file.write_all(&[0xaa; 16 * 4096]).unwrap();
    drop(file);
    let corruption = own(examine_file(&path).await).corruption.unwrap();
    assert!(!corruption.is_empty());
    assert_eq!(path.metadata().unwrap().len(), length);
}

/// Without WAL every read would lock the file.
#[tokio::test]
async fn other_journal_mode_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tasks.db");
    let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    connection.execute("CREATE TABLE anything (x)").await.unwrap();
    assert_eq!(own(examine_file(&path).await).journal, Ok("delete".to_owned()));
}

/// Permissions are reported as the file system has them.
#[tokio::test]
async fn read_only_file_is_reported() {
    let fixture = Fixture::new().await;
    std::fs::set_permissions(&fixture.path, Permissions::from_mode(0o440)).unwrap();
    let own = fixture.own().await;
    assert_eq!(own.file.mode, Some(0o440));
    let is_root = own.file.owner == Some(0);
    assert_eq!(own.file.writable, is_root, "root may write a read-only file");
}

/// K4: a file of another type is distinguished from a corrupt database.
#[tokio::test]
async fn other_file_type_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    let text = "not a database, however long one looks at it. ".repeat(100);
    std::fs::write(&path, &text).unwrap();
    let url = format!("sqlite:{}", path.display());
    let error = examine(&url, Timestamp::now).await.unwrap_err();
    assert!(error.to_string().contains("not an SQLite database"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}
