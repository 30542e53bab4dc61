//! The idempotency key of a session, the same for every attempt (J9).

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Identifies one session to the other side, so that it can detect a repeated request.
///
/// ```
/// use steadfast::Key;
///
/// let key = Key::from("invoice-42");
/// assert_eq!(key.to_string(), "invoice-42");
/// assert_ne!(Key::fresh(), Key::fresh());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Given(Arc<str>),
    Generated(u128),
}

impl Key {
    /// A key that no other session has.
    ///
    /// 128 bits: the process's share of the system's entropy plus a counter. Two processes differ
    /// by their entropy, two sessions of one process by the counter. `wasm32-unknown-unknown` has no
    /// entropy: pass a key to [`Retry::key`](crate::Retry::key) there.
    #[must_use]
    pub fn fresh() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(Repr::Generated(process_entropy().wrapping_add(u128::from(count))))
    }
}

/// 128 random bits, drawn once per process. Each [`RandomState`] is keyed from the system's entropy.
fn process_entropy() -> u128 {
    static ENTROPY: OnceLock<u128> = OnceLock::new();
    *ENTROPY.get_or_init(|| {
        let half = |salt: u8| u128::from(RandomState::new().hash_one(salt));
        (half(0) << 64) | half(1)
    })
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self(Repr::Given(text.into()))
    }
}

impl From<String> for Key {
    fn from(text: String) -> Self {
        Self(Repr::Given(text.into()))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Given(text) => text.fmt(f),
            Repr::Generated(bits) => write!(f, "{bits:032x}"),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}
