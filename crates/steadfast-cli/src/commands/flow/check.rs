//! `steadfast flow check`: whether a workflow makes sense (W1).

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use steadfast_api::CheckedWorkflow;
use steadfast_flow::Workflow;

use super::definition_file;
use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::{Printable, sanitize};

const EXAMPLES: &[Example] = &[
    ("steadfast flow check sign-up.json", "everything that is wrong"),
    ("steadfast flow check - --json", "from stdin, for a script"),
];

/// Check a workflow, and tell everything that is wrong with it.
///
/// Nothing is asked of a store: an unknown node, a cycle, a retry that cannot be meant and a
/// reference that leads nowhere are seen in the file alone. It ends with 78 if something is wrong.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Check {
    /// The workflow; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Check {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let workflow = Workflow::parse(&definition_file::read(&self.file)?);
        let checked = CheckedWorkflow::of(&workflow);
        let exit = if checked.ok { Exit::Success } else { Exit::Configuration };
        common.output().print(&Checked(checked))?;
        if let Ok(workflow) = &workflow {
            definition_file::note_handlers(workflow);
        }
        Ok(exit)
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct Checked(CheckedWorkflow);

impl Printable for Checked {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.0.ok {
            return writeln!(page, "it makes sense");
        }
        self.0.problems.iter().try_for_each(|problem| {
            let (path, message) = (sanitize::line(&problem.path), sanitize::line(&problem.message));
            match path.as_str() {
                "" => writeln!(page, "{message}"),
                path => writeln!(page, "{path}: {message}"),
            }
        })
    }
}
