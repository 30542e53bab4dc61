//! `steadfast run` in a terminal (section 10): the countdown and keyboard signals.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod terminal;

use std::fs;
use std::os::unix::process::ExitStatusExt;

use serde_json::Value;
use terminal::{CTRL_C, CTRL_D, CTRL_Z, Terminal, code};

const SIGINT: i32 = 2;
/// Never ends by itself. `exec` leaves no shell that could miss a signal.
const SLEEP_FOREVER: &str = "exec sleep 1000";

/// Section 10: the countdown shows the attempt, the delay and the cause.
#[test]
fn countdown_is_drawn_and_removed() {
    let command = "echo one; test $STEADFAST_ATTEMPT = 2 && echo two";
    let terminal = Terminal::run("--base-delay 1s", command);
    terminal.until_written("retrying in 1.0s (attempt 2 of 3) · exit code 1");
    terminal.until_written("retrying in 0.");
    let (status, left) = terminal.ended();
    assert_eq!((status.code(), left.as_str()), (Some(0), "one\none\ntwo"));
}

/// Section 10: and the time left, if limited.
#[test]
fn countdown_shows_the_time_left() {
    let terminal = Terminal::run("--base-delay 30m --max-delay 1h --max-duration 2h", "exit 69");
    terminal.until_shows("retrying in 29m (attempt 2 of 3)");
    terminal.until_shows(" · exit code 69 · 1h 59m left");
    terminal.types(CTRL_C);
    assert_eq!(code(terminal.ended().0), 130);
}

#[test]
fn countdown_fits_a_narrow_terminal() {
    let terminal = Terminal::run_in(30, "--base-delay 2s --max-attempts 2", "exit 69");
    terminal.until_written("retrying in 1.");
    assert!(!terminal.written().contains("exit code"));
    let (status, left) = terminal.ended();
    assert_eq!(status.code(), Some(69));
    // Longer than the line, so it wraps; it starts on the first line.
    assert!(left.starts_with("steadfast: gave up after 2"), "{left}");
}

#[test]
fn countdown_is_removed_without_colours() {
    let flags = "--base-delay 1s --max-attempts 2 --quiet";
    let coloured = Terminal::run(flags.trim_end_matches(" --quiet"), "exit 69");
    coloured.until_written("\x1b[2mretrying in ");
    coloured.ended();
    let command = "steadfast run --base-delay 1s --max-attempts 2 -- sh -c 'exit 69'";
    let plain = Terminal::shell();
    plain.types(&format!("export NO_COLOR=1; clear; {command}\n"));
    plain.until_written("\r\x1b[Kretrying in ");
    plain.until_shows("gave up after 2 attempts");
    plain.until(|shown| !shown.contains("retrying in "));
    assert!(!plain.written().contains("\x1b[2m"));
    plain.types("exit\n");
    plain.ended();
}

#[test]
fn quiet_run_draws_no_countdown() {
    let terminal = Terminal::run("--base-delay 10ms --quiet", "exit 69");
    let picture = terminal.written();
    let (status, left) = terminal.ended();
    assert_eq!((status.code(), left.as_str()), (Some(69), ""));
    assert!(!picture.contains("retrying"));
}

/// I6, section 10: an interrupted delay ends at once, is recorded as cancelled, and the countdown
/// is removed.
#[test]
fn ctrl_c_ends_the_delay_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("run.json");
    let flags = format!("--base-delay 30m --max-delay 1h --report {}", report.display());
    let terminal = Terminal::run(&flags, "exit 69");
    terminal.until_shows("retrying in 29m");
    terminal.types(CTRL_C);
    let (status, left) = terminal.ended();
    assert_eq!((status.signal(), left.as_str()), (Some(SIGINT), ""));
    let printed: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    assert_eq!((&printed["success"], &printed["reason"]), (&false.into(), &"cancelled".into()));
    assert_eq!(printed["attempts"][0]["fault"]["exit_code"], 69);
}

/// Section 10: Ctrl-C reaches the command, and no attempt follows.
#[test]
fn ctrl_c_ends_the_command_and_the_retries() {
    for flags in ["", "--attempt-timeout 1h"] {
        let terminal = Terminal::run(flags, &format!("echo begun; {SLEEP_FOREVER}"));
        terminal.until_shows("begun");
        terminal.types(CTRL_C);
        let (status, left) = terminal.ended();
        assert_eq!(status.signal(), Some(SIGINT), "{flags}");
        assert_eq!(left, "begun\n^C", "{flags}");
    }
}

/// A command that handles Ctrl-C keeps its own exit code, and gets the signal once.
#[test]
fn ctrl_c_ends_the_retries_if_the_command_handles_it() {
    for flags in ["", "--attempt-timeout 1h"] {
        let command = "trap 'kill $!; echo cleaned up; exit 3' INT; sleep 1000 & echo begun; wait";
        let terminal = Terminal::run(flags, command);
        terminal.until_shows("begun");
        terminal.types(CTRL_C);
        let (status, left) = terminal.ended();
        assert_eq!(status.code(), Some(3), "{flags}");
        assert_eq!(left.matches("cleaned up").count(), 1, "{flags}: {left}");
        assert!(!left.contains("retrying"), "{flags}: {left}");
    }
}

