//! A sink that stores the sessions and events of a process (O1).
//!
//! A [`Recorder`](steadfast::observe::Recorder) runs in the path of the session, which must not wait
//! for a database. So a [`StoreSink`] only enqueues records, and a [`RecordWriter`] writes them in
//! batches. The queue is bounded: if the store cannot keep up or is unreachable, further records are
//! dropped and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use steadfast::observe::{Event, Session, Sink};
use steadfast::policy::Nested;
use steadfast::{Class, Jitter, Policy, retry};
use tokio::sync::mpsc;
use tracing::warn;

use crate::events::metrics;
use crate::events::record::{Record, RecordKind};
use crate::store::Store;

const MAX_BATCH_RECORDS: usize = 500;
/// The number of records that may wait.
const QUEUE_CAPACITY: usize = 10_000;

/// The retry policy of a batch. It is repeated as long as a sink exists; after that, an unreachable
/// store delays the end of the writer by this time, and the batch is lost.
const WRITE_POLICY: Policy = Policy::exponential(Duration::from_millis(100))
    .max_attempts(u32::MAX)
    .max_delay(Duration::from_secs(5))
    .max_duration(Duration::from_secs(60))
    .jitter(Jitter::Full)
    .nested(Nested::Both)
    .constant();

/// A sink that stores sessions and events. Clones share the same queue.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use steadfast::observe::Recorder;
/// use steadfast::{Policy, retry};
/// use steadfast_store::{RecordWriter, PageRequest, RecordKind, Store, StoreSink};
///
/// let store = Store::open("sqlite::memory:").await?;
/// let (sink, writer): (StoreSink, RecordWriter) = StoreSink::new(store.clone());
/// let writing = tokio::spawn(writer.run());
///
/// let policy = Policy::immediate().id("calls").build()?;
/// retry(&policy, || async { Ok::<_, std::io::Error>(()) })
///     .named("shop.pay")
///     .instrument(Recorder::new(&sink))
///     .await?;
///
/// // When the last sink is dropped, the writer writes the rest and ends.
/// drop(sink);
/// writing.await?;
/// let records = store.records(RecordKind::Session, &PageRequest::default()).await?;
/// assert_eq!(records.items[0].body["operation"], "shop.pay");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct StoreSink {
    queue: mpsc::Sender<SinkItem>,
    dropped: Arc<AtomicU64>,
}

#[derive(Debug)]
enum SinkItem {
    Event(Box<Event>),
    Session(Box<Session>),
}

impl StoreSink {
    /// A sink and its writer. Nothing is written before the writer [runs](RecordWriter::run).
    pub fn new(store: Store) -> (Self, RecordWriter) {
        let (queue, items) = mpsc::channel(QUEUE_CAPACITY);
        let dropped = Arc::new(AtomicU64::new(0));
        (Self { queue, dropped: dropped.clone() }, RecordWriter { store, items, dropped })
    }

    fn send(&self, item: SinkItem) {
        if self.queue.try_send(item).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            metrics::dropped(1);
        }
    }
}

impl Sink for StoreSink {
    fn event(&self, event: Event) {
        self.send(SinkItem::Event(Box::new(event)));
    }

    fn session(&self, session: Session) {
        self.send(SinkItem::Session(Box::new(session)));
    }
}

/// Writes the records of a [`StoreSink`].
#[derive(Debug)]
#[must_use = "nothing is written until it runs"]
pub struct RecordWriter {
    store: Store,
    items: mpsc::Receiver<SinkItem>,
    dropped: Arc<AtomicU64>,
}

impl RecordWriter {
    /// Writes until every clone of the sink is dropped and the queue is empty.
    pub async fn run(mut self) {
        let mut batch = Vec::with_capacity(MAX_BATCH_RECORDS);
        while self.items.recv_many(&mut batch, MAX_BATCH_RECORDS).await > 0 {
            let records: Vec<_> = batch.drain(..).filter_map(SinkItem::record).collect();
            self.write(&records).await;
            self.report_dropped();
        }
    }

    async fn write(&self, records: &[Record]) {
        let attempt = async || match self.store.record(records).await {
            Err(error) if error.is_retryable() => Err(error),
            answer => Ok(answer),
        };
        let policy = WRITE_POLICY;
        let error = loop {
            let written = retry(&policy, &attempt).judge(|_| Some(Class::Retryable));
            match written.named("write records").await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => break error.to_string(),
                Err(_) if !self.items.is_closed() => {}
                Err(error) => break error.to_string(),
            }
        };
        let records = records.len();
        warn!(target: "steadfast", error, records, "cannot store sessions and events");
        metrics::dropped(records as u64);
    }

    fn report_dropped(&self) {
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            warn!(target: "steadfast", dropped, "sessions and events arrive faster than they can be stored; some are dropped");
        }
    }
}

impl SinkItem {
    /// The record; `None` if it cannot be encoded.
    fn record(self) -> Option<Record> {
        match self {
            Self::Event(event) => Record::try_from(&*event).ok(),
            Self::Session(session) => {
                Some(Record::new(RecordKind::Session, serde_json::to_value(session).ok()?))
            }
        }
    }
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

    async fn stored(store: &Store) -> usize {
        let all = PageRequest { limit: 1_000_000, after: None };
        store.records(RecordKind::Event, &all).await.unwrap().items.len()
    }

    /// O1: several batches are stored in order before the writer ends.
    #[tokio::test]
    async fn writer_stores_all_records_before_it_ends() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let (sink, writer) = StoreSink::new(store.clone());
        (0..2 * MAX_BATCH_RECORDS + 1).for_each(|number| sink.event(event(number)));
        drop(sink);
        writer.run().await;
        assert_eq!(stored(&store).await, 2 * MAX_BATCH_RECORDS + 1);
        let last = store.records(RecordKind::Event, &PageRequest::default()).await.unwrap();
        assert_eq!(last.items[0].body["correlation_id"], (2 * MAX_BATCH_RECORDS).to_string());
    }

    /// O1: the sink never blocks, and its queue is bounded.
    #[tokio::test]
    async fn records_beyond_the_capacity_are_dropped() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let (sink, writer) = StoreSink::new(store.clone());
        (0..QUEUE_CAPACITY + 7).for_each(|number| sink.event(event(number)));
        assert_eq!(sink.dropped.load(Ordering::Relaxed), 7);
        drop(sink);
        writer.run().await;
        assert_eq!(stored(&store).await, QUEUE_CAPACITY);
    }
}
