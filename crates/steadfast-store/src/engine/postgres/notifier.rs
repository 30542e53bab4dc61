//! Waking the workers of other processes (D11).
//!
//! A `NOTIFY` that commits takes a lock which all databases of the server share, so it is kept
//! out of the submitter's transaction: what there is to say is gathered for a few milliseconds
//! and said once, on a connection of its own. What the others say is heard on another.

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
use crate::events::notifier::{Wake, Wakes};
use crate::task::TaskId;

const CHANNEL: &str = "steadfast";
/// How long what is to be said is gathered.
const GATHER: Duration = Duration::from_millis(10);
/// How long to wait before listening is tried again.
const PAUSE: Duration = Duration::from_secs(1);
/// After so long without a word it is listened anew.
const SILENCE: Duration = Duration::from_secs(300);
/// A wake-up need not survive a crash, so its commit does not wait for the disk.
const SAY: &str = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";
/// More than this in one message and the others are told to look for themselves.
const MOST_WORDS: usize = 100;

#[derive(Debug)]
pub(super) struct Announcer {
    wakes: Wakes,
    outbox: Arc<Outbox>,
    /// Ends with the store.
    _tasks: JoinSet<()>,
}

/// What other processes are to be told.
#[derive(Debug)]
struct Outbox {
    /// Who says it, so that nobody hears himself.
    me: Uuid,
    words: Mutex<Vec<Wake>>,
    filled: Notify,
}

impl Announcer {
    pub(super) fn start(pool: PgPool, listens: bool, deadline: Deadline) -> Self {
        let wakes = Wakes::default();
        let outbox =
            Arc::new(Outbox { me: Uuid::now_v7(), words: Mutex::default(), filled: Notify::new() });
        let mut tasks = JoinSet::new();
        if listens {
            tasks.spawn(speak(pool.clone(), outbox.clone(), deadline));
            tasks.spawn(listen(pool, outbox.me, wakes.clone()));
        }
        Self { wakes, outbox, _tasks: tasks }
    }

    pub(super) const fn wakes(&self) -> &Wakes {
        &self.wakes
    }

    /// Tells this process at once and the others soon.
    pub(super) fn tell(&self, wake: Wake) {
        self.wakes.tell(wake);
        add(&mut self.outbox.words.lock().unwrap_or_else(PoisonError::into_inner), wake);
        self.outbox.filled.notify_one();
    }

    /// Tells what follows from tasks having been written: some ready, the others due from here.
    pub(super) fn tell_written(&self, ready: bool, due: Option<Timestamp>) {
        if ready {
            self.tell(Wake::Ready);
        }
        if let Some(due) = due {
            self.tell(Wake::Due(due));
        }
    }
}

/// Adds to what is to be said. Who hears of the first task that is due looks for the others, so only
/// the names of those that were called off can be too many.
fn add(words: &mut Vec<Wake>, wake: Wake) {
    let due = words.iter().position(|word| matches!(word, Wake::Due(_)));
    if let (Wake::Due(time), Some(Wake::Due(first))) = (wake, due.and_then(|at| words.get_mut(at)))
    {
        *first = time.min(*first);
        return;
    }
    let has_room = words.len() < MOST_WORDS || !matches!(wake, Wake::Cancelled(_));
    if has_room && !words.contains(&wake) {
        words.push(wake);
    }
}

async fn speak(pool: PgPool, outbox: Arc<Outbox>, deadline: Deadline) {
    loop {
        outbox.filled.notified().await;
        tokio::time::sleep(GATHER).await;
        let words =
            std::mem::take(&mut *outbox.words.lock().unwrap_or_else(PoisonError::into_inner));
        let message = encode(outbox.me, &words);
        let say = async { Ok(sqlx::query(SAY).bind(CHANNEL).bind(message).execute(&pool).await?) };
        let sent = deadline.few(say).await;
        // A wake-up is a hint: who misses it finds the work by its poll.
        if let Err(error) = sent {
            tracing::debug!(%error, "other processes were not woken");
        }
    }
}

