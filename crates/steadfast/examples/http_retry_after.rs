//! A GET that waits for the `Retry-After` of a 429.
//!
//! `cargo run --example http_retry_after --features reqwest`

mod support;

use std::time::Duration;
use steadfast::{Jitter, Policy, retry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = support::busy_http_server().await?;
    let policy = Policy::exponential(Duration::from_millis(200)).jitter(Jitter::Full).build()?;
    let client = reqwest::Client::new();
    let response = retry(&policy, || client.get(&url).send()).http().await?;
    println!("{}: {}", response.status(), response.text().await?);
    Ok(())
}
