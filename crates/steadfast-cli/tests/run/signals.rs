//! Signals are the command's, and those that end a program end the retrying.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use nix::sys::signal::Signal;

use super::script::{UnderWay, run};

#[test]
fn a_signal_is_passed_on_and_the_command_has_the_last_word() {
    // The child speaks for itself: a shell that has only just forked may swallow a signal.
    let command = "trap 'echo cleaned up; exit 7' TERM; sh -c 'echo begun; exec sleep 1000' & wait";
    let mut under_way = UnderWay::start(&mut run("--base-delay 1ms", command));
    assert_eq!(under_way.line(), "begun");
    under_way.signal(Signal::SIGTERM);
    let (status, written, said) = under_way.ended();
    assert_eq!((status.code(), written.as_str(), said.as_str()), (Some(7), "cleaned up\n", ""));
}

/// Also the children of the command hear it: they have its streams, so these end.
#[test]
fn a_command_that_dies_of_a_signal_takes_everybody_with_it() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let command = "sh -c 'echo begun; exec sleep 1000'; true";
        let mut under_way = UnderWay::start(&mut run("--base-delay 1ms", command));
        assert_eq!(under_way.line(), "begun");
        under_way.signal(signal);
        let (status, _, said) = under_way.ended();
        assert_eq!((status.signal(), said.as_str()), (Some(signal as i32), ""));
    }
}

#[test]
fn a_signal_ends_the_wait_at_once() {
    let mut under_way = UnderWay::start(&mut run("--base-delay 30m --max-delay 1h", "exit 3"));
    assert_eq!(under_way.complaint(), "steadfast: exit code 3; attempt 2 of 3 in 30m");
    under_way.signal(Signal::SIGTERM);
    let (status, _, said) = under_way.ended();
    assert_eq!((status.signal(), said.as_str()), (Some(Signal::SIGTERM as i32), ""));
}

#[test]
fn a_signal_that_ends_nothing_is_the_commands_alone() {
    let command = "trap 'echo heard; exit 0' USR1; echo begun; while :; do sleep 0.01; done";
    let mut under_way = UnderWay::start(&mut run("", command));
    assert_eq!(under_way.line(), "begun");
    under_way.signal(Signal::SIGUSR1);
    let (status, written, _) = under_way.ended();
    assert_eq!((status.code(), written.as_str()), (Some(0), "heard\n"));
}

/// `nohup steadfast run …`: what was ignored stays ignored, for the command as well.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let mut nohup = Command::new("sh");
    let command = "echo begun; read line; echo \"still here: $line\"";
    nohup.args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_steadfast")]);
    nohup.args(["run", "--", "sh", "-c", command]);
    let mut under_way = UnderWay::start(&mut nohup);
    assert_eq!(under_way.line(), "begun");
    under_way.signal(Signal::SIGHUP);
    under_way.types("yes\n");
    let (status, written, _) = under_way.ended();
    assert_eq!((status.code(), written.as_str()), (Some(0), "still here: yes\n"));
}
