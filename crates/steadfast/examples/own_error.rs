//! An error type of your own, which says what is worth a retry.
//!
//! `cargo run --example own_error`

use steadfast::{Fault, GaveUp, Policy, retry};

#[derive(Debug, thiserror::Error, Fault)]
enum LookupError {
    #[error("the replica is behind")]
    #[fault(kind = "timeout")]
    Behind,
    #[error("HTTP status {0}")]
    Status(#[fault(http)] u16),
    #[error(transparent)]
    #[fault(gave_up)]
    GaveUp(GaveUp),
}

fn find(policy: &Policy) -> Result<u32, LookupError> {
    let mut answers = [Err(LookupError::Behind), Err(LookupError::Status(503)), Ok(7)].into_iter();
    Ok(retry(policy, || answers.next().unwrap_or(Ok(0))).call()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("found {}", find(&Policy::immediate().build()?)?);
    Ok(())
}
