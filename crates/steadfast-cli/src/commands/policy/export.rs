//! `steadfast policy export`: policies as settings of another system (F5).

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use steadfast_import::{ImportFormat, Unsupported};

use super::losses;
use crate::commands::prelude::*;
use crate::config;
use crate::input;
use crate::output::file;
use crate::policies::PolicyCatalog;

const EXAMPLES: &[Example] = &[
    ("steadfast policy export grpc -o service_config.json", "for gRPC clients"),
    ("steadfast -c calls.yaml policy export resilience4j", "as YAML, on stdout"),
];

/// Export the policies to another system's format.
///
/// Exports the policies of the file exactly or not at all, and lists everything that cannot be
/// expressed. The formats are grpc (a service config) and resilience4j.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct Export {
    /// Target format: grpc or resilience4j
    #[arg(value_name = "FORMAT", value_parser = formats(), hide_possible_values = true)]
    format: ImportFormat,

    /// Write to this file [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite the output file
    #[arg(long, requires = "output")]
    force: bool,
}

const EXPORTED: [ImportFormat; 2] = [ImportFormat::GrpcServiceConfig, ImportFormat::Resilience4j];

fn formats() -> impl TypedValueParser<Value = ImportFormat> {
    let names = EXPORTED.map(ImportFormat::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse::<ImportFormat>())
}

impl Export {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let catalog = PolicyCatalog::load(common.config.as_deref())?;
        let Some(from) = &catalog.file else {
            return Err(no_policies());
        };
        let (text, unsupported) = match steadfast_import::export(self.format, &catalog.policies) {
            Ok(text) => (Some(text), Vec::new()),
            Err(unsupported) => (None, unsupported),
        };
        let exported = Exported { format: self.format.name(), text, unsupported };
        let file = self.output.as_deref().filter(|file| !input::is_stdin(file));
        if common.json || (file.is_none() && exported.text.is_some()) {
            common.print(&exported)?;
        }
        match (&exported.text, file) {
            (Some(text), Some(file)) => self.save(file, text)?,
            (Some(_), None) => {}
            (None, _) if common.json => return Ok(Exit::Failed),
            (None, _) => {
                let from = from.display().to_string();
                losses::report(
                    &exported.unsupported,
                    &from,
                    &format!("cannot be exported to {}", self.format),
                );
                return Ok(Exit::Failed);
            }
        }
        Ok(Exit::Success)
    }

    fn save(&self, file: &Path, text: &str) -> Result<(), CliError> {
        file::write(file, text.as_bytes(), self.force)?;
        note(&format!("written to {}", file.display()));
        Ok(())
    }
}

fn no_policies() -> CliError {
    CliError::usage("no policy file to export").with_help(format!(
        "name one with -c, or run in a directory with {}",
        config::DEFAULT_POLICY_FILE
    ))
}

#[derive(Serialize)]
struct Exported {
    format: &'static str,
    text: Option<String>,
    unsupported: Vec<Unsupported>,
}

impl Printable for Exported {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        page.write_all(self.text.as_deref().unwrap_or_default().as_bytes())
    }
}
