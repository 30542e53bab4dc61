//! An attempt that takes too long is ended, with everybody whom it started.
//!
//! Nobody here looks for processes: whoever is left has the streams, and they would not end.

use super::script::{output, text};

/// Long enough for a shell to start on a slow machine.
const LIMIT: &str = "--max-attempts 1 --attempt-timeout 3s";

/// Section 10: it is asked first, and 124 says that it took too long.
#[test]
fn a_command_that_takes_too_long_is_asked_to_end() {
    let command = "trap 'echo cleaned up; exit 0' TERM; echo begun; sleep 1000 & wait";
    let ended = output(LIMIT, command);
    assert_eq!(text(&ended.stdout), "begun\ncleaned up\n");
    assert_eq!(ended.status.code(), Some(124));
    assert_eq!(
        text(&ended.stderr),
        "steadfast: gave up after 1 attempt: all attempts are used up \
         (timeout, the attempt took too long)\n"
    );
}

/// Section 10: and made to, the whole group.
#[test]
fn who_ignores_that_is_killed_with_its_children() {
    let stubborn = "trap '' TERM; sleep 1000";
    let command = format!("{stubborn} & sh -c \"{stubborn}; true\"; true");
    let ended = output(&format!("{LIMIT} --kill-after 100ms"), &command);
    assert_eq!(ended.status.code(), Some(124));
}

/// A command that ends when it is asked to does not leave stubborn children behind.
#[test]
fn children_that_outlive_the_command_are_killed_after_the_same_time() {
    let command = "sh -c 'trap \"\" TERM; echo begun; sleep 1000; true' & wait";
    let ended = output(&format!("{LIMIT} --kill-after 100ms"), command);
    assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(124), "begun\n"));
}

/// Two of one command at a time are more than anybody asked for.
#[test]
fn an_attempt_begins_when_the_last_one_has_gone() {
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
