//! Events as pages and streams (O1, H1).

use std::time::Duration;

use jiff::Timestamp;
use reqwest::Response;
use serde_json::{Value, json};
use steadfast::Policy;
use steadfast::observe::{Event, EventType, Subject};
use steadfast_store::{Record, RecordKind, Retention};
use tokio::time::timeout;

use crate::{Method, World, world};

/// A stream of server-sent events.
struct Stream {
    response: Response,
    read: String,
    /// The `gap` event.
    gaps: Vec<Value>,
}

impl Stream {
    async fn open(world: &World, query: &str, last: Option<&str>) -> Self {
        let request = world.request(Method::GET, &format!("/api/v1/events{query}"));
        let request = request.header("accept", "text/event-stream");
        let request = match last {
            Some(last) => request.header("last-event-id", last),
            None => request,
        };
        let response = request.send().await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, read: String::new(), gaps: Vec::new() }
    }

    /// The `gap` event.
    async fn gap(&mut self) -> Value {
        while self.gaps.is_empty() {
            self.read_more().await.unwrap();
            self.take_gap();
        }
        self.gaps.remove(0)
    }

    /// `None` if the stream has ended.
    async fn read_more(&mut self) -> Option<()> {
        let chunk = timeout(Duration::from_secs(10), self.response.chunk());
        let chunk = chunk.await.expect("an event in time").unwrap()?;
        self.read.push_str(str::from_utf8(&chunk).unwrap());
        Some(())
    }

    fn take_gap(&mut self) {
        let delivered = self.read.strip_prefix("event: gap\ndata: ");
        if let Some((data, rest)) = delivered.and_then(|delivered| delivered.split_once("\n\n")) {
            self.gaps.push(serde_json::from_str(data).unwrap());
            self.read = rest.to_owned();
        }
    }

    /// The id and the data of the next event; `None` if the stream has ended.
    async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            self.take_gap();
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                let delivered = field("id: ").zip(field("data: "));
                let delivered = delivered
                    .map(|(id, data)| (id.to_owned(), serde_json::from_str(data).unwrap()));
                self.read = rest.to_owned();
                if delivered.is_some() {
                    return delivered;
                }
                continue;
            }
            self.read_more().await?;
        }
    }
}

impl World {
    /// Prunes all records.
    async fn prune_records(&self) {
        let mut nothing_kept = Retention::forever();
        nothing_kept.records_at_most = Some(0);
        while !self.store.prune(&nothing_kept).await.unwrap().is_nothing() {}
    }
}

/// Fails a task permanently, which is an event.
async fn fail(world: &World, kind: &str) -> String {
    let id = world.submit(json!({"kind": kind, "payload": 1})).await;
    let (_, version) = world.claim().await;
    let failure = json!({"version": version, "fault": {"http_status": 404}});
    world.post_json(&format!("/claims/{id}/fail"), failure).await.good();
    id
}

async fn page(world: &World, query: &str) -> Value {
    let request = world.request(Method::GET, &format!("/api/v1/events{query}"));
    world.send(request.header("accept", "application/json")).await.good()
}

/// H1: with `Accept: application/json`, events are a page with a cursor.
#[tokio::test]
async fn events_as_json_are_paged() {
    let world = world().await;
    let first = fail(&world, "a").await;
    let second = fail(&world, "b").await;
    let all = page(&world, "").await;
    let sessions: Vec<_> =
        all["items"].as_array().unwrap().iter().map(|it| &it["session_id"]).collect();
    assert_eq!(sessions, [&json!(first), &json!(second)]);
    assert_eq!(all["items"][0]["event_type"], "retry_failure");
    let after = all["items"][0]["number"].as_i64().unwrap();
    let rest = page(&world, &format!("?after={after}")).await;
    assert_eq!(rest["items"].as_array().unwrap().len(), 1);
    assert_eq!(page(&world, &format!("?after={}", all["last"])).await["items"], json!([]));
    assert_eq!(page(&world, "?operation=b").await["items"][0]["session_id"], second);
}

