//! The file of rejected tasks, to be fixed and submitted later.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::batch::Batch;
use super::parser::InvalidLine;
use crate::error::CliError;

#[derive(Debug)]
pub(super) struct Rejects {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl Rejects {
    /// Opens the file and truncates it to `bytes`. Anything after that was written by a run that was
    /// killed, and will be written again.
    pub(super) fn open(path: &Path, bytes: u64) -> Result<Self, CliError> {
        let mut options = OpenOptions::new();
        let opened = options.write(true).create(true).truncate(false).open(path);
        let opened = opened.and_then(|mut file| {
            file.set_len(bytes)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        });
        let file = opened.map_err(|why| write_error(path, &why))?;
        Ok(Self { path: path.to_owned(), file, bytes })
    }

    /// Appends rejected tasks, one per line. Returns the file's length.
    pub(super) fn add(&mut self, batch: &Batch, bad: &[InvalidLine]) -> Result<u64, CliError> {
        let mut lines = Vec::new();
        for line in bad {
            let text = batch.items.get(line.place).map_or(&[][..], |item| &item.text);
            // In JSON a newline between tokens equals a space.
            lines.extend(text.iter().map(|byte| match byte {
                b'\n' | b'\r' => b' ',
                byte => *byte,
            }));
            lines.push(b'\n');
        }
        self.file.write_all(&lines).map_err(|why| write_error(&self.path, &why))?;
        self.bytes += lines.len() as u64;
        Ok(self.bytes)
    }
}

fn write_error(path: &Path, why: &io::Error) -> CliError {
    CliError::failed(format!("cannot write {}: {why}", path.display()))
        .with_help("choose a writable file with --skip-bad")
}
