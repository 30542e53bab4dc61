//! Session ids.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Identifies a session in logs, events and records, and for cancellation (I6).
///
/// A UUID of version 7: unique, and sorted by time.
///
/// ```
/// use steadfast::observe::SessionId;
///
/// let id = SessionId::fresh();
/// assert_ne!(id, SessionId::fresh());
/// assert_eq!(id.to_string().parse(), Ok(id));
/// assert!("the last one".parse::<SessionId>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(u128);

impl SessionId {
    /// A new unique id, greater than those before it in this process.
    #[must_use]
    pub fn fresh() -> Self {
        static RANDOM: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        let stamp = next_stamp();
        let (millis, count) = (u128::from(stamp >> COUNT_BITS), u128::from(stamp % COUNTS));
        let random = u128::from(RANDOM.hash_one(stamp) >> 2);
        const VERSION: u128 = 7;
        const VARIANT: u128 = 0b10;
        Self(millis << 80 | VERSION << 76 | count << 64 | VARIANT << 62 | random)
    }
}

/// The bits of a UUID that count the ids of a millisecond.
const COUNT_BITS: u32 = 12;
const COUNTS: u64 = 1 << COUNT_BITS;

/// The milliseconds since 1970, and the count in the lowest bits. More ids than fit into a millisecond
/// are dated ahead.
fn next_stamp() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = (since_1970.as_millis() as u64) << COUNT_BITS;
    let next = |last: u64| now.max(last + 1);
    match LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last))) {
        Ok(last) | Err(last) => next(last),
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bits) = *self;
        let (time, rest) = (bits >> 64, bits as u64);
        write!(f, "{:08x}-{:04x}-{:04x}", time >> 32, time >> 16 & 0xffff, time & 0xffff)?;
        write!(f, "-{:04x}-{:012x}", rest >> 48, rest & 0xffff_ffff_ffff)
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({self})")
    }
}

/// A text that is not a session id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionIdError;

impl fmt::Display for SessionIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a session id: must be a UUID")
    }
}

impl std::error::Error for SessionIdError {}

impl FromStr for SessionId {
    type Err = SessionIdError;

    fn from_str(text: &str) -> Result<Self, SessionIdError> {
        let is_grouped = text.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
        let digits = text.replace('-', "");
        // A number may have a sign, an id may not.
        let is_id =
            (is_grouped || text.len() == 32) && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let bits = u128::from_str_radix(&digits, 16).map_err(|_| SessionIdError)?;
        if is_id { Ok(Self(bits)) } else { Err(SessionIdError) }
    }
}

#[cfg(feature = "record")]
pub(super) fn event_id() -> String {
    format!("evt_{:032x}", SessionId::fresh().0)
}
