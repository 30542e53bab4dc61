//! A callback before each retry, with the error and the delay.
//!
//! `cargo run --example callback`

use std::io;
use std::time::Duration;
use steadfast::{Attempt, Policy, retry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = Policy::exponential(Duration::from_millis(10)).build()?;
    let number = retry(&policy, |attempt: Attempt| match attempt.number() {
        1 | 2 => Err(io::Error::from(io::ErrorKind::ConnectionRefused)),
        number => Ok(number),
    })
    .on_retry(|failed, delay| println!("{failed}; retrying in {delay:?}"))
    .call()?;
    println!("attempt {number} succeeded");
    Ok(())
}
