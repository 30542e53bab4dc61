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

/// One server for all tests, since it takes a while to start. It ends with this process.
static SERVER: LazyLock<Server> = LazyLock::new(|| Server::start().unwrap());

const ROWS: u32 = 10;

#[derive(Serialize)]
struct Row {
    row: u32,
}

/// A table on the server, a proxy in front of it, and a client of the proxy.
struct Scene {
    table: String,
    proxy: Proxy,
    client: Client,
    /// Connects without the proxy.
    observer: Client,
}

impl Scene {
    async fn with(settings: Settings) -> Self {
        Self::before(SERVER.address(), settings, "").await
    }

    /// The same with another server, and with settings of the table.
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

    /// The faults of the next requests.
    fn script(&self, script: impl IntoIterator<Item = InjectedFault>) {
        *self.proxy.fault_plan() = FaultPlan::script(script);
    }

    /// The fault of all requests from now on.
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

/// Short delays; the lookups take longer than any delayed request.
fn quick() -> Settings {
    Settings {
        requests: Policy::fixed(Duration::from_millis(20))
            .max_attempts(4)
            .attempt_timeout(Duration::from_secs(5)),
        looks: Policy::fixed(Duration::from_millis(100)).max_attempts(4),
        questions: Policy::fixed(Duration::from_millis(20))
            .max_attempts(4)
            .attempt_timeout(Duration::from_secs(5)),
        wait_timeout: Duration::from_millis(500),
        ..Settings::default()
    }
}

/// The same, without retries.
fn once() -> Settings {
    let requests = Policy::immediate().max_attempts(1).attempt_timeout(Duration::from_secs(5));
    Settings { requests, ..quick() }
}
