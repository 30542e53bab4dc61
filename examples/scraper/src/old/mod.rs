//! What was there before: a retry loop in each subsystem, each written by somebody else.
//!
//! They are kept until the flag of their subsystem has been turned for good, and then this
//! module goes. Nothing here is worth copying. Each counts attempts, doubles delays, draws
//! jitter and judges errors in its own way; a figure is changed by a release; nobody sees what
//! they do. `tests/scraper/agreement.rs` shows that turning the flag changes none of it.

mod browser;
mod navigation;
mod telemetry;

use std::future::Future;
use std::time::Duration;

use crate::trouble::Trouble;

/// Tries as the subsystem that the name begins with did before there were policies.
pub async fn run<T, Try, Work>(name: &str, attempt: Try) -> Result<T, Trouble>
where
    Try: Fn() -> Work,
    Work: Future<Output = Result<T, Trouble>>,
{
    match name.split_once('.') {
        Some(("browser", case)) => browser::run(case, attempt).await,
        Some(("navigation", _)) => navigation::run(attempt).await,
        Some(("telemetry", case)) => telemetry::run(case, attempt).await,
        _ => attempt().await,
    }
}

async fn sleep(seconds: f64) {
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
}
