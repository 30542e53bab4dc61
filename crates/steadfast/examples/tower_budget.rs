//! A tower service with retries that are limited by a budget.
//!
//! `cargo run --example tower_budget --features tower`

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use steadfast::Policy;
use steadfast::guard::{Budget, BudgetSettings};
use steadfast::layer::tower::RetryLayer;
use tower::{ServiceBuilder, ServiceExt, service_fn};

static CALLS: AtomicU32 = AtomicU32::new(0);

async fn search(words: &str) -> io::Result<String> {
    match CALLS.fetch_add(1, Ordering::Relaxed) {
        0 => Err(io::ErrorKind::ConnectionReset.into()),
        _ => Ok(format!("found {words}")),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let budget = Budget::new(BudgetSettings::Rate { retries_per_second: 10.0 })?;
    let retries = RetryLayer::new(Policy::default()).budget(Arc::new(budget));
    let service = ServiceBuilder::new().layer(retries).service(service_fn(search));
    println!("{}", service.oneshot("oak").await?);
    Ok(())
}
