//! The idempotency key: the same for every attempt of a session (J9).

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Names one session to the other side, so that it can tell a repeat from a new request.
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
    Made(u128),
}

impl Key {
    /// A key that no other session has.
    ///
    /// 128 bits: what the system's entropy gave this process, and a count. Two
    /// processes differ by chance, two sessions of one process by the count.
    #[must_use]
    pub fn fresh() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(Repr::Made(process_entropy().wrapping_add(u128::from(count))))
    }
}

/// 128 bits that are this process's own. Each [`RandomState`] is keyed from the system's entropy.
fn process_entropy() -> u128 {
    static ENTROPY: OnceLock<u128> = OnceLock::new();
    *ENTROPY.get_or_init(|| {
        let word = |salt: u8| u128::from(RandomState::new().hash_one((salt, std::process::id())));
        (word(0) << 64) | word(1)
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
            Repr::Made(bits) => write!(f, "{bits:032x}"),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}
