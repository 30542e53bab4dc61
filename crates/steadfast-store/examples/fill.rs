//! Fills a store with a realistic number of tasks, in every status and twenty queues.
//!
//! A page that is fast with ten tasks proves nothing. This creates a store to measure with:
//!
//! ```text
//! cargo run --release -p steadfast-store --example fill -- sqlite:/tmp/many.db 1000000
//! ```
//!
//! Of a hundred tasks 60 are completed, 10 failed, 10 due and 20 due later; one of a thousand is
//! cancelled. Every fifth failure records an event.

use std::env;
use std::error::Error;
use std::time::Duration;

use serde_json::{Value, json};
use steadfast::decide::DecisionEnv;
use steadfast::{Fault, Policy};
use steadfast_store::{
    Actor, AuditEntry, ClaimRequest, FailureContext, Record, Settlement, Store, Task, Verdict,
};

/// The number of rows per write.
const BATCH_SIZE: u64 = 1000;
const QUEUES: u64 = 20;
const MONTH_SECONDS: u64 = 30 * 24 * 3600;

struct NoDraws;

impl DecisionEnv for NoDraws {
    fn draw(&mut self) -> u64 {
        0
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let url = arguments.next().ok_or("missing argument: sqlite:PATH or postgres://…")?;
    let tasks: u64 = arguments.next().as_deref().unwrap_or("1000000").parse()?;
    let store = Store::open(&url).await?;
    // Tasks that are to end must be the only ones in their queues while they are claimed.
    let (ending, open) = (tasks * 70 / 100, tasks * 30 / 100);
    submit(&store, ending, |_| Duration::ZERO).await?;
    end(&store, ending).await?;
    submit(&store, open, due).await?;
    audit(&store, tasks / 10).await?;
    println!("{:#?}", store.stats().await?);
    Ok(())
}

/// A third is due now, a tenth within a day, the rest within a month.
fn due(number: u64) -> Duration {
    let within = match number % 30 {
        0..10 => return Duration::ZERO,
        10..13 => 24 * 3600,
        _ => MONTH_SECONDS,
    };
    Duration::from_secs(60 + number * 7919 % within)
}

async fn submit(
    store: &Store,
    tasks: u64,
    due: impl Fn(u64) -> Duration,
) -> Result<(), Box<dyn Error>> {
    let policies = (0..5).map(|number| {
        Policy::fixed(Duration::ZERO).id(format!("policy-{number}")).max_attempts(3).build()
    });
    let policies = policies.collect::<Result<Vec<_>, _>>()?;
    for from in (0..tasks).step_by(BATCH_SIZE as usize) {
        let new = (from..tasks.min(from + BATCH_SIZE)).map(|number| {
            let index = usize::try_from(number / BATCH_SIZE).unwrap_or_default();
            let policy = policies.get(index % policies.len()).cloned();
            let task = Task::new(
                format!("mail-{}.send", number / BATCH_SIZE % 7),
                &json!({ "url": "https://example.com/hook", "number": number }),
            );
            let task = task.queue(format!("queue-{}", number % QUEUES)).after(due(number));
            let task = task.correlation_id(format!("request-{}", number / 10));
            policy.into_iter().fold(task, Task::under)
        });
        store.submit_all(new.collect()).await?;
    }
    Ok(())
}

/// Ends all due tasks: 60 of 70 are completed, every third of them at the second attempt.
async fn end(store: &Store, tasks: u64) -> Result<(), Box<dyn Error>> {
    let mut ended = 0;
    while ended < tasks {
        store.promote(10_000).await?;
        let claimed = store.claim(&ClaimRequest::new("fill", BATCH_SIZE as u32)).await?;
        let now = claimed.now;
        let mut settlements = Vec::new();
        let mut events = Vec::new();
        for task in claimed.tasks {
            let payload: Value = serde_json::from_str(&task.payload)?;
            let number = payload.get("number").and_then(Value::as_u64).unwrap_or_default();
            if number % 700 == 69 {
                store.cancel(task.id, &Actor::new("fill")).await?;
                ended += 1;
                continue;
            }
            let fails = |status| {
                let context = FailureContext::at(now);
                task.failed(Fault::http(status).with_message("no"), context, &mut NoDraws)
            };
            let verdict = match number % 70 {
                0..10 => fails(404),
                10..30 if task.progress.attempts == 0 => fails(503),
                _ => Verdict::Completed { result: None },
            };
            ended += u64::from(!matches!(verdict, Verdict::Retry { .. }));
            if number.is_multiple_of(5)
                && let Some(event) = task.event(&verdict, || now)
            {
                events.push(Record::try_from(&event)?);
            }
            settlements.push(Settlement {
                id: task.id,
                fencing_token: task.fencing_token,
                verdict,
            });
        }
        store.settle(settlements).await?;
        store.record(&events).await?;
    }
    Ok(())
}

async fn audit(store: &Store, entries: u64) -> Result<(), Box<dyn Error>> {
    for from in (0..entries).step_by(BATCH_SIZE as usize) {
        let entries = (from..entries.min(from + BATCH_SIZE)).map(|number| {
            AuditEntry::new(Actor::new(format!("person-{}", number % 50)), "queue.pause")
                .target(format!("queue-{}", number % QUEUES))
        });
        store.audit_all(&entries.collect::<Vec<_>>()).await?;
    }
    Ok(())
}
