//! Where tasks go that no store would take: a file that can be mended and submitted.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::batch::Batch;
use super::parser::InvalidLine;
use crate::error::CliError;

/// The file.
#[derive(Debug)]
pub(super) struct Rejects {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl Rejects {
    /// Opens the file to go on behind its first `bytes`. What is behind them was set aside by
    /// a run that did not live to say so, and will be set aside again.
    pub(super) fn open(path: &Path, bytes: u64) -> Result<Self, CliError> {
        let mut options = OpenOptions::new();
        let opened = options.write(true).create(true).truncate(false).open(path);
        let opened = opened.and_then(|mut file| {
            file.set_len(bytes)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        });
        let file = opened.map_err(|why| unwritable(path, &why))?;
        Ok(Self { path: path.to_owned(), file, bytes })
    }

    /// Sets tasks of a batch aside, one on each line. How long the file is then.
    pub(super) fn add(&mut self, batch: &Batch, bad: &[InvalidLine]) -> Result<u64, CliError> {
        let mut lines = Vec::new();
        let texts: Vec<_> = batch.texts().collect();
        for line in bad {
            let text = texts.get(line.place).map(|(_, text)| *text).unwrap_or_default();
            // Between the parts of a task the end of a line is as good as a space.
            lines.extend(text.iter().map(|byte| match byte {
                b'\n' | b'\r' => b' ',
                byte => *byte,
            }));
            lines.push(b'\n');
        }
        self.file.write_all(&lines).map_err(|why| unwritable(&self.path, &why))?;
        self.bytes += lines.len() as u64;
        Ok(self.bytes)
    }
}

fn unwritable(path: &Path, why: &io::Error) -> CliError {
    CliError::failed(format!("{} cannot be written: {why}", path.display()))
        .with_help("name a file that you may write with --skip-bad".to_owned())
}
