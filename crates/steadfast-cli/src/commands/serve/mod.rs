//! `steadfast serve`: HTTP API, web UI and worker in one process.
//!
//! Without flags it uses a store in the current directory, the policy file if there is one, and a
//! loopback address. Configuration errors are reported before it prints its address.

mod access_flags;
mod address;
mod file_descriptors;
mod log;
mod policies;
mod serve_error;
mod signals;
mod worker_flags;

use std::net::SocketAddr;
use std::time::Duration;

use sd_notify::NotifyState;
use steadfast::duration;
use steadfast::observe::Redactor;
use steadfast_server::{BoundServer, LogFormat, Server};
use steadfast_store::Store;

use crate::commands::prelude::*;
use crate::signals::{Signals, listen_error};
use crate::target::StoreTarget;
use access_flags::AccessFlags;
use signals::{STOP_SIGNALS, StopSignals, notify_systemd, stop_signals};
use worker_flags::WorkerFlags;

const EXAMPLES: &[Example] = &[
    ("steadfast serve", "the store in this directory"),
    ("steadfast serve --store postgres://app@db/tasks", "a shared PostgreSQL store"),
    ("steadfast serve --allow-target 10.20.0.0/16", "allow calls to a private network"),
    ("steadfast serve --allow-command backup", "allow running a program"),
    ("steadfast serve --listen 0.0.0.0:7700 --tokens tokens.toml", "public, with tokens"),
    ("steadfast serve --no-worker --no-ui --log-format json", "only the API"),
];

const SIGNALS: Section = (
    "Signals",
    &[
        (
            "SIGTERM, SIGINT",
            "drain (see --drain), then shut down gracefully; another signal then exits at once",
        ),
        ("SIGHUP", "reload the policy file (also reloaded when it changes)"),
    ],
);

/// Start the server: HTTP API, web UI and a worker.
///
/// Tasks of kind http may call public addresses and those given with --allow-target; tasks of kind
/// command may run only programs given with --allow-command. The policy file is reloaded when it
/// changes. Logs go to stderr; the address is printed on stdout when the server is ready.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[SIGNALS]))]
pub(crate) struct Serve {
    /// Address to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7700")]
    #[arg(value_parser = address::parse)]
    listen: SocketAddr,

    /// Disable the web UI and serve only the API
    #[arg(long = "no-ui", alias = "no-page")]
    no_page: bool,

    /// After a stop signal, keep serving this long while /readyz reports not ready, then shut down;
    /// a second signal ends the drain
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = duration::parse)]
    drain: Duration,

    /// Log format: text or json
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
        let runtime = runtime
            .map_err(|why| CliError::failed(format!("cannot start the async runtime: {why}")))?;
        runtime.block_on(async {
            let logs = log::start(self.log_format)?;
            let served = self.serve(common).await;
            logs.shutdown().await;
            served
        })
    }

    async fn serve(&self, common: &Common) -> Result<Exit, CliError> {
        let signals = Signals::listen(STOP_SIGNALS).map_err(listen_error)?;
        let url = self.target.url()?;
        let (loader, changes) = policies::loader(common)?;
        let registry = loader.load()?;
        let store = Store::open(&url).await;
        let store = store.map_err(|error| target::open_error(&url, error.into()))?;
        let auditing = tokio::spawn(policies::write_changes(changes, store.clone()));
        let reloading = signals::reload_on_hang_up(registry.clone())?;

        let server = Server::new(store.clone()).listen(self.listen).policies(registry);
        let server = server.drain(self.drain);
        let server = if self.no_page { server.without_web_ui() } else { server };
        let connections = file_descriptors::connections(self.access.connections, self.work.calls());
        let server = self.access.apply(server).max_connections(connections);
        let bound =
            self.work.apply(server, &store)?.bind().await.map_err(serve_error::to_cli_error)?;
        common.print(&Serving::new(&bound, &url))?;
        notify_systemd(NotifyState::Ready);
        let StopSignals { stop, hurry } = stop_signals(signals, self.drain);
        bound.run_with_signals(stop, hurry).await.map_err(serve_error::to_cli_error)?;
        reloading.abort();
        policies::finish(auditing).await;
        Ok(Exit::Success)
    }
}

#[derive(Debug, Serialize)]
struct Serving {
    address: String,
    store: String,
}

impl Serving {
    fn new(bound: &BoundServer, store: &str) -> Self {
        Self { address: bound.url(), store: Redactor::installed().text(store).into_owned() }
    }
}

impl Printable for Serving {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        writeln!(page, "listening on {} (store {}); press Ctrl-C to stop", self.address, self.store)
    }
}
