//! A bulk submission that is stopped in the middle, and goes on.

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
use steadfast_testing::postgres::{Cluster, Settings, Shutdown};

use numbered::{lines, numbers, numbers_in};
use store::Folder;

const TASKS: u64 = 20_000;
const PATIENCE: Duration = Duration::from_secs(60);

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

/// How many tasks a journal says are kept.
fn kept(journal: &Path) -> u64 {
    let text = std::fs::read_to_string(journal).unwrap_or_default();
    let entries = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    entries.filter_map(|entry| entry["kept"]["tasks"].as_u64()).next().unwrap_or_default()
}

/// Waits until something more is kept.
fn wait_until_kept(journal: &Path, more_than: u64) {
    let began = Instant::now();
    while kept(journal) <= more_than {
        assert!(began.elapsed() < PATIENCE, "it does not get on");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn everything() -> Vec<u64> {
    (0..TASKS).collect()
}

/// D9: killed again and again wherever it is, every task is in the store once.
#[test]
fn it_goes_on_after_kill_9_and_nothing_is_twice() {
    let (folder, journal) = filled();
    let mut kills = 0;
    while kills < 6 {
        let before = kept(&journal);
        let mut child = start(&folder, "submit tasks.jsonl --resume");
        wait_until_kept(&journal, before);
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 3, "it was done after {kills} kills, which shows nothing");
    let told: Value =
        serde_json::from_str(&folder.told("submit tasks.jsonl --resume --json")).unwrap();
    assert_eq!(told["submitted"], TASKS);
    assert_eq!(numbers_in(&folder), everything());
}

/// Whoever kills it between the store's commit and the journal's line: the tasks are sent again
/// under the same ids, and the store has them already.
#[test]
fn what_was_kept_and_not_written_down_is_sent_again_and_is_there() {
    let (folder, journal) = filled();
    folder.told("submit tasks.jsonl --resume");
    let text = std::fs::read_to_string(&journal).unwrap();
    for cut in ["\"done\"", "\"kept\":{\"tasks\":20000", "\"kept\":{\"tasks\":7000"] {
        let end = text.find(cut).unwrap();
        // In the middle of a line, as it happens.
        std::fs::write(&journal, &text[..end + 3]).unwrap();
        folder.told("submit tasks.jsonl --resume");
        assert_eq!(numbers_in(&folder), everything(), "{cut}");
    }
}

/// Ctrl-C lets the batch under way through, says how far it is, and how to go on.
#[test]
fn an_interrupt_says_how_to_go_on() {
    let (folder, journal) = filled();
    let child = start(&folder, "submit tasks.jsonl");
    wait_until_kept(&journal, 0);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap().replace("\n        ", " ");
    assert_eq!(output.status.code(), Some(1), "{told}");
    let done = kept(&journal);
    assert!(told.contains("it was interrupted"), "{told}");
    assert!(told.contains(&format!("{done} tasks are submitted, up to line {done}")), "{told}");
    assert!(told.contains("to go on: steadfast submit tasks.jsonl --resume"), "{told}");
    assert_eq!(numbers_in(&folder), (0..done).collect::<Vec<_>>());
    folder.told("submit tasks.jsonl --resume");
    assert_eq!(numbers_in(&folder), everything());
}

/// What is behind the place may change; what was or may have been submitted may not.
#[test]
fn a_file_that_has_changed_is_not_gone_on_with() {
    let (folder, journal) = filled();
    let file = folder.path().join("tasks.jsonl");
    folder.told("submit tasks.jsonl --resume");
    let text = std::fs::read_to_string(&journal).unwrap();
    let end = text.find("{\"kept\":{\"tasks\":7000").unwrap();
    std::fs::write(&journal, &text[..end]).unwrap();

    std::fs::write(&file, lines(1..TASKS)).unwrap();
    let (code, told) = folder.refused("submit tasks.jsonl --resume");
    assert_eq!(code, Some(2));
    assert!(told.contains("up to line 6000 it is not what"), "{told}");
    std::fs::write(&file, lines(0..6500) + &lines(6501..TASKS)).unwrap();
    let (_, told) = folder.refused("submit tasks.jsonl --resume");
    assert!(
        told.replace("\n  │ ", " ").contains("the next 1000 tasks may have been submitted"),
        "{told}"
    );
    std::fs::write(&file, lines(0..10_000)).unwrap();
    folder.told("submit tasks.jsonl --resume");
    assert_eq!(numbers_in(&folder), everything(), "nothing was lost or sent twice");
}

#[test]
fn another_store_is_not_gone_on_with() {
    let (folder, journal) = filled();
    folder.told("submit tasks.jsonl --resume");
    let (code, told) = folder.refused("submit tasks.jsonl --resume --store sqlite:other.db");
    assert_eq!(code, Some(2));
    assert!(told.contains("into another store: sqlite:/"), "{told}");
    assert!(journal.exists() && !folder.path().join("other.db").exists());
}

/// K4: a store that is held by somebody is waited for, and nothing is lost.
#[test]
fn a_store_that_is_locked_is_waited_for() {
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
        let told = notes.next().unwrap().unwrap();
        assert!(told.starts_with("the store is away, asked again in "), "{told}");
        held.rollback().await.unwrap();
        assert!(child.wait().unwrap().success(), "{:?}", notes.collect::<Vec<_>>());
    });
    assert_eq!(numbers_in(&folder), everything());
}

/// It is not waited for longer than was said, and what is missing can be sent later.
#[test]
fn patience_has_an_end() {
    let (folder, journal) = filled();
    folder.change(async |_| ());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let url = format!("sqlite:{}", folder.path().join("steadfast.db").display());
    runtime.block_on(async {
        let mut other = SqliteConnection::connect(&url).await.unwrap();
        let held = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
        let line = format!("submit tasks.jsonl --patience 300ms --store {url}?busy_timeout=50ms");
        let (code, told) = folder.refused(&line);
        assert_eq!(code, Some(1));
        assert!(
            told.contains("nothing is submitted") && told.contains("then go on: steadfast"),
            "{told}"
        );
        held.rollback().await.unwrap();
    });
    assert!(journal.exists());
    folder.told("submit tasks.jsonl --resume");
    assert_eq!(numbers_in(&folder), everything());
}

/// K4: a PostgreSQL that is restarted in the middle loses nothing and gets nothing twice.
#[test]
fn a_server_that_restarts_is_waited_for() {
    let (folder, journal) = filled();
    let mut cluster = Cluster::start(Settings::default()).unwrap();
    let url = cluster.create_database("tasks").unwrap();
    let child = start(&folder, &format!("submit tasks.jsonl --resume --store {url}"));
    wait_until_kept(&journal, 0);
    cluster.restart(Shutdown::Immediate).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("the store is away"), "{told}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let found = runtime.block_on(async { numbers(&Store::open(&url).await.unwrap()).await });
    assert_eq!(found, everything());
}
