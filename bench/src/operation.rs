//! The retried operations, and the loops that call them.
//!
//! The operations are the cheapest that the compiler cannot optimise away, so the cost of a case
//! above the bare call is the cost of the library.

use std::cell::Cell;
use std::fmt;
use std::hint::black_box;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// The error of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed(pub u32);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failure {}", self.0)
    }
}

impl std::error::Error for Failed {}

/// An operation that succeeds.
pub fn succeed_blocking() -> Result<u64, Failed> {
    Ok(black_box(42))
}

/// An asynchronous operation that succeeds.
pub async fn succeed() -> Result<u64, Failed> {
    succeed_blocking()
}

/// An asynchronous operation that fails.
pub async fn fail() -> Result<u64, Failed> {
    Err(Failed(black_box(1)))
}

/// An operation that succeeds on every third call, so that each session has two failed attempts.
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

/// The asynchronous form of [`fail_twice_blocking`].
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
/// A macro, because a session passed as a closure would be a future inside a future, which costs a
/// few more instructions.
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

/// A single-threaded runtime with timers.
#[expect(clippy::expect_used, reason = "nothing can be measured without a runtime")]
pub fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime can be built")
}
