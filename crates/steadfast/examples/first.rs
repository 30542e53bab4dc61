//! Retries of a failing service, and of a final error.
//!
//! `cargo run --example first`

use std::io;
use std::time::{Duration, Instant};

use steadfast::{Attempt, Jitter, Policy, retry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = Policy::exponential(Duration::from_millis(200))
        .max_attempts(5)
        .jitter(Jitter::Equal)
        .build()?;

    println!("Plan, if every attempt fails:");
    for attempt in policy.plan() {
        println!("  attempt {} after {:?} to {:?}", attempt.attempt, attempt.min, attempt.max);
    }

    println!("\nA service that recovers:");
    let (response, report) = retry(&policy, |attempt: Attempt| service(attempt.number()))
        .on_retry(|failed, delay| println!("  {failed}; retrying in {delay:?}"))
        .with_report()
        .call()?;
    println!("  {response}, after {} attempts and {:?}", report.attempts, report.elapsed);

    println!("\nA final error:");
    let started = Instant::now();
    let invalid = || Err::<(), _>(io::Error::from(io::ErrorKind::InvalidInput));
    if let Err(error) = retry(&policy, invalid).call() {
        println!("  {error}, in {:?}", started.elapsed());
    }
    Ok(())
}

/// Refuses two connections, then responds.
fn service(attempt: u32) -> io::Result<&'static str> {
    if attempt < 3 {
        Err(io::ErrorKind::ConnectionRefused.into())
    } else {
        Ok("the service responded")
    }
}
