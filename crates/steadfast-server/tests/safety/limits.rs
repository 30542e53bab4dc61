//! Input without measure (K4): a clear 4xx, and nothing is lost.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

use crate::{Answer, IN_TIME, Tokens, World, open_world, request, say, world, world_of};

const JSON: &str = "Content-Type: application/json";

/// How long a request may take to come here.
const PATIENCE: Duration = Duration::from_millis(200);

async fn impatient_world() -> World {
    world_of(Tokens::new(), |server| server.io_timeout(PATIENCE)).await
}

/// Sends a part of something, and hears what follows when nothing more comes.
async fn begin(world: &World, bytes: &str) -> Answer {
    let mut connection = TcpStream::connect(world.address).await.unwrap();
    connection.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let heard = timeout(IN_TIME, connection.read_to_end(&mut answer)).await;
    heard.expect("the server waits for good").unwrap();
    Answer::of(&String::from_utf8_lossy(&answer))
}

async fn submit(world: &World, body: &str) -> Answer {
    world.ask("POST /api/v1/tasks", &[JSON], body).await
}

/// Nothing of it all has become a task.
async fn is_empty(world: &World) {
    let stats = world.ask("GET /api/v1/stats", &[], "").await.json();
    assert_eq!((&stats["pending"], &stats["scheduled"]), (&0.into(), &0.into()), "{stats}");
}

/// K4: who does not send the head of a request is waited for in vain, and let go without a word.
#[tokio::test]
async fn a_head_that_does_not_end_is_not_waited_for() {
    let world = impatient_world().await;
    for begun in ["", "G", "GET /api/v1/stats HTTP/1.1\r\nHost: localhost\r\nX-Slow: "] {
        let began = Instant::now();
        let answer = begin(&world, begun).await;
        assert_eq!(answer.head, "", "{begun:?}");
        assert!(began.elapsed() >= PATIENCE, "{begun:?}");
    }
}

/// K4: who announces a body and does not send it is told so, and let go.
#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let world = impatient_world().await;
    let head = format!(
        "POST /api/v1/tasks HTTP/1.1\r\nHost: localhost\r\n{JSON}\r\nConnection: close\r\n"
    );
    let announced = begin(&world, &format!("{head}Content-Length: 24\r\n\r\n{{\"kind\":")).await;
    assert_eq!(announced.problem(408)["type"], "urn:steadfast:too-slow");
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n8\r\n{{\"kind\":\r\n");
    begin(&world, &chunked).await.problem(408);
    is_empty(&world).await;
}

/// Sends this, and then a byte now and then, until it is answered or let go.
async fn drip(world: &World, begun: &str, byte: &[u8]) -> Answer {
    let mut connection = TcpStream::connect(world.address).await.unwrap();
    connection.write_all(begun.as_bytes()).await.unwrap();
    let (mut hears, mut says) = connection.into_split();
    let dripping = async {
        while says.write_all(byte).await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
        std::future::pending::<()>().await;
    };
    let mut answer = Vec::new();
    tokio::select! {
        () = dripping => {}
        heard = timeout(IN_TIME, hears.read_to_end(&mut answer)) => {
            // Whoever is let go while they write may not hear the end.
            let _ = heard.expect("the server waits for good");
        }
    }
    Answer::of(&String::from_utf8_lossy(&answer))
}

/// K4: who sends a little all the time is let go like who sends nothing.
#[tokio::test]
async fn who_drips_is_not_waited_for() {
    let world = impatient_world().await;
    let began = Instant::now();
    let head = drip(&world, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", b"a").await;
    assert_eq!(head.head, "");
    assert!(began.elapsed() >= PATIENCE);
    let body = format!(
        "POST /api/v1/tasks HTTP/1.1\r\nHost: localhost\r\n{JSON}\r\nContent-Length: 50000\r\n\r\n"
    );
    drip(&world, &body, b" ").await.problem(408);
    is_empty(&world).await;
}

/// K4: a body without measure is refused, before it is sent if it says its size, and else soon.
#[tokio::test]
async fn a_body_without_measure_is_refused() {
    let world = open_world().await;
    let head = format!(
        "POST /api/v1/tasks HTTP/1.1\r\nHost: localhost\r\n{JSON}\r\nConnection: close\r\n"
    );
    let announced = begin(&world, &format!("{head}Content-Length: 1099511627776\r\n\r\n")).await;
    assert_eq!(announced.problem(413)["type"], "urn:steadfast:too-large");
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, " ".repeat(1 << 20));
    let endless = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
    drip(&world, &endless, chunk.as_bytes()).await.problem(413);
    is_empty(&world).await;
}

/// K4: heads have a size.
#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let world = open_world().await;
    let long = format!("X-Long: {}", "a".repeat(100 << 10));
    let answer = world.ask("GET /api/v1/stats", &[&long], "").await;
    assert_eq!(answer.status, 431, "{answer:?}");
    let many: Vec<String> = (0..200).map(|number| format!("X-{number}: a")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(world.ask("GET /api/v1/stats", &many, "").await.status, 431);
    let line = format!("GET /api/v1/tasks?kind={}", "a".repeat(100 << 10));
    let answer = world.ask(&line, &[], "").await;
    assert!(matches!(answer.status, 414 | 431), "{answer:?}");
}

/// K4: what is no HTTP gets a 400, and the next one is served.
#[tokio::test]
async fn what_is_no_http_is_refused() {
    let world = open_world().await;
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: local\x00host\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"POST /api/v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"POST /api/v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ] {
        let answer = say(world.address, bytes).await;
        assert_eq!(answer.status, 400, "{bytes:?}: {answer:?}");
        assert_eq!(answer.body, "", "nothing is told that is no problem");
    }
    is_empty(&world).await;
}

