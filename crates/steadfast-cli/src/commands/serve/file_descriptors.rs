//! The file descriptor limit and the connection limit derived from it.
//!
//! Each connection takes a descriptor. The soft limit is raised to the hard limit; if that is too
//! low, fewer connections are accepted, so that the store and the worker keep theirs.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tracing::warn;

/// Descriptors for the store, files and the log.
const RESERVED_DESCRIPTORS: u64 = 256;
const MIN_CONNECTIONS: u64 = 16;

const DEFAULT_CONNECTIONS: u32 = 25_000;
/// Below this, the default limit is reported as too low.
const WARN_BELOW_CONNECTIONS: u64 = 1000;

/// The connection limit, given the requested limit and the number of concurrent worker calls.
pub(super) fn connections(requested: Option<u32>, calls: u32) -> usize {
    let (wanted, beside) = (
        u64::from(requested.unwrap_or(DEFAULT_CONNECTIONS)),
        RESERVED_DESCRIPTORS + u64::from(calls),
    );
    let allowed = raise_limit();
    let possible = available_connections(allowed, beside);
    if possible < wanted && (requested.is_some() || possible < WARN_BELOW_CONNECTIONS) {
        warn!(
            target: "steadfast", wanted, possible, descriptors = allowed,
            "connection limit reduced: too few file descriptors; raise the hard limit (`ulimit -Hn`, or \
             LimitNOFILE= under systemd) to {}, or lower --connections",
            wanted + beside,
        );
    }
    usize::try_from(wanted.min(possible)).unwrap_or(usize::MAX)
}

fn available_connections(allowed: u64, beside: u64) -> u64 {
    allowed.saturating_sub(beside).max(MIN_CONNECTIONS)
}

/// Raises the soft limit to the hard limit, and returns the limit.
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

    /// K4: connections leave descriptors for the store and the worker.
    #[test]
    fn connection_limit_reserves_descriptors() {
        assert_eq!(available_connections(20_000, 356), 19_644);
        assert_eq!(available_connections(100, 356), MIN_CONNECTIONS);
        assert_eq!(available_connections(u64::MAX, 356), u64::MAX - 356);
    }
}
