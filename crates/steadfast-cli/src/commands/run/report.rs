//! The report of a run, for machines.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use steadfast::observe::Memory;

use crate::error::CliError;
use crate::input;
use crate::output;

/// A place for the report. It is made before the command runs: one that cannot be written is
/// better known before the work is done than after.
pub(super) struct Report {
    path: PathBuf,
    file: Option<File>,
}

impl Report {
    pub(super) fn at(path: &Path) -> Result<Self, CliError> {
        let path = path.to_owned();
        if input::is_stdin(&path) {
            return Ok(Self { path, file: None });
        }
        match File::create(&path) {
            Ok(file) => Ok(Self { path, file: Some(file) }),
            Err(why) => Err(unwritable(&path, &why)
                .with_help("name a file that you may write; the command was not run".to_owned())),
        }
    }

    /// Writes what was recorded: the one session, if an attempt was made.
    pub(super) fn write(self, memory: &Memory) -> Result<(), CliError> {
        let Some(session) = memory.sessions().pop() else {
            return Ok(());
        };
        let refused = |why: serde_json::Error| unwritable(&self.path, &why.into());
        let mut json = serde_json::to_vec_pretty(&session).map_err(refused)?;
        json.push(b'\n');
        match self.file {
            Some(mut file) => file.write_all(&json).map_err(|why| unwritable(&self.path, &why)),
            None => output::print_raw(&json),
        }
    }
}

fn unwritable(path: &Path, why: &io::Error) -> CliError {
    CliError::failed(format!("the report {} cannot be written: {why}", path.display()))
}
