//! I8, P2: values of the wrong type.

use steadfast::retry;

#[retry(
    base_delay = "soon",
    max_delay = -1,
    max_duration = true,
    max_attempts = "4",
    max_rate_limit_waits = 1.5,
    multiplier = "2",
    enabled = 1,
    backoff_type = "exponental",
    jitter = "ful",
    nested = "sideways",
    retry_on = [true],
    schedule = []
)]
fn everything() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
