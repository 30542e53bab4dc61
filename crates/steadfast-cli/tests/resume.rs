//! Interrupted and resumed file submissions.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]
#![cfg(unix)]

mod numbered;
mod store;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use sqlx::{Connection, SqliteConnection};
use steadfast_store::Store;
use steadfast_testing::poll::wait_for;
use steadfast_testing::postgres::{Cluster, Settings, Shutdown};

use numbered::{lines, numbers, numbers_in};
use store::Folder;

const TASKS: u64 = 20_000;
const PROGRESS_TIMEOUT: Duration = Duration::from_secs(60);

fn filled() -> (Folder, PathBuf) {
    let folder = Folder::empty();
    std::fs::write(folder.path().join("tasks.jsonl"), lines(0..TASKS)).unwrap();
    let journal = folder.path().join("tasks.jsonl.steadfast-progress");
    (folder, journal)
}

fn start(folder: &Folder, line: &str) -> Child {
    let mut command = folder.command(line);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The number of tasks the journal records as stored.
fn stored_tasks(journal: &Path) -> u64 {
    let text = std::fs::read_to_string(journal).unwrap_or_default();
    let entries = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    entries.filter_map(|entry| entry["kept"]["tasks"].as_u64()).next().unwrap_or_default()
}

/// Waits until more tasks are stored.
fn wait_until_stored(journal: &Path, more_than: u64) {
    let began = Instant::now();
    while stored_tasks(journal) <= more_than {
        assert!(began.elapsed() < PROGRESS_TIMEOUT, "no more tasks are stored");
        // Shorter than a batch takes, so that the kill comes in the middle.
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn everything() -> Vec<u64> {
    (0..TASKS).collect()
}

/// D9: killed repeatedly at any point, every task is stored once.
#[test]
fn resume_after_kill_9_stores_every_task_once() {
    let (folder, journal) = filled();
    let mut kills = 0;
    while kills < 6 {
        let before = stored_tasks(&journal);
        let mut child = start(&folder, "submit tasks.jsonl --resume");
        wait_until_stored(&journal, before);
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 3, "it was done after {kills} kills, which shows nothing");
    let printed: Value =
        serde_json::from_str(&folder.run_ok("submit tasks.jsonl --resume --json")).unwrap();
    assert_eq!(printed["submitted"], TASKS);
    assert_eq!(numbers_in(&folder), everything());
}

/// A kill between the store's commit and the journal entry: the tasks are sent again with the same
/// ids, and the store has them already.
#[test]
fn stored_batch_without_journal_entry_is_sent_again() {
    let (folder, journal) = filled();
    folder.run_ok("submit tasks.jsonl --resume");
    let text = std::fs::read_to_string(&journal).unwrap();
    for cut in ["\"done\"", "\"kept\":{\"tasks\":20000", "\"kept\":{\"tasks\":7000"] {
        let end = text.find(cut).unwrap();
        // In the middle of a line, as it happens.
        std::fs::write(&journal, &text[..end + 3]).unwrap();
        folder.run_ok("submit tasks.jsonl --resume");
        assert_eq!(numbers_in(&folder), everything(), "{cut}");
    }
}

/// Ctrl-C lets the batch in flight finish, and reports progress and how to continue.
#[test]
fn interrupt_reports_how_to_continue() {
    let (folder, journal) = filled();
    let child = start(&folder, "submit tasks.jsonl");
    wait_until_stored(&journal, 0);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap().replace("\n        ", " ");
    assert_eq!(output.status.code(), Some(1), "{printed}");
    let done = stored_tasks(&journal);
    assert!(printed.contains("interrupted"), "{printed}");
    assert!(printed.contains(&format!("{done} tasks submitted, up to line {done}")), "{printed}");
    assert!(printed.contains("to continue: steadfast submit tasks.jsonl --resume"), "{printed}");
    assert_eq!(numbers_in(&folder), (0..done).collect::<Vec<_>>());
    folder.run_ok("submit tasks.jsonl --resume");
    assert_eq!(numbers_in(&folder), everything());
}

/// Lines after the position may change; submitted or possibly submitted lines may not.
#[test]
fn changed_file_is_not_resumed() {
    let (folder, journal) = filled();
    let file = folder.path().join("tasks.jsonl");
    folder.run_ok("submit tasks.jsonl --resume");
    let text = std::fs::read_to_string(&journal).unwrap();
    let end = text.find("{\"kept\":{\"tasks\":7000").unwrap();
    std::fs::write(&journal, &text[..end]).unwrap();

    std::fs::write(&file, lines(1..TASKS)).unwrap();
    let (code, printed) = folder.run_err("submit tasks.jsonl --resume");
    assert_eq!(code, Some(2));
    assert!(printed.contains("up to line 6000 it differs from what"), "{printed}");
    std::fs::write(&file, lines(0..6500) + &lines(6501..TASKS)).unwrap();
    let (_, printed) = folder.run_err("submit tasks.jsonl --resume");
    assert!(
        printed.replace("\n  │ ", " ").contains("the next 1000 tasks may have been submitted"),
        "{printed}"
    );
    std::fs::write(&file, lines(0..10_000)).unwrap();
    folder.run_ok("submit tasks.jsonl --resume");
    assert_eq!(numbers_in(&folder), everything(), "nothing was lost or sent twice");
}

#[test]
fn resume_into_another_store_is_rejected() {
    let (folder, journal) = filled();
    folder.run_ok("submit tasks.jsonl --resume");
    let (code, printed) = folder.run_err("submit tasks.jsonl --resume --store sqlite:other.db");
    assert_eq!(code, Some(2));
    assert!(printed.contains("used another store: sqlite:/"), "{printed}");
    assert!(journal.exists() && !folder.path().join("other.db").exists());
}

/// K4: a locked store is retried, and nothing is lost.
#[test]
fn locked_store_is_retried() {
    let (folder, _) = filled();
    folder.change(async |_| ());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let url = format!("sqlite:{}", folder.path().join("steadfast.db").display());
    runtime.block_on(async {
        let mut other = SqliteConnection::connect(&url).await.unwrap();
        let held = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
        let line = format!("submit tasks.jsonl --store {url}?busy_timeout=50ms");
        let mut child = start(&folder, &line);
        let mut notes = BufReader::new(child.stderr.take().unwrap()).lines();
        let printed = notes.next().unwrap().unwrap();
        assert!(printed.starts_with("store unreachable, retrying in "), "{printed}");
        held.rollback().await.unwrap();
        assert!(child.wait().unwrap().success(), "{:?}", notes.collect::<Vec<_>>());
    });
    assert_eq!(numbers_in(&folder), everything());
}

/// The submission stops after the timeout, and can be resumed.
#[test]
fn submission_stops_after_store_timeout() {
    let (folder, journal) = filled();
    folder.change(async |_| ());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let url = format!("sqlite:{}", folder.path().join("steadfast.db").display());
    runtime.block_on(async {
        let mut other = SqliteConnection::connect(&url).await.unwrap();
        let held = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
        let line =
            format!("submit tasks.jsonl --store-timeout 300ms --store {url}?busy_timeout=50ms");
        let (code, printed) = folder.run_err(&line);
        assert_eq!(code, Some(1));
        assert!(
            printed.contains("nothing submitted") && printed.contains("then continue: steadfast"),
            "{printed}"
        );
        held.rollback().await.unwrap();
    });
    assert!(journal.exists());
    folder.run_ok("submit tasks.jsonl --resume");
    assert_eq!(numbers_in(&folder), everything());
}

/// K4: a restart of PostgreSQL loses and duplicates nothing.
#[test]
fn restarting_server_is_retried() {
    let (folder, _) = filled();
    let mut cluster = Cluster::start(Settings::default()).unwrap();
    let url = cluster.create_database("tasks").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    drop(runtime.block_on(Store::open(&url)).unwrap());
    cluster.query("tasks", PAUSE_AFTER_5000_TASKS).unwrap();
    let child = start(&folder, &format!("submit tasks.jsonl --resume --store {url}"));
    wait_for("the submission pauses in a statement", || {
        let paused = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
        (!cluster.query("tasks", paused).unwrap().is_empty()).then_some(())
    });
    cluster.query("tasks", "DELETE FROM pause").unwrap();
    cluster.restart(Shutdown::Immediate).unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("store unreachable"), "{printed}");
    let found = runtime.block_on(async { numbers(&Store::open(&url).await.unwrap()).await });
    assert_eq!(found, everything());
}

/// Keeps the sixth batch running as long as `pause` has a row, so that the restart interrupts it.
const PAUSE_AFTER_5000_TASKS: &str = "
    CREATE TABLE pause AS SELECT 1 AS row;
    CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT FROM public.pause) AND (SELECT count(*) >= 5000 FROM steadfast.tasks) THEN
            PERFORM pg_sleep(600);
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER pause BEFORE INSERT ON steadfast.tasks EXECUTE FUNCTION pause();
";
