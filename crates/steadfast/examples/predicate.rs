//! A predicate that decides what is retried.
//!
//! `cargo run --example predicate`

use std::time::Duration;
use steadfast::{Policy, retry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = Policy::exponential(Duration::from_millis(10)).max_attempts(5).build()?;
    let mut answers = [Err("locked"), Err("locked"), Ok("done")].into_iter();
    let answer = retry(&policy, || answers.next().unwrap_or(Err("gone")))
        .when(|error| *error == "locked")
        .call()?;
    println!("{answer}");
    Ok(())
}
