//! The retried operations: the cheapest that a compiler cannot optimise away, and the loops that call
//! them. A case's cost above the bare call is the library's.

use std::cell::Cell;
use std::fmt;
use std::hint::black_box;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// How an operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed(pub u32);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failure {}", self.0)
    }
}

impl std::error::Error for Failed {}

/// Succeeds.
pub fn succeed_blocking() -> Result<u64, Failed> {
    Ok(black_box(42))
}

/// Succeeds.
pub async fn succeed() -> Result<u64, Failed> {
    succeed_blocking()
}

/// Fails.
pub async fn fail() -> Result<u64, Failed> {
    Err(Failed(black_box(1)))
}

/// Fails, fails, succeeds, fails, fails, succeeds, and so on: each session has
/// two failed attempts.
#[inline(always)]
pub fn fail_twice_blocking() -> Result<u64, Failed> {
    thread_local!(static FAILED: Cell<u32> = const { Cell::new(0) });
    let failed = FAILED.get();
    if failed == 2 {
        FAILED.set(0);
        return Ok(black_box(42));
    }
    FAILED.set(failed + 1);
    Err(Failed(black_box(failed)))
}

/// As [`fail_twice_blocking`].
pub async fn fail_twice() -> Result<u64, Failed> {
    fail_twice_blocking()
}

/// Runs a blocking session `n` times.
#[inline(always)]
pub fn repeat<T, E>(n: u64, mut session: impl FnMut() -> Result<T, E>) {
    for _ in 0..n {
        assert!(black_box(session()).is_ok());
    }
}

/// Runs an asynchronous session `n` times, on a runtime with timers.
///
/// A macro, because a session handed over as a closure would be a future
/// within a future, and that costs a few instructions of its own.
#[macro_export]
macro_rules! repeat_async {
    ($n:expr, $session:expr) => {
        $crate::operation::runtime().block_on(async {
            for _ in 0..$n {
                assert!(::std::hint::black_box($session).is_ok());
            }
        })
    };
}
pub use repeat_async;

/// Takes `n` delays from an endless sequence.
#[inline(always)]
pub fn repeat_delays(n: u64, mut delays: impl Iterator<Item = Duration>) {
    for _ in 0..n {
        black_box(delays.next());
    }
}

/// A runtime on this thread, with timers.
#[expect(clippy::expect_used, reason = "without a runtime there is nothing to measure")]
pub fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime can be built")
}
