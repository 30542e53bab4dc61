//! I8: inline fields of a policy that is looked up at run time.

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
