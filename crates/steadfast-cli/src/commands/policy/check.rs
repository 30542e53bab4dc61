//! `steadfast policy check`: everything that is wrong with a policy file, before a program
//! finds out.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use steadfast::file::{Format, Policies, Problem as FileProblem, Problems};

use crate::cli::Common;
use crate::config;
use crate::error::{CliError, in_order};
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::input;
use crate::output::colour::{BAD, GOOD};
use crate::output::{Printable, counted, width};

const EXAMPLES: &[Example] = &[
    ("steadfast policy check", "this directory's file"),
    ("steadfast policy check staging.yaml production.toml", "several files"),
    ("steadfast policy check --json", "for a script"),
    ("steadfast policy check - --format json", "through a pipe"),
];

/// Report everything that is wrong with a policy file.
///
/// Each problem comes with its line and what to do about it: unknown fields, values out of
/// range, mappings to policies that are not there, keys that are written twice. The environment's
/// variables are laid over the file, as a program would lay them, and checked with it.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct Check {
    /// The files to check, or - for stdin [default: the policy file]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Read them as yaml, json or toml [default: by the extension; yaml for stdin]
    #[arg(long, value_name = "FORMAT", value_parser = formats(), hide_possible_values = true)]
    format: Option<Format>,
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["yaml", "json", "toml"]).map(|name| match name.as_str() {
        "json" => Format::Json,
        "toml" => Format::Toml,
        _ => Format::Yaml,
    })
}

impl Check {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let files = self.files(common)?;
        let read = |file: &PathBuf| CheckedFile::of(file, self.format);
        let checked = Checked::of(files.iter().map(read).collect());
        common.output().print(&checked)?;
        Ok(if checked.ok { Exit::Success } else { Exit::Configuration })
    }

    fn files(&self, common: &Common) -> Result<Vec<PathBuf>, CliError> {
        if !self.files.is_empty() {
            return Ok(self.files.clone());
        }
        let usual = config::unchecked(common.config.as_deref());
        usual.map(|file| vec![file]).ok_or_else(|| {
            CliError::usage("there is no file to check").with_help(format!(
                "name it, as in `steadfast policy check FILE`, or go to where {} is",
                config::DEFAULT_POLICY_FILE
            ))
        })
    }
}

/// What is in a file that is right.
struct Counts {
    policies: usize,
    names: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policies = counted(self.policies, "policy", "policies");
        let names = counted(self.names, "mapped name", "mapped names");
        write!(f, "{policies}, {names}")
    }
}

/// One file, and everything that is wrong with it.
pub(crate) struct CheckedFile {
    name: String,
    found: Result<Counts, Vec<FileProblem>>,
}

/// What was found in all of them.
#[derive(Serialize)]
struct Checked {
    ok: bool,
    problems: Vec<FileProblem>,
    #[serde(skip)]
    files: Vec<CheckedFile>,
}

impl Checked {
    fn of(files: Vec<CheckedFile>) -> Self {
        let wrong = files.iter().filter_map(|file| file.found.as_ref().err());
        let problems: Vec<FileProblem> = wrong.flatten().cloned().collect();
        Self { ok: problems.is_empty(), problems, files }
    }
}

impl Printable for Checked {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        self.files.iter().try_for_each(|file| file.write_text(page))
    }
}

impl CheckedFile {
    /// Reads it, in this format or by its extension.
    pub(crate) fn of(file: &Path, format: Option<Format>) -> Self {
        Self { name: input::name_of(file), found: read(file, format).map_err(in_order) }
    }

    /// What is wrong, if anything is.
    pub(crate) fn problems(&self) -> Option<&[FileProblem]> {
        self.found.as_ref().err().map(Vec::as_slice)
    }

    /// All of it in a line.
    pub(crate) fn summary(&self) -> String {
        let name = &self.name;
        match &self.found {
            Ok(counts) => format!("{name}: {counts}, no problems"),
            Err(problems) => {
                format!("{} in {name}", counted(problems.len(), "problem", "problems"))
            }
        }
    }

    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let name = &self.name;
        match &self.found {
            Ok(counts) => writeln!(page, "{name}: {counts}, {GOOD}no problems{GOOD:#}"),
            Err(problems) => {
                for problem in problems {
                    let shown = CliError::from(problem);
                    write!(page, "{}", shown.render(width::of_text_on_stdout()))?;
                }
                let problems = counted(problems.len(), "problem", "problems");
                writeln!(page, "{BAD}{problems}{BAD:#} in {name}")
            }
        }
    }
}

fn read(file: &Path, format: Option<Format>) -> Result<Counts, Problems> {
    let format = match format {
        Some(format) => format,
        None if input::is_stdin(file) => Format::Yaml,
        None => Format::of(file)?,
    };
    let policies = Policies::parse_with_env(&input::source_of(file)?, format)?;
    Ok(Counts { policies: policies.iter().count(), names: policies.mapped().len() })
}
