//! How a command ends. Scripts depend on these numbers, so they stand in one place.

use std::process::ExitCode;

/// An exit code, by what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Good,
    /// The work was understood, and failed.
    Failed,
    /// What was asked cannot be understood: a flag, a name, an input that is wrong.
    Usage,
    /// The configuration is wrong; the number is `EX_CONFIG` of `sysexits.h`.
    Configuration,
    /// That of a command which was run.
    Own(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Good => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Configuration => 78,
            Exit::Own(code) => code,
        })
    }
}
