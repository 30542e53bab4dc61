//! `steadfast queue list`: every queue, and how much waits in it.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use steadfast_api::{Api, QueueView};

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::Answer;
use crate::output::queues;
use crate::problem::Problem;
use crate::target::{self, Place};
use crate::watch::Watch;

const EXAMPLES: &[Example] = &[
    ("steadfast queue list", "of steadfast.db in this directory"),
    ("steadfast queue list --watch --every 5s", "live"),
];

/// List the queues and how much waits in each.
///
/// A queue is there as soon as a task was submitted to it.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct List {
    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    place: Place,
}

impl List {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        target::block_on(async {
            let api = self.place.look().await?;
            if self.watch.is_on() {
                return self.watch.run(common.output(), async || ask(&*api).await).await;
            }
            common.output().answer(&ask(&*api).await?)?;
            Ok(Exit::Good)
        })
    }
}

async fn ask(api: &dyn Api) -> Result<Listed, Problem> {
    Ok(Listed(api.queues().await?))
}

#[derive(Serialize)]
#[serde(transparent)]
struct Listed(Vec<QueueView>);

impl Answer for Listed {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.0.is_empty() {
            return writeln!(page, "no queues yet: put a task in with `steadfast submit`");
        }
        queues::write(page, &self.0)
    }
}
