//! A fault scenario of a few seconds, and its result in rows.
//!
//! Batches arrive at a steady rate, fewer than the server can take. A share of the requests
//! gets a fault, and for a while the server is down. The result is the number of distinct rows that
//! are stored at the end of the scenario; and, after the last batch is settled, the number of missing and
//! duplicate rows.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast::policy::Nested;
use steadfast::{Fault, Jitter, Kind, Policy, RetryError, retry};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::fault_proxy::{FaultPlan, Proxy};
use crate::client::{Batch, Client, Error, QueryId, Settings};

/// An error that ends a scenario early.
pub type Problem = Box<dyn std::error::Error + Send + Sync>;

/// The parameters of a scenario, the same for all clients.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// The number of batches.
    pub batches: u64,
    /// The rate of batches per second.
    pub per_second: u32,
    /// The number of rows per batch.
    pub rows: u32,
    /// The share of requests with a fault.
    pub fault_rate: f64,
    /// The outage: the number of batches before it, and its duration.
    pub outage: (u64, Duration),
    /// The seed of the faults.
    pub seed: u64,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            batches: 90,
            per_second: 9,
            rows: 1000,
            fault_rate: 0.2,
            outage: (18, Duration::from_secs(1)),
            seed: 1,
        }
    }
}

/// How a client sends batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As implemented.
    Steadfast,
    /// Immediate retry after any error until it succeeds: no delay, not even a requested one, no
    /// budget, no breaker, and no lookup of the outcome.
    Immediately,
}

impl Way {
    /// Returns whether the batch was stored; otherwise it must be settled later.
    async fn send(self, client: &Client, batch: &Batch) -> bool {
        match self {
            Self::Steadfast => client.insert(batch).await.is_ok(),
            Self::Immediately => {
                while client.insert_once(batch).await.is_err() {}
                true
            }
        }
    }
}

/// The result of a scenario.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// The time during which batches arrived.
    pub lasted: Duration,
    /// Distinct rows that were stored at the end of the scenario.
    pub stored_in_time: u64,
    /// Requests to the proxy during the scenario.
    pub requests: u64,
    /// Batches that were given up, and settled afterwards.
    pub settled: u64,
    /// Missing rows.
    pub lost: u64,
    /// Duplicate rows.
    pub twice: u64,
}

impl Outcome {
    /// Stored rows per second.
    pub fn goodput(&self) -> f64 {
        self.stored_in_time as f64 / self.lasted.as_secs_f64()
    }
}

#[derive(Serialize)]
struct Row {
    batch: u64,
    row: u32,
}

impl Scenario {
    /// The settings of the scenario: those of S3, with shorter delays.
    fn settings() -> Settings {
        let requests = Policy::exponential(Duration::from_millis(50))
            .multiplier(1.6)
            .max_delay(Duration::from_secs(2))
            .jitter(Jitter::Equal)
            .max_attempts(8)
            .attempt_timeout(Duration::from_secs(2))
            .budget(BudgetSettings::Rate { retries_per_second: 10.0 })
            .breaker(
                BreakerSettings::rate_over_time(
                    0.8,
                    Duration::from_secs(1),
                    Duration::from_millis(300),
                )
                .minimum_volume(8),
            );
        let looks = Policy::fixed(Duration::from_millis(400)).max_attempts(3);
        Settings { requests, looks, connections: 256, ..Settings::default() }
    }