/// H1: events arrive as they happen, with their numbers, and only matching ones.
#[tokio::test]
async fn stream_delivers_matching_events_live() {
    let world = world().await;
    fail(&world, "before").await;
    let mut stream = Stream::open(&world, "?operation=a", None).await;
    fail(&world, "other").await;
    let id = fail(&world, "a").await;
    let (number, event) = stream.next().await.unwrap();
    assert_eq!(
        (&event["session_id"], &event["number"]),
        (&json!(id), &json!(number.parse::<i64>().unwrap()))
    );
}

/// H1: a stream with `Last-Event-ID` misses no event and repeats none.
#[tokio::test]
async fn stream_resumes_after_last_event_id() {
    let world = world().await;
    let mut stream = Stream::open(&world, "", None).await;
    let first = fail(&world, "a").await;
    let (number, event) = stream.next().await.unwrap();
    assert_eq!(event["session_id"], first);
    drop(stream);
    let (second, third) = (fail(&world, "b").await, fail(&world, "c").await);
    let mut stream = Stream::open(&world, "", Some(&number)).await;
    assert_eq!(stream.next().await.unwrap().1["session_id"], second);
    assert_eq!(stream.next().await.unwrap().1["session_id"], third);
}

/// O1, D14: a client that returns after its last event was pruned gets a `gap` event, then the remaining
/// ones.
#[tokio::test]
async fn stream_after_pruned_event_starts_with_gap() {
    let world = world().await;
    let mut stream = Stream::open(&world, "?limit=1", None).await;
    let known = fail(&world, "a").await;
    let (number, event) = stream.next().await.unwrap();
    assert_eq!(event["session_id"], known);
    drop(stream);
    fail(&world, "pruned").await;
    world.prune_records().await;
    let mut stream = Stream::open(&world, "", Some(&number)).await;
    let after: i64 = number.parse().unwrap();
    assert_eq!(stream.gap().await, json!({"after": after, "from": null}));
    drop(stream);

    let left = fail(&world, "c").await;
    let from = page(&world, "").await["items"][0]["number"].clone();
    let mut stream = Stream::open(&world, "", Some(&number)).await;
    assert_eq!(stream.gap().await, json!({"after": after, "from": from}));
    let (number, event) = stream.next().await.unwrap();
    assert_eq!(event["session_id"], left);
    drop(stream);

    let next = fail(&world, "d").await;
    let mut stream = Stream::open(&world, "", Some(&number)).await;
    assert_eq!(stream.next().await.unwrap().1["session_id"], next);
    assert!(stream.gaps.is_empty(), "{:?}", stream.gaps);
    let mut stream = Stream::open(&world, "?after=0", None).await;
    assert_eq!(stream.next().await.unwrap().1["session_id"], left);
    assert!(stream.gaps.is_empty(), "{:?}", stream.gaps);
}

/// H1: a stream can start with some of the latest events.
#[tokio::test]
async fn stream_with_limit_starts_with_latest_events() {
    let world = world().await;
    fail(&world, "a").await;
    let second = fail(&world, "b").await;
    let mut stream = Stream::open(&world, "?limit=1", None).await;
    assert_eq!(stream.next().await.unwrap().1["session_id"], second);
}

/// H1: concurrent streams with different filters miss nothing of a burst.
#[tokio::test]
async fn concurrent_streams_receive_all_matching_events() {
    let world = world().await;
    let mut all = Vec::new();
    for _ in 0..20 {
        all.push(Stream::open(&world, "", None).await);
    }
    let mut few = Stream::open(&world, "?operation=b", None).await;
    let mut ids = Vec::new();
    for number in 0..40 {
        ids.push(fail(&world, if number % 10 == 0 { "b" } else { "a" }).await);
    }
    for stream in &mut all {
        for id in &ids {
            assert_eq!(stream.next().await.unwrap().1["session_id"], *id);
        }
    }
    for id in ids.iter().step_by(10) {
        assert_eq!(few.next().await.unwrap().1["session_id"], *id);
    }
}

