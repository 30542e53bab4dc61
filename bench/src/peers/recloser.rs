//! recloser: a circuit breaker with a ring buffer of outcomes.

use recloser::{AsyncRecloser, Recloser};

use crate::operation::{repeat_async, succeed};

/// Success through a closed breaker.
#[inline(never)]
pub fn async_success(n: u64) {
    let breaker = AsyncRecloser::from(Recloser::default());
    repeat_async!(n, breaker.call(succeed()).await);
}
