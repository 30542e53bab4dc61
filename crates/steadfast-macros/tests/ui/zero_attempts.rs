//! I8, P2: zero attempts.

use steadfast::retry;

#[retry(max_attempts = 0)]
fn plain() -> std::io::Result<()> {
    Ok(())
}

const NONE: u32 = 0;

#[retry(policy = "sql", max_attempts = NONE)]
async fn generic<T: Clone>(_value: T) -> std::io::Result<()> {
    Ok(())
}

fn main() {}
