//! I8: a field that the named policy has no room for.

use steadfast::retry;

#[retry(policy = "grpc", base_delay = "3m")]
fn longer_than_its_longest() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
