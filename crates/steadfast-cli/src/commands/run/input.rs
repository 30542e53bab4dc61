//! The stdin of attempts.
//!
//! Data read from a pipe is gone: a second attempt of `… | steadfast run -- import` would import
//! nothing and succeed. With `--replay-stdin` the input is saved, and every attempt reads all of it.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::process::Stdio;

pub(super) enum Input {
    /// This program's stdin. Each attempt continues where the previous one stopped.
    Own,
    From(File, u64),
}

impl Input {
    /// Saves the input for every attempt; a file is not copied.
    pub(super) fn replayable() -> io::Result<Self> {
        let mut stdin = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        if let Ok(offset) = stdin.stream_position() {
            return Ok(Self::From(stdin, offset));
        }
        let mut copy = tempfile::tempfile()?;
        io::copy(&mut stdin, &mut copy)?;
        Ok(Self::From(copy, 0))
    }

    pub(super) fn for_attempt(&self) -> io::Result<Stdio> {
        match self {
            Self::Own => Ok(Stdio::inherit()),
            Self::From(file, offset) => {
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(*offset))?;
                Ok(file.into())
            }
        }
    }
}