/// The numbers of the next events.
async fn numbers(stream: &mut Stream, count: usize) -> Vec<i64> {
    let mut numbers = Vec::new();
    while numbers.len() < count {
        let chunk = timeout(Duration::from_secs(60), stream.response.chunk());
        let chunk = chunk.await.expect("an event in time").unwrap().expect("the stream ended");
        stream.read.push_str(str::from_utf8(&chunk).unwrap());
        let whole = stream.read.rfind('\n').map_or(0, |end| end + 1);
        let ids = stream.read[..whole].lines().filter_map(|line| line.strip_prefix("id: "));
        numbers.extend(ids.map(|id| id.parse::<i64>().unwrap()));
        stream.read.drain(..whole);
    }
    numbers
}

/// H1, K4: a burst larger than the buffer reaches streams that do not read meanwhile, in order and once.
#[tokio::test(flavor = "multi_thread")]
async fn burst_over_buffer_reaches_slow_streams_in_order_once() {
    const BURST: usize = 12_000;
    let world = world().await;
    let mut streams = Vec::new();
    for number in 0..24 {
        let query = if number % 3 == 0 { "?operation=b" } else { "" };
        streams.push((number % 3 == 0, Stream::open(&world, query, None).await));
    }
    let event = |number: usize| {
        let operation = if number.is_multiple_of(10) { "b" } else { "a" };
        let subject =
            Subject::of(&Policy::immediate().build().unwrap(), operation, "s1", None, "test");
        let event = Event::new(EventType::RetryFailure, Timestamp::UNIX_EPOCH, &subject);
        Record::new(RecordKind::Event, serde_json::to_value(event).unwrap())
    };
    for piece in (0..BURST).collect::<Vec<_>>().chunks(1000) {
        let records: Vec<_> = piece.iter().copied().map(event).collect();
        world.store.record(&records).await.unwrap();
    }
    for (only_b, stream) in &mut streams {
        let step = if *only_b { 10 } else { 1 };
        let delivered = numbers(stream, BURST / step).await;
        let all = (0..BURST).step_by(step).map(|number| delivered[0] + number as i64);
        assert!(delivered.iter().copied().eq(all), "{} of {}", delivered.len(), BURST / step);
    }
}

/// H1: a stream that starts after all others have ended receives new events.
#[tokio::test]
async fn stream_after_idle_feed_receives_new_events() {
    let world = world().await;
    for _ in 0..3 {
        let mut stream = Stream::open(&world, "", None).await;
        let id = fail(&world, "a").await;
        assert_eq!(stream.next().await.unwrap().1["session_id"], id);
        drop(stream);
        fail(&world, "unheard").await;
    }
}

/// H1: a client of the store before a restore receives new events.
#[tokio::test]
async fn stream_after_unknown_last_event_id_receives_new_events() {
    let world = world().await;
    fail(&world, "old").await;
    let mut stream = Stream::open(&world, "", Some("1000000")).await;
    let id = fail(&world, "new").await;
    assert_eq!(stream.next().await.unwrap().1["session_id"], id);
}

/// K4: an invalid event id is rejected.
#[tokio::test]
async fn invalid_last_event_id_is_rejected() {
    let world = world().await;
    let request = world.request(Method::GET, "/api/v1/events").header("last-event-id", "yesterday");
    assert_eq!(world.send(request).await.problem(400)["field"], "Last-Event-ID");
}

/// H1: a server that stops ends its streams.
#[tokio::test]
async fn stream_ends_on_shutdown() {
    let world = world().await;
    let mut stream = Stream::open(&world, "", None).await;
    world.stop.send(()).unwrap();
    assert_eq!(stream.next().await, None);
    world.running.await.unwrap().unwrap();
}
