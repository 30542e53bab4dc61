//! `steadfast flow show`: one execution with its nodes or its chain.

use steadfast::observe::Redactor;
use steadfast_api::Execution;
use steadfast_flow::ExecutionNodeStatus;
use steadfast_store::ExecutionId;

use super::{execution_id, list};
use crate::commands::prelude::*;
use crate::output::table::StatusColor;
use crate::output::{sanitize, truncate};
use crate::watch::Watch;

const EXAMPLES: &[Example] = &[
    ("steadfast flow show 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "status of each node"),
    (
        "steadfast flow show 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b --chain",
        "earlier and later executions",
    ),
];

/// Show one execution with its nodes.
///
/// Secrets in the trigger and in the results of nodes are redacted.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Show {
    /// Execution id
    #[arg(value_name = "ID", value_parser = execution_id)]
    id: ExecutionId,

    /// Show the chain of retried executions instead of the nodes
    #[arg(long)]
    chain: bool,

    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    target: Target,
}

impl Show {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        if self.chain {
            return self.target.print(common, async |api| {
                let value = api.execution_chain(self.id).await?;
                Ok(AsOf { value, now: api.now().await? })
            });
        }
        self.target.show(&self.watch, common, async |api| {
            let value = api.execution(self.id).await?.without_secrets(Redactor::installed());
            Ok(AsOf { value, now: api.now().await? })
        })
    }
}

impl Printable for AsOf<Vec<Execution>> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        list::table(&self.value, self.now).write(page)
    }
}

const MAX_OUTCOME_CHARS: usize = 60;

impl Printable for AsOf<Execution> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let execution = &self.value;
        list::table(std::slice::from_ref(execution), self.now).write(page)?;
        if let Some(message) = &execution.message {
            writeln!(page, "{}", sanitize::line(message))?;
        }
        let mut table =
            Table::with_columns(&["node", "status", "depends on", "task", "result"], &[]);
        for node in &execution.nodes {
            let response = node.result.as_ref().map(ToString::to_string);
            let outcome = node.message.clone().or(response).unwrap_or_default();
            table.colored_row([
                (node.node_id.clone(), None),
                (node.status.name().to_owned(), color(node.status)),
                (node.depends_on.join(", "), None),
                (node.task.map(|task| task.to_string()).unwrap_or_default(), None),
                (truncate::line(&outcome, MAX_OUTCOME_CHARS), None),
            ]);
        }
        writeln!(page)?;
        table.write(page)
    }
}

const fn color(status: ExecutionNodeStatus) -> Option<StatusColor> {
    match status {
        ExecutionNodeStatus::Waiting => None,
        ExecutionNodeStatus::Submitted => Some(StatusColor::Active),
        ExecutionNodeStatus::Completed => Some(StatusColor::Success),
        ExecutionNodeStatus::Failed => Some(StatusColor::Error),
        ExecutionNodeStatus::Cancelled => Some(StatusColor::Uncertain),
    }
}
