//! I8: functions that return no `Result`.

use steadfast::retry;

#[retry]
fn nothing() {}

#[retry]
async fn option() -> Option<u32> {
    None
}

#[retry]
fn future() -> impl Future<Output = std::io::Result<()>> {
    std::future::ready(Ok(()))
}

fn main() {}
