//! Attempt timeouts end the whole process group.
//!
//! Remaining processes would keep the streams open, so the tests need not list processes.

use super::script::{output, text};

/// Long enough for a shell to start on a slow machine.
const TIMEOUT_FLAGS: &str = "--max-attempts 1 --attempt-timeout 3s";

/// Section 10: SIGTERM first, and exit code 124.
#[test]
fn timed_out_command_gets_sigterm() {
    let command = "trap 'echo cleaned up; exit 0' TERM; echo begun; sleep 1000 & wait";
    let ended = output(TIMEOUT_FLAGS, command);
    assert_eq!(text(&ended.stdout), "begun\ncleaned up\n");
    assert_eq!(ended.status.code(), Some(124));
    assert_eq!(
        text(&ended.stderr),
        "steadfast: gave up after 1 attempt: attempts exhausted \
         (timeout, the attempt took too long)\n"
    );
}

/// Section 10: then SIGKILL for the whole group.
#[test]
fn group_that_ignores_sigterm_is_killed() {
    let stubborn = "trap '' TERM; sleep 1000";
    let command = format!("{stubborn} & sh -c \"{stubborn}; true\"; true");
    let ended = output(&format!("{TIMEOUT_FLAGS} --kill-after 100ms"), &command);
    assert_eq!(ended.status.code(), Some(124));
}

/// Children that ignore SIGTERM are killed even if the command itself exits.
#[test]
fn remaining_children_are_killed_after_grace() {
    let command = "sh -c 'trap \"\" TERM; echo begun; sleep 1000; true' & wait";
    let ended = output(&format!("{TIMEOUT_FLAGS} --kill-after 100ms"), command);
    assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(124), "begun\n"));
}

/// Two attempts never run at once.
#[test]
fn attempt_starts_after_the_last_one_exited() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("here");
    let command = format!(
        "mkdir '{0}' || echo two at a time; trap 'sleep 1; rmdir \"{0}\"; exit' TERM; \
         echo begun; sleep 1000 & wait",
        place.display()
    );
    for backoff in ["--base-delay 1ms", "--backoff-type immediate"] {
        let flags = format!("--max-attempts 2 --attempt-timeout 2s --kill-after 60s {backoff}");
        let ended = output(&flags, &command);
        assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(124), "begun\nbegun\n"));
    }
}