/// A script's loop ends as well, because the shell sees the signal.
#[test]
fn ctrl_c_ends_the_surrounding_script() {
    let shell = Terminal::shell();
    shell.types(&format!(
        "bash -c 'for i in 1 2 3; do steadfast run -- sh -c \"echo begun \\$0; {SLEEP_FOREVER}\" $i; done; \
         echo not reached'\n"
    ));
    shell.until_shows("\nbegun 1");
    shell.types(CTRL_C);
    shell.until_prompt();
    shell.types("echo code $?\n");
    shell.until_shows("\ncode 130");
    shell.until(|shown| !shown.contains("\nbegun 2") && !shown.contains("\nnot reached"));
    shell.types("exit\n");
    shell.ended();
}

/// Section 10: the command can read from the terminal, for example a password.
#[test]
fn command_can_read_from_the_terminal() {
    for flags in ["--base-delay 1ms", "--base-delay 1ms --attempt-timeout 1h"] {
        let command = "printf 'name? '; read name < /dev/tty; echo \"it is $name\"; exit 1";
        let terminal = Terminal::run(&format!("--max-attempts 2 {flags}"), command);
        terminal.until_shows("name?");
        terminal.types("Ada\n");
        terminal.until_shows("it is Ada");
        terminal.until(|shown| shown.matches("name?").count() == 2);
        terminal.types("Grace\n");
        let (status, left) = terminal.ended();
        assert_eq!(status.code(), Some(1), "{flags}");
        assert!(left.contains("it is Grace"), "{flags}: {left}");
    }
}

/// Echo is restored after a command was killed at a password prompt.
#[test]
fn terminal_settings_are_restored_after_timeout() {
    let shell = Terminal::shell();
    let command = "sh -c 'stty -echo; printf \"password? \"; read word'";
    shell.types(&format!(
        "steadfast run --max-attempts 1 --attempt-timeout 1s -- {command}; stty\n"
    ));
    shell.until_shows("gave up after 1 attempt");
    shell.until_shows("speed");
    shell.until(|shown| !shown.contains("-echo\n") && !shown.contains("-echo "));
    shell.types("exit\n");
    shell.ended();
}

/// Ctrl-Z stops it like any job, and `fg` continues it.
#[test]
fn run_can_be_stopped_and_continued() {
    for flags in ["", "--attempt-timeout 1h"] {
        let shell = Terminal::shell();
        shell.types(&format!("steadfast run {flags} -- sh -c 'echo begun; exec cat'\n"));
        shell.until_shows("\nbegun");
        shell.types("first\n");
        shell.until(|shown| shown.matches("first").count() == 2);
        shell.types(CTRL_Z);
        shell.until_shows("Stopped");
        shell.until_prompt();
        shell.types("clear; fg\n");
        shell.until(|shown| shown.contains("exec cat") && !shown.contains("Stopped"));
        shell.types("second\n");
        shell.until(|shown| shown.matches("second").count() == 2);
        shell.types(CTRL_D);
        shell.until_prompt();
        shell.types("echo code $?\n");
        shell.until_shows("code 0");
        shell.types("exit\n");
        shell.ended();
    }
}

#[test]
fn stopped_countdown_continues_with_the_current_time() {
    let shell = Terminal::shell();
    shell.types("steadfast run --base-delay 30m --max-delay 1h -- false\n");
    shell.until_shows("retrying in 29m");
    shell.types(CTRL_Z);
    shell.until_shows("Stopped");
    shell.until_prompt();
    shell.types("clear; fg\n");
    shell.until(|shown| shown.contains("retrying in 29m") && !shown.contains("Stopped"));
    shell.types(CTRL_C);
    shell.until_prompt();
    shell.types("echo code $?\n");
    shell.until_shows("code 130");
    shell.types("exit\n");
    shell.ended();
}

/// A background run prints lines and does not draw over the terminal.
#[test]
fn background_run_draws_no_countdown() {
    let shell = Terminal::shell();
    shell.types("steadfast run --base-delay 10ms --max-attempts 2 -- false & wait; echo done\n");
    shell.until_shows("\ndone");
    let written = shell.written();
    assert!(
        written.contains("steadfast: exit code 1; retrying in 10ms (attempt 2 of 2)"),
        "{written}"
    );
    assert!(!written.contains("\x1b[Kattempt"), "{written}");
    shell.types("exit\n");
    shell.ended();
}

/// A pager at the end of a pipeline gets its keys while the command runs.
#[test]
fn pipeline_members_share_the_terminal() {
    for flags in ["", "--attempt-timeout 1h"] {
        let shell = Terminal::shell();
        let reader = "sh -c 'read line; echo got $line; read key < /dev/tty; echo key $key'";
        let command = format!("sh -c 'echo text; {SLEEP_FOREVER}'");
        shell.types(&format!("steadfast run {flags} -- {command} | {reader}\n"));
        shell.until_shows("\ngot text");
        shell.types("k\n");
        shell.until_shows("\nkey k");
        shell.types(CTRL_C);
        shell.until_prompt();
        shell.types("echo code ${PIPESTATUS[0]}\n");
        shell.until_shows("\ncode 130");
        shell.types("exit\n");
        shell.ended();
    }
}
