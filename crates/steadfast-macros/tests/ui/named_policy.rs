//! I8: what is written beside the name of a file's policy is checked as far as it goes by itself.

use steadfast::retry;

#[retry(policy = "storage.graph.upsert", max_attempts = 0)]
fn none() -> std::io::Result<()> {
    Ok(())
}

#[retry(policy = "storage.graph.upsert", retry_on = ["5yx"])]
fn no_rule() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
