//! `steadfast serve`: a store over HTTP and on a page, and a worker beside it.
//!
//! One process that needs nothing else is what most people start with, so without a flag it is
//! whole: a store in this directory, the policy file if there is one, an address that only this
//! machine reaches. Whatever can be wrong about that is found out before it says where it is.

mod access_flags;
mod address;
mod file_descriptors;
mod log;
mod policies;
mod policy_audit;
mod serve_error;
mod signals;
mod systemd;
mod worker_flags;

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
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::output::Printable;
use crate::target::{self, StoreTarget};
use access_flags::AccessFlags;
use signals::{Signals, StopSignals};
use worker_flags::WorkerFlags;

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
    work: WorkerFlags,

    #[command(flatten)]
    target: StoreTarget,
}

impl Serve {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|why| CliError::failed(format!("cannot begin: {why}")))?;
        runtime.block_on(async {
            let logs = log::begin(self.log_format)?;
            let served = self.serve(common).await;
            logs.end().await;
            served
        })
    }

    async fn serve(&self, common: &Common) -> Result<Exit, CliError> {
        let signals = Signals::listen()?;
        let url = self.target.url()?;
        let (loader, changes) = policies::loader(common)?;
        let registry = loader.load()?;
        let store = Store::open(&url).await;
        let store = store.map_err(|error| target::open_error(&url, error.into()))?;
        let auditing = tokio::spawn(policy_audit::write_changes(changes, store.clone()));
        let reloading = signals::reload_on_hang_up(registry.clone())?;

        let server = Server::new(store.clone()).listen(self.listen).policies(registry);
        let server = server.drain(self.drain);
        let server = if self.no_page { server.without_page() } else { server };
        let connections = self.access.connections(self.work.calls());
        let server = self.access.apply(server).connections(connections);
        let bound =
            self.work.apply(server, &store)?.bind().await.map_err(serve_error::to_cli_error)?;
        common.output().print(&Serving::new(&bound, &url))?;
        systemd::ready();
        let StopSignals { stop, hurry } = signals.into_stop_signals(self.drain);
        bound.run_until_hurried(stop, hurry).await.map_err(serve_error::to_cli_error)?;
        reloading.abort();
        policy_audit::finish(auditing).await;
        Ok(Exit::Success)
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

impl Printable for Serving {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        writeln!(page, "{} serves {}; Ctrl-C ends it", self.address, self.store)
    }
}
