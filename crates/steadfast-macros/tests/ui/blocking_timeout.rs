//! P2: `attempt_timeout` on a blocking function.

use steadfast::retry;

#[retry(attempt_timeout = "1s")]
fn plain() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
