//! The exit of this program: like the command's.
//!
//! Usually that is an exit code. But a program that handled SIGINT must die of it, or a shell loop
//! around it continues. So a signal that ended the run also ends this program; a shell sees
//! 128 + N.

use nix::sys::signal::Signal;
use signal_hook::low_level::emulate_default_handler;

use super::attempt_status::AttemptStatus;
use crate::exit::Exit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunResult {
    /// The status of the last attempt; `None` if a signal arrived between attempts.
    pub(super) status: Option<AttemptStatus>,
    pub(super) stopped_by: Option<Signal>,
}

impl RunResult {
    /// Dies of the signal, or returns the exit code.
    pub(super) fn exit(self) -> Exit {
        if let Some(signal) = self.signal() {
            // Returns only if the signal cannot be raised.
            let _ = emulate_default_handler(signal as i32);
        }
        let status = self.status.or(self.stopped_by.map(AttemptStatus::Signaled));
        Exit::Command(status.unwrap_or(AttemptStatus::Unknown).code())
    }

    /// The signal to die of, unless the command handled it and exited differently.
    fn signal(self) -> Option<Signal> {
        let stopped_by = self.stopped_by?;
        self.status
            .is_none_or(|status| status == AttemptStatus::Signaled(stopped_by))
            .then_some(stopped_by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_signal_is_raised_unless_command_handled_it() {
        let term = Signal::SIGTERM;
        let signal = |stopped_by, status| RunResult { status, stopped_by }.signal();
        assert_eq!(signal(Some(term), None), Some(term));
        assert_eq!(signal(Some(term), Some(AttemptStatus::Signaled(term))), Some(term));
        assert_eq!(signal(Some(term), Some(AttemptStatus::Exited(3))), None);
        assert_eq!(signal(Some(term), Some(AttemptStatus::Signaled(Signal::SIGKILL))), None);
        assert_eq!(signal(None, Some(AttemptStatus::Signaled(term))), None);
    }
}
