//! The browser's old loop: a table of settings, and exceptions by name.

use std::future::Future;

use super::sleep;
use crate::trouble::Trouble;

type Settings = (i32, (f64, f64, f64), &'static [&'static str]);

/// How many attempts; the first delay, its growth, the longest; what for.
fn settings(case: &str) -> Settings {
    match case {
        "state_operations.timeout" => (3, (1.0, 2.0, 10.0), &["TimeoutError", "ConnectionError"]),
        "state_operations.network_error" => {
            (5, (2.0, 2.0, 30.0), &["ConnectionError", "NetworkError"])
        }
        "state_operations.disk_full" => (2, (5.0, 1.0, 5.0), &["DiskFullError"]),
        "monitoring_operations.timeout" => (3, (0.5, 1.0, 0.5), &["TimeoutError"]),
        "monitoring_operations.psutil_error" => (3, (0.0, 1.0, 0.0), &["ProcessError"]),
        "session_operations.default" => (3, (1.0, 2.0, 20.0), &["TimeoutError", "ConnectionError"]),
        _ => (1, (0.0, 1.0, 0.0), &[]),
    }
}

pub(super) async fn run<T, Try, Work>(case: &str, attempt: Try) -> Result<T, Trouble>
where
    Try: Fn() -> Work,
    Work: Future<Output = Result<T, Trouble>>,
{
    let (attempts, (first, growth, longest), again) = settings(case);
    let mut made = 1;
    loop {
        match attempt().await {
            Err(trouble) if made < attempts && again.contains(&trouble.name()) => {
                let jitter = 1.0 - 0.1 * (1.0 - fastrand::f64());
                sleep((first * growth.powi(made - 1)).min(longest) * jitter).await;
                made += 1;
            }
            ended => return ended,
        }
    }
}
