//! What the command reads and writes is its own.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::script::{UnderWay, output, run, text};

const FAILS: &str = "--base-delay 1ms --max-attempts 2 --quiet";
const SIGPIPE_CODE: i32 = 141;

/// Section 10: stdout and stderr stay untouched, looked at or not.
#[test]
fn every_byte_of_the_output_stays_where_it_was() {
    let command = "printf 'a\\000\\377\\nb'; printf '\\033[1m\\r' >&2; exit 1";
    for flags in [FAILS.to_owned(), format!("{FAILS} --retry-on-output a")] {
        let ended = output(&flags, command);
        assert_eq!(ended.stdout, b"a\0\xff\nba\0\xff\nb", "{flags}");
        assert_eq!(ended.stderr, b"\x1b[1m\r\x1b[1m\r", "{flags}");
    }
}

/// What attempt 1 has read is gone, unless somebody asks for it to be kept.
#[test]
fn every_attempt_reads_the_same_if_it_should() {
    for (flags, read) in [
        (FAILS.to_owned(), "data\n--\n--\n"),
        (format!("{FAILS} --stdin-again"), "data\n--\ndata\n--\n"),
    ] {
        let mut under_way = UnderWay::start(&mut run(&flags, "cat; echo --; exit 1"));
        under_way.types("data\n");
        let (_, written, _) = under_way.ended();
        assert_eq!(written, read, "{flags}");
    }
}

/// A file is read from where it stood, and not copied.
#[test]
fn a_file_is_read_again_from_where_it_stood() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"head\ndata\n").unwrap();
    file.seek(SeekFrom::Start(5)).unwrap();
    let mut again = run(&format!("{FAILS} --stdin-again"), "cat; exit 1");
    let ended = again.stdin(file).output().unwrap();
    assert_eq!(text(&ended.stdout), "data\ndata\n");
}

/// `… | head`: nobody wants more, so nothing more is tried.
#[test]
fn a_reader_that_has_read_enough_ends_it_quietly() {
    for flags in ["--base-delay 1ms", "--base-delay 1ms --retry-on-output never"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_steadfast"));
        command.arg("run").args(flags.split(' ')).args(["--", "yes"]);
        let mut under_way = UnderWay::start(&mut command);
        assert_eq!(under_way.line(), "y");
        under_way.stop_reading();
        let (status, _, said) = under_way.ended();
        assert_eq!((status.code(), said.as_str()), (Some(SIGPIPE_CODE), ""), "{flags}");
    }
}

/// The same where a shell stands between.
#[test]
fn a_reader_that_has_read_enough_of_a_pipeline_ends_it_quietly() {
    let mut command = run("--base-delay 1ms", "yes | cat; exit 141");
    let mut under_way = UnderWay::start(&mut command);
    assert_eq!(under_way.line(), "y");
    under_way.stop_reading();
    let (status, _, said) = under_way.ended();
    assert_eq!((status.code(), said.as_str()), (Some(SIGPIPE_CODE), ""));
}

/// Whoever has closed stderr does not want to know.
#[test]
fn a_closed_stderr_changes_nothing() {
    let closed = "exec \"$0\" run --base-delay 1ms -- sh -c 'echo out; exit 5' 2>&-";
    let mut shell = std::process::Command::new("sh");
    let ended = shell.args(["-c", closed, env!("CARGO_BIN_EXE_steadfast")]).output().unwrap();
    assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(5), "out\nout\nout\n"));
}

/// Ten gigabytes take no more room than ten bytes; here it is a third of one. Looking for a text
/// that is not there takes the compiler's help to be quick, so there it is less.
#[cfg(target_os = "linux")]
#[test]
fn endless_output_is_passed_on_in_constant_memory() {
    const MOST_KIB: u64 = 64 << 10;
    let endless_line = "cat /dev/zero";
    for (pattern, source, bytes) in [
        ("^y$", "yes", 300_000_000),
        ("never", "yes", 20_000_000),
        ("never", endless_line, 20_000_000),
    ] {
        let command = format!("{source} | head -c {bytes}; read done");
        let mut under_way =
            UnderWay::start(&mut run(&format!("--retry-on-output {pattern}"), &command));
        assert_eq!(under_way.skip(bytes), bytes);
        let peak = peak_kib(under_way.id());
        under_way.types("\n");
        assert_eq!(under_way.ended().0.code(), Some(0));
        assert!(peak < MOST_KIB, "{peak} KiB for {bytes} bytes of {source}");
    }
}

#[cfg(target_os = "linux")]
fn peak_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Somebody whom the command has left behind keeps its output open. It is not waited for, and not
/// ended either: a command may start a daemon.
#[test]
fn who_is_left_behind_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("daemon");
    let command = format!("sleep 1000 & echo $! > '{}'; echo busy; exit 1", place.display());
    let ended = output("--max-attempts 1 --retry-on-output busy", &command);
    assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(1), "busy\n"));
    let daemon: i32 = fs::read_to_string(place).unwrap().trim().parse().unwrap();
    kill(Pid::from_raw(daemon), Signal::SIGKILL).unwrap();
}

/// A reader that takes its time gets all of it, also what was on its way when the command ended.
#[test]
fn nothing_is_lost_on_the_way_to_a_slow_reader() {
    // More than the reader's pipe holds, and no more than can be on its way.
    const BYTES: u64 = 100_000;
    let command = format!("yes | head -c {BYTES}; echo written >&2; exit 1");
    let flags = "--max-attempts 1 --retry-on-output never";
    let mut under_way = UnderWay::start(&mut run(flags, &command));
    assert_eq!(under_way.complaint(), "written");
    // There is nothing to wait for: that it waits longer than for a silent daemon is the point.
    thread::sleep(Duration::from_secs(3));
    assert_eq!(under_way.skip(BYTES), BYTES);
    assert_eq!(under_way.ended().0.code(), Some(1));
}