/// K4: two lengths, or a length and chunks, are no way to hide a second request in the first.
#[tokio::test]
async fn no_request_is_hidden_in_another() {
    let world = open_world().await;
    let hidden = request("POST /api/v1/queues/mail/pause?new=true", &[], "");
    let both = format!(
        "POST /api/v1/tasks HTTP/1.1\r\nHost: localhost\r\n{JSON}\r\nContent-Length: {}\r\n\
         Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}",
        hidden.len() + 5
    );
    let answer = say(world.address, both).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    let queues = world.ask("GET /api/v1/queues", &[], "").await;
    assert!(!queues.body.contains("\"paused\":true"), "{queues:?}");
}

/// K4: bytes in a path or a query that are no text.
#[tokio::test]
async fn what_is_no_text_is_refused() {
    let world = open_world().await;
    for line in [
        "POST /api/v1/queues/%FF/pause",
        "GET /api/v1/policies/%C3%28/plan",
        "GET /api/v1/tasks/%FF",
    ] {
        world.ask(line, &[], "").await.problem(400);
    }
    for line in
        ["GET /api/v1/tasks?kind=%FF", "GET /api/v1/events?operation=%C3%28", "GET /tasks?kind=%FF"]
    {
        world.ask(line, &[], "").await.problem(400);
    }
    let form = "Content-Type: application/x-www-form-urlencoded";
    world.ask("POST /tasks/new", &[form], "kind=%FF").await.problem(400);
}

/// K4: bytes in a header that are no text.
#[tokio::test]
async fn a_header_that_is_no_text_is_refused() {
    let open = open_world().await;
    for (line, header, status) in [
        ("GET /api/v1/events", "Last-Event-ID", 400),
        ("POST /api/v1/tasks", "Idempotency-Key", 400),
        ("POST /api/v1/tasks", "Content-Type", 415),
        ("POST /api/v1/queues/a/pause", "Origin", 403),
        ("GET /api/v1/stats", "Host", 421),
    ] {
        let answer = say(open.address, with_bytes(line, header)).await;
        assert_eq!(answer.status, status, "{header}: {answer:?}");
        answer.problem(status);
    }
    assert_eq!(say(open.address, with_bytes("GET /healthz", "X-Request-Id")).await.status, 200);
    let closed = world().await;
    for header in ["Authorization", "Cookie"] {
        say(closed.address, with_bytes("GET /api/v1/stats", header)).await.problem(401);
    }
}

/// A submission of a task, or another request, with a header that is no text.
fn with_bytes(line: &str, header: &str) -> Vec<u8> {
    let others = [("Host", "Host: localhost"), ("Content-Type", JSON)];
    let others = others.into_iter().filter(|(name, _)| *name != header);
    let others: String = others.map(|(_, line)| format!("{line}\r\n")).collect();
    let body = r#"{"kind":"a","payload":1}"#;
    let length = body.len();
    let head =
        format!("{line} HTTP/1.1\r\n{others}Connection: close\r\nContent-Length: {length}\r\n");
    [head.as_bytes(), header.as_bytes(), b": \xff\xc3\x28\r\n\r\n", body.as_bytes()].concat()
}

/// K4: a letter that databases cannot keep.
#[tokio::test]
async fn nul_is_refused_or_kept() {
    let world = open_world().await;
    for field in ["kind", "queue", "category", "idempotency_key", "correlation_id"] {
        let mut task = serde_json::json!({"kind": "a", "payload": 1});
        task[field] = "a\0b".into();
        let refused = submit(&world, &task.to_string()).await.problem(400);
        assert_eq!(refused["field"], field);
    }
    world.ask("POST /api/v1/queues/a%00b/pause", &[], "").await.problem(400);
    is_empty(&world).await;
}

/// K4: a key that is said twice means nothing.
#[tokio::test]
async fn a_key_that_is_said_twice_is_refused() {
    let world = open_world().await;
    let refused = submit(&world, r#"{"kind":"a","kind":"b","payload":1}"#).await.refusal(400);
    assert!(refused["detail"].as_str().unwrap().contains("duplicate"), "{refused}");
    world.ask("GET /api/v1/tasks?status=failed&status=pending", &[], "").await.refusal(400);
    is_empty(&world).await;
}

/// K4: what is nested too deep, wherever it is read.
#[tokio::test]
async fn what_is_too_deep_is_refused() {
    let world = open_world().await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for body in [
        deep.clone(),
        format!(r#"{{"kind":"a","payload":{deep}}}"#),
        format!(r#"{{"kind":"a","payload":1,"policy":{deep}}}"#),
        format!(r#"{{"kind":"a","payload":1,"first_fault":{{"causes":{deep}}}}}"#),
        "{\"a\":".repeat(100_000),
    ] {
        submit(&world, &body).await.refusal(400);
    }
    is_empty(&world).await;
}

/// K4: numbers that no field has room for.
#[tokio::test]
async fn numbers_without_measure_are_refused() {
    let world = open_world().await;
    for field in ["priority", "run_at", "expires_at"] {
        for number in ["1e999", "-1e999", "99999999999999999999999999", "NaN"] {
            let body = format!(r#"{{"kind":"a","payload":1,"{field}":{number}}}"#);
            submit(&world, &body).await.refusal(400);
        }
    }
    is_empty(&world).await;
}
