//! The built-in handler `http`, with real servers on loopback (D19, K2, J2, J6).

#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

mod handlers_loopback;

use std::time::Duration;

use handlers_loopback::{
    Names, Reply, Server, answer, call, class, http, loopback, pass, targets, timed,
};
use serde_json::json;
use steadfast::{Class, Failure, Hint, Kind};
use steadfast_store::MAX_PAYLOAD;
use steadfast_worker::handlers::{Http, HttpCall, HttpLimits};
use tokio::net::TcpSocket;

/// D19: an answer of 200 to 299 is the task's result.
#[tokio::test]
async fn a_success_is_the_result() {
    let headers = "Content-Type: text/plain\r\nLocation: /users/7\r\nSet-Cookie: id=1\r\n";
    let server = Server::start([answer(201, headers, "made")]).await;
    let answer = call(&loopback(), json!({"method": "POST", "url": server.url()})).await.unwrap();
    let expected = json!({
        "status": 201,
        "headers": {"content-type": "text/plain", "location": "/users/7"},
        "body": "made",
    });
    assert_eq!(serde_json::to_value(answer).unwrap(), expected);
}

/// D19, S2: the request is the one that the payload describes.
#[tokio::test]
async fn the_request_is_as_described() {
    let server = Server::start([answer(204, "", "")]).await;
    let payload = json!({
        "method": "put",
        "url": format!("{}users/7?full=yes", server.url()),
        "headers": {"X-Trace": "t1", "Content-Type": "text/csv"},
        "body": "a,b\n",
    });
    call(&loopback(), payload).await.unwrap();
    let seen = &server.seen()[0];
    assert_eq!(seen.first_line(), "PUT /users/7?full=yes HTTP/1.1");
    assert_eq!(seen.header("x-trace"), Some("t1"));
    assert_eq!(seen.header("content-type"), Some("text/csv"));
    assert!(seen.header("user-agent").unwrap().starts_with("steadfast/"));
    assert_eq!(seen.body, "a,b\n");
}

