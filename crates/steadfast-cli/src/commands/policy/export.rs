//! `steadfast policy export`: policies in the words of another system (F5).

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use steadfast_import::{ImportFormat, Unsupported};

use super::losses;
use crate::cli::Common;
use crate::config;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::input;
use crate::output::file::{self, IfExists};
use crate::output::{Printable, note};
use crate::policies::PolicyCatalog;

const EXAMPLES: &[Example] = &[
    ("steadfast policy export grpc -o service_config.json", "for gRPC clients"),
    ("steadfast -c calls.yaml policy export resilience4j", "as YAML, on stdout"),
];

/// Write the policies as the settings of another system.
///
/// The policies of the file are written exactly or not at all: a file that says almost the same
/// is worse than none. Everything that stands against it is listed. The formats are grpc (a
/// service config) and resilience4j.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct Export {
    /// The system to write for: grpc or resilience4j
    #[arg(value_name = "FORMAT", value_parser = formats(), hide_possible_values = true)]
    format: ImportFormat,

    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the file of -o if it is there already
    #[arg(long, requires = "output")]
    force: bool,
}

fn formats() -> impl TypedValueParser<Value = ImportFormat> {
    let names = ImportFormat::ALL.map(ImportFormat::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse::<ImportFormat>())
}

impl Export {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let catalog = PolicyCatalog::load(common.config.as_deref())?;
        let Some(from) = catalog.file() else {
            return Err(no_policies());
        };
        let exported = Exported::of(self.format, foreign::export(self.format, catalog.policies()));
        let file = self.output.as_deref().filter(|file| !input::is_stdin(file));
        if common.json || (file.is_none() && exported.text.is_some()) {
            common.output().print(&exported)?;
        }
        match (&exported.text, file) {
            (Some(text), Some(file)) => self.save(file, text)?,
            (Some(_), None) => {}
            (None, _) if common.json => return Ok(Exit::Failed),
            (None, _) => {
                let from = from.display().to_string();
                losses::report(
                    &exported.lost,
                    &from,
                    &format!("cannot be said in {}", self.format),
                );
                return Ok(Exit::Failed);
            }
        }
        Ok(Exit::Success)
    }

    fn save(&self, file: &Path, text: &str) -> Result<(), CliError> {
        let if_exists = if self.force { IfExists::Replace } else { IfExists::Refuse };
        file::write(file, text.as_bytes(), if_exists)?;
        note(&format!("written to {}", file.display()));
        Ok(())
    }
}

fn no_policies() -> CliError {
    CliError::usage("there is no policy file to export")
        .with_help(format!("name one with -c, or go to where {} is", config::DEFAULT_POLICY_FILE))
}

/// What was written, or what stands against it.
#[derive(Serialize)]
struct Exported {
    format: &'static str,
    text: Option<String>,
    lost: Vec<Unsupported>,
}

impl Exported {
    fn of(format: ImportFormat, exported: Result<String, Vec<Unsupported>>) -> Self {
        let format = format.name();
        match exported {
            Ok(text) => Self { format, text: Some(text), lost: Vec::new() },
            Err(lost) => Self { format, text: None, lost },
        }
    }
}

impl Printable for Exported {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        page.write_all(self.text.as_deref().unwrap_or_default().as_bytes())
    }
}
