//! The legacy retry loops, one per subsystem.
//!
//! They remain until all subsystems are migrated; then this file is deleted. Do not copy them. Each
//! counts attempts, doubles delays, adds jitter and classifies errors in its own way; a changed number
//! needs a release; there are no records. `tests/scraper/agreement.rs` shows that the policies behave
//! the same.

use std::time::Duration;

use crate::error::ScraperError;

type Done<T> = Result<T, ScraperError>;

/// Runs an operation with the legacy loop of its subsystem.
pub async fn run<T>(name: &str, attempt: impl AsyncFn() -> Done<T>) -> Done<T> {
    match name.split_once('.') {
        Some(("browser", case)) => browser(case, attempt).await,
        Some(("navigation", _)) => navigation(attempt).await,
        Some(("telemetry", case)) => telemetry(case, attempt).await,
        _ => attempt().await,
    }
}

async fn sleep(seconds: f64) {
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
}

type Settings = (i32, (f64, f64, f64), &'static [&'static str]);

/// Number of attempts; first delay, growth, longest delay; retried errors.
fn browser_settings(case: &str) -> Settings {
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

/// The browser's loop: a table of settings, and exceptions by name.
async fn browser<T>(case: &str, attempt: impl AsyncFn() -> Done<T>) -> Done<T> {
    let (attempts, (first, growth, longest), again) = browser_settings(case);
    let mut made = 1;
    loop {
        match attempt().await {
            Err(error) if made < attempts && again.contains(&error.name()) => {
                let jitter = 1.0 - 0.1 * (1.0 - fastrand::f64());
                sleep((first * growth.powi(made - 1)).min(longest) * jitter).await;
                made += 1;
            }
            ended => return ended,
        }
    }
}

const MAX_ATTEMPTS: u32 = 3;
const MAX_DELAY: f64 = 30.0;

/// Navigation's loop: one setting, and a doubling delay.
async fn navigation<T>(attempt: impl AsyncFn() -> Done<T>) -> Done<T> {
    let mut delay: f64 = 2.0;
    let mut tries = 0;
    loop {
        let error = match attempt().await {
            Ok(page) => return Ok(page),
            Err(error) => error,
        };
        tries += 1;
        if tries >= MAX_ATTEMPTS || !is_transient(&error) {
            return Err(error);
        }
        let random = fastrand::f64();
        sleep(delay - delay * 0.1 * (1.0 - random)).await;
        delay = (delay * 2.0).min(MAX_DELAY);
    }
}

fn is_transient(error: &ScraperError) -> bool {
    match error.http_status() {
        Some(status) => status >= 500 || status == 408 || status == 429,
        None => ["TimeoutError", "ConnectionError", "NetworkError"].contains(&error.name()),
    }
}

/// Telemetry's loop: it counts down, and has a list of permanent errors.
async fn telemetry<T>(case: &str, attempt: impl AsyncFn() -> Done<T>) -> Done<T> {
    let (mut left, mut seconds, doubles) = match case {
        "error_handling.default" => (2, 1.0, true),
        "batch_processing.default" => (4, 1.0, true),
        "alerting.notification" => (3, 0.5, false),
        _ => (1, 0.0, false),
    };
    loop {
        match attempt().await {
            Err(error) if left > 0 && !is_permanent(&error) => {
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

fn is_permanent(error: &ScraperError) -> bool {
    match error.http_status() {
        Some(408 | 429) => false,
        Some(status) => status < 500,
        None => !matches!(error.name(), "TimeoutError" | "ConnectionError" | "NetworkError"),
    }
}
