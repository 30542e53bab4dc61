//! `steadfast queue list`: queues and their backlog.

use steadfast_api::{Api, QueueView};

use crate::commands::prelude::*;
use crate::output::queues;
use crate::watch::Watch;

const EXAMPLES: &[Example] = &[
    ("steadfast queue list", "the store of this directory"),
    ("steadfast queue list --watch --every 5s", "refresh every 5 seconds"),
];

/// List queues with their pending and scheduled tasks.
///
/// A queue exists once a task was submitted to it.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct List {
    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    target: Target,
}

impl List {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        target::block_on(async {
            let api = self.target.open().await?;
            if self.watch.is_on() {
                return self.watch.run(common.output(), async || ask(&*api).await).await;
            }
            common.output().print(&ask(&*api).await?)?;
            Ok(Exit::Success)
        })
    }
}

async fn ask(api: &dyn Api) -> Result<Listed, CliError> {
    Ok(Listed(api.queues().await?))
}

#[derive(Serialize)]
#[serde(transparent)]
struct Listed(Vec<QueueView>);

impl Printable for Listed {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.0.is_empty() {
            return writeln!(page, "no queues yet: submit a task with `steadfast submit`");
        }
        queues::write(page, &self.0)
    }
}
