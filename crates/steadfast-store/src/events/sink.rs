//! Sessions and events of a process, kept in a store (O1).
//!
//! A [`Recorder`](steadfast::observe::Recorder) is called in the path of the session, which must
//! not wait for a database. So there are two ends: a [`StoreSink`] that hands things on and
//! returns, and a [`RecordWriter`] that writes them in batches. Between them is a queue with a bound. If
//! the store cannot keep up or is away, what more there is to tell is dropped and counted:
//! records are for looking, and nothing depends on them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;
use steadfast::observe::{Event, Session, Sink};
use steadfast::policy::Nested;
use steadfast::{Class, Jitter, Policy, retry};
use tokio::sync::mpsc;
use tracing::warn;

use crate::events::metrics;
use crate::events::record::{Record, RecordKind};
use crate::store::Store;

/// The biggest batch.
const BATCH: usize = 500;
/// How many may wait to be written.
const WAITING: usize = 10_000;

/// How long a batch is tried: a store that is away for longer loses it.
const POLICY: Policy = Policy::exponential(Duration::from_millis(100))
    .max_attempts(u32::MAX)
    .max_delay(Duration::from_secs(5))
    .max_duration(Duration::from_secs(60))
    .jitter(Jitter::Full)
    .nested(Nested::Both)
    .constant();

/// Where the sessions of a process are told, to be kept in a store. Clones are the same sink.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use steadfast::observe::Recorder;
/// use steadfast::{Policy, retry};
/// use steadfast_store::{RecordWriter, PageRequest, RecordKind, Store, StoreSink};
///
/// let store = Store::open("sqlite::memory:").await?;
/// let (sink, keeper): (StoreSink, RecordWriter) = StoreSink::new(store.clone());
/// let keeping = tokio::spawn(keeper.run());
///
/// let policy = Policy::immediate().id("calls").build()?;
/// retry(&policy, || async { Ok::<_, std::io::Error>(()) })
///     .named("shop.pay")
///     .instrument(Recorder::new(&sink))
///     .await?;
///
/// // When the last sink is gone, the rest is written and the keeper ends.
/// drop(sink);
/// keeping.await?;
/// let kept = store.records(RecordKind::Session, &PageRequest::default()).await?;
/// assert_eq!(kept.items[0].body["operation"], "shop.pay");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct StoreSink {
    queue: mpsc::Sender<Told>,
    dropped: Arc<AtomicU64>,
}

/// What was told.
#[derive(Debug)]
enum Told {
    Event(Box<Event>),
    Session(Box<Session>),
}

impl StoreSink {
    /// A sink, and who writes what it is told. Nothing is written before the keeper
    /// [runs](RecordWriter::run).
    pub fn new(store: Store) -> (Self, RecordWriter) {
        let (queue, told) = mpsc::channel(WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        (Self { queue, dropped: dropped.clone() }, RecordWriter { store, told, dropped })
    }

    fn tell(&self, told: Told) {
        if self.queue.try_send(told).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Sink for StoreSink {
    fn event(&self, event: Event) {
        self.tell(Told::Event(Box::new(event)));
    }

    fn session(&self, session: Session) {
        self.tell(Told::Session(Box::new(session)));
    }
}

/// Writes what a [`StoreSink`] is told.
#[derive(Debug)]
#[must_use = "nothing is written until it runs"]
pub struct RecordWriter {
    store: Store,
    told: mpsc::Receiver<Told>,
    dropped: Arc<AtomicU64>,
}

impl RecordWriter {
    /// Writes until every clone of the sink is gone and the rest is written.
    pub async fn run(mut self) {
        let mut batch = Vec::with_capacity(BATCH);
        while self.told.recv_many(&mut batch, BATCH).await > 0 {
            let records: Vec<_> = batch.drain(..).filter_map(Told::record).collect();
            self.keep(&records).await;
            self.tell_dropped();
        }
    }

    async fn keep(&self, records: &[Record]) {
        let attempt = async || match self.store.record(records).await {
            Err(error) if error.is_passing() => Err(error),
            answer => Ok(answer),
        };
        let policy = POLICY;
        let kept = retry(&policy, attempt).judge(|_| Some(Class::Retryable));
        let error = match kept.named("keep records").await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        let records = records.len();
        warn!(target: "steadfast", error, records, "sessions and events are not kept");
        metrics::dropped(records as u64);
    }

    fn tell_dropped(&self) {
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            warn!(target: "steadfast", dropped, "sessions and events came faster than they can be kept");
            metrics::dropped(dropped);
        }
    }
}

impl Told {
    /// As it is kept. What JSON has no room for is not.
    fn record(self) -> Option<Record> {
        match self {
            Self::Event(event) => record(RecordKind::Event, &*event),
            Self::Session(session) => record(RecordKind::Session, &*session),
        }
    }
}

fn record(kind: RecordKind, told: &impl Serialize) -> Option<Record> {
    Some(Record::new(kind, serde_json::to_value(told).ok()?))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use steadfast::observe::{EventType, Subject};

    use super::*;
    use crate::page::PageRequest;

    fn event(number: usize) -> Event {
        let subject = Subject {
            correlation_id: number.to_string(),
            session_id: "s".to_owned(),
            policy_id: "p".to_owned(),
            operation: "o".to_owned(),
            component: "c".to_owned(),
        };
        Event::new(EventType::RetrySuccess, Timestamp::UNIX_EPOCH, &subject)
    }

    async fn kept(store: &Store) -> usize {
        let mut page = PageRequest { limit: 1000, after: None };
        let mut count = 0;
        loop {
            let part = store.records(RecordKind::Event, &page).await.unwrap();
            count += part.items.len();
            if part.next.is_none() {
                return count;
            }
            page.after = part.next;
        }
    }

    /// O1: more than one batch, in order, and all of it before the keeper ends.
    #[tokio::test]
    async fn whatever_was_told_is_kept_before_the_end() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let (sink, keeper) = StoreSink::new(store.clone());
        (0..2 * BATCH + 1).for_each(|number| sink.event(event(number)));
        drop(sink);
        keeper.run().await;
        assert_eq!(kept(&store).await, 2 * BATCH + 1);
        let last = store.records(RecordKind::Event, &PageRequest::default()).await.unwrap();
        assert_eq!(last.items[0].body["correlation_id"], (2 * BATCH).to_string());
    }

    /// O1: whoever tells never waits, and never fills the memory.
    #[tokio::test]
    async fn what_nobody_keeps_is_dropped_beyond_a_bound() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let (sink, keeper) = StoreSink::new(store.clone());
        (0..WAITING + 7).for_each(|number| sink.event(event(number)));
        assert_eq!(sink.dropped.load(Ordering::Relaxed), 7);
        drop(sink);
        keeper.run().await;
        assert_eq!(kept(&store).await, WAITING);
    }
}
