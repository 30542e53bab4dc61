//! `steadfast flow run`: starts an execution of a workflow.

use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::NewExecution;
use steadfast_flow::{Workflow, WorkflowError};

use super::show::Shown;
use super::text;
use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::problem::Problem;
use crate::target::{self, Place};

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
    place: Place,
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))
}

/// All that is wrong with it, as `flow check` tells it.
fn senseless(error: &WorkflowError) -> Problem {
    Problem::all(error.problems().iter().map(|problem| Problem::configuration(problem.to_string())))
        .unwrap_or_else(|| Problem::configuration(error.to_string()))
}

impl Run {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let text = text::read(&self.file)?;
        let workflow = Workflow::parse(&text).map_err(|error| senseless(&error))?;
        text::note_handlers(&workflow);
        target::block_on(async {
            let api = self.place.make(common).await?;
            let workflow = api.save_workflow(&text).await?.id;
            let new = NewExecution { trigger: self.trigger.clone(), key: self.key.clone() };
            let started = api.start_execution(workflow, new).await?;
            let execution = started.execution.without_secrets(Redactor::installed());
            common.output().answer(&Shown { execution, now: api.now().await? })?;
            Ok(Exit::Good)
        })
    }
}
