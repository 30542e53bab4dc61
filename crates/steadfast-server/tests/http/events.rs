//! Events, looked at and followed (O1, H1).

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
    /// What was said to be forgotten.
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

    /// What is said to be forgotten.
    async fn gap(&mut self) -> Value {
        while self.gaps.is_empty() {
            self.read_on().await.unwrap();
            self.take_gap();
        }
        self.gaps.remove(0)
    }

    /// Nothing if the stream is over.
    async fn read_on(&mut self) -> Option<()> {
        let chunk = timeout(Duration::from_secs(10), self.response.chunk());
        let chunk = chunk.await.expect("an event in time").unwrap()?;
        self.read.push_str(str::from_utf8(&chunk).unwrap());
        Some(())
    }

    fn take_gap(&mut self) {
        let told = self.read.strip_prefix("event: gap\ndata: ");
        if let Some((data, rest)) = told.and_then(|told| told.split_once("\n\n")) {
            self.gaps.push(serde_json::from_str(data).unwrap());
            self.read = rest.to_owned();
        }
    }

    /// The id and the data of the next event; nothing if the stream is over.
    async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            self.take_gap();
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                let told = field("id: ").zip(field("data: "));
                let told =
                    told.map(|(id, data)| (id.to_owned(), serde_json::from_str(data).unwrap()));
                self.read = rest.to_owned();
                if told.is_some() {
                    return told;
                }
                continue;
            }
            self.read_on().await?;
        }
    }
}

impl World {
    /// Every record of what happened is past its retention.
    async fn forget_records(&self) {
        let mut nothing_kept = Retention::forever();
        nothing_kept.records_at_most = Some(0);
        while !self.store.prune(&nothing_kept).await.unwrap().is_nothing() {}
    }
}

/// Fails a task for good, which is an event.
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

/// H1: who accepts JSON gets a page, and can go on from where it ended.
#[tokio::test]
async fn a_page_of_events_is_json() {
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

/// H1: events come as they happen, under their numbers, and only those that are wanted.
#[tokio::test]
async fn events_are_followed_as_they_happen() {
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

/// H1: whoever comes back with the id of the last event misses none and sees none twice.
#[tokio::test]
async fn a_stream_goes_on_where_it_was() {
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

/// O1, D14: whoever comes back so late that events are forgotten is told so first, and goes on with
/// those that are left.
#[tokio::test]
async fn a_stream_says_that_events_are_forgotten() {
    let world = world().await;
    let mut stream = Stream::open(&world, "?limit=1", None).await;
    let known = fail(&world, "a").await;
    let (number, event) = stream.next().await.unwrap();
    assert_eq!(event["session_id"], known);
    drop(stream);
    fail(&world, "forgotten").await;
    world.forget_records().await;
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

/// H1: some of the last can come first.
#[tokio::test]
async fn a_stream_can_begin_with_the_last_ones() {
    let world = world().await;
    fail(&world, "a").await;
    let second = fail(&world, "b").await;
    let mut stream = Stream::open(&world, "?limit=1", None).await;
    assert_eq!(stream.next().await.unwrap().1["session_id"], second);
}

/// H1: many follow, each what it wants, and none misses anything of a burst.
#[tokio::test]
async fn many_followers_hear_all_that_they_want() {
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

/// The numbers of the next events, without looking at more of them.
async fn numbers(stream: &mut Stream, count: usize) -> Vec<i64> {
    let mut numbers = Vec::new();
    while numbers.len() < count {
        let chunk = timeout(Duration::from_secs(60), stream.response.chunk());
        let chunk = chunk.await.expect("an event in time").unwrap().expect("it goes on");
        stream.read.push_str(str::from_utf8(&chunk).unwrap());
        let whole = stream.read.rfind('\n').map_or(0, |end| end + 1);
        let ids = stream.read[..whole].lines().filter_map(|line| line.strip_prefix("id: "));
        numbers.extend(ids.map(|id| id.parse::<i64>().unwrap()));
        stream.read.drain(..whole);
    }
    numbers
}

/// H1, K4: more happens than is kept for those who are slow, and nobody reads meanwhile: each is
/// told all that it wants, in order, once.
#[tokio::test(flavor = "multi_thread")]
async fn a_burst_reaches_all_who_follow_in_order_and_once() {
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
        let told = numbers(stream, BURST / step).await;
        let all = (0..BURST).step_by(step).map(|number| told[0] + number as i64);
        assert!(told.iter().copied().eq(all), "{} of {}", told.len(), BURST / step);
    }
}

/// H1: whoever comes when all others have gone hears what happens from then on.
#[tokio::test]
async fn events_can_be_followed_again_when_nobody_did_for_a_while() {
    let world = world().await;
    for _ in 0..3 {
        let mut stream = Stream::open(&world, "", None).await;
        let id = fail(&world, "a").await;
        assert_eq!(stream.next().await.unwrap().1["session_id"], id);
        drop(stream);
        fail(&world, "unheard").await;
    }
}

/// H1: who followed the store before it was restored from a copy hears what happens in it now.
#[tokio::test]
async fn a_last_event_id_behind_the_end_hears_what_is_new() {
    let world = world().await;
    fail(&world, "old").await;
    let mut stream = Stream::open(&world, "", Some("1000000")).await;
    let id = fail(&world, "new").await;
    assert_eq!(stream.next().await.unwrap().1["session_id"], id);
}

/// K4: an id that is none of ours is told.
#[tokio::test]
async fn a_last_event_id_that_makes_no_sense_is_refused() {
    let world = world().await;
    let request = world.request(Method::GET, "/api/v1/events").header("last-event-id", "yesterday");
    assert_eq!(world.send(request).await.problem(400)["field"], "Last-Event-ID");
}

/// H1: a server that stops lets its followers go.
#[tokio::test]
async fn a_stream_ends_when_the_server_stops() {
    let world = world().await;
    let mut stream = Stream::open(&world, "", None).await;
    world.stop.send(()).unwrap();
    assert_eq!(stream.next().await, None);
    world.running.await.unwrap().unwrap();
}
