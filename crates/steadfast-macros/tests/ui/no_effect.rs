//! I8, P2: parameters without an effect.

use steadfast::retry;

#[retry(base_delay = "5s", backoff_type = "immediate")]
fn immediate() -> std::io::Result<()> {
    Ok(())
}

#[retry(base_delay = "2m")]
fn capped() -> std::io::Result<()> {
    Ok(())
}

#[retry(policy = "grpc", increment = "1s", circuit_breaker_threshold = 3)]
fn unused() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
