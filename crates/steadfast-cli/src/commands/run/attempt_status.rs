//! How a command ended, as exit codes have it.

use std::fmt;
use std::io;

use nix::errno::Errno;
use nix::sys::signal::Signal;

/// The end of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptStatus {
    /// With this code.
    Exited(u8),
    /// By this signal.
    Signaled(Signal),
    /// It took too long, and was made to end.
    TimedOut,
    /// It never began.
    NotStarted(Errno),
    /// Somebody else was told how.
    Unknown,
}

/// As the shell and `timeout` have it.
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

    /// Whether whoever read its output has exited.
    pub(super) fn is_broken_pipe(self) -> bool {
        // A shell says it so of the command that it ran.
        let told = Self::Exited(by_signal(Signal::SIGPIPE));
        self == Self::Signaled(Signal::SIGPIPE) || self == told
    }

    /// The signal of the keyboard that ended it.
    pub(super) fn by_keyboard(self) -> Option<Signal> {
        match self {
            Self::Signaled(signal @ (Signal::SIGINT | Signal::SIGQUIT)) => Some(signal),
            Self::Exited(code) if code == by_signal(Signal::SIGINT) => Some(Signal::SIGINT),
            _ => None,
        }
    }

    /// Whether whoever waits knows already why nothing follows.
    pub(super) fn is_already_reported(self) -> bool {
        let told_elsewhere = matches!(self, Self::NotStarted(_)) || self.is_broken_pipe();
        told_elsewhere || self.by_keyboard().is_some()
    }

    /// Whether the machine could not start it just now, and may be able to soon.
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
            Self::Signaled(signal) => write!(f, "ended by {signal}"),
            Self::TimedOut => f.write_str("it took too long"),
            Self::NotStarted(why) => write!(f, "it cannot be started: {}", why.desc()),
            Self::Unknown => f.write_str("nobody knows how it ended"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 10: the codes that scripts know from the shell and from `timeout`.
    #[test]
    fn an_ending_has_the_code_that_a_shell_would_give_it() {
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
    fn a_command_without_a_reader_is_known_also_through_a_shell() {
        assert!(AttemptStatus::Signaled(Signal::SIGPIPE).is_broken_pipe());
        assert!(AttemptStatus::Exited(141).is_broken_pipe());
        assert!(!AttemptStatus::Exited(1).is_broken_pipe());
    }

    #[test]
    fn an_interrupted_command_is_known_also_through_a_shell() {
        assert_eq!(AttemptStatus::Signaled(Signal::SIGINT).by_keyboard(), Some(Signal::SIGINT));
        assert_eq!(AttemptStatus::Exited(130).by_keyboard(), Some(Signal::SIGINT));
        assert_eq!(AttemptStatus::Signaled(Signal::SIGTERM).by_keyboard(), None);
        assert_eq!(AttemptStatus::Exited(2).by_keyboard(), None);
    }
}
