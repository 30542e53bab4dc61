//! How this program ends: as the command did.
//!
//! Mostly that is an exit code. But who is interrupted has to die of it, or the loop of a script
//! around it goes on: a shell asks how its command ended before it stops itself. So a signal that
//! ended the run ends this program, too. To a shell that looks the same: 128 + N.

use nix::sys::signal::Signal;
use signal_hook::low_level::emulate_default_handler;

use super::ending::Ending;
use crate::exit::Exit;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// The last attempt; none if none was under way when a signal came.
    pub(super) ending: Option<Ending>,
    /// The signal that ended the retrying, if one did.
    pub(super) told: Option<Signal>,
}

impl Ended {
    /// Ends this program if a signal should, and says with which code otherwise.
    pub(super) fn part(self) -> Exit {
        if let Some(signal) = self.signal() {
            // Does not return, unless the system will not have it.
            let _ = emulate_default_handler(signal as i32);
        }
        let ending = self.ending.or(self.told.map(Ending::Killed));
        Exit::Own(ending.unwrap_or(Ending::Lost).code())
    }

    /// The signal to die of. A command that made something else of it has the last word.
    fn signal(self) -> Option<Signal> {
        let told = self.told?;
        self.ending.is_none_or(|ending| ending == Ending::Killed(told)).then_some(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_told_to_end_dies_of_it_unless_the_command_made_something_else_of_it() {
        let term = Signal::SIGTERM;
        let signal = |told, ending| Ended { ending, told }.signal();
        assert_eq!(signal(Some(term), None), Some(term));
        assert_eq!(signal(Some(term), Some(Ending::Killed(term))), Some(term));
        assert_eq!(signal(Some(term), Some(Ending::Exited(3))), None);
        assert_eq!(signal(Some(term), Some(Ending::Killed(Signal::SIGKILL))), None);
        assert_eq!(signal(None, Some(Ending::Killed(term))), None);
    }
}
