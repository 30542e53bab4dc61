//! A server with demo data, for trying out the web UI:
//!
//! ```sh
//! cargo run -p steadfast-server --example demo -- 127.0.0.1:7701
//! ```

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::{Value, json};
use steadfast::file::{Format, Policies, Source};
use steadfast_api::{Api, AttemptFailure, Claims, Completion, Local, NewTask, from_json};
use steadfast_server::Server;
use steadfast_store::{Actor, Store};

/// The shop's policies.
const FILE: &str = "
version: '1.1.0'
policies:
  default: {max_attempts: 5, base_delay: 30s, jitter: full}
  patient: {max_attempts: 9, base_delay: 60s, max_delay: 1h, jitter: equal}
  payments: {max_attempts: 6, base_delay: 5s, max_delay: 10m, enable_circuit_breaker: true}
subsystem_mappings:
  billing: {charge: {default: payments}, invoice: {default: patient}}
";

/// Kind, queue, policy and outcome of the demo tasks.
const TASKS: [(&str, &str, &str, Outcome); 9] = [
    ("send-invoice", "billing", "patient", Outcome::Good),
    ("charge-card", "billing", "payments", Outcome::Limited),
    ("http", "hooks", "patient", Outcome::Flaky),
    ("resize-image", "media", "default", Outcome::Good),
    ("sync-inventory", "sync", "workflow", Outcome::Flaky),
    ("export-report", "sync", "patient", Outcome::Final),
    ("notify-slack", "hooks", "default", Outcome::Good),
    ("reindex-search", "media", "sql", Outcome::Deadlock),
    ("send-invoice", "billing", "patient", Outcome::Later),
];

/// Rounds of tasks before the server starts.
const ROUNDS: usize = 12;

#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Good,
    Flaky,
    Limited,
    Final,
    Deadlock,
    Later,
}

impl Outcome {
    fn fault(self, round: usize) -> Option<Value> {
        match self {
            Self::Good | Self::Later => None,
            Self::Flaky if round.is_multiple_of(3) => None,
            Self::Flaky => Some(json!({
                "http_status": 503, "message": "api.example.com is down for maintenance",
                "causes": [{"kind": "connection_reset", "message": "connection reset by peer"}],
            })),
            Self::Limited => Some(json!({
                "http_status": 429, "hint": 90, "message": "too many requests, come back later",
            })),
            Self::Final => Some(json!({
                "http_status": 404, "message": "the report template `weekly` does not exist",
            })),
            Self::Deadlock => Some(json!({
                "sqlstate": "40P01", "message": "deadlock detected while updating `documents`",
            })),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut arguments = std::env::args().skip(1);
    let listen: SocketAddr = arguments.next().as_deref().unwrap_or("127.0.0.1:7701").parse()?;
    let url = arguments.next().unwrap_or_else(|| "sqlite::memory:".to_owned());
    let store = Store::open(&url).await?;
    let policies = Policies::parse(&Source::new("steadfast.yaml", FILE), Format::Yaml);
    let policies = Arc::new(policies.map_err(|problems| problems.to_string())?);
    let api = Local::new(store.clone(), Actor::new("example")).with_policies(policies.clone());
    for round in 0..ROUNDS {
        submit(&api, round).await?;
        attempt(&api, round).await?;
    }
    submit(&api, ROUNDS).await?;
    report_breakers(&store).await?;
    tokio::spawn(run(api));
    let server =
        Server::new(store).policies(policies).listen(listen).without_worker().bind().await?;
    println!("http://{}", server.address());
    server.run_until(std::future::pending()).await?;
    Ok(())
}

/// Reports the breakers of two instances, one of them open.
async fn report_breakers(store: &Store) -> Result<(), Box<dyn Error + Send + Sync>> {
    let now = store.now().await?;
    let report = |instance: &str, state: &str, failures: u64| {
        serde_json::from_value(json!({
            "policy": "payments", "instance": instance, "state": state, "failure_count": failures,
            "threshold": 5, "timeout": 60, "last_failure_time": now, "last_state_change": now,
            "next_probe_at": (state == "open").then(|| now + std::time::Duration::from_secs(48)),
        }))
    };
    let reports = [report("shop-1", "open", 5)?, report("shop-2", "closed", 1)?];
    Ok(store.report_breakers(&reports).await?)
}

/// Submits and settles tasks every few seconds.
async fn run(api: Local) {
    for round in ROUNDS + 1.. {
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        let result = match attempt(&api, round).await {
            Ok(()) => submit(&api, round).await,
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            eprintln!("the demo stopped: {error}");
            return;
        }
    }
}

async fn submit(api: &Local, round: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    for (index, (kind, queue, policy, outcome)) in TASKS.into_iter().enumerate() {
        let order = 41_000 + round * 10 + index;
        let payload = json!({
            "method": "POST", "url": format!("https://api.example.com/orders/{order}/{kind}"),
            "headers": {"authorization": "Bearer 3f9a-secret", "content-type": "application/json"},
            "body": {"order": order, "currency": "EUR", "total": 129.9},
        });
        let mut task = NewTask::new(kind, from_json(&payload.to_string(), "a payload")?);
        task.queue = Some(queue.to_owned());
        task.policy = Some(serde_json::from_value(json!(policy))?);
        task.correlation_id = Some(format!("order-{order}"));
        task.idempotency_key = Some(format!("{kind}-{order}"));
        task.category = index.is_multiple_of(2).then(|| "eu-west".to_owned());
        if outcome == Outcome::Later {
            task.run_at = Some(steadfast_store::When::After(std::time::Duration::from_secs(
                (round as u64 * 7_919) % 86_400 + 300,
            )));
        }
        api.submit(task).await?;
    }
    Ok(())
}

/// Claims all due tasks and settles most of them.
async fn attempt(api: &Local, round: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    let request = from_json(r#"{"worker": "shop-1", "limit": 100, "lease": "10m"}"#, "a claim")?;
    let Claims { claims, .. } = api.claim(&request).await?;
    for (index, claim) in claims.iter().enumerate() {
        let outcome = TASKS.iter().find(|task| task.0 == claim.task.kind).map(|task| task.3);
        if round == ROUNDS - 1 && index.is_multiple_of(4) {
            continue;
        }
        match outcome.and_then(|outcome| outcome.fault(round)) {
            Some(fault) => {
                let failure = json!({"fencing_token": claim.fencing_token, "fault": fault});
                api.fail(claim.id, serde_json::from_value::<AttemptFailure>(failure)?).await?;
            }
            None => {
                let completion = json!({"fencing_token": claim.fencing_token, "result": {"status": 200, "ms": 84}});
                api.complete(claim.id, serde_json::from_value::<Completion>(completion)?).await?;
            }
        }
    }
    Ok(())
}
