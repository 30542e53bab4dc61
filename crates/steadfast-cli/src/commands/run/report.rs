//! The JSON report of a run.

use std::fs::File;
use std::path::{Path, PathBuf};

use steadfast::observe::Memory;

use crate::commands::prelude::*;
use crate::input;

/// The report file. It is created before the command runs, so that errors are found early.
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
            Err(why) => {
                Err(write_error(&path, &why)
                    .with_help("pass a writable file; the command was not run"))
            }
        }
    }

    /// Writes the recorded session, if an attempt was made. With patterns only matching failures
    /// are retried, otherwise all: the class that this program sets is explained by that.
    pub(super) fn write(self, memory: &Memory, has_patterns: bool) -> Result<(), CliError> {
        let Some(session) = memory.sessions().pop() else {
            return Ok(());
        };
        let invalid = |why: serde_json::Error| write_error(&self.path, &why.into());
        let mut json = serde_json::to_string_pretty(&session).map_err(invalid)?;
        json = json.replace(BY_PROGRAM, if has_patterns { BY_OUTPUT } else { BY_DEFAULT });
        json.push('\n');
        match self.file {
            Some(mut file) => {
                file.write_all(json.as_bytes()).map_err(|why| write_error(&self.path, &why))
            }
            None => output::print_raw(json.as_bytes()),
        }
    }
}

/// What the library says of a class that the program set, at the start of the sentence.
const BY_PROGRAM: &str = "\"sentence\": \"the program classified it as retryable";
const BY_DEFAULT: &str = "\"sentence\": \"retryable: `run` retries every failure by default";
const BY_OUTPUT: &str = "\"sentence\": \"retryable: the output matched --retry-on-output";

fn write_error(path: &Path, why: &io::Error) -> CliError {
    CliError::failed(format!("cannot write the report {}: {why}", path.display()))
}
