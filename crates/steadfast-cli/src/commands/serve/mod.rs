//! `steadfast serve`: a store over HTTP and on a page, and a worker beside it.
//!
//! One process that needs nothing else is what most people start with, so without a flag it is
//! whole: a store in this directory, the policy file if there is one, an address that only this
//! machine reaches. Whatever can be wrong about that is found out before it says where it is.

mod access;
mod address;
mod audit;
mod descriptors;
mod log;
mod policies;
mod refusal;
mod signals;
mod supervisor;
mod work;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use steadfast::duration;
use steadfast::observe::Redactor;
use steadfast_server::{Bound, LogFormat, Server};
use steadfast_store::Store;

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::output::Answer;
use crate::problem::Problem;
use crate::target::{self, StorePlace};
use access::AccessFlags;
use signals::{Ends, Signals};
use work::WorkFlags;

const EXAMPLES: &[Example] = &[
    ("steadfast serve", "everything, on steadfast.db of this directory"),
    ("steadfast serve --store postgres://app@db/tasks", "one instance of a fleet"),
    ("steadfast serve --allow-target 10.20.0.0/16", "may call services of that network, too"),
    ("steadfast serve --allow-command backup", "may run that program"),
    ("steadfast serve --listen 0.0.0.0:7700 --tokens tokens.toml", "for others, who need a token"),
    ("steadfast serve --no-worker --no-page --log-format json", "the API alone"),
];

const SIGNALS: Section = (
    "Signals",
    &[
        ("SIGTERM, SIGINT", "end in order: what runs may finish; a second one ends at once"),
        ("SIGHUP", "read the policy file again, as is done when it changes"),
    ],
);

/// Serve a store: the API, a page, and a worker that does its tasks.
///
/// Serves the store over HTTP, shows it on a page, and does its tasks, in one process. Tasks of the kind http are
/// called on public addresses and on those that are allowed; programs are run only if they are
/// allowed. The policy file is watched, and a change holds within seconds. Logs go to stderr;
/// the address, once it can be asked, to stdout.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[SIGNALS]))]
pub(crate) struct Serve {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7700")]
    #[arg(value_parser = address::parse)]
    listen: SocketAddr,

    /// Show no page: the API is all there is
    #[arg(long)]
    no_page: bool,

    /// How long to go on when it is told to end, and say meanwhile that it is not ready: for a
    /// balancer to notice. Then a second signal ends only that
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = duration::parse)]
    drain: Duration,

    /// How the log is written: text or json
    #[arg(long, value_name = "FORMAT", default_value_t, value_parser = log::parser())]
    #[arg(hide_possible_values = true)]
    log_format: LogFormat,

    #[command(flatten)]
    access: AccessFlags,

    #[command(flatten)]
    work: WorkFlags,

    #[command(flatten)]
    place: StorePlace,
}

impl Serve {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|why| Problem::failed(format!("cannot begin: {why}")))?;
        runtime.block_on(async {
            let logs = log::begin(self.log_format)?;
            let served = self.serve(common).await;
            logs.end().await;
            served
        })
    }

    async fn serve(&self, common: &Common) -> Result<Exit, Problem> {
        let signals = Signals::listen()?;
        let url = self.place.url()?;
        let (loader, changes) = policies::loader(common)?;
        let registry = loader.load()?;
        let store = Store::open(&url).await;
        let store = store.map_err(|error| target::unopened(&url, error.into()))?;
        let auditing = tokio::spawn(audit::keep(changes, store.clone()));
        let reloading = signals::reload_on_hang_up(registry.clone())?;

        let server = Server::new(store.clone()).listen(self.listen).policies(registry);
        let server = server.drain(self.drain);
        let server = if self.no_page { server.without_page() } else { server };
        let connections = self.access.connections(self.work.calls());
        let server = self.access.given_to(server).connections(connections);
        let bound = self.work.given_to(server, &store)?.bind().await.map_err(refusal::told)?;
        common.output().answer(&Serving::new(&bound, &url))?;
        supervisor::ready();
        let Ends { stop, hurry } = signals.obeyed(self.drain);
        bound.run_until_hurried(stop, hurry).await.map_err(refusal::told)?;
        reloading.abort();
        audit::finish(auditing).await;
        Ok(Exit::Good)
    }
}

/// What is said when it can be asked.
#[derive(Debug, Serialize)]
struct Serving {
    address: String,
    store: String,
}

impl Serving {
    fn new(bound: &Bound, store: &str) -> Self {
        Self { address: bound.url(), store: Redactor::installed().text(store).into_owned() }
    }
}

impl Answer for Serving {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        writeln!(page, "{} serves {}; Ctrl-C ends it", self.address, self.store)
    }
}
