//! Wake-ups between processes by `LISTEN` and `NOTIFY` (D11), which SQLite does not have.
//!
//! A `NOTIFY` that commits takes a lock which all databases of the server share, so it stays out
//! of the submitter's transaction: wake-ups are batched for a few milliseconds and sent once, on
//! another connection. Wake-ups of other processes arrive on a listening connection.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use sqlx::postgres::{PgListener, PgPool};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;
use uuid::Uuid;

use super::deadline::Deadline;
use crate::events::notifier::{Notifier, PendingWakes, Wake};
use crate::task::TaskId;

const CHANNEL: &str = "steadfast";
const BATCH_INTERVAL: Duration = Duration::from_millis(10);
/// The pause before a failed listener reconnects.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);
/// The silence after which the listener reconnects.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(300);
/// A wake-up need not survive a crash, so its commit does not wait for the disk.
const NOTIFY: &str = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";
/// The number of wake-ups in one message. A longer message makes the receivers poll.
const MAX_MESSAGE_WAKES: usize = 100;

#[derive(Debug)]
pub(super) struct PgNotifier {
    local: Notifier,
    outbox: Arc<Outbox>,
    /// Ends with the engine.
    _tasks: JoinSet<()>,
}

#[derive(Debug)]
struct Outbox {
    /// Identifies this process, so that it ignores its own messages.
    sender: Uuid,
    pending: Mutex<Vec<Wake>>,
    filled: Notify,
}

impl PgNotifier {
    pub(super) fn start(pool: PgPool, listens: bool, deadline: Deadline) -> Self {
        let local = Notifier::default();
        let outbox = Arc::new(Outbox {
            sender: Uuid::now_v7(),
            pending: Mutex::default(),
            filled: Notify::new(),
        });
        let mut tasks = JoinSet::new();
        if listens {
            tasks.spawn(send(pool.clone(), outbox.clone(), deadline));
            tasks.spawn(listen(pool, outbox.sender, local.clone()));
        }
        Self { local, outbox, _tasks: tasks }
    }

    pub(super) const fn local(&self) -> &Notifier {
        &self.local
    }

    /// Wakes this process at once and the others soon.
    pub(super) fn notify(&self, wake: Wake) {
        self.local.notify(wake);
        add(&mut self.outbox.pending.lock().unwrap_or_else(PoisonError::into_inner), wake);
        self.outbox.filled.notify_one();
    }

    pub(super) fn notify_all(&self, wakes: PendingWakes) {
        wakes.wakes().for_each(|wake| self.notify(wake));
    }
}

/// Adds a wake-up to a message. Only the earliest due time is sent, so only cancelled tasks can
/// be too many.
fn add(pending: &mut Vec<Wake>, wake: Wake) {
    let due = pending.iter().position(|wake| matches!(wake, Wake::Due(_)));
    if let (Wake::Due(time), Some(Wake::Due(first))) =
        (wake, due.and_then(|index| pending.get_mut(index)))
    {
        *first = time.min(*first);
        return;
    }
    let has_room = pending.len() < MAX_MESSAGE_WAKES || !matches!(wake, Wake::Cancelled(_));
    if has_room && !pending.contains(&wake) {
        pending.push(wake);
    }
}

async fn send(pool: PgPool, outbox: Arc<Outbox>, deadline: Deadline) {
    loop {
        outbox.filled.notified().await;
        tokio::time::sleep(BATCH_INTERVAL).await;
        let wakes =
            std::mem::take(&mut *outbox.pending.lock().unwrap_or_else(PoisonError::into_inner));
        let message = encode(outbox.sender, &wakes);
        let notify = sqlx::query(NOTIFY).bind(CHANNEL).bind(message);
        let sent = deadline.short(async { Ok(notify.execute(&pool).await?) }).await;
        // A wake-up is a hint: a process that misses it finds the work by polling.
        if let Err(error) = sent {
            tracing::debug!(%error, "cannot notify other processes");
        }
    }
}

async fn listen(pool: PgPool, sender: Uuid, local: Notifier) {
    loop {
        if let Err(error) = receive(&pool, sender, &local).await {
            tracing::debug!(%error, "listening failed; reconnecting");
            tokio::time::sleep(RECONNECT_DELAY).await;
        }
    }
}

