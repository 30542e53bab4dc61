//! `steadfast flow show`: one execution, with its nodes and its chain.

use std::io::{self, Write};

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;
use steadfast::observe::Redactor;
use steadfast_api::{Api, ExecutionView};
use steadfast_store::ExecutionId;

use super::{id, list, tone};
use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::table::{Align, Table};
use crate::output::{Answer, sanitize, short, width};
use crate::problem::Problem;
use crate::target::{self, Place};
use crate::watch::Watch;

const EXAMPLES: &[Example] = &[
    ("steadfast flow show 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "where is each node?"),
    ("steadfast flow show 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b --chain", "what came before?"),
];

/// Show one execution: where each of its nodes is, and why.
///
/// What looks like a secret in its trigger or in an answer is masked.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Show {
    /// Which execution
    #[arg(value_name = "ID", value_parser = id::parse)]
    id: ExecutionId,

    /// The executions that it follows and that follow it, instead of its nodes
    #[arg(long)]
    chain: bool,

    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    place: Place,
}

impl Show {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        target::block_on(async {
            let api = self.place.look().await?;
            if self.chain {
                let chain = api.execution_chain(self.id).await?;
                common.output().answer(&Chain { chain, now: api.now().await? })?;
                return Ok(Exit::Good);
            }
            if self.watch.is_on() {
                return self.watch.run(common.output(), async || self.ask(&*api).await).await;
            }
            common.output().answer(&self.ask(&*api).await?)?;
            Ok(Exit::Good)
        })
    }

    async fn ask(&self, api: &dyn Api) -> Result<Shown, Problem> {
        let execution = api.execution(self.id).await?.without_secrets(Redactor::installed());
        Ok(Shown { execution, now: api.now().await? })
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct Chain {
    chain: Vec<ExecutionView>,
    #[serde(skip)]
    now: Timestamp,
}

impl Answer for Chain {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        list::table(&self.chain, self.now).write(page, width::of_stdout())
    }
}

/// One execution with its nodes.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Shown {
    pub(super) execution: ExecutionView,
    #[serde(skip)]
    pub(super) now: Timestamp,
}

/// The longest words that a table shows of a node.
const WORDS: usize = 60;

impl Answer for Shown {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        let execution = &self.execution;
        let width = width::of_stdout();
        list::table(std::slice::from_ref(execution), self.now).write(page, width)?;
        if let Some(message) = &execution.message {
            writeln!(page, "{}", sanitize::line(message))?;
        }
        let columns =
            ["node", "status", "waits for", "task", "what came of it"].map(|it| (it, Align::Left));
        let mut table = Table::with_columns(&columns);
        for node in execution.nodes.iter().flatten() {
            let answer = node.result.as_ref().map(ToString::to_string);
            let words = node.message.clone().or(answer).unwrap_or_default();
            table.toned_row([
                (node.node_id.clone(), None),
                (node.status.name().to_owned(), tone::place(node.status)),
                (node.depends_on.join(", "), None),
                (node.task.map(|task| task.to_string()).unwrap_or_default(), None),
                (short::line(&words, WORDS), None),
            ]);
        }
        writeln!(page)?;
        table.write(page, width)
    }
}
