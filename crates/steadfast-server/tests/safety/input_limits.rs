//! Limits of input (K4): a clear 4xx, and nothing is lost.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

use crate::{Answer, IN_TIME, Tokens, World, open_world, request, say, world, world_of};

const JSON: &str = "Content-Type: application/json";

/// How long a request may take to come here.
const IO_TIMEOUT: Duration = Duration::from_millis(200);

async fn impatient_world() -> World {
    world_of(Tokens::new(), |server| server.io_timeout(IO_TIMEOUT)).await
}

/// Sends a part of something, and reader what follows when nothing more comes.
async fn begin(world: &World, bytes: &str) -> Answer {
    let mut connection = TcpStream::connect(world.address).await.unwrap();
    connection.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let read = timeout(IN_TIME, connection.read_to_end(&mut answer)).await;
    read.expect("the server does not respond").unwrap();
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

/// K4: a connection with an incomplete head is closed without a response.
#[tokio::test]
async fn incomplete_head_times_out() {
    let world = impatient_world().await;
    for sent in ["", "G", "GET /api/v1/stats HTTP/1.1\r\nHost: localhost\r\nX-Slow: "] {
        let began = Instant::now();
        let answer = begin(&world, sent).await;
        assert_eq!(answer.head, "", "{sent:?}");
        assert!(began.elapsed() >= IO_TIMEOUT, "{sent:?}");
    }
}

/// K4: an announced body that does not arrive is reported, and the connection closed.
#[tokio::test]
async fn missing_body_times_out_with_408() {
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
async fn drip(world: &World, sent: &str, byte: &[u8]) -> Answer {
    let mut connection = TcpStream::connect(world.address).await.unwrap();
    connection.write_all(sent.as_bytes()).await.unwrap();
    let (mut reader, mut says) = connection.into_split();
    let dripping = async {
        while says.write_all(byte).await.is_ok() {
            // The client is slow on purpose.
            sleep(Duration::from_millis(20)).await;
        }
        std::future::pending::<()>().await;
    };
    let mut answer = Vec::new();
    tokio::select! {
        () = dripping => {}
        read = timeout(IN_TIME, reader.read_to_end(&mut answer)) => {
            // A client that is disconnected while it writes may not read the response.
            let _ = read.expect("the server does not respond");
        }
    }
    Answer::of(&String::from_utf8_lossy(&answer))
}

/// K4: a client that sends byte by byte times out as well.
#[tokio::test]
async fn trickling_body_times_out() {
    let world = impatient_world().await;
    let began = Instant::now();
    let head = drip(&world, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", b"a").await;
    assert_eq!(head.head, "");
    assert!(began.elapsed() >= IO_TIMEOUT);
    let body = format!(
        "POST /api/v1/tasks HTTP/1.1\r\nHost: localhost\r\n{JSON}\r\nContent-Length: 50000\r\n\r\n"
    );
    drip(&world, &body, b" ").await.problem(408);
    is_empty(&world).await;
}

/// K4: an unbounded body is rejected, before it is sent if its size is announced.
#[tokio::test]
async fn unbounded_body_is_rejected() {
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

/// K4: the size of a head is limited.
#[tokio::test]
async fn oversized_head_is_rejected() {
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

/// K4: input that is not HTTP gets a 400, and the next client is served.
#[tokio::test]
async fn non_http_input_is_rejected() {
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
        assert_eq!(answer.body, "", "an invalid request gets no body");
    }
    is_empty(&world).await;
}

/// K4: two lengths, or a length and chunks, do not smuggle a second request.
#[tokio::test]
async fn request_smuggling_is_rejected() {
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

/// K4: invalid UTF-8 in a path or a query.
#[tokio::test]
async fn invalid_utf8_in_url_is_rejected() {
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

/// K4: invalid UTF-8 in a header.
#[tokio::test]
async fn invalid_utf8_in_header_is_rejected() {
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

/// K4: a character that databases cannot store.
#[tokio::test]
async fn nul_character_is_rejected_or_stored() {
    let world = open_world().await;
    for field in ["kind", "queue", "category", "idempotency_key", "correlation_id"] {
        let mut task = serde_json::json!({"kind": "a", "payload": 1});
        task[field] = "a\0b".into();
        let rejected = submit(&world, &task.to_string()).await.problem(400);
        assert_eq!(rejected["field"], field);
    }
    world.ask("POST /api/v1/queues/a%00b/pause", &[], "").await.problem(400);
    is_empty(&world).await;
}

/// K4: duplicate keys are rejected.
#[tokio::test]
async fn duplicate_json_key_is_rejected() {
    let world = open_world().await;
    let rejected = submit(&world, r#"{"kind":"a","kind":"b","payload":1}"#).await.rejection(400);
    assert!(rejected["detail"].as_str().unwrap().contains("duplicate"), "{rejected}");
    world.ask("GET /api/v1/tasks?status=failed&status=pending", &[], "").await.rejection(400);
    is_empty(&world).await;
}

/// K4: deeply nested input is rejected everywhere.
#[tokio::test]
async fn deeply_nested_input_is_rejected() {
    let world = open_world().await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for body in [
        deep.clone(),
        format!(r#"{{"kind":"a","payload":{deep}}}"#),
        format!(r#"{{"kind":"a","payload":1,"policy":{deep}}}"#),
        format!(r#"{{"kind":"a","payload":1,"first_fault":{{"causes":{deep}}}}}"#),
        "{\"a\":".repeat(100_000),
    ] {
        submit(&world, &body).await.rejection(400);
    }
    is_empty(&world).await;
}

/// K4: numbers out of range.
#[tokio::test]
async fn out_of_range_numbers_are_rejected() {
    let world = open_world().await;
    for field in ["priority", "run_at", "expires_at"] {
        for number in ["1e999", "-1e999", "99999999999999999999999999", "NaN"] {
            let body = format!(r#"{{"kind":"a","payload":1,"{field}":{number}}}"#);
            submit(&world, &body).await.rejection(400);
        }
    }
    is_empty(&world).await;
}
