//! `steadfast queue pause` and `steadfast queue resume`.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use steadfast_api::{Api, QueueView};

use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::{Printable, sanitize};
use crate::suggestion::nearest;
use crate::target::{self, Target};

const PAUSE: &[Example] = &[
    ("steadfast queue pause mail", "while its service is repaired"),
    ("steadfast queue pause reports --new", "before its first task"),
];

const RESUME: &[Example] = &[("steadfast queue resume mail", "and on it goes")];

/// Take nothing more from a queue.
///
/// What workers have begun they finish. Tasks can still be submitted, and wait.
#[derive(Debug, Args)]
#[command(after_help = after_help(PAUSE, &[]))]
pub(super) struct Pause {
    /// Which queue
    #[arg(value_name = "QUEUE")]
    queue: String,

    /// Also if no task was ever submitted to it
    #[arg(long)]
    new: bool,

    #[command(flatten)]
    target: Target,
}

/// Take from a queue again.
///
/// What has become due meanwhile is taken in its order.
#[derive(Debug, Args)]
#[command(after_help = after_help(RESUME, &[]))]
pub(super) struct Resume {
    /// Which queue
    #[arg(value_name = "QUEUE")]
    queue: String,

    #[command(flatten)]
    target: Target,
}

impl Pause {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let queue = target::block_on(async {
            let api = self.target.open().await?;
            let known = find(&*api, &self.queue).await;
            if !self.new {
                known?;
            }
            // It was looked for.
            api.pause(&self.queue, true).await?;
            find(&*api, &self.queue).await
        })?;
        common.output().print(&QueueOutput { queue })?;
        Ok(Exit::Success)
    }
}

impl Resume {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let queue = target::block_on(async {
            let api = self.target.open().await?;
            find(&*api, &self.queue).await?;
            api.resume(&self.queue).await?;
            find(&*api, &self.queue).await
        })?;
        common.output().print(&QueueOutput { queue })?;
        Ok(Exit::Success)
    }
}

/// The queue of this name. One that the store has never heard of is a slip of whoever typed it.
async fn find(api: &dyn Api, name: &str) -> Result<QueueView, CliError> {
    let queues = api.queues().await?;
    match queues.iter().find(|queue| queue.name == name) {
        Some(queue) => Ok(queue.clone()),
        None => Err(unknown(name, &queues)),
    }
}

fn unknown(name: &str, queues: &[QueueView]) -> CliError {
    let names: Vec<&str> = queues.iter().map(|queue| queue.name.as_str()).collect();
    let next = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "there are none before a task is submitted;".to_owned(),
        None => format!("there are {};", names.join(", ")),
    };
    CliError::usage(format!("there is no queue `{name}`"))
        .with_help(format!("{next} `pause --new` takes one before its first task"))
}

#[derive(Serialize)]
#[serde(transparent)]
struct QueueOutput {
    queue: QueueView,
}

impl Printable for QueueOutput {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let QueueView { name, paused, pending, scheduled, .. } = &self.queue;
        let state = if *paused { "is paused" } else { "goes on" };
        let name = sanitize::line(name);
        writeln!(page, "{name} {state}: {pending} pending, {scheduled} scheduled")
    }
}
