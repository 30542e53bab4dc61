//! Navigation's old loop: one setting, and a delay that it doubles as it goes.

use std::future::Future;

use super::sleep;
use crate::trouble::Trouble;

const MAX_ATTEMPTS: u32 = 3;
const MAX_DELAY: f64 = 30.0;

pub(super) async fn run<T, Try, Work>(attempt: Try) -> Result<T, Trouble>
where
    Try: Fn() -> Work,
    Work: Future<Output = Result<T, Trouble>>,
{
    let mut delay: f64 = 2.0;
    let mut tries = 0;
    loop {
        let trouble = match attempt().await {
            Ok(page) => return Ok(page),
            Err(trouble) => trouble,
        };
        tries += 1;
        if tries >= MAX_ATTEMPTS || !is_transient(&trouble) {
            return Err(trouble);
        }
        let random = fastrand::f64();
        sleep(delay - delay * 0.1 * (1.0 - random)).await;
        delay = (delay * 2.0).min(MAX_DELAY);
    }
}

fn is_transient(trouble: &Trouble) -> bool {
    match trouble.http_status() {
        Some(status) => status >= 500 || status == 408 || status == 429,
        None => ["TimeoutError", "ConnectionError", "NetworkError"].contains(&trouble.name()),
    }
}
