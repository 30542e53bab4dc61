//! What the command reads.
//!
//! What was read from a pipe is exited: the second attempt of `… | steadfast run -- import` would
//! import nothing, and call it a success. So whoever pipes something in can have it kept, and
//! every attempt reads it from its beginning.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::process::Stdio;

/// Where attempts read from.
pub(super) enum Input {
    /// Where this program would. Each attempt goes on where the one before it stopped.
    Own,
    /// From this place of this file.
    From(File, u64),
}

impl Input {
    /// The same for every attempt. Reads all of it, unless it is a file.
    pub(super) fn again() -> io::Result<Self> {
        let mut stdin = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        if let Ok(place) = stdin.stream_position() {
            return Ok(Self::From(stdin, place));
        }
        let mut kept = tempfile::tempfile()?;
        io::copy(&mut stdin, &mut kept)?;
        Ok(Self::From(kept, 0))
    }

    /// What the next attempt reads.
    pub(super) fn for_attempt(&self) -> io::Result<Stdio> {
        match self {
            Self::Own => Ok(Stdio::inherit()),
            Self::From(file, place) => {
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(*place))?;
                Ok(file.into())
            }
        }
    }
}
