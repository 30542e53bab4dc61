//! `steadfast flow cancel`, `resume` and `retry`: control of one execution.

use steadfast::observe::Redactor;
use steadfast_api::{Api, ApiError, Execution};
use steadfast_store::ExecutionId;

use super::execution_id;
use crate::commands::prelude::*;

const CANCEL: &[Example] =
    &[("steadfast flow cancel 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "start no further nodes")];
const RESUME: &[Example] =
    &[("steadfast flow resume 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "continue after a failure")];
const RETRY: &[Example] =
    &[("steadfast flow retry 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "run all nodes again")];

/// Cancel an execution and its running tasks.
///
/// Workers that run its tasks are notified. Continue it later with `steadfast flow resume`.
#[derive(Debug, Args)]
#[command(after_help = after_help(CANCEL, &[]))]
pub(super) struct Cancel {
    #[command(flatten)]
    execution: ExecutionFlags,
}

/// Resume a failed or cancelled execution.
///
/// Completed nodes are not run again; the others are retried with the same input.
#[derive(Debug, Args)]
#[command(after_help = after_help(RESUME, &[]))]
pub(super) struct Resume {
    #[command(flatten)]
    execution: ExecutionFlags,
}

/// Run a failed or cancelled execution again from the start.
///
/// Starts a new execution with the same trigger; all of its nodes run again.
#[derive(Debug, Args)]
#[command(after_help = after_help(RETRY, &[]))]
pub(super) struct Retry {
    #[command(flatten)]
    execution: ExecutionFlags,
}

#[derive(Debug, Args)]
struct ExecutionFlags {
    /// Execution id
    #[arg(value_name = "ID", value_parser = execution_id)]
    id: ExecutionId,

    #[command(flatten)]
    target: Target,
}

impl ExecutionFlags {
    fn act(
        &self,
        common: &Common,
        act: impl AsyncFn(&dyn Api, ExecutionId) -> Result<Execution, ApiError>,
    ) -> Result<Exit, CliError> {
        self.target.print(common, async |api| {
            let execution = act(api, self.id).await?.without_secrets(Redactor::installed());
            Ok(AsOf { value: execution, now: api.now().await? })
        })
    }
}

impl Cancel {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.execution.act(common, async |api, id| api.cancel_execution(id).await)
    }
}

impl Resume {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.execution.act(common, async |api, id| api.resume_execution(id).await)
    }
}

impl Retry {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.execution.act(common, async |api, id| api.retry_execution(id).await)
    }
}
