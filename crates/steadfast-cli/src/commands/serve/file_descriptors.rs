//! File descriptors, of which every connection takes one.
//!
//! Most systems give a process few at first and let it have many if it asks. A server asks. If it
//! gets too few, it takes fewer connections: otherwise whoever opens them all would leave none to
//! the store and the worker.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tracing::warn;

/// What the store, the files and the log take.
const RESERVED_DESCRIPTORS: u64 = 256;
/// However few there are, some connections are taken.
const MIN_CONNECTIONS: u64 = 16;

/// How many connections are taken unless said.
const DEFAULT_CONNECTIONS: u32 = 25_000;
/// Fewer than this are too few even for somebody who did not say how many.
const WARN_BELOW_CONNECTIONS: u64 = 1000;

/// How many connections there can be, if so many are wanted beside so many calls of the worker.
pub(super) fn connections(said: Option<u32>, calls: u32) -> usize {
    let (wanted, beside) =
        (u64::from(said.unwrap_or(DEFAULT_CONNECTIONS)), RESERVED_DESCRIPTORS + u64::from(calls));
    let allowed = raise_limit();
    let possible = available_connections(allowed, beside);
    if possible < wanted && (said.is_some() || possible < WARN_BELOW_CONNECTIONS) {
        warn!(
            target: "steadfast", wanted, possible, descriptors = allowed,
            "fewer connections are taken, for this process may have too few file descriptors; raise \
             its hard limit (`ulimit -Hn`, or LimitNOFILE= under systemd) to {}, or want fewer with \
             --connections", wanted + beside,
        );
    }
    usize::try_from(wanted.min(possible)).unwrap_or(usize::MAX)
}

fn available_connections(allowed: u64, beside: u64) -> u64 {
    allowed.saturating_sub(beside).max(MIN_CONNECTIONS)
}

/// Has the process get as many as it may, and says how many these are.
fn raise_limit() -> u64 {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return u64::MAX;
    };
    match soft < hard && setrlimit(Resource::RLIMIT_NOFILE, hard, hard).is_ok() {
        true => hard,
        false => soft,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: connections leave file descriptors for everything else.
    #[test]
    fn connections_leave_something_for_the_store() {
        assert_eq!(available_connections(20_000, 356), 19_644);
        assert_eq!(available_connections(100, 356), MIN_CONNECTIONS);
        assert_eq!(available_connections(u64::MAX, 356), u64::MAX - 356);
    }
}
