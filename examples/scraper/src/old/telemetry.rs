//! Telemetry's old loop: it counts down, and asks what is hopeless.

use std::future::Future;

use super::sleep;
use crate::trouble::Trouble;

pub(super) async fn run<T, Try, Work>(case: &str, attempt: Try) -> Result<T, Trouble>
where
    Try: Fn() -> Work,
    Work: Future<Output = Result<T, Trouble>>,
{
    let (mut left, mut seconds, doubles) = match case {
        "error_handling.default" => (2, 1.0, true),
        "batch_processing.default" => (4, 1.0, true),
        "alerting.notification" => (3, 0.5, false),
        _ => (1, 0.0, false),
    };
    loop {
        match attempt().await {
            Err(trouble) if left > 0 && !is_hopeless(&trouble) => {
                left -= 1;
                let shortest = seconds * 0.9;
                sleep(shortest + (seconds - shortest) * fastrand::f64()).await;
                if doubles {
                    seconds = f64::min(seconds * 2.0, 60.0);
                }
            }
            ended => return ended,
        }
    }
}

fn is_hopeless(trouble: &Trouble) -> bool {
    match trouble.http_status() {
        Some(408 | 429) => false,
        Some(status) => status < 500,
        None => !matches!(trouble.name(), "TimeoutError" | "ConnectionError" | "NetworkError"),
    }
}
