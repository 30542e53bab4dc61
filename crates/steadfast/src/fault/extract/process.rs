//! Facts of a failed process.

use std::error::Error;
use std::fmt;
use std::process::ExitStatus;

use crate::fault::{Failure, Fault};

/// A process that failed.
///
/// [`ExitStatus`] is not an error; this makes it one.
///
/// ```
/// use std::process::Command;
/// use steadfast::{Failure, extract::ExitError};
///
/// let status = Command::new("sh").args(["-c", "exit 75"]).status()?;
/// let error = ExitError::check(status).unwrap_err();
/// assert_eq!(error.fault().exit_code, Some(75));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitError(ExitStatus);

impl ExitError {
    /// Returns an error unless the process succeeded.
    ///
    /// # Errors
    /// The exit code is not 0, or a signal ended the process.
    pub fn check(status: ExitStatus) -> Result<(), Self> {
        if status.success() { Ok(()) } else { Err(Self(status)) }
    }

    /// The exit status of the process.
    #[must_use]
    pub fn status(&self) -> ExitStatus {
        self.0
    }

    /// The exit code, by the shells' convention 128 + n after signal n.
    fn code(self) -> Option<i32> {
        #[cfg(unix)]
        {
            use std::os::unix::process::ExitStatusExt;
            self.0.code().or_else(|| self.0.signal().map(|signal| 128 + signal))
        }
        #[cfg(not(unix))]
        self.0.code()
    }
}

impl Failure for ExitError {
    fn fault(&self) -> Fault {
        Fault { exit_code: self.code(), ..Fault::default() }.with_type("ExitError")
    }

    cause_and_message!();
}

impl fmt::Display for ExitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the process exited with {}", self.0)
    }
}

impl Error for ExitError {}
