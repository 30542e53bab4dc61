//! Input without measure (K4): a clear 4xx, and nothing is lost.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::{Answer, IN_TIME, Tokens, World, open_world, request, say, world_of};

const JSON: &str = "Content-Type: application/json";

async fn impatient_world() -> World {
    world_of(Tokens::new(), |server| server.patience(Duration::from_millis(200))).await
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

/// K4: who sends the head of a request one letter at a time is let go.
#[tokio::test]
async fn a_head_that_does_not_end_is_not_waited_for() {
    let world = impatient_world().await;
    for begun in ["", "G", "GET /api/v1/stats HTTP/1.1\r\nHost: localhost\r\nX-Slow: "] {
        let answer = begin(&world, begun).await;
        assert!(matches!(answer.status, 0 | 408), "{begun:?}: {answer:?}");
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
        assert!(matches!(answer.status, 0 | 400 | 505), "{bytes:?}: {answer:?}");
    }
    is_empty(&world).await;
}

/// K4: two lengths, or a length and chunks, are no way to hide a second request in the first.
#[tokio::test]
async fn no_request_is_hidden_in_another() {
    let world = open_world().await;
    let hidden = request("POST /api/v1/queues/mail/pause", &[], "");
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
    let answer = world.ask("GET /api/v1/tasks?kind=%FF", &[], "").await;
    assert!(answer.status < 500, "{answer:?}");
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
