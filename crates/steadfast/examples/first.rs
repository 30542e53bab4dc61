//! A service that is down for a moment, and what a policy makes of it.
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

    println!("The plan, if everything fails:");
    for attempt in policy.plan() {
        println!("  attempt {} after {:?} to {:?}", attempt.attempt, attempt.min, attempt.max);
    }

    println!("\nA service that recovers:");
    let (answer, report) = retry(&policy, |attempt: Attempt| service(attempt.number()))
        .on_retry(|happening| println!("  attempt {} failed, trying again", happening.attempt))
        .with_report()
        .call()?;
    println!("  {answer}, after {} attempts and {:?}", report.attempts, report.elapsed);

    println!("\nA mistake that trying again cannot help:");
    let started = Instant::now();
    let mistake = || Err::<(), _>(io::Error::from(io::ErrorKind::InvalidInput));
    if let Err(error) = retry(&policy, mistake).call() {
        println!("  {error}, in {:?}", started.elapsed());
    }
    Ok(())
}

/// Refuses connections twice, then answers.
fn service(attempt: u32) -> io::Result<&'static str> {
    if attempt < 3 { Err(io::ErrorKind::ConnectionRefused.into()) } else { Ok("it answered") }
}
