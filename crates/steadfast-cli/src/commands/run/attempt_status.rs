//! The exit status and the failure of an attempt.

use std::fmt;
use std::io;

use nix::errno::Errno;
use nix::sys::signal::Signal;
use steadfast::{Failure, Fault};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptStatus {
    Exited(u8),
    Signaled(Signal),
    /// It exceeded its timeout and was terminated.
    TimedOut,
    NotStarted(Errno),
    /// Its status could not be read.
    Unknown,
}

/// Exit codes as used by shells and `timeout`.
const TIMEOUT_CODE: u8 = 124;
const NOT_EXECUTABLE_CODE: u8 = 126;
const NOT_FOUND_CODE: u8 = 127;
const SIGNAL_CODE_BASE: u8 = 128;

impl AttemptStatus {
    pub(super) const SUCCESS: Self = Self::Exited(0);

    pub(super) fn not_started(why: &io::Error) -> Self {
        Self::NotStarted(why.raw_os_error().map_or(Errno::UnknownErrno, Errno::from_raw))
    }

    pub(super) fn code(self) -> u8 {
        match self {
            Self::Exited(code) => code,
            Self::Signaled(signal) => by_signal(signal),
            Self::TimedOut => TIMEOUT_CODE,
            Self::NotStarted(Errno::ENOENT) => NOT_FOUND_CODE,
            Self::NotStarted(_) => NOT_EXECUTABLE_CODE,
            Self::Unknown => 1,
        }
    }

    /// Whether the reader of its output has gone.
    pub(super) fn is_broken_pipe(self) -> bool {
        // A shell reports it this way for the command it ran.
        let by_shell = Self::Exited(by_signal(Signal::SIGPIPE));
        self == Self::Signaled(Signal::SIGPIPE) || self == by_shell
    }

    /// The keyboard signal that ended it, if any.
    pub(super) fn by_keyboard(self) -> Option<Signal> {
        match self {
            Self::Signaled(signal @ (Signal::SIGINT | Signal::SIGQUIT)) => Some(signal),
            Self::Exited(code) if code == by_signal(Signal::SIGINT) => Some(Signal::SIGINT),
            _ => None,
        }
    }

    pub(super) fn is_already_reported(self) -> bool {
        let reported_elsewhere = matches!(self, Self::NotStarted(_)) || self.is_broken_pipe();
        reported_elsewhere || self.by_keyboard().is_some()
    }

    /// Whether the start failed for a lack of resources, which may pass.
    pub(super) fn is_transient_start_error(self) -> bool {
        use Errno::{EAGAIN, EMFILE, ENFILE, ENOMEM, ETXTBSY};
        matches!(self, Self::NotStarted(EAGAIN | ENOMEM | EMFILE | ENFILE | ETXTBSY))
    }
}

fn by_signal(signal: Signal) -> u8 {
    SIGNAL_CODE_BASE.saturating_add(signal as u8)
}

impl fmt::Display for AttemptStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit code {code}"),
            Self::Signaled(signal) => write!(f, "killed by {signal}"),
            Self::TimedOut => f.write_str("timed out"),
            Self::NotStarted(why) => write!(f, "cannot be started: {}", why.desc()),
            Self::Unknown => f.write_str("unknown exit status"),
        }
    }
}

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommandFailure {
    pub(super) status: AttemptStatus,
    /// The pattern that a line of its output matched.
    pub(super) matched: Option<String>,
}

impl Failure for CommandFailure {
    fn fault(&self) -> Fault {
        let fault = match self.status {
            AttemptStatus::TimedOut => Fault::timed_out(),
            other => Fault::exit(i32::from(other.code())),
        };
        match (&self.matched, self.status) {
            (Some(pattern), _) => fault.with_message(format!("output matched {pattern}")),
            // The exit code is the whole message.
            (None, AttemptStatus::Exited(_)) => fault,
            (None, other) => fault.with_message(other.to_string()),
        }
    }
}

impl fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.status.fmt(f)
    }
}

impl std::error::Error for CommandFailure {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 10: the exit codes of shells and `timeout`.
    #[test]
    fn status_has_the_exit_code_of_a_shell() {
        for (status, code) in [
            (AttemptStatus::SUCCESS, 0),
            (AttemptStatus::Exited(75), 75),
            (AttemptStatus::Signaled(Signal::SIGINT), 130),
            (AttemptStatus::Signaled(Signal::SIGKILL), 137),
            (AttemptStatus::TimedOut, 124),
            (AttemptStatus::NotStarted(Errno::EACCES), 126),
            (AttemptStatus::NotStarted(Errno::ENOEXEC), 126),
            (AttemptStatus::NotStarted(Errno::ENOENT), 127),
        ] {
            assert_eq!(status.code(), code, "{status}");
        }
    }

    #[test]
    fn broken_pipe_is_detected_through_a_shell() {
        assert!(AttemptStatus::Signaled(Signal::SIGPIPE).is_broken_pipe());
        assert!(AttemptStatus::Exited(141).is_broken_pipe());
        assert!(!AttemptStatus::Exited(1).is_broken_pipe());
    }

    #[test]
    fn interrupt_is_detected_through_a_shell() {
        assert_eq!(AttemptStatus::Signaled(Signal::SIGINT).by_keyboard(), Some(Signal::SIGINT));
        assert_eq!(AttemptStatus::Exited(130).by_keyboard(), Some(Signal::SIGINT));
        assert_eq!(AttemptStatus::Signaled(Signal::SIGTERM).by_keyboard(), None);
        assert_eq!(AttemptStatus::Exited(2).by_keyboard(), None);
    }
}
