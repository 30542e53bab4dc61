//! `steadfast flow run`: starts a workflow execution.

use std::path::PathBuf;

use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::NewExecution;
use steadfast_flow::{Workflow, WorkflowError};

use super::definition_file;
use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast flow run sign-up.json --trigger 42", "with trigger data"),
    ("steadfast flow run sign-up.json --key order-7", "at most one execution for the key"),
];

/// Start an execution of a workflow.
///
/// Validates and stores the workflow, and submits its first nodes as tasks. Any worker of the store
/// runs them, for example the one in `steadfast serve`.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Run {
    /// Workflow file; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Trigger data, as JSON
    #[arg(long, value_name = "JSON", default_value = "null", value_parser = json)]
    trigger: Value,

    /// Idempotency key: starting it again returns the same execution
    #[arg(long, value_name = "KEY")]
    key: Option<String>,

    #[command(flatten)]
    target: Target,
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}

/// All validation errors, as `flow check` reports them.
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
            let workflow = api.save_workflow(&text).await?.id;
            let new = NewExecution { trigger: self.trigger.clone(), key: self.key.clone() };
            let started = api.start_execution(workflow, new).await?;
            let execution = started.execution.without_secrets(Redactor::installed());
            common.print(&AsOf { value: execution, now: api.now().await? })
        })
    }
}
