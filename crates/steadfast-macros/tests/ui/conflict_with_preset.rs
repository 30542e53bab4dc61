//! I8: a field that conflicts with the preset.

use steadfast::retry;

#[retry(policy = "grpc", base_delay = "3m")]
fn longer_than_its_longest() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