/// D19: a body that is no text is sent as JSON, and says so.
#[tokio::test]
async fn a_body_of_json_says_so() {
    let cases = [
        (json!({"a": [1, 2]}), r#"{"a":[1,2]}"#, Some("application/json")),
        (json!(7), "7", Some("application/json")),
        (json!("plain"), "plain", None),
        (json!(null), "", None),
    ];
    for (body, sent, content_type) in cases {
        let server = Server::start([answer(200, "", "")]).await;
        let payload = json!({"method": "POST", "url": server.url(), "body": body});
        call(&loopback(), payload).await.unwrap();
        let seen = &server.seen()[0];
        assert_eq!((seen.body.as_str(), seen.header("content-type")), (sent, content_type));
    }
}

/// D19: JSON is sent to the letter: there may be a signature over it.
#[tokio::test]
async fn a_body_of_json_is_not_rewritten() {
    let body = r#"{"z": 1.10,  "a": 12345678901234567890123}"#;
    let server = Server::start([answer(200, "", "")]).await;
    let payload = format!(r#"{{"method": "POST", "url": "{}", "body": {body}}}"#, server.url());
    loopback().call(HttpCall::read(&payload).unwrap(), None).await.unwrap();
    assert_eq!(server.seen()[0].body, body);
}

/// D19, J9: the task's key goes along, unless the payload has one of its own.
#[tokio::test]
async fn the_key_is_sent() {
    let server = Server::start([answer(200, "", ""), answer(200, "", "")]).await;
    let own = json!({"url": server.url(), "headers": {"idempotency-key": "mine"}});
    for payload in [json!({"url": server.url()}), own] {
        let call = HttpCall::read(&payload.to_string()).unwrap();
        loopback().call(call, Some("task-key")).await.unwrap();
    }
    let keys: Vec<_> = server
        .seen()
        .iter()
        .map(|seen| seen.header("idempotency-key").unwrap().to_owned())
        .collect();
    assert_eq!(keys, ["task-key", "mine"]);
}

/// J6: what is no success is told by its status, with what the server said about it.
#[tokio::test]
async fn a_status_is_a_fact() {
    let cases = [
        (304, Class::Final),
        (400, Class::Final),
        (404, Class::Final),
        (408, Class::Retryable),
        (429, Class::Retryable),
        (500, Class::Retryable),
        (503, Class::Retryable),
    ];
    for (status, expected) in cases {
        let body = if status == 304 { "" } else { "no\r\nluck" };
        let server = Server::start([answer(status, "", body)]).await;
        let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
        assert_eq!(fault.fault().http_status, Some(status));
        assert_eq!(class(&fault), expected, "{status}");
        let start = format!("GET http://{}: answered {status} ", server.address);
        assert!(fault.to_string().starts_with(&start), "{fault}");
        assert_eq!(fault.to_string().ends_with(": no luck"), status != 304, "{fault}");
    }
}

/// J6: `Retry-After` is kept as a hint.
#[tokio::test]
async fn a_retry_after_is_a_hint() {
    let wait = Some(Hint::After(Duration::from_secs(120)));
    for (status, expected) in [(429, Class::RateLimited), (503, Class::RateLimited)] {
        let server = Server::start([answer(status, "Retry-After: 120\r\n", "")]).await;
        let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
        assert_eq!((fault.fault().hint, class(&fault)), (wait, expected));
    }
}

/// J4: nobody listens: nothing was sent, so it can be tried again.
#[tokio::test]
async fn a_refused_connection_is_tried_again() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let url = format!("http://{}/", socket.local_addr().unwrap());
    let fault = call(&loopback(), json!({"url": url})).await.unwrap_err();
    assert_eq!(fault.fault().kind, Some(Kind::ConnectionRefused));
    assert_eq!(class(&fault), Class::Retryable);
    assert!(fault.to_string().contains("onnection refused"), "{fault}");
}

/// J4: a name that nobody knows just now.
#[tokio::test]
async fn an_unknown_name_is_tried_again() {
    let http = http(&[], &Names::default().with("empty.example", &[]));
    for host in ["nowhere.example", "empty.example"] {
        let fault = call(&http, json!({"url": format!("http://{host}/")})).await.unwrap_err();
        assert_eq!(class(&fault), Class::Retryable, "{fault}");
    }
}

/// J2: an answer that does not come in time leaves the outcome unknown.
#[tokio::test]
async fn a_silent_server_is_given_up_in_time() {
    let begun = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc".to_vec();
    for beginning in [Vec::new(), begun] {
        let server = Server::start([Reply::Silence(beginning)]).await;
        let http = loopback();
        let call = call(&http, json!({"url": server.url(), "timeout": "20s"}));
        let twenty_seconds = async {
            server.asked(1).await;
            pass(Duration::from_secs(20)).await;
        };
        let ((answer, took), ()) = tokio::join!(timed(call), twenty_seconds);
        assert!(took < Duration::from_secs(25), "{took:?}");
        let fault = answer.unwrap_err();
        assert_eq!(fault.fault().kind, Some(Kind::Timeout), "{fault}");
        assert_eq!(class(&fault), Class::UnknownOutcome);
    }
}

/// J2: an answer that breaks off leaves the outcome unknown.
#[tokio::test]
async fn an_answer_that_breaks_off_is_no_success() {
    let half = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc".to_vec();
    let server = Server::start([Reply::Answer(half)]).await;
    let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
    assert_eq!(class(&fault), Class::UnknownOutcome, "{fault}");
}

/// K2: of an answer without an end no more is read than the limit.
#[tokio::test]
async fn an_endless_answer_is_cut() {
    let head = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    let server = Server::start([Reply::Endless(head)]).await;
    let mut limits = HttpLimits::default();
    limits.max_answer = 100_000;
    let http = Http::with(targets(&["127.0.0.1"]), limits, Names::default()).unwrap();
    let answer = call(&http, json!({"url": server.url()})).await.unwrap();
    assert_eq!((answer.body.len(), answer.truncated), (100_000, true));
    server.closed(1).await;
}

/// K2: the same of a failure, however much it has to say.
#[tokio::test]
async fn an_endless_failure_is_cut() {
    let head = b"HTTP/1.1 500 No\r\n\r\n".to_vec();
    let server = Server::start([Reply::Endless(head)]).await;
    let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
    assert_eq!(fault.fault().http_status, Some(500));
    assert!(fault.to_string().len() < 1_000);
    server.closed(1).await;
}

/// K4: whatever a server answers, the task's result is one that a store takes.
#[tokio::test]
async fn any_answer_fits_into_a_result() {
    let largest = HttpLimits::default().max_answer;
    for byte in [0, 1, b'"', b'x', 0xff] {
        let location = format!("Location: {}\r\n", "l".repeat(50_000));
        let server = Server::start([answer(200, &location, vec![byte; largest])]).await;
        let answer = call(&loopback(), json!({"url": server.url()})).await.unwrap();
        let json = serde_json::to_string(&answer).unwrap();
        assert!(json.len() <= MAX_PAYLOAD, "{byte}: {}", json.len());
        assert!(!json.contains("\\u0000"));
        assert!(answer.truncated);
    }
}

/// O5: what was sent in confidence is in no fault, even if the server quotes it.
#[tokio::test]
async fn secrets_are_not_in_faults() {
    let quoting = "bad token tomato of ada:aubergine for /hooks/cabbage?key=leek&page=2";
    let server = Server::start([answer(401, "", quoting)]).await;
    let host = server.address;
    let payload = |host: String| {
        json!({
            "url": format!("http://ada:aubergine@{host}/hooks/cabbage?key=leek&page=2"),
            "headers": {"Authorization": "Bearer tomato", "X-Api-Key": "celery"},
        })
    };
    let answered = call(&loopback(), payload(host.to_string())).await.unwrap_err();
    let nobody = TcpSocket::new_v4().unwrap();
    nobody.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let nobody = nobody.local_addr().unwrap();
    let unanswered = call(&loopback(), payload(nobody.to_string())).await.unwrap_err();
    let refused = call(&loopback(), payload("10.0.0.1".into())).await.unwrap_err();
    let debug = format!("{:?}", HttpCall::read(&payload("10.0.0.1".into()).to_string()).unwrap());
    let told = [answered, unanswered, refused].map(|fault| {
        serde_json::to_string(&fault.fault()).unwrap() + &fault.to_string() + &format!("{fault:?}")
    });
    for secret in ["tomato", "aubergine", "cabbage", "leek", "celery"] {
        for told in told.iter().chain([&debug]) {
            assert!(!told.contains(secret), "{secret}: {told}");
        }
    }
    assert!(told[0].contains("bad token ***"), "{}", told[0]);
}

/// K4, J7: what makes no sense is told by its place, and nothing is sent.
#[tokio::test]
async fn a_payload_that_makes_no_sense_is_final() {
    let url = "https://api.example.com/";
    let many: serde_json::Map<_, _> =
        (0..101).map(|number| (format!("X-{number}"), json!("x"))).collect();
    let cases = [
        (json!([]), "payload: it must be an object"),
        (json!({}), "payload: missing field `url`"),
        (
            json!({"url": url, "metod": "GET"}),
            "payload.metod: there is no such field; did you mean",
        ),
        (json!({"url": "users"}), "payload.url: relative URL without a base; write it like"),
        (json!({"url": "http://"}), "payload.url: empty host"),
        (json!({"url": format!("{url}{}", "x".repeat(9_000))}), "payload.url: is 9024 bytes long"),
        (json!({"url": url, "method": "GE T"}), "payload.method: is no method"),
        (json!({"url": url, "method": "CONNECT"}), "payload.method: CONNECT asks for a tunnel"),
        (json!({"url": url, "headers": {"X Y": ""}}), "payload.headers.X Y: is no name"),
        (json!({"url": url, "headers": {"X": "a\r\nY: b"}}), "payload.headers.X: its value has"),
        (json!({"url": url, "headers": {"X": 5}}), "payload.headers.X: invalid type"),
        (json!({"url": url, "headers": {"Host": "x"}}), "payload.headers.Host: is written by"),
        (
            json!({"url": url, "headers": {"Content-Length": "1"}}),
            "payload.headers.Content-Length:",
        ),
        (json!({"url": url, "headers": many}), "payload.headers: 101 headers of"),
        (
            json!({"url": url, "headers": {"X": "x".repeat(70_000)}}),
            "payload.headers: 1 headers of",
        ),
        (json!({"url": url, "timeout": "1h"}), "payload.timeout: 1h is too long; at most 10m"),
        (json!({"url": url, "timeout": -1}), "payload.timeout: `-1` is not a duration"),
    ];
    let http = http(&[], &Names::default());
    for (payload, expected) in cases {
        let fault = call(&http, payload).await.unwrap_err();
        assert!(fault.to_string().starts_with(expected), "{fault}");
        assert_eq!((fault.fault().kind, class(&fault)), (Some(Kind::Argument), Class::Final));
    }
}

/// A worker makes calls on any of its threads.
fn _can_be_spawned(http: &'static Http, call: HttpCall) -> impl Send {
    http.call(call, Some("key"))
}
