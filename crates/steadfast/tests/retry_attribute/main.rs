//! `#[retry]` on functions of all shapes, with policies of all sorts (I8).
#![cfg(all(feature = "macros", feature = "tokio"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "they are tests")]

mod call;
#[cfg(feature = "file")]
mod named;
mod policy;
#[cfg(feature = "record")]
mod recorded;
mod results;
mod shapes;
mod storage;

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// Something that is down for a while, and counts how often it was asked.
struct Flaky {
    calls: AtomicU32,
    failures: u32,
}

impl Flaky {
    /// It fails this often and then recovers.
    const fn failing(failures: u32) -> Self {
        Self { calls: AtomicU32::new(0), failures }
    }

    /// It never recovers.
    const fn down() -> Self {
        Self::failing(u32::MAX)
    }

    /// Which call this is, from 1, unless it fails.
    fn ask(&self) -> io::Result<u32> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if call > self.failures { Ok(call) } else { Err(refused()) }
    }

    fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }
}

fn refused() -> io::Error {
    io::ErrorKind::ConnectionRefused.into()
}

/// What it returns and how long it took, by tokio's clock.
async fn timed<T>(future: impl Future<Output = T>) -> (T, Duration) {
    let began = Instant::now();
    let value = future.await;
    (value, began.elapsed())
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
