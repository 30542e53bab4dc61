//! A task that fails twice and then succeeds: `cargo run -p steadfast-worker --example invoices`

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::Policy;
use steadfast_store::{Store, Task};
use steadfast_worker::{Context, Worker};
use tokio::sync::mpsc;

#[derive(Serialize, Deserialize)]
struct Invoice {
    number: u32,
}

/// The connection is refused until the third attempt.
async fn send(invoice: Invoice, context: Context) -> Result<String, io::Error> {
    println!("attempt {} to send invoice {}", context.attempt(), invoice.number);
    if context.attempt() < 3 {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    Ok(format!("sent as {}", context.key()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = Store::open("sqlite::memory:").await?;
    let policy = Policy::exponential(Duration::from_millis(200)).max_attempts(5).build()?;
    let task = Task::new("send-invoice", &Invoice { number: 42 }).under(policy);
    let id = store.submit(task).await?.id;

    // Stops the worker when the task is done; a service would run until a stop signal.
    let (done, mut is_done) = mpsc::channel(1);
    let handler = move |invoice: Invoice, context: Context| {
        let done = done.clone();
        async move {
            let sent = send(invoice, context).await;
            if sent.is_ok() {
                let _ = done.send(()).await;
            }
            sent
        }
    };
    let worker = Worker::new(store.clone()).handle("send-invoice", handler);
    worker
        .run_until(async move {
            is_done.recv().await;
        })
        .await?;

    let task = store.task(id).await?;
    println!("{}, {:?}, after {} attempts:", task.status, task.result, task.attempts);
    for fault in &task.faults {
        let why = fault.why.as_ref().map(ToString::to_string).unwrap_or_default();
        println!("  attempt {}: {} ({why})", fault.attempt, fault.message);
    }
    Ok(())
}
