//! A real client and a real ClickHouse with injected faults (X3, S3).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod crash;
mod cuts;
mod errors;
mod full;
mod gate;
mod guards;
mod pool;
mod program;
mod storm;

use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::Duration;

use example_clickhouse::client::{Batch, Client, QueryId, Settings};
use example_clickhouse::faults::fault_proxy::{FaultPlan, InjectedFault, Proxy};
use example_clickhouse::faults::scenario::wait_until_settled_in;
use serde::Serialize;
use steadfast::Policy;
use steadfast_testing::clickhouse::Server;

/// One for all tests: it takes a while to start. It goes away with this process.
static SERVER: LazyLock<Server> = LazyLock::new(|| Server::start().unwrap());

const ROWS: u32 = 10;

#[derive(Serialize)]
struct Row {
    row: u32,
}

/// A table of its own on the server, a proxy before it, and a client of the proxy.
struct Scene {
    table: String,
    proxy: Proxy,
    client: Client,
    /// Sees the server as it is.
    observer: Client,
}

impl Scene {
    async fn with(settings: Settings) -> Self {
        Self::before(SERVER.address(), settings, "").await
    }

    /// The same with another server, and with more to say about the table.
    async fn before(server: SocketAddr, settings: Settings, table_settings: &str) -> Self {
        let observer = Client::new(server, Settings::default()).unwrap();
        wait_until_settled_in(&observer).await.unwrap();
        let table = format!("t_{}", QueryId::fresh());
        let columns = "(row UInt32) ENGINE = MergeTree ORDER BY row";
        let create = format!("CREATE TABLE {table} {columns} {table_settings}");
        observer.query(&create).await.unwrap();
        let proxy = Proxy::start(server, FaultPlan::Passthrough).await.unwrap();
        let client = Client::new(proxy.address(), settings).unwrap();
        Self { table, proxy, client, observer }
    }

    /// What happens to the next requests.
    fn script(&self, script: impl IntoIterator<Item = InjectedFault>) {
        *self.proxy.fault_plan() = FaultPlan::script(script);
    }

    /// What happens to all requests from now on.
    fn always(&self, fault: InjectedFault) {
        *self.proxy.fault_plan() = FaultPlan::Always(fault);
    }

    fn batch(&self) -> Batch {
        let rows: Vec<_> = (0..ROWS).map(|row| Row { row }).collect();
        Batch::new(&self.table, &rows).unwrap()
    }

    async fn rows(&self) -> u32 {
        let count = format!("SELECT count() FROM {}", self.table);
        self.observer.query(&count).await.unwrap().trim().parse().unwrap()
    }
}

/// Quick enough for a test; longer looks than anything that is held back here.
fn quick() -> Settings {
    Settings {
        requests: Policy::fixed(Duration::from_millis(20))
            .max_attempts(4)
            .attempt_timeout(Duration::from_secs(5)),
        looks: Policy::fixed(Duration::from_millis(100)).max_attempts(4),
        questions: Policy::fixed(Duration::from_millis(20))
            .max_attempts(4)
            .attempt_timeout(Duration::from_secs(5)),
        patience: Duration::from_millis(500),
        ..Settings::default()
    }
}

/// The same, with requests that are tried once.
fn once() -> Settings {
    let requests = Policy::immediate().max_attempts(1).attempt_timeout(Duration::from_secs(5));
    Settings { requests, ..quick() }
}