/// Receives messages until none has arrived for a long time.
async fn receive(pool: &PgPool, sender: Uuid, local: &Notifier) -> sqlx::Result<()> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    // Replaces the messages that were missed before.
    local.notify(Wake::Ready);
    // A server that has vanished is silent, too.
    while let Ok(message) = timeout(LISTEN_TIMEOUT, listener.try_recv()).await {
        let Some(message) = message? else {
            return Err(sqlx::Error::Io(ErrorKind::ConnectionAborted.into()));
        };
        for wake in decode(sender, message.payload()) {
            local.notify(wake);
        }
    }
    Ok(())
}

/// `SENDER r d1700000000000000 c0192… b`: ready, due at these microseconds, cancelled, breakers.
fn encode(sender: Uuid, wakes: &[Wake]) -> String {
    let mut message = sender.simple().to_string();
    if wakes.len() >= MAX_MESSAGE_WAKES {
        message.push_str(" r");
    }
    for wake in wakes {
        match wake {
            Wake::Ready => message.push_str(" r"),
            Wake::Due(time) => message.push_str(&format!(" d{}", time.as_microsecond())),
            Wake::Cancelled(id) => message.push_str(&format!(" c{}", id.uuid().simple())),
            Wake::Breakers => message.push_str(" b"),
        }
    }
    message
}

fn decode(receiver: Uuid, message: &str) -> Vec<Wake> {
    let mut parts = message.split(' ');
    let sender = parts.next().and_then(|sender| Uuid::try_parse(sender).ok());
    if sender == Some(receiver) {
        return Vec::new();
    }
    parts.filter_map(decode_wake).collect()
}

/// `None` for a wake-up of a newer version.
fn decode_wake(part: &str) -> Option<Wake> {
    let (kind, rest) = part.split_at_checked(1)?;
    match kind {
        "r" => Some(Wake::Ready),
        "d" => Timestamp::from_microsecond(rest.parse().ok()?).ok().map(Wake::Due),
        "b" => Some(Wake::Breakers),
        "c" => Uuid::try_parse(rest).ok().map(|id| Wake::Cancelled(TaskId::from(id))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D11: other processes receive the wake-ups that one sends, and the sender ignores them.
    #[test]
    fn message_is_decoded_by_others_and_ignored_by_its_sender() {
        let (sender, other) = (Uuid::now_v7(), Uuid::now_v7());
        let due = Timestamp::from_microsecond(1_700_000_000_000_001).unwrap();
        let wakes = [Wake::Ready, Wake::Due(due), Wake::Cancelled(TaskId::fresh()), Wake::Breakers];
        let message = encode(sender, &wakes);
        assert_eq!(decode(other, &message), wakes);
        assert_eq!(decode(sender, &message), []);
    }

    /// D11: a message is a hint, so unknown parts are no error.
    #[test]
    fn unknown_parts_of_a_message_are_ignored() {
        assert_eq!(decode(Uuid::now_v7(), "x r dnever c zz d"), [Wake::Ready]);
    }

    /// D11: the first due time is sent, however many tasks were cancelled.
    #[test]
    fn first_due_time_is_sent_in_a_full_message() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut wakes = Vec::new();
        (0..200).for_each(|_| add(&mut wakes, Wake::Cancelled(TaskId::fresh())));
        for wake in [Wake::Due(at(7)), Wake::Due(at(3)), Wake::Due(at(5)), Wake::Breakers] {
            add(&mut wakes, wake);
            add(&mut wakes, wake);
        }
        assert_eq!(wakes.len(), MAX_MESSAGE_WAKES + 2);
        assert_eq!(wakes[MAX_MESSAGE_WAKES..], [Wake::Due(at(3)), Wake::Breakers]);
        assert!(encode(Uuid::now_v7(), &wakes).len() < 8000);
    }

    #[test]
    fn full_message_makes_receivers_poll() {
        let wakes: Vec<Wake> = (0..100).map(|_| Wake::Cancelled(TaskId::fresh())).collect();
        let message = encode(Uuid::now_v7(), &wakes);
        assert!(message.len() < 8000, "PostgreSQL limits a message to 8000 bytes");
        assert_eq!(decode(Uuid::now_v7(), &message).first(), Some(&Wake::Ready));
    }
}
