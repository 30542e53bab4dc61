//! `--watch`, with and without a terminal (section 10).

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

#[path = "../store/mod.rs"]
mod store;
mod terminal;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use steadfast_store::{Actor, Task};

use store::{Folder, failed_for_good};
use terminal::Terminal;

fn one_task() -> Folder {
    Folder::with(async |store| {
        store.submit(Task::new("first", &1)).await.unwrap();
    })
}

fn another_task(folder: &Folder) {
    folder.change(async |store| {
        store.submit(failed_for_good(Task::new("second", &1))).await.unwrap();
    });
}

/// Section 10: the table is redrawn in place, and q restores the terminal.
#[test]
fn list_is_redrawn_until_q() {
    let folder = one_task();
    let mut terminal = Terminal::run(&folder, "tasks list --watch --every 100ms", 110);
    terminal.until(|screen| screen.contains("  first  "));
    assert!(terminal.is_drawn_on(), "the second screen is in use, without a cursor");
    another_task(&folder);
    terminal.until(|screen| {
        screen.contains("failed   second")
            && screen.matches("  first  ").count() == 1
            && screen.contains("updates every 100ms, q to quit")
    });
    terminal.types(b"q");
    assert_eq!(terminal.ended().code(), Some(0));
    assert!(!terminal.is_drawn_on(), "the first screen is back, with its cursor");
    assert_eq!(terminal.screen().trim(), "");
}

/// Section 10: Ctrl-C and signals restore the terminal.
#[test]
fn ctrl_c_and_signals_restore_the_terminal() {
    let folder = one_task();
    let stops: [fn(&mut Terminal); 2] = [
        |terminal| terminal.types(b"\x03"),
        |terminal| kill(Pid::from_raw(terminal.pid()), Signal::SIGTERM).unwrap(),
    ];
    for stop in stops {
        let mut terminal = Terminal::run(&folder, "stats --watch", 80);
        terminal.until(|screen| screen.contains("success rate"));
        stop(&mut terminal);
        assert_eq!(terminal.ended().code(), Some(0));
        assert!(!terminal.is_drawn_on());
    }
}

/// Section 10: a narrow terminal shows everything without overlong lines.
#[test]
fn narrow_terminal_shows_stacked_rows() {
    let folder = one_task();
    another_task(&folder);
    for width in [40, 80] {
        let mut terminal = Terminal::run(&folder, "tasks list --watch", width);
        terminal.until(|screen| {
            screen.contains("second on default: not retryable:")
                && screen.contains("first on default")
        });
        terminal.types(b"q");
        terminal.ended();
    }
}

/// K4: an unreachable store is reported and retried.
#[test]
fn store_error_is_shown_until_it_recovers() {
    let folder = one_task();
    let line = "tasks list --watch --every 100ms --queue default";
    let mut terminal = Terminal::run(&folder, line, 100);
    terminal.until(|screen| screen.contains("  first  "));
    folder.sql("ALTER TABLE steadfast_queues RENAME TO elsewhere");
    terminal.until(|screen| screen.contains("steadfast_queues"));
    folder.sql("ALTER TABLE elsewhere RENAME TO steadfast_queues");
    terminal.until(|screen| screen.contains("  first  "));
    terminal.types(b"q");
    assert_eq!(terminal.ended().code(), Some(0));
}

/// D16: a bulk requeue asks for confirmation on a terminal.
#[test]
fn bulk_requeue_asks_for_confirmation() {
    let folder = one_task();
    another_task(&folder);
    for (answer, printed) in
        [("\r", "cancelled; nothing requeued"), ("y\r", "requeued 1 failed task")]
    {
        let mut terminal = Terminal::run(&folder, "tasks requeue --status failed", 80);
        terminal.until(|screen| screen.contains("requeue 1 failed task? [y/N]"));
        terminal.types(answer.as_bytes());
        assert_eq!(terminal.ended().code(), Some(0));
        assert!(terminal.screen().contains(printed), "{}", terminal.screen());
    }
}

/// Section 10: without a terminal results are printed in sequence, as JSON one per line.
#[test]
fn results_are_printed_in_sequence_without_terminal() {
    let folder = one_task();
    let mut child = watching(&folder, "queue list --watch --every 100ms --json").spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("\"paused\":false")));
    folder.change(async |store| store.pause("default", &Actor::new("ada")).await.unwrap());
    assert!(lines.any(|line| line.contains("\"paused\":true")));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Section 10: a closed stdout ends it.
#[test]
fn closed_stdout_ends_watch() {
    let folder = one_task();
    let mut child = watching(&folder, "stats --watch --every 100ms").spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().starts_with("pending"));
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

fn watching(folder: &Folder, line: &str) -> Command {
    let mut command = folder.command(line);
    command.stdout(Stdio::piped()).stdin(Stdio::null());
    command
}