    /// Runs the scenario with this kind of client.
    ///
    /// # Errors
    /// The server itself fails, without an injected fault.
    pub async fn run(&self, server: SocketAddr, way: Way) -> Result<Outcome, Problem> {
        let observer = Client::new(server, Settings::default())?;
        wait_until_settled_in(&observer).await?;
        let table = format!("storm_{}", QueryId::fresh());
        observer
            .query(&format!(
                "CREATE TABLE {table} (batch UInt64, row UInt32) \
                 ENGINE = MergeTree ORDER BY (batch, row)"
            ))
            .await?;
        let fault_plan = FaultPlan::random(self.seed, self.fault_rate);
        let proxy = Proxy::start(server, fault_plan).await?;
        let client = Arc::new(Client::new(proxy.address(), Self::settings())?);

        // Before the clock runs: the compression of rows is not part of the scenario.
        let batches = self.pack(&table)?;
        let began = tokio::time::Instant::now();
        let inserting = self.arrivals(batches, way, &client, &proxy).await;
        let lasted = began.elapsed();
        let stored = format!("SELECT uniqExact(batch, row) FROM {table}");
        let stored_in_time = number(&observer.query(&stored).await?)?;
        let requests = proxy.requests();

        *proxy.fault_plan() = FaultPlan::Passthrough;
        let settled = settle(&client, inserting).await?;
        let distinct = number(&observer.query(&stored).await?)?;
        let all = number(&observer.query(&format!("SELECT count() FROM {table}")).await?)?;
        observer.query(&format!("DROP TABLE {table}")).await?;
        let lost = self.batches * u64::from(self.rows) - distinct;
        Ok(Outcome { lasted, stored_in_time, requests, settled, lost, twice: all - distinct })
    }

    fn pack(&self, table: &str) -> std::io::Result<Vec<Batch>> {
        let rows = |batch| (0..self.rows).map(move |row| Row { batch, row }).collect::<Vec<_>>();
        (0..self.batches).map(|batch| Batch::new(table, &rows(batch))).collect()
    }

    /// Sends batches at their scheduled times, whether or not earlier ones are done.
    async fn arrivals(
        &self,
        batches: Vec<Batch>,
        way: Way,
        client: &Arc<Client>,
        proxy: &Proxy,
    ) -> JoinSet<Option<Batch>> {
        let mut inserting = JoinSet::new();
        let mut clock = interval(Duration::from_secs(1) / self.per_second);
        clock.set_missed_tick_behavior(MissedTickBehavior::Burst);
        for (number, batch) in (0..).zip(batches) {
            clock.tick().await;
            if number == self.outage.0
                && let FaultPlan::Random { capacity, .. } = &mut *proxy.fault_plan()
            {
                capacity.go_down(self.outage.1);
            }
            let client = Arc::clone(client);
            inserting.spawn(async move {
                let is_stored = way.send(&client, &batch).await;
                (!is_stored).then_some(batch)
            });
        }
        inserting
    }
}

/// Waits until a server that was just started is older, in full seconds of its uptime, than any batch
/// that is created from now on: its log cannot show that an older batch was not stored.
///
/// # Errors
/// It does not respond.
pub async fn wait_until_settled_in(server: &Client) -> Result<(), Problem> {
    let soon = Policy::fixed(Duration::from_millis(100)).max_attempts(100).nested(Nested::Both);
    let soon = soon.build()?;
    let up = retry(&soon, || server.query("SELECT uptime() > 1"))
        .facts(|_: &RetryError<Error>| Fault::of(Kind::Interrupted))
        .until(|answer: &String| answer.trim() == "1");
    up.await?;
    Ok(())
}

/// Waits for every batch, and settles those that were given up. Returns their number.
async fn settle(
    client: &Arc<Client>,
    mut inserting: JoinSet<Option<Batch>>,
) -> Result<u64, Problem> {
    // An outcome that is unknown now may be known a moment later.
    let later = Policy::fixed(Duration::from_secs(1)).max_attempts(20).nested(Nested::Both);
    let later = Arc::new(later.build()?);
    let mut settling = JoinSet::new();
    while let Some(ended) = inserting.join_next().await {
        if let Some(batch) = ended? {
            let (client, later) = (Arc::clone(client), Arc::clone(&later));
            settling.spawn(async move {
                let any = |_: &RetryError<Error>| Fault::of(Kind::Interrupted);
                retry(&later, || client.settle(&batch)).facts(any).until(|settled| *settled).await
            });
        }
    }
    let mut settled = 0;
    while let Some(ended) = settling.join_next().await {
        ended??;
        settled += 1;
    }
    Ok(settled)
}

fn number(answer: &str) -> Result<u64, Problem> {
    answer.trim().parse().map_err(|_| format!("`{answer}` is not a number of rows").into())
}
