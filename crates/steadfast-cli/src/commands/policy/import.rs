//! `steadfast policy import`: another system's retry settings as policies (F5).

use std::path::{Path, PathBuf};

use clap::builder::StyledStr;
use steadfast::file::Source;
use steadfast_import::{ImportFormat, ImportReport};

use super::losses;
use crate::commands::prelude::*;
use crate::input;
use crate::output::file;

const EXAMPLES: &[Example] = &[
    ("steadfast policy import grpc service_config.json", "as YAML, on stdout"),
    ("steadfast policy import application.yaml -o steadfast.yaml", "detect the format"),
    ("steadfast policy import step-functions - --strict", "from stdin; fail if anything is lost"),
    ("steadfast policy import envoy route.yaml --json", "for a script"),
];

fn help() -> StyledStr {
    let formats = ImportFormat::ALL.map(|format| (format.name(), format.about()));
    after_help(EXAMPLES, &[("Formats", &formats)])
}

/// Import retry settings from another system.
///
/// Prints a policy file, and reports every setting that could not be converted. Without a format,
/// it is detected from the names of the settings.
#[derive(Debug, Args)]
#[command(after_help = help())]
pub(crate) struct Import {
    /// Source format, or a file, whose format is then detected
    #[arg(value_name = "FORMAT")]
    first: String,

    /// File to read; - is stdin [default: stdin]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Write the policies to this file [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite the output file
    #[arg(long, requires = "output")]
    force: bool,

    /// Fail and write nothing if a setting cannot be converted
    #[arg(long)]
    strict: bool,
}

impl Import {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let imported = self.read()?;
        let lost = &imported.unsupported;
        if !common.json && !lost.is_empty() {
            losses::report(lost, &imported.file, "could not be converted exactly");
        }
        let refused = self.strict && !lost.is_empty();
        let file = self.output.as_deref().filter(|file| !input::is_stdin(file));
        if common.json || (file.is_none() && !refused) {
            common.print(&imported)?;
        }
        match file {
            _ if refused && common.json => {}
            _ if refused => note("nothing written because of --strict"),
            Some(file) => self.save(file, &imported)?,
            None => {}
        }
        Ok(if refused { Exit::Failed } else { Exit::Success })
    }

    fn read(&self) -> Result<ImportReport, CliError> {
        let (format, file) = self.format_and_file()?;
        let source = input::source_of(&file).map_err(|why| self.unreadable(&why))?;
        let format = match format {
            Some(given) => given_format(given, &source),
            None => detected_format(&source)?,
        };
        Ok(steadfast_import::import(format, &source)?)
    }

    fn format_and_file(&self) -> Result<(Option<ImportFormat>, PathBuf), CliError> {
        let stdin = || PathBuf::from("-");
        match (self.first.parse(), &self.file) {
            (Ok(format), file) => Ok((Some(format), file.clone().unwrap_or_else(stdin))),
            (Err(_), None) => Ok((None, PathBuf::from(&self.first))),
            (Err(unknown), Some(_)) => Err(CliError::usage(format!("the format {unknown}"))
                .with_help("omit it to detect the format")),
        }
    }

    /// A file that does not exist may be a misspelled format.
    fn unreadable(&self, why: &steadfast::file::Problem) -> CliError {
        let problem = CliError::from(why);
        match self.first.parse::<ImportFormat>() {
            Err(unknown) if self.file.is_none() => {
                problem.with_help(format!("pass an existing file, or a known format: {unknown}"))
            }
            _ => problem,
        }
    }

    fn save(&self, file: &Path, imported: &ImportReport) -> Result<(), CliError> {
        file::write(file, imported.to_yaml().as_bytes(), self.force)?;
        let policies = counted(imported.policies.len(), "policy", "policies");
        note(&format!("{policies} written to {}", file.display()));
        Ok(())
    }
}

/// The given format, with a note if the text looks like another.
fn given_format(given: ImportFormat, source: &Source) -> ImportFormat {
    if let Some(other) = ImportFormat::detect(source).filter(|other| *other != given) {
        note(&format!("{} looks like {other}: {}", source.name(), other.about()));
    }
    given
}

fn detected_format(source: &Source) -> Result<ImportFormat, CliError> {
    let detected = ImportFormat::detect(source);
    if let Some(format) = detected {
        note(&format!("detected the format of {}: {format}", source.name()));
    }
    detected.ok_or_else(|| {
        let names = ImportFormat::ALL.map(ImportFormat::name).join(", ");
        CliError::usage(format!("cannot detect the format of {}", source.name()))
            .with_help(format!("pass it, as in `steadfast policy import FORMAT FILE`: {names}"))
    })
}

/// `--json` prints what the library read, text output the equivalent policy file.
impl Printable for ImportReport {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        page.write_all(self.to_yaml().as_bytes())
    }
}
