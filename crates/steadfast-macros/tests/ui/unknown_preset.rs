//! I8: an unknown name, with those that there are.

use steadfast::retry;

#[retry(policy = "postgres")]
fn unknown() -> std::io::Result<()> {
    Ok(())
}

#[retry(policy = "workflows")]
fn misspelled() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
