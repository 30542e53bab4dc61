//! How a command ends. Scripts depend on these four numbers, so they stand in one place.

use std::process::ExitCode;

/// An exit code, by what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Good = 0,
    /// The work was understood, and failed.
    Failed = 1,
    /// What was asked cannot be understood: a flag, a name, an input that is wrong.
    Usage = 2,
    /// The configuration is wrong; the number is `EX_CONFIG` of `sysexits.h`.
    Configuration = 78,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
