//! `steadfast queue pause` and `resume`.

use steadfast::__private::nearest;
use steadfast_api::{Api, QueueInfo};

use crate::commands::prelude::*;
use crate::output::sanitize;

const PAUSE: &[Example] = &[
    ("steadfast queue pause mail", "while the mail server is down"),
    ("steadfast queue pause reports --new", "before its first task"),
];

/// How to pause a queue that is not known.
const PAUSE_NEW: &str = "; to pause a queue that has no tasks yet, pass --new";

const RESUME: &[Example] = &[("steadfast queue resume mail", "claim its tasks again")];

/// Pause a queue: workers claim no more of its tasks.
///
/// Running tasks finish. Tasks can still be submitted; they wait until the queue is resumed.
#[derive(Debug, Args)]
#[command(after_help = after_help(PAUSE, &[]))]
pub(super) struct Pause {
    /// Queue name
    #[arg(value_name = "QUEUE")]
    queue: String,

    /// Pause it even if no task has ever been submitted to it
    #[arg(long)]
    new: bool,

    #[command(flatten)]
    target: Target,
}

/// Resume a paused queue.
///
/// Tasks that became due meanwhile are claimed in the usual order.
#[derive(Debug, Args)]
#[command(after_help = after_help(RESUME, &[]))]
pub(super) struct Resume {
    /// Queue name
    #[arg(value_name = "QUEUE")]
    queue: String,

    #[command(flatten)]
    target: Target,
}

impl Pause {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.target.print(common, async |api| {
            let known = find(api, &self.queue, PAUSE_NEW).await;
            if !self.new {
                known?;
            }
            // Existence was checked above.
            api.pause(&self.queue, true).await?;
            find(api, &self.queue, PAUSE_NEW).await
        })
    }
}

impl Resume {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.target.print(common, async |api| {
            find(api, &self.queue, "").await?;
            api.resume(&self.queue).await?;
            find(api, &self.queue, "").await
        })
    }
}

/// Finds a queue. An unknown name is probably misspelled; the hint follows the known ones.
async fn find(api: &dyn Api, name: &str, hint: &str) -> Result<QueueInfo, CliError> {
    let queues = api.queues().await?;
    match queues.iter().find(|queue| queue.name == name) {
        Some(queue) => Ok(queue.clone()),
        None => Err(unknown(name, &queues, hint)),
    }
}

fn unknown(name: &str, queues: &[QueueInfo], hint: &str) -> CliError {
    let names: Vec<&str> = queues.iter().map(|queue| queue.name.as_str()).collect();
    let next = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "there are no queues yet".to_owned(),
        None => format!("existing queues: {}", names.join(", ")),
    };
    CliError::usage(format!("unknown queue `{name}`")).with_help(format!("{next}{hint}"))
}

/// The state of a queue after a change.
impl Printable for QueueInfo {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let Self { name, paused, pending, scheduled, .. } = self;
        let state = if *paused { "paused" } else { "resumed" };
        let name = sanitize::line(name);
        writeln!(page, "{name} {state}: {pending} pending, {scheduled} scheduled")
    }
}
