//! Exit codes. Scripts depend on these numbers, so they are defined in one place.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Success,
    Failed,
    Usage,
    /// The configuration is invalid; the number is `EX_CONFIG` of `sysexits.h`.
    Configuration,
    /// The exit code of the command that was run.
    Command(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Success => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Configuration => 78,
            Exit::Command(code) => code,
        })
    }
}
