//! Wrong tokens, counted by where they come from.
//!
//! Nobody finds a token by trying, so this protects the log and the processor, not the tokens:
//! who sends wrong ones too often is told to wait, each time for longer. A right token is never
//! made to wait, whoever shares its address; otherwise anybody behind the same proxy could lock
//! everybody out.

use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lru::LruCache;
use tokio::time::Instant;

use crate::http::client_network::network;

/// So many wrong ones are heard out within a [`WINDOW`].
const HEARD: u32 = 10;
const WINDOW: Duration = Duration::from_secs(60);
/// The first wait. Each further one is twice as long, up to the longest.
const WAIT: Duration = Duration::from_secs(60);
const LONGEST_WAIT: Duration = Duration::from_secs(60 * 60);
/// Who is good for so long begins anew.
const FORGIVEN: Duration = Duration::from_secs(2 * 60 * 60);
/// So many addresses are remembered; the ones that were quiet for longest are forgotten.
const REMEMBERED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(16_383);

/// Wrong tokens by address.
pub(crate) struct Tries(Mutex<LruCache<IpAddr, Tally>>);

struct Tally {
    window: Instant,
    wrong: u32,
    last: Instant,
    waits: u32,
    until: Option<Instant>,
}

impl Default for Tries {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(REMEMBERED)))
    }
}

impl Tries {
    /// Counts a wrong token. If there were too many: how long to wait.
    pub(crate) fn wrong(&self, from: IpAddr) -> Result<(), Duration> {
        let now = Instant::now();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let tally = all.get_or_insert_mut(network(from), || Tally::new(now));
        tally.wrong(now)
    }
}

impl fmt::Debug for Tries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tries(…)")
    }
}

impl Tally {
    const fn new(now: Instant) -> Self {
        Self { window: now, wrong: 0, last: now, waits: 0, until: None }
    }

    fn wrong(&mut self, now: Instant) -> Result<(), Duration> {
        if let Some(until) = self.until.filter(|until| *until > now) {
            return Err(until - now);
        }
        if now - self.last >= FORGIVEN {
            *self = Self::new(now);
        }
        if now - self.window >= WINDOW {
            (self.window, self.wrong) = (now, 0);
        }
        self.last = now;
        self.wrong += 1;
        if self.wrong <= HEARD {
            return Ok(());
        }
        let wait = WAIT.saturating_mul(1 << self.waits.min(16)).min(LONGEST_WAIT);
        self.waits += 1;
        self.until = Some(now + wait);
        self.wrong = 0;
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

    fn until_refused(tries: &Tries, from: &str) -> Duration {
        (0..=HEARD).find_map(|_| tries.wrong(address(from)).err()).unwrap()
    }

    /// K1: ten wrong tokens in a minute are heard out, and the eleventh waits.
    #[tokio::test(start_paused = true)]
    async fn too_many_wrong_tokens_have_to_wait() {
        let tries = Tries::default();
        for _ in 0..HEARD {
            assert_eq!(tries.wrong(address("192.0.2.1")), Ok(()));
        }
        assert_eq!(tries.wrong(address("192.0.2.1")), Err(WAIT));
        advance(WAIT / 2).await;
        assert_eq!(
            tries.wrong(address("192.0.2.1")),
            Err(WAIT / 2),
            "asking does not make it longer"
        );
        assert_eq!(tries.wrong(address("192.0.2.2")), Ok(()), "others are heard");
        advance(WAIT / 2).await;
        assert_eq!(tries.wrong(address("192.0.2.1")), Ok(()));
    }

    /// K1: whoever does not learn waits longer and longer, and whoever is quiet begins anew.
    #[tokio::test(start_paused = true)]
    async fn the_wait_grows_up_to_an_hour() {
        let tries = Tries::default();
        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
            let wait = until_refused(&tries, "192.0.2.1");
            assert_eq!(wait, Duration::from_secs(60 * minutes));
            advance(wait).await;
        }
        advance(FORGIVEN).await;
        assert_eq!(until_refused(&tries, "192.0.2.1"), WAIT);
    }

    /// K1: a network of IPv6 is one, and so is an IPv4 address however it is written.
    #[tokio::test(start_paused = true)]
    async fn addresses_of_one_network_are_one() {
        let tries = Tries::default();
        until_refused(&tries, "2001:db8:1:2::1");
        assert!(tries.wrong(address("2001:db8:1:2:ffff::9")).is_err());
        assert!(tries.wrong(address("2001:db8:1:3::1")).is_ok());
        until_refused(&tries, "::ffff:192.0.2.7");
        assert!(tries.wrong(address("192.0.2.7")).is_err());
        assert!(tries.wrong(address("192.0.2.8")).is_ok());
    }

    /// K4: however many addresses there are, memory is bounded.
    #[tokio::test(start_paused = true)]
    async fn only_so_many_addresses_are_remembered() {
        let tries = Tries::default();
        for number in 0..40_000_u32 {
            let _ = tries.wrong(IpAddr::V4(number.into()));
        }
        assert_eq!(tries.0.lock().unwrap().len(), REMEMBERED.get());
    }
}
