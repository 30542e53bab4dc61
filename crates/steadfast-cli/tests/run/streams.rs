//! Streams of `steadfast run`.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::script::{UnderWay, output, run, text};

const FAILS: &str = "--base-delay 1ms --max-attempts 2 --quiet";
const SIGPIPE_CODE: i32 = 141;

/// Section 10: stdout and stderr are unchanged, with and without patterns.
#[test]
fn output_is_unchanged() {
    let command = "printf 'a\\000\\377\\nb'; printf '\\033[1m\\r' >&2; exit 1";
    for flags in [FAILS.to_owned(), format!("{FAILS} --retry-on-output a")] {
        let ended = output(&flags, command);
        assert_eq!(ended.stdout, b"a\0\xff\nba\0\xff\nb", "{flags}");
        assert_eq!(ended.stderr, b"\x1b[1m\r\x1b[1m\r", "{flags}");
    }
}

/// Input read by attempt 1 is gone unless --replay-stdin is given.
#[test]
fn stdin_again_replays_the_input() {
    for (flags, read) in [
        (FAILS.to_owned(), "data\n--\n--\n"),
        (format!("{FAILS} --replay-stdin"), "data\n--\ndata\n--\n"),
    ] {
        let mut under_way = UnderWay::start(&mut run(&flags, "cat; echo --; exit 1"));
        under_way.types("data\n");
        let (_, written, _) = under_way.ended();
        assert_eq!(written, read, "{flags}");
    }
}

/// A file is read again from its offset, and not copied.
#[test]
fn file_stdin_is_replayed_from_its_offset() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"head\ndata\n").unwrap();
    file.seek(SeekFrom::Start(5)).unwrap();
    let mut again = run(&format!("{FAILS} --replay-stdin"), "cat; exit 1");
    let ended = again.stdin(file).output().unwrap();
    assert_eq!(text(&ended.stdout), "data\ndata\n");
}

/// `… | head`: a closed stdout ends the retries.
#[test]
fn closed_stdout_ends_the_run_quietly() {
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

/// Also with a shell in between.
#[test]
fn closed_stdout_of_a_pipeline_ends_the_run_quietly() {
    let mut command = run("--base-delay 1ms", "yes | cat; exit 141");
    let mut under_way = UnderWay::start(&mut command);
    assert_eq!(under_way.line(), "y");
    under_way.stop_reading();
    let (status, _, said) = under_way.ended();
    assert_eq!((status.code(), said.as_str()), (Some(SIGPIPE_CODE), ""));
}

/// A closed stderr is not an error.
#[test]
fn closed_stderr_is_ignored() {
    let closed = "exec \"$0\" run --base-delay 1ms -- sh -c 'echo out; exit 5' 2>&-";
    let mut shell = std::process::Command::new("sh");
    let ended = shell.args(["-c", closed, env!("CARGO_BIN_EXE_steadfast")]).output().unwrap();
    assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(5), "out\nout\nout\n"));
}

/// Memory does not grow with the output. The search is slow in debug builds, so it gets less
/// output.
#[cfg(target_os = "linux")]
#[test]
fn large_output_uses_constant_memory() {
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

/// A child that keeps the output open is neither waited for nor killed: it may be a daemon.
#[test]
fn remaining_child_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("daemon");
    let command = format!("sleep 1000 & echo $! > '{}'; echo busy; exit 1", place.display());
    let ended = output("--max-attempts 1 --retry-on-output busy", &command);
    assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(1), "busy\n"));
    let daemon: i32 = fs::read_to_string(place).unwrap().trim().parse().unwrap();
    kill(Pid::from_raw(daemon), Signal::SIGKILL).unwrap();
}

/// A slow reader gets all output, including what was in flight at the exit.
#[test]
fn slow_reader_gets_all_output() {
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
