//! `steadfast db migrate`: brings the schema up to date.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use steadfast_store::Migration;

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::Answer;
use crate::problem::Problem;
use crate::target::{self, StorePlace};

const EXAMPLES: &[Example] = &[
    ("steadfast db migrate", "steadfast.db of this directory, made if it is not there"),
    ("steadfast db migrate --store postgres://app@db/tasks --json", "before a fleet starts"),
];

/// Bring the schema up to date.
///
/// Everything that opens a store does this by itself. It is a command of its own for those who
/// want to do it before, with other rights, or to see that there is nothing to do. It can be run
/// as often and by as many at once as one likes.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Migrate {
    #[command(flatten)]
    place: StorePlace,
}

impl Migrate {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let url = self.place.url()?;
        let done = target::block_on(async {
            let migrated = steadfast_store::migrate(&url).await;
            migrated.map_err(|error| target::unopened(&url, error.into()))
        })?;
        common.output().answer(&Done(done))?;
        Ok(Exit::Good)
    }
}

#[derive(Serialize)]
struct Done(Migration);

impl Answer for Done {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        match self.0 {
            Migration { from, to, .. } if from == to => {
                writeln!(page, "up to date: the schema is version {to}")
            }
            Migration { from: 0, to, .. } => {
                writeln!(page, "made a store: the schema is version {to}")
            }
            Migration { from, to, .. } => {
                writeln!(page, "migrated from version {from} of the schema to version {to}")
            }
        }
    }
}
