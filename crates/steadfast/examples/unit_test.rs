//! A test of code that retries, without waiting: an hour passes on a virtual clock.
//!
//! `cargo run --example unit_test --features testing`

use std::io;
use std::time::Duration;
use steadfast::testing::VirtualClock;
use steadfast::{Policy, retry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = Policy::fixed(Duration::from_secs(1800)).max_attempts(3).build()?;
    let clock = VirtualClock::new();
    let down = || Err::<(), _>(io::Error::from(io::ErrorKind::ConnectionRefused));
    let error = retry(&policy, down).environment(&clock).call().err().ok_or("it is down")?;
    assert_eq!(error.attempts(), 3);
    assert_eq!(clock.waits(), [Duration::from_secs(1800); 2]);
    println!("waited for {:?}", clock.waits());
    Ok(())
}
