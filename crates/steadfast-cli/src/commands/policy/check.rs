//! `steadfast policy check`: policy file validation.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use steadfast::file::{Format, Policies, Problem as FileProblem, Problems};

use crate::commands::prelude::*;
use crate::config;
use crate::error::in_order;
use crate::input;
use crate::output::colour::{BAD, GOOD};
use crate::output::width;

const EXAMPLES: &[Example] = &[
    ("steadfast policy check", "the policy file in this directory"),
    ("steadfast policy check staging.yaml production.toml", "several files"),
    ("steadfast policy check --json", "for a script"),
    ("steadfast policy check - --format json", "from stdin"),
];

/// Validate policy files and report all errors.
///
/// Each error is shown with its line and a suggestion: unknown fields, values out of range, mappings to unknown
/// policies, duplicate keys. Overrides from environment variables
/// (STEADFAST_POLICIES__…) are applied and checked too.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct Check {
    /// Files to check; - is stdin [default: the policy file]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// File format: yaml, json or toml [default: by the extension; yaml for stdin]
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
        common.print(&checked)?;
        Ok(if checked.ok { Exit::Success } else { Exit::Configuration })
    }

    fn files(&self, common: &Common) -> Result<Vec<PathBuf>, CliError> {
        if !self.files.is_empty() {
            return Ok(self.files.clone());
        }
        let usual = config::unchecked(common.config.as_deref());
        usual.map(|file| vec![file]).ok_or_else(|| {
            CliError::usage("no policy file to check").with_help(format!(
                "pass one, as in `steadfast policy check FILE`, or run in a directory with {}",
                config::DEFAULT_POLICY_FILE
            ))
        })
    }
}

pub(crate) struct CheckedFile {
    name: String,
    /// What a valid file contains, or the errors.
    found: Result<String, Vec<FileProblem>>,
}

#[derive(Serialize)]
struct Checked {
    ok: bool,
    problems: Vec<FileProblem>,
    #[serde(skip)]
    files: Vec<CheckedFile>,
}

impl Checked {
    fn of(files: Vec<CheckedFile>) -> Self {
        let invalid = files.iter().filter_map(|file| file.found.as_ref().err());
        let problems: Vec<FileProblem> = invalid.flatten().cloned().collect();
        Self { ok: problems.is_empty(), problems, files }
    }
}

impl Printable for Checked {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        self.files.iter().try_for_each(|file| file.write_text(page))
    }
}

impl CheckedFile {
    /// Checks a file, in this format or by its extension.
    pub(crate) fn of(file: &Path, format: Option<Format>) -> Self {
        Self { name: input::name_of(file), found: read(file, format).map_err(in_order) }
    }

    pub(crate) fn problems(&self) -> Option<&[FileProblem]> {
        self.found.as_ref().err().map(Vec::as_slice)
    }

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

fn read(file: &Path, format: Option<Format>) -> Result<String, Problems> {
    if file.is_dir() {
        let problem = FileProblem::of_file(&input::name_of(file), "is a directory");
        return Err(problem.suggest("pass a policy file, such as steadfast.yaml").into());
    }
    let format = match format {
        Some(format) => format,
        None if input::is_stdin(file) => Format::Yaml,
        None => Format::of(file)?,
    };
    let policies = Policies::parse_with_env(&input::source_of(file)?, format)?;
    let names = counted(policies.mapped().len(), "mapped name", "mapped names");
    Ok(format!("{}, {names}", counted(policies.iter().count(), "policy", "policies")))
}
