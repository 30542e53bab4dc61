//! A handle that cancels a session while it waits.
//!
//! `cargo run --example cancel`

use std::io;
use std::time::Duration;
use steadfast::{CancelHandle, Policy, Reason, retry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = Policy::fixed(Duration::from_secs(3600)).build()?;
    let down = async || Err::<(), _>(io::Error::from(io::ErrorKind::ConnectionRefused));
    let handle = CancelHandle::new();
    let session = retry(&policy, down).on_retry(|_, _| handle.cancel()).cancel_with(&handle);
    let error = session.await.err().ok_or("it was not cancelled")?;
    assert_eq!(error.reason(), Reason::Cancelled);
    println!("{error}");
    Ok(())
}
