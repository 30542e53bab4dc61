//! A plain function cannot be cut off.

use steadfast::retry;

#[retry(attempt_timeout = "1s")]
fn plain() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
