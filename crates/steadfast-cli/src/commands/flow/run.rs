//! `steadfast flow run`: starts an execution of a workflow.

use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::NewExecution;
use steadfast_flow::{Workflow, WorkflowError};

use super::definition_file;
use super::show::ExecutionOutput;
use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::target::{self, Target};

const EXAMPLES: &[Example] = &[
    ("steadfast flow run sign-up.json --trigger 42", "with what its nodes refer to"),
    ("steadfast flow run sign-up.json --key order-7", "once, however often it is said"),
];

/// Start an execution of a workflow.
///
/// The workflow is checked and kept, and the execution with it; its first nodes are tasks from
/// then on. A worker of that store does them, such as that of `steadfast serve`.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Run {
    /// The workflow; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// What it is started with, as JSON
    #[arg(long, value_name = "JSON", default_value = "null", value_parser = json)]
    trigger: Value,

    /// Names it, so that starting it twice is starting it once
    #[arg(long, value_name = "KEY")]
    key: Option<String>,

    #[command(flatten)]
    target: Target,
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))
}

/// All that is wrong with it, as `flow check` tells it.
fn workflow_error(error: &WorkflowError) -> CliError {
    CliError::all(
        error.problems().iter().map(|problem| CliError::configuration(problem.to_string())),
    )
    .unwrap_or_else(|| CliError::configuration(error.to_string()))
}

impl Run {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let text = definition_file::read(&self.file)?;
        let workflow = Workflow::parse(&text).map_err(|error| workflow_error(&error))?;
        definition_file::note_handlers(&workflow);
        target::block_on(async {
            let api = self.target.open_or_create(common).await?;
            let workflow = api.keep_workflow(&text).await?.id;
            let new = NewExecution { trigger: self.trigger.clone(), key: self.key.clone() };
            let started = api.start_execution(workflow, new).await?;
            let execution = started.execution.without_secrets(Redactor::installed());
            common.output().print(&ExecutionOutput { execution, now: api.now().await? })?;
            Ok(Exit::Success)
        })
    }
}
