//! How a command ended, as exit codes have it.

use std::fmt;
use std::io;

use nix::errno::Errno;
use nix::sys::signal::Signal;

/// The end of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With this code.
    Exited(u8),
    /// By this signal.
    Killed(Signal),
    /// It took too long, and was made to end.
    TimedOut,
    /// It never began.
    NotStarted(Errno),
    /// Somebody else was told how.
    Lost,
}

/// As the shell and `timeout` have it.
const TOO_LONG: u8 = 124;
const CANNOT_BE_RUN: u8 = 126;
const NOT_THERE: u8 = 127;
const BY_SIGNAL: u8 = 128;

impl Ending {
    pub(super) const GOOD: Self = Self::Exited(0);

    pub(super) fn not_started(why: &io::Error) -> Self {
        Self::NotStarted(why.raw_os_error().map_or(Errno::UnknownErrno, Errno::from_raw))
    }

    pub(super) fn code(self) -> u8 {
        match self {
            Self::Exited(code) => code,
            Self::Killed(signal) => by_signal(signal),
            Self::TimedOut => TOO_LONG,
            Self::NotStarted(Errno::ENOENT) => NOT_THERE,
            Self::NotStarted(_) => CANNOT_BE_RUN,
            Self::Lost => 1,
        }
    }

    /// Whether whoever read its output has gone.
    pub(super) fn is_unread(self) -> bool {
        // A shell says it so of the command that it ran.
        let told = Self::Exited(by_signal(Signal::SIGPIPE));
        self == Self::Killed(Signal::SIGPIPE) || self == told
    }

    /// The signal of the keyboard that ended it.
    pub(super) fn by_keyboard(self) -> Option<Signal> {
        match self {
            Self::Killed(signal @ (Signal::SIGINT | Signal::SIGQUIT)) => Some(signal),
            Self::Exited(code) if code == by_signal(Signal::SIGINT) => Some(Signal::SIGINT),
            _ => None,
        }
    }

    /// Whether whoever waits knows already why nothing follows.
    pub(super) fn speaks_for_itself(self) -> bool {
        let told_elsewhere = matches!(self, Self::NotStarted(_)) || self.is_unread();
        told_elsewhere || self.by_keyboard().is_some()
    }

    /// Whether the machine could not start it just now, and may be able to soon.
    pub(super) fn is_passing_trouble(self) -> bool {
        use Errno::{EAGAIN, EMFILE, ENFILE, ENOMEM, ETXTBSY};
        matches!(self, Self::NotStarted(EAGAIN | ENOMEM | EMFILE | ENFILE | ETXTBSY))
    }
}

fn by_signal(signal: Signal) -> u8 {
    BY_SIGNAL.saturating_add(signal as u8)
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit code {code}"),
            Self::Killed(signal) => write!(f, "ended by {signal}"),
            Self::TimedOut => f.write_str("it took too long"),
            Self::NotStarted(why) => write!(f, "it cannot be started: {}", why.desc()),
            Self::Lost => f.write_str("nobody knows how it ended"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 10: the codes that scripts know from the shell and from `timeout`.
    #[test]
    fn an_ending_has_the_code_that_a_shell_would_give_it() {
        for (ending, code) in [
            (Ending::GOOD, 0),
            (Ending::Exited(75), 75),
            (Ending::Killed(Signal::SIGINT), 130),
            (Ending::Killed(Signal::SIGKILL), 137),
            (Ending::TimedOut, 124),
            (Ending::NotStarted(Errno::EACCES), 126),
            (Ending::NotStarted(Errno::ENOEXEC), 126),
            (Ending::NotStarted(Errno::ENOENT), 127),
        ] {
            assert_eq!(ending.code(), code, "{ending}");
        }
    }

    #[test]
    fn a_command_without_a_reader_is_known_also_through_a_shell() {
        assert!(Ending::Killed(Signal::SIGPIPE).is_unread());
        assert!(Ending::Exited(141).is_unread());
        assert!(!Ending::Exited(1).is_unread());
    }

    #[test]
    fn an_interrupted_command_is_known_also_through_a_shell() {
        assert_eq!(Ending::Killed(Signal::SIGINT).by_keyboard(), Some(Signal::SIGINT));
        assert_eq!(Ending::Exited(130).by_keyboard(), Some(Signal::SIGINT));
        assert_eq!(Ending::Killed(Signal::SIGTERM).by_keyboard(), None);
        assert_eq!(Ending::Exited(2).by_keyboard(), None);
    }
}
