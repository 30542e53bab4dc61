//! The context of an attempt, as its handler sees it.
//!
//! A handler that calls other systems needs more than its payload: the idempotency key that
//! distinguishes a repeat from a new request (J9), the fencing token that distinguishes a stale holder
//! from the current one (D18), and a cancellation signal.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use steadfast_store::{Claimed, FencingToken, TaskId};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The context of one attempt: the task, the attempt's number, its key and its cancellation. Cheap to
/// clone; a clone may outlive the attempt.
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
    /// The time limit of the attempt.
    limit: Option<Duration>,
    deadline: Option<Instant>,
    cancellation: CancellationToken,
    /// The task's id as its key, for a task without an idempotency key.
    default_key: OnceLock<String>,
    key_in_use: AtomicBool,
    /// Whether the operation is idempotent, if the handler knows.
    idempotent: OnceLock<bool>,
    /// Zero for a handler that does not observe cancellation.
    cleanup_millis: AtomicU64,
}

/// How long a handler that observes cancellation may take to clean up.
const DEFAULT_CLEANUP_TIME: Duration = Duration::from_secs(1);

impl Context {
    /// The context of an attempt that starts now and may take `limit`.
    pub(crate) fn new(claimed: Claimed, limit: Option<Duration>) -> Self {
        Self(Arc::new(Inner {
            claimed,
            // A limit beyond the range of `Instant` is no limit.
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
            limit,
            cancellation: CancellationToken::new(),
            default_key: OnceLock::new(),
            key_in_use: AtomicBool::new(false),
            idempotent: OnceLock::new(),
            cleanup_millis: AtomicU64::new(0),
        }))
    }

    /// The task's id.
    #[must_use]
    pub fn id(&self) -> TaskId {
        self.0.claimed.id
    }

    /// The task's kind, for which the handler is registered.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.0.claimed.kind
    }

    /// The task's queue.
    #[must_use]
    pub fn queue(&self) -> &str {
        &self.0.claimed.queue
    }

    /// The task's category.
    #[must_use]
    pub fn category(&self) -> Option<&str> {
        self.0.claimed.category.as_deref()
    }

    /// The task's correlation id.
    #[must_use]
    pub fn correlation_id(&self) -> Option<&str> {
        self.0.claimed.correlation_id.as_deref()
    }

    /// The attempt's number, from 1. A wait that the server requested does not count as an attempt, so
    /// the attempt after it has the same number.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.0.claimed.progress.attempt()
    }

    /// The policy's maximum number of attempts.
    #[must_use]
    pub fn max_attempts(&self) -> u32 {
        self.0.claimed.policy.max_attempts()
    }

    /// The task's idempotency key, or its id if it has none. Sending it makes an attempt safe to
    /// repeat, so a handler that reads it allows a retry after an unknown outcome (J9).
    #[must_use]
    pub fn key(&self) -> &str {
        self.0.key_in_use.store(true, Ordering::Relaxed);
        self.key_without_promise()
    }

    /// The same key without the promise that it is sent.
    pub(crate) fn key_without_promise(&self) -> &str {
        let claimed = &self.0.claimed;
        match &claimed.idempotency_key {
            Some(key) => key,
            None => self.0.default_key.get_or_init(|| claimed.id.to_string()),
        }
    }

    /// The fencing token of the lease: every later lease of the task has a greater one. Send it along,
    /// and have the receiver reject a token smaller than the greatest it has accepted (D18).
    #[must_use]
    pub fn fencing_token(&self) -> FencingToken {
        self.0.claimed.fencing_token
    }

    /// When the attempt times out: the end of its policy's `attempt_timeout` or `max_duration`, or the
    /// task's expiry.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.0.deadline
    }

    /// The time limit of this attempt.
    pub(super) fn limit(&self) -> Option<Duration> {
        self.0.limit
    }

    /// Resolves when the attempt is cancelled: the task was cancelled, the attempt timed out, the lease
    /// was lost, or the worker's shutdown grace expired. A handler that awaits this has a second to
    /// clean up; any other is dropped at its current await point.
    pub async fn cancelled(&self) {
        self.request_cleanup_time(DEFAULT_CLEANUP_TIME);
        self.0.cancellation.cancelled().await;
    }

    /// Whether the attempt is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.request_cleanup_time(DEFAULT_CLEANUP_TIME);
        self.0.cancellation.is_cancelled()
    }

    pub(crate) fn claimed(&self) -> &Claimed {
        &self.0.claimed
    }

    pub(crate) fn key_in_use(&self) -> bool {
        self.0.key_in_use.load(Ordering::Relaxed)
    }

    /// Whether the operation is idempotent, if the handler knows (J9).
    pub(crate) fn idempotent(&self) -> Option<bool> {
        self.0.idempotent.get().copied()
    }

    /// Says whether the operation is idempotent, for a policy that does not.
    #[cfg(feature = "http")]
    pub(crate) fn set_idempotent(&self, idempotent: bool) {
        let _ = self.0.idempotent.set(idempotent);
    }

    /// Whether the submitter gave the task an idempotency key.
    #[cfg(feature = "http")]
    pub(crate) fn has_declared_key(&self) -> bool {
        self.0.claimed.idempotency_key.is_some()
    }

    /// Requests time to clean up after a cancellation.
    pub(crate) fn request_cleanup_time(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.0.cleanup_millis.fetch_max(millis, Ordering::Relaxed);
    }

    /// How long the handler may take to clean up after a cancellation.
    pub(crate) fn cleanup_time(&self) -> Duration {
        Duration::from_millis(self.0.cleanup_millis.load(Ordering::Relaxed))
    }

    pub(crate) fn cancellation(&self) -> &CancellationToken {
        &self.0.cancellation
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("id", &self.id())
            .field("kind", &self.kind())
            .field("attempt", &self.attempt())
            .field("fencing_token", &self.fencing_token())
            .finish_non_exhaustive()
    }
}
