//! The login throttle: failed authentications, counted by client network.
//!
//! Tokens cannot be guessed, so this protects the log and the CPU: a client that sends too many wrong
//! tokens has to wait, each time longer. A valid token is never throttled; otherwise one client behind a
//! proxy could lock out all others behind it.

use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::time::Duration;

use lru::LruCache;
use tokio::time::Instant;

use crate::http::client_network;
use crate::lock::lock;

/// Failures allowed within a [`WINDOW`].
const MAX_FAILURES_PER_WINDOW: u32 = 10;
const WINDOW: Duration = Duration::from_secs(60);
/// The first wait; each further one doubles, up to [`MAX_WAIT`].
const FIRST_WAIT: Duration = Duration::from_secs(60);
const MAX_WAIT: Duration = Duration::from_secs(60 * 60);
/// After this long without failures, the count starts anew.
const RESET_AFTER: Duration = Duration::from_secs(2 * 60 * 60);
/// The number of tracked networks; the least recently used is evicted.
const MAX_TRACKED_NETWORKS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(16_383);

pub(crate) struct LoginThrottle(Mutex<LruCache<IpAddr, Failures>>);

struct Failures {
    window_start: Instant,
    in_window: u32,
    last: Instant,
    waits: u32,
    blocked_until: Option<Instant>,
}

impl Default for LoginThrottle {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MAX_TRACKED_NETWORKS)))
    }
}

impl LoginThrottle {
    /// Records a failure. After too many, returns how long to wait.
    pub(crate) fn record_failure(&self, from: IpAddr) -> Result<(), Duration> {
        let now = Instant::now();
        lock(&self.0).get_or_insert_mut(client_network(from), || Failures::new(now)).record(now)
    }
}

impl Failures {
    const fn new(now: Instant) -> Self {
        Self { window_start: now, in_window: 0, last: now, waits: 0, blocked_until: None }
    }

    fn record(&mut self, now: Instant) -> Result<(), Duration> {
        if let Some(until) = self.blocked_until.filter(|until| *until > now) {
            return Err(until - now);
        }
        if now - self.last >= RESET_AFTER {
            *self = Self::new(now);
        }
        if now - self.window_start >= WINDOW {
            (self.window_start, self.in_window) = (now, 0);
        }
        self.last = now;
        self.in_window += 1;
        if self.in_window <= MAX_FAILURES_PER_WINDOW {
            return Ok(());
        }
        let wait = FIRST_WAIT.saturating_mul(1 << self.waits.min(16)).min(MAX_WAIT);
        self.waits += 1;
        self.blocked_until = Some(now + wait);
        self.in_window = 0;
        Err(wait)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn until_throttled(throttle: &LoginThrottle, from: &str) -> Duration {
        (0..=MAX_FAILURES_PER_WINDOW)
            .find_map(|_| throttle.record_failure(address(from)).err())
            .unwrap()
    }

    /// K1: the eleventh failure within a minute is throttled.
    #[tokio::test(start_paused = true)]
    async fn too_many_failures_are_throttled() {
        let throttle = LoginThrottle::default();
        for _ in 0..MAX_FAILURES_PER_WINDOW {
            assert_eq!(throttle.record_failure(address("192.0.2.1")), Ok(()));
        }
        assert_eq!(throttle.record_failure(address("192.0.2.1")), Err(FIRST_WAIT));
        advance(FIRST_WAIT / 2).await;
        assert_eq!(
            throttle.record_failure(address("192.0.2.1")),
            Err(FIRST_WAIT / 2),
            "further failures do not extend the wait"
        );
        assert_eq!(
            throttle.record_failure(address("192.0.2.2")),
            Ok(()),
            "other clients are not throttled"
        );
        advance(FIRST_WAIT / 2).await;
        assert_eq!(throttle.record_failure(address("192.0.2.1")), Ok(()));
    }

    /// K1: repeated waits double up to an hour, and reset after a quiet period.
    #[tokio::test(start_paused = true)]
    async fn repeated_throttling_doubles_the_wait_up_to_an_hour() {
        let throttle = LoginThrottle::default();
        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
            let wait = until_throttled(&throttle, "192.0.2.1");
            assert_eq!(wait, Duration::from_secs(60 * minutes));
            advance(wait).await;
        }
        advance(RESET_AFTER).await;
        assert_eq!(until_throttled(&throttle, "192.0.2.1"), FIRST_WAIT);
    }

    /// K1: an IPv6 /64 is one client, and so is an IPv4 address in any notation.
    #[tokio::test(start_paused = true)]
    async fn addresses_of_one_network_share_a_throttle() {
        let throttle = LoginThrottle::default();
        until_throttled(&throttle, "2001:db8:1:2::1");
        assert!(throttle.record_failure(address("2001:db8:1:2:ffff::9")).is_err());
        assert!(throttle.record_failure(address("2001:db8:1:3::1")).is_ok());
        until_throttled(&throttle, "::ffff:192.0.2.7");
        assert!(throttle.record_failure(address("192.0.2.7")).is_err());
        assert!(throttle.record_failure(address("192.0.2.8")).is_ok());
    }

    /// K4: memory is bounded for any number of addresses.
    #[tokio::test(start_paused = true)]
    async fn tracked_networks_are_limited() {
        let throttle = LoginThrottle::default();
        for number in 0..40_000_u32 {
            let _ = throttle.record_failure(IpAddr::V4(number.into()));
        }
        assert_eq!(lock(&throttle.0).len(), MAX_TRACKED_NETWORKS.get());
    }
}
