//! P2: duplicate and conflicting parameters.

use steadfast::retry;

#[retry(max_attempts = 3, max_retries = 2)]
fn counts() -> std::io::Result<()> {
    Ok(())
}

#[retry(jitter = "full", jitter_type = "equal")]
fn jitters() -> std::io::Result<()> {
    Ok(())
}

#[retry(name = "a", name = "b")]
fn names() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
