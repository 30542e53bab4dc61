//! `steadfast policy import`: what another system says about retrying, as policies (F5).

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use steadfast::file::Source;
use steadfast_import::{ImportFormat, ImportReport};

use super::losses;
use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::input;
use crate::output::file::{self, IfExists};
use crate::output::{Printable, counted, note};

const EXAMPLES: &[Example] = &[
    ("steadfast policy import grpc service_config.json", "as YAML, on stdout"),
    ("steadfast policy import application.yaml -o steadfast.yaml", "the format is guessed"),
    ("steadfast policy import step-functions - --strict", "from a pipe, whole or not at all"),
    ("steadfast policy import envoy route.yaml --json", "for a script"),
];

/// The names are the library's; a test holds this list to them.
const FORMATS: Section = (
    "Formats",
    &[
        ("microprofile", "MicroProfile and SmallRye fault tolerance (properties)"),
        ("workflow", "workflow nodes (JSON)"),
        ("client", "a client library (Ruby, YAML or JSON)"),
        ("grpc", "gRPC service config (JSON)"),
        ("resilience4j", "Resilience4j (YAML)"),
        ("step-functions", "AWS Step Functions Retry (JSON or YAML)"),
        ("envoy", "Envoy route retry policy (YAML or JSON)"),
    ],
);

/// Turn the retry settings of another system into policies.
///
/// Prints a policy file, and says what could not be carried over: nothing is dropped in
/// silence. Without a format it is guessed from the names of the settings.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[FORMATS]))]
pub(crate) struct Import {
    /// The format, or the file if the format is to be guessed
    #[arg(value_name = "FORMAT")]
    first: String,

    /// The file to read; - is stdin [default: stdin]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Write the policies to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the file of -o if it is there already
    #[arg(long, requires = "output")]
    force: bool,

    /// Fail if anything cannot be carried over, and write nothing
    #[arg(long)]
    strict: bool,
}

impl Import {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let imported = self.read()?;
        let lost = &imported.unsupported;
        if !common.json && !lost.is_empty() {
            losses::report(lost, &imported.file, "could not be carried over, or not exactly");
        }
        let refused = self.strict && !lost.is_empty();
        let file = self.output.as_deref().filter(|file| !input::is_stdin(file));
        if common.json || (file.is_none() && !refused) {
            common.output().print(&ImportOutput(&imported))?;
        }
        match file {
            _ if refused && common.json => {}
            _ if refused => note("nothing is written, as --strict demands"),
            Some(file) => self.save(file, &imported)?,
            None => {}
        }
        Ok(if refused { Exit::Failed } else { Exit::Success })
    }

    fn read(&self) -> Result<Imported, CliError> {
        let (format, file) = self.format_and_file()?;
        let source = input::source_of(&file).map_err(|why| self.unreadable(&why))?;
        let format = match format {
            Some(said) => given_format(said, &source),
            None => detected_format(&source)?,
        };
        Ok(steadfast_import::import(format, &source)?)
    }

    /// The format, if it was said, and the file.
    fn format_and_file(&self) -> Result<(Option<ForeignFormat>, PathBuf), CliError> {
        let stdin = || PathBuf::from("-");
        match (self.first.parse(), &self.file) {
            (Ok(format), file) => Ok((Some(format), file.clone().unwrap_or_else(stdin))),
            (Err(_), None) => Ok((None, PathBuf::from(&self.first))),
            (Err(unknown), Some(_)) => Err(CliError::usage(format!("the format {unknown}"))
                .with_help("leave it out to have it guessed".to_owned())),
        }
    }

    /// A file that is not there may be a format that was misspelled.
    fn unreadable(&self, why: &steadfast::file::Problem) -> CliError {
        let problem = CliError::from(why);
        match self.first.parse::<ForeignFormat>() {
            Err(unknown) if self.file.is_none() => {
                problem.with_help(format!("name a file that is there; as a format, {unknown}"))
            }
            _ => problem,
        }
    }

    fn save(&self, file: &Path, imported: &Imported) -> Result<(), CliError> {
        let if_exists = if self.force { IfExists::Replace } else { IfExists::Refuse };
        file::write(file, imported.to_yaml().as_bytes(), if_exists)?;
        let policies = counted(imported.policies.len(), "policy", "policies");
        note(&format!("{policies} written to {}", file.display()));
        Ok(())
    }
}

/// The format that was said, whatever the text looks like.
fn given_format(said: ForeignFormat, source: &Source) -> ForeignFormat {
    if let Some(other) = ForeignFormat::guess(source).filter(|other| *other != said) {
        note(&format!("{} looks like {other}: {}", source.name(), other.about()));
    }
    said
}

fn detected_format(source: &Source) -> Result<ForeignFormat, CliError> {
    let guessed = ForeignFormat::guess(source);
    if let Some(format) = guessed {
        note(&format!("{} is read as {format}: {}", source.name(), format.about()));
    }
    guessed.ok_or_else(|| {
        let names = ForeignFormat::ALL.map(ForeignFormat::name).join(", ");
        CliError::usage(format!("{} is of no format that is known", source.name())).with_help(
            format!("say which it is, as in `steadfast policy import FORMAT FILE`: {names}"),
        )
    })
}

/// Machines get what the library read, people the policy file that says the same.
#[derive(Serialize)]
#[serde(transparent)]
struct ImportOutput<'i>(&'i Imported);

impl Printable for ImportOutput<'_> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        page.write_all(self.0.to_yaml().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_that_can_be_read_is_in_the_help() {
        let known = ImportFormat::ALL.map(|format| (format.name(), format.about()));
        assert_eq!(FORMATS.1, known);
    }
}
