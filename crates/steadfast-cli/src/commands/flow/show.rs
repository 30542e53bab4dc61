//! `steadfast flow show`: one execution with its nodes or its chain.

use jiff::Timestamp;
use steadfast::observe::Redactor;
use steadfast_api::{Api, ExecutionView};
use steadfast_store::ExecutionId;

use super::{id, list, status_color};
use crate::commands::prelude::*;
use crate::output::table::Align;
use crate::output::{sanitize, truncate, width};
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
/// Secrets in trigger and responses are redacted.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Show {
    /// Execution id
    #[arg(value_name = "ID", value_parser = id::parse)]
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
        target::block_on(async {
            let api = self.target.open().await?;
            if self.chain {
                let chain = api.execution_chain(self.id).await?;
                common.output().print(&Chain { chain, now: api.now().await? })?;
                return Ok(Exit::Success);
            }
            if self.watch.is_on() {
                return self.watch.run(common.output(), async || self.ask(&*api).await).await;
            }
            common.output().print(&self.ask(&*api).await?)?;
            Ok(Exit::Success)
        })
    }

    async fn ask(&self, api: &dyn Api) -> Result<ExecutionOutput, CliError> {
        let execution = api.execution(self.id).await?.without_secrets(Redactor::installed());
        Ok(ExecutionOutput { execution, now: api.now().await? })
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct Chain {
    chain: Vec<ExecutionView>,
    #[serde(skip)]
    now: Timestamp,
}

impl Printable for Chain {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        list::table(&self.chain, self.now).write(page, width::of_stdout())
    }
}

/// One execution with its nodes.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct ExecutionOutput {
    pub(super) execution: ExecutionView,
    #[serde(skip)]
    pub(super) now: Timestamp,
}

/// The longest outcome shown in the table.
const MAX_OUTCOME_CHARS: usize = 60;

impl Printable for ExecutionOutput {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let execution = &self.execution;
        let width = width::of_stdout();
        list::table(std::slice::from_ref(execution), self.now).write(page, width)?;
        if let Some(message) = &execution.message {
            writeln!(page, "{}", sanitize::line(message))?;
        }
        let columns =
            ["node", "status", "depends on", "task", "result"].map(|name| (name, Align::Left));
        let mut table = Table::with_columns(&columns);
        for node in execution.nodes.iter().flatten() {
            let response = node.result.as_ref().map(ToString::to_string);
            let outcome = node.message.clone().or(response).unwrap_or_default();
            table.colored_row([
                (node.node_id.clone(), None),
                (node.status.name().to_owned(), status_color::of_node(node.status)),
                (node.depends_on.join(", "), None),
                (node.task.map(|task| task.to_string()).unwrap_or_default(), None),
                (truncate::line(&outcome, MAX_OUTCOME_CHARS), None),
            ]);
        }
        writeln!(page)?;
        table.write(page, width)
    }
}
