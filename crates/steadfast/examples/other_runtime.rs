//! Another async runtime: its timer is a function.
//!
//! `cargo run --example other_runtime`

use std::io;
use std::time::Duration;
use steadfast::{Attempt, Policy, retry};

async fn fetch(attempt: u32) -> io::Result<&'static str> {
    if attempt == 1 { Err(io::ErrorKind::TimedOut.into()) } else { Ok("fetched") }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = Policy::fixed(Duration::from_millis(20)).build()?;
    let page = retry(&policy, |attempt: Attempt| fetch(attempt.number())).sleep(smol::Timer::after);
    println!("{}", smol::block_on(page)?);
    Ok(())
}
