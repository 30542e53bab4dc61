//! `steadfast flow check`: workflow validation (W1).

use std::path::PathBuf;

use steadfast_api::CheckedWorkflow;
use steadfast_flow::Workflow;

use super::definition_file;
use crate::commands::prelude::*;
use crate::output::sanitize;

const EXAMPLES: &[Example] = &[
    ("steadfast flow check sign-up.json", "report all errors"),
    ("steadfast flow check - --json", "from stdin, for a script"),
];

/// Validate a workflow file and report all errors.
///
/// Checks the file alone, without a store: unknown nodes, cycles, invalid retry settings and
/// dangling references. Exits with 78 if it is invalid.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Check {
    /// Workflow file; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Check {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let workflow = Workflow::parse(&definition_file::read(&self.file)?);
        let checked = CheckedWorkflow::of(&workflow);
        let exit = if checked.ok { Exit::Success } else { Exit::Configuration };
        common.print(&checked)?;
        if let Ok(workflow) = &workflow {
            definition_file::note_handlers(workflow);
        }
        Ok(exit)
    }
}

impl Printable for CheckedWorkflow {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.ok {
            return writeln!(page, "workflow is valid");
        }
        self.problems.iter().try_for_each(|problem| {
            let (path, message) = (sanitize::line(&problem.path), sanitize::line(&problem.message));
            match path.as_str() {
                "" => writeln!(page, "{message}"),
                path => writeln!(page, "{path}: {message}"),
            }
        })
    }
}
