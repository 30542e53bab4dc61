//! A deadline for all attempts together: an attempt that hangs is cut off.
//!
//! `cargo run --example deadline`

use std::io;
use std::time::Duration;
use steadfast::{Policy, Reason, retry};

async fn hang() -> io::Result<()> {
    std::future::pending().await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = Policy::fixed(Duration::from_millis(50))
        .attempt_timeout(Duration::from_millis(100))
        .max_duration(Duration::from_millis(250))
        .build()?;
    let error = retry(&policy, hang).await.err().ok_or("it hangs")?;
    assert_eq!(error.reason(), Reason::OutOfTime);
    println!("{error}");
    Ok(())
}