async fn listen(pool: PgPool, me: Uuid, wakes: Wakes) {
    loop {
        if let Err(error) = hear(&pool, me, &wakes).await {
            tracing::debug!(%error, "listening is tried again");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Hears what is said until nothing was for a long time.
async fn hear(pool: &PgPool, me: Uuid, wakes: &Wakes) -> sqlx::Result<()> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    // What was said while nobody listened.
    wakes.tell(Wake::Ready);
    // A server that has vanished says nothing, either.
    while let Ok(message) = timeout(SILENCE, listener.try_recv()).await {
        let Some(message) = message? else {
            return Err(sqlx::Error::Io(ErrorKind::ConnectionAborted.into()));
        };
        for wake in decode(me, message.payload()) {
            wakes.tell(wake);
        }
    }
    Ok(())
}

/// `SENDER r d1700000000000000 c0192… b`: ready, due at these microseconds, cancelled, breakers.
fn encode(me: Uuid, words: &[Wake]) -> String {
    let mut message = me.simple().to_string();
    if words.len() >= MOST_WORDS {
        message.push_str(" r");
    }
    for wake in words {
        match wake {
            Wake::Ready => message.push_str(" r"),
            Wake::Due(time) => message.push_str(&format!(" d{}", time.as_microsecond())),
            Wake::Cancelled(id) => message.push_str(&format!(" c{}", id.uuid().simple())),
            Wake::Breakers => message.push_str(" b"),
        }
    }
    message
}

fn decode(me: Uuid, message: &str) -> Vec<Wake> {
    let mut words = message.split(' ');
    let sender = words.next().and_then(|sender| Uuid::try_parse(sender).ok());
    if sender == Some(me) {
        return Vec::new();
    }
    words.filter_map(word).collect()
}

/// What a newer version says in words that this one does not know is left out.
fn word(word: &str) -> Option<Wake> {
    let (kind, rest) = word.split_at_checked(1)?;
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

    /// D11: what one process says is what the others hear, and nobody hears himself.
    #[test]
    fn a_message_says_what_was_put_into_it() {
        let (me, other) = (Uuid::now_v7(), Uuid::now_v7());
        let due = Timestamp::from_microsecond(1_700_000_000_000_001).unwrap();
        let words = [Wake::Ready, Wake::Due(due), Wake::Cancelled(TaskId::fresh()), Wake::Breakers];
        let message = encode(me, &words);
        assert_eq!(decode(other, &message), words);
        assert_eq!(decode(me, &message), []);
    }

    /// D11: a message is a hint, so nonsense in one is no error.
    #[test]
    fn words_that_are_not_known_are_left_out() {
        assert_eq!(decode(Uuid::now_v7(), "x r dnever c zz d"), [Wake::Ready]);
    }

    /// D11: however many were called off, it is said when the first task is due.
    #[test]
    fn the_first_that_is_due_is_always_said() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut words = Vec::new();
        (0..200).for_each(|_| add(&mut words, Wake::Cancelled(TaskId::fresh())));
        for wake in [Wake::Due(at(7)), Wake::Due(at(3)), Wake::Due(at(5)), Wake::Breakers] {
            add(&mut words, wake);
            add(&mut words, wake);
        }
        assert_eq!(words.len(), MOST_WORDS + 2);
        assert_eq!(words[MOST_WORDS..], [Wake::Due(at(3)), Wake::Breakers]);
        assert!(encode(Uuid::now_v7(), &words).len() < 8000);
    }

    #[test]
    fn who_has_too_much_to_say_says_that_there_is_something() {
        let words: Vec<Wake> = (0..100).map(|_| Wake::Cancelled(TaskId::fresh())).collect();
        let message = encode(Uuid::now_v7(), &words);
        assert!(message.len() < 8000, "a message of PostgreSQL has at most 8000 bytes");
        assert_eq!(decode(Uuid::now_v7(), &message).first(), Some(&Wake::Ready));
    }
}
