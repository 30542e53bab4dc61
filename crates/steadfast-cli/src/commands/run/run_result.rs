//! How this program ends: as the command did.
//!
//! Mostly that is an exit code. But who is interrupted has to die of it, or the loop of a script
//! around it goes on: a shell asks how its command ended before it stops itself. So a signal that
//! ended the run ends this program, too. To a shell that looks the same: 128 + N.

use nix::sys::signal::Signal;
use signal_hook::low_level::emulate_default_handler;

use super::attempt_status::AttemptStatus;
use crate::exit::Exit;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunResult {
    /// The last attempt; none if none was under way when a signal came.
    pub(super) status: Option<AttemptStatus>,
    /// The signal that ended the retrying, if one did.
    pub(super) stopped_by: Option<Signal>,
}

impl RunResult {
    /// Ends this program if a signal should, and says with which code otherwise.
    pub(super) fn exit(self) -> Exit {
        if let Some(signal) = self.signal() {
            // Does not return, unless the system will not have it.
            let _ = emulate_default_handler(signal as i32);
        }
        let status = self.status.or(self.stopped_by.map(AttemptStatus::Signaled));
        Exit::Command(status.unwrap_or(AttemptStatus::Unknown).code())
    }

    /// The signal to die of. A command that made something else of it has the last word.
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
    fn who_was_told_to_end_dies_of_it_unless_the_command_made_something_else_of_it() {
        let term = Signal::SIGTERM;
        let signal = |stopped_by, status| RunResult { status, stopped_by }.signal();
        assert_eq!(signal(Some(term), None), Some(term));
        assert_eq!(signal(Some(term), Some(AttemptStatus::Signaled(term))), Some(term));
        assert_eq!(signal(Some(term), Some(AttemptStatus::Exited(3))), None);
        assert_eq!(signal(Some(term), Some(AttemptStatus::Signaled(Signal::SIGKILL))), None);
        assert_eq!(signal(None, Some(AttemptStatus::Signaled(term))), None);
    }
}
