//! An async operation that is called, a blocking one that is awaited, and functions that are neither.

use std::io;
use steadfast::{Policy, retry};

async fn fetch() -> io::Result<()> {
    Ok(())
}

fn read() -> io::Result<()> {
    Ok(())
}

async fn run(policy: &Policy) {
    let _ = retry(policy, fetch).call();
    let _ = retry(policy, read).await;
    let _ = retry(policy, || 7);
    let _ = retry(policy, |count: u32| Ok::<_, io::Error>(count));
}

fn main() {
    let _ = run;
}
