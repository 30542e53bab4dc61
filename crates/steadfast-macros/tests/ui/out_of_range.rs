//! I8, P2: parameters that are out of range.

use steadfast::retry;

#[retry(
    base_delay = "2s",
    max_delay = "1s",
    max_duration = 1,
    multiplier = 0.5,
    jitter_type = "full",
    jitter_amount = 1.5,
    enable_circuit_breaker = true,
    circuit_breaker_threshold = 0,
    circuit_breaker_timeout = "0s",
    retry_on = ["5xx", "5yx"],
    abort_on = ["not a rule"]
)]
fn everything() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
