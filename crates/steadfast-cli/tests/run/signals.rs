//! Signal forwarding of `steadfast run`.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use nix::sys::signal::Signal;

use super::script::{UnderWay, run};

#[test]
fn signal_is_forwarded_and_command_exit_code_is_kept() {
    // The child speaks for itself: a shell that has only just forked may swallow a signal.
    let command = "trap 'echo cleaned up; exit 7' TERM; sh -c 'echo begun; exec sleep 1000' & wait";
    let mut under_way = UnderWay::start(&mut run("--base-delay 1ms", command));
    assert_eq!(under_way.line(), "begun");
    under_way.signal(Signal::SIGTERM);
    let (status, written, said) = under_way.ended();
    assert_eq!((status.code(), written.as_str(), said.as_str()), (Some(7), "cleaned up\n", ""));
}

/// The children of the command get the signal too; otherwise its streams would stay open.
#[test]
fn signal_reaches_the_whole_process_group() {
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
fn signal_ends_the_delay_at_once() {
    let mut under_way = UnderWay::start(&mut run("--base-delay 30m --max-delay 1h", "exit 3"));
    assert_eq!(under_way.complaint(), "steadfast: exit code 3; retrying in 30m (attempt 2 of 3)");
    under_way.signal(Signal::SIGTERM);
    let (status, _, said) = under_way.ended();
    assert_eq!((status.signal(), said.as_str()), (Some(Signal::SIGTERM as i32), ""));
}

#[test]
fn other_signals_are_only_forwarded() {
    let command = "trap 'echo heard; exit 0' USR1; echo begun; while :; do sleep 0.01; done";
    let mut under_way = UnderWay::start(&mut run("", command));
    assert_eq!(under_way.line(), "begun");
    under_way.signal(Signal::SIGUSR1);
    let (status, written, _) = under_way.ended();
    assert_eq!((status.code(), written.as_str()), (Some(0), "heard\n"));
}

/// `nohup steadfast run …`: ignored signals stay ignored, for the command as well.
#[cfg(target_os = "linux")]
#[test]
fn ignored_signal_stays_ignored() {
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
