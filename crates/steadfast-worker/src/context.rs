//! What a handler may know of its task, beside the payload.
//!
//! A handler that talks to others needs more than its payload: the key that tells a repeat from
//! a new request (J9), the fencing number that tells an old holder from a new one (D18), and a
//! way to hear that its work is no longer wanted.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use steadfast_store::{Claimed, FencingToken, TaskId};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// One attempt at a task, as its handler sees it. Cheap to clone; a clone may outlive the
/// attempt.
///
/// ```
/// use steadfast_worker::Context;
///
/// async fn charge(amount: u64, context: Context) -> Result<(), std::io::Error> {
///     println!("attempt {} of {}", context.attempt(), context.max_attempts());
///     let request = format!("charge {amount}, once: {}", context.key());
///     tokio::select! {
///         sent = send(request) => sent,
///         () = context.cancelled() => Err(std::io::ErrorKind::Interrupted.into()),
///     }
/// }
/// # async fn send(_: String) -> std::io::Result<()> { Ok(()) }
/// ```
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    claimed: Claimed,
    cut_off: Option<Instant>,
    called_off: CancellationToken,
    /// The task's id, as its key, if it was given no other.
    made_key: OnceLock<String>,
    key_in_use: AtomicBool,
    /// In milliseconds; none for whoever does not listen.
    tidy_up: AtomicU64,
}

/// How long a handler that listens may take to put things in order after it was called off.
const TIDY_UP: Duration = Duration::from_secs(1);

impl Context {
    /// The attempt that starts now, and how long it may take.
    pub(crate) fn new(claimed: Claimed, limit: Option<Duration>) -> Self {
        Self(Arc::new(Inner {
            claimed,
            // A limit beyond the end of time is none.
            cut_off: limit.and_then(|limit| Instant::now().checked_add(limit)),
            called_off: CancellationToken::new(),
            made_key: OnceLock::new(),
            key_in_use: AtomicBool::new(false),
            tidy_up: AtomicU64::new(0),
        }))
    }

    /// Which task.
    #[must_use]
    pub fn id(&self) -> TaskId {
        self.0.claimed.id
    }

    /// Its kind: what the handler is registered for.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.0.claimed.kind
    }

    /// The line it stood in.
    #[must_use]
    pub fn queue(&self) -> &str {
        &self.0.claimed.queue
    }

    /// What it is about.
    #[must_use]
    pub fn category(&self) -> Option<&str> {
        self.0.claimed.category.as_deref()
    }

    /// What ties it to the rest of the same request.
    #[must_use]
    pub fn correlation_id(&self) -> Option<&str> {
        self.0.claimed.correlation_id.as_deref()
    }

    /// The attempt's number, from 1. A wait that the other side asked for uses up no attempt, so
    /// the one after it has the same number.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.0.claimed.progress.attempt()
    }

    /// How many attempts there may be.
    #[must_use]
    pub fn max_attempts(&self) -> u32 {
        self.0.claimed.policy.max_attempts()
    }

    /// Names the work to whoever must not do it twice: the task's idempotency key, or else its
    /// id. Sending it makes an attempt safe to repeat, so asking for it lets one be repeated
    /// whose outcome is unknown (J9).
    #[must_use]
    pub fn key(&self) -> &str {
        self.0.key_in_use.store(true, Ordering::Relaxed);
        self.key_unused()
    }

    /// The same for whoever may not look at it: asking promises nothing.
    pub(crate) fn key_unused(&self) -> &str {
        let claimed = &self.0.claimed;
        match &claimed.idempotency_key {
            Some(key) => key,
            None => self.0.made_key.get_or_init(|| claimed.id.to_string()),
        }
    }

    /// The fencing number of the lease: whoever gets the task later has a greater one. Send it
    /// along, and let the other side refuse a smaller one than it has seen (D18).
    #[must_use]
    pub fn version(&self) -> FencingToken {
        self.0.claimed.version
    }

    /// When the attempt will be cut off, if its policy has an `attempt_timeout`.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.0.cut_off
    }

    /// Resolves when the work is no longer wanted: somebody cancelled the task, its time is up,
    /// its lease was lost, or the worker stops and its grace is over. Whoever listens is given a
    /// second to put things in order; everybody else is dropped where they wait.
    pub async fn cancelled(&self) {
        self.needs_to_tidy_up(TIDY_UP);
        self.0.called_off.cancelled().await;
    }

    /// Whether the work is no longer wanted.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.needs_to_tidy_up(TIDY_UP);
        self.0.called_off.is_cancelled()
    }

    pub(crate) fn claimed(&self) -> &Claimed {
        &self.0.claimed
    }

    pub(crate) fn key_in_use(&self) -> bool {
        self.0.key_in_use.load(Ordering::Relaxed)
    }

    /// The handler listens, and needs this long to put things in order.
    pub(crate) fn needs_to_tidy_up(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.0.tidy_up.fetch_max(millis, Ordering::Relaxed);
    }

    /// How long it may take to put things in order after it was called off.
    pub(crate) fn tidy_up(&self) -> Duration {
        Duration::from_millis(self.0.tidy_up.load(Ordering::Relaxed))
    }

    /// What calls the attempt off.
    pub(crate) fn called_off(&self) -> &CancellationToken {
        &self.0.called_off
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("id", &self.id())
            .field("kind", &self.kind())
            .field("attempt", &self.attempt())
            .field("version", &self.version())
            .finish_non_exhaustive()
    }
}
