//! The built-in handler `http`, with real servers on loopback (D19, K2, J2, J6).

#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

mod handlers_loopback;

use std::sync::Arc;
use std::time::Duration;

use handlers_loopback::{
    Names, ReceivedRequest, Reply, Server, advance, answer, call, class, http, loopback, targets,
    timed,
};
use serde_json::{Value, json};
use steadfast::fault::{RetrySignal, RetrySignals};
use steadfast::{Class, Failure, Hint, Kind, Policy};
use steadfast_store::{MAX_PAYLOAD, Sqlite, Store, Task};
use steadfast_worker::Worker;
use steadfast_worker::handlers::{Http, HttpCall, HttpLimits};
use tokio::net::TcpSocket;

/// D19: a response of 200 to 299 is the task's result.
#[tokio::test]
async fn successful_response_is_the_result() {
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

/// D19, S2: the request is sent as the payload describes it.
#[tokio::test]
async fn request_is_sent_as_described() {
    let server = Server::start([answer(204, "", "")]).await;
    let payload = json!({
        "method": "put",
        "url": format!("{}users/7?full=yes", server.url()),
        "headers": {"X-Trace": "t1", "Content-Type": "text/csv"},
        "body": "a,b\n",
    });
    call(&loopback(), payload).await.unwrap();
    let request = &server.requests()[0];
    assert_eq!(request.first_line(), "PUT /users/7?full=yes HTTP/1.1");
    assert_eq!(request.header("x-trace"), Some("t1"));
    assert_eq!(request.header("content-type"), Some("text/csv"));
    assert!(request.header("user-agent").unwrap().starts_with("steadfast/"));
    assert_eq!(request.body, "a,b\n");
}

/// D19: a body that is not a string is sent as JSON with its content type.
#[tokio::test]
async fn json_body_has_a_content_type() {
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
        let request = &server.requests()[0];
        assert_eq!((request.body.as_str(), request.header("content-type")), (sent, content_type));
    }
}

/// D19: JSON is sent unchanged, since it may be signed.
#[tokio::test]
async fn json_body_is_sent_unchanged() {
    let body = r#"{"z": 1.10,  "a": 12345678901234567890123}"#;
    let server = Server::start([answer(200, "", "")]).await;
    let payload = format!(r#"{{"method": "POST", "url": "{}", "body": {body}}}"#, server.url());
    loopback().call(HttpCall::parse(&payload).unwrap(), None).await.unwrap();
    assert_eq!(server.requests()[0].body, body);
}

/// D19, J9: the task's key is sent, unless the payload has one of its own.
#[tokio::test]
async fn idempotency_key_is_sent() {
    let server = Server::start([answer(200, "", ""), answer(200, "", "")]).await;
    let own = json!({"url": server.url(), "headers": {"idempotency-key": "mine"}});
    for payload in [json!({"url": server.url()}), own] {
        let call = HttpCall::parse(&payload.to_string()).unwrap();
        loopback().call(call, Some("task-key")).await.unwrap();
    }
    let keys: Vec<_> = server
        .requests()
        .iter()
        .map(|request| request.header("idempotency-key").unwrap().to_owned())
        .collect();
    assert_eq!(keys, ["task-key", "mine"]);
}

/// J6: the error has the status and the beginning of the body.
#[tokio::test]
async fn error_response_is_classified_by_its_status() {
    let cases = [
        (304, Class::Final),
        (400, Class::Final),
        (404, Class::Final),
        (408, Class::Retryable),
        (429, Class::RateLimited),
        (500, Class::Retryable),
        (503, Class::Retryable),
    ];
    for (status, expected) in cases {
        let body = if status == 304 { "" } else { "no\r\nluck" };
        let server = Server::start([answer(status, "", body)]).await;
        let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
        assert_eq!(fault.fault().http_status, Some(status));
        assert_eq!(class(&fault), expected, "{status}");
        let start = format!("GET http://{} returned {status} ", server.address);
        assert!(fault.to_string().starts_with(&start), "{fault}");
        assert_eq!(fault.to_string().ends_with(": no luck"), status != 304, "{fault}");
    }
}

/// J6: `Retry-After` becomes a hint.
#[tokio::test]
async fn retry_after_header_becomes_a_hint() {
    let wait = Some(Hint::After(Duration::from_secs(120)));
    for (status, expected) in [(429, Class::RateLimited), (503, Class::RateLimited)] {
        let server = Server::start([answer(status, "Retry-After: 120\r\n", "")]).await;
        let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
        assert_eq!((fault.fault().hint, class(&fault)), (wait, expected));
    }
}

/// J6: the other signals of a service count as well, unless they are turned off.
#[tokio::test]
async fn signals_of_a_service_are_honoured() {
    let headers = "X-Should-Retry: false\r\nRetry-After-Ms: 250\r\n";
    let server = Server::start([answer(429, headers, ""), answer(429, headers, "")]).await;
    let error = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
    assert_eq!(class(&error), Class::Final);
    assert_eq!(error.fault().hint_source, Some(RetrySignal::RetryAfterMs));

    let deaf = loopback().signals(RetrySignals::NONE);
    let error = call(&deaf, json!({"url": server.url()})).await.unwrap_err();
    assert_eq!((error.fault().should_retry, error.fault().hint), (None, None));
}

/// Runs a task of two attempts on a worker, and returns what its server received.
async fn two_attempts(http: Http, headers: Value) -> Vec<ReceivedRequest> {
    const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let directory = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", directory.path().join("tasks.db").display());
    let store = Store::with_engine(Arc::new(Sqlite::open(&url).await.unwrap()));
    let server = Server::start([answer(503, "", ""), answer(204, "", "")]).await;
    let policy = Policy::immediate().max_attempts(4).build().unwrap();
    let payload = json!({"url": server.url(), "headers": headers, "timeout": "20s"});
    let task = Task::new("http", &payload).under(policy).correlation_id(TRACE);
    store.submit(task).await.unwrap();
    let worker = Worker::new(store).http(http);
    worker.run_until(server.requested(2)).await.unwrap();
    server.requests()
}

/// D19: the attempt, its limit and timeout, and the task's trace are sent if that is turned on.
#[tokio::test]
async fn attempt_headers_are_sent_when_turned_on() {
    let sent = |requests: &[ReceivedRequest], name| {
        let values = requests.iter().map(|request| request.header(name).unwrap_or("-").to_owned());
        values.collect::<Vec<_>>()
    };
    let requests = two_attempts(loopback(), json!({})).await;
    assert_eq!(sent(&requests, "retry-attempt"), ["-", "-"]);
    assert_eq!(sent(&requests, "traceparent"), ["-", "-"]);

    let requests = two_attempts(loopback().send_attempt_headers(), json!({})).await;
    let attempts = sent(&requests, "retry-attempt");
    assert!(attempts[0].starts_with("attempt=1; max=4; timeout-ms="), "{attempts:?}");
    assert!(attempts[1].starts_with("attempt=2; max=4; timeout-ms="), "{attempts:?}");
    assert!(sent(&requests, "traceparent")[0].starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-"));

    let own = json!({"Retry-Attempt": "7", "Traceparent": "mine"});
    let requests = two_attempts(loopback().send_attempt_headers(), own).await;
    assert_eq!(sent(&requests, "retry-attempt"), ["7", "7"]);
    assert_eq!(sent(&requests, "traceparent"), ["mine", "mine"]);
}

/// J4: nothing listens on the port, so nothing was sent and the call can be retried.
#[tokio::test]
async fn refused_connection_is_retryable() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let url = format!("http://{}/", socket.local_addr().unwrap());
    let fault = call(&loopback(), json!({"url": url})).await.unwrap_err();
    assert_eq!(fault.fault().kind, Some(Kind::ConnectionRefused));
    assert_eq!(class(&fault), Class::Retryable);
    assert!(fault.to_string().contains("onnection refused"), "{fault}");
}

/// J4: a name that does not resolve now may resolve later.
#[tokio::test]
async fn unresolved_name_is_retryable() {
    let http = http(&[], &Names::default().with("empty.example", &[]));
    for host in ["nowhere.example", "empty.example"] {
        let fault = call(&http, json!({"url": format!("http://{host}/")})).await.unwrap_err();
        assert_eq!(class(&fault), Class::Retryable, "{fault}");
    }
}

/// J2: a response that does not arrive in time leaves the outcome unknown.
#[tokio::test]
async fn silent_server_times_out() {
    let partial = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc".to_vec();
    for beginning in [Vec::new(), partial] {
        let server = Server::start([Reply::Silence(beginning)]).await;
        let http = loopback();
        let call = call(&http, json!({"url": server.url(), "timeout": "20s"}));
        let twenty_seconds = async {
            server.requested(1).await;
            advance(Duration::from_secs(20)).await;
        };
        let ((answer, took), ()) = tokio::join!(timed(call), twenty_seconds);
        assert!(took < Duration::from_secs(25), "{took:?}");
        let fault = answer.unwrap_err();
        assert_eq!(fault.fault().kind, Some(Kind::Timeout), "{fault}");
        assert_eq!(class(&fault), Class::UnknownOutcome);
    }
}

/// J2: a truncated response leaves the outcome unknown.
#[tokio::test]
async fn truncated_response_has_an_unknown_outcome() {
    let half = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc".to_vec();
    let server = Server::start([Reply::Answer(half)]).await;
    let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
    assert_eq!(class(&fault), Class::UnknownOutcome, "{fault}");
}

/// K2: an endless response is read up to the limit.
#[tokio::test]
async fn endless_response_is_cut_at_the_limit() {
    let head = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    let server = Server::start([Reply::Endless(head)]).await;
    let mut limits = HttpLimits::default();
    limits.max_response_bytes = 100_000;
    let http = Http::with(targets(&["127.0.0.1"]), limits, Names::default()).unwrap();
    let answer = call(&http, json!({"url": server.url()})).await.unwrap();
    assert_eq!((answer.body.len(), answer.truncated), (100_000, true));
    server.closed(1).await;
}

/// K2: an endless error response is cut, too.
#[tokio::test]
async fn endless_error_response_is_cut() {
    let head = b"HTTP/1.1 500 No\r\n\r\n".to_vec();
    let server = Server::start([Reply::Endless(head)]).await;
    let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
    assert_eq!(fault.fault().http_status, Some(500));
    assert!(fault.to_string().len() < 1_000);
    server.closed(1).await;
}

/// K4: whatever a server answers, a store accepts the task's result.
#[tokio::test]
async fn any_response_fits_into_a_result() {
    let largest = HttpLimits::default().max_response_bytes;
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

/// O5: secrets that were sent are in no error, even if the server quotes them.
#[tokio::test]
async fn secrets_are_masked_in_errors() {
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
    let unused_port = TcpSocket::new_v4().unwrap();
    unused_port.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let unused_port = unused_port.local_addr().unwrap();
    let unanswered = call(&loopback(), payload(unused_port.to_string())).await.unwrap_err();
    let refused = call(&loopback(), payload("10.0.0.1".into())).await.unwrap_err();
    let debug = format!("{:?}", HttpCall::parse(&payload("10.0.0.1".into()).to_string()).unwrap());
    let texts = [answered, unanswered, refused].map(|fault| {
        serde_json::to_string(&fault.fault()).unwrap() + &fault.to_string() + &format!("{fault:?}")
    });
    for secret in ["tomato", "aubergine", "cabbage", "leek", "celery"] {
        for text in texts.iter().chain([&debug]) {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
    assert!(texts[0].contains("bad token ***"), "{}", texts[0]);
}

/// K4, J7: the error of an invalid payload names the field, and nothing is sent.
#[tokio::test]
async fn invalid_payload_fails_for_good() {
    let url = "https://api.example.com/";
    let many: serde_json::Map<_, _> =
        (0..101).map(|number| (format!("X-{number}"), json!("x"))).collect();
    let cases = [
        (json!([]), "payload: must be an object"),
        (json!({}), "payload: missing field `url`"),
        (json!({"url": url, "metod": "GET"}), "payload.metod: unknown field; did you mean"),
        (
            json!({"url": "users"}),
            "payload.url: missing http:// or https://; use a URL such as https://",
        ),
        (json!({"url": "http://"}), "payload.url: missing host name; use a URL"),
        (json!({"url": "http://a b/"}), "payload.url: invalid host name; use a URL"),
        (json!({"url": "http://xn--a/"}), "payload.url: invalid host name; use a URL"),
        (json!({"url": format!("{url}{}", "x".repeat(9_000))}), "payload.url: is 9024 bytes long"),
        (json!({"url": url, "method": "GE T"}), "payload.method: is not a valid HTTP method"),
        (json!({"url": url, "method": "CONNECT"}), "payload.method: CONNECT is not supported"),
        (
            json!({"url": url, "headers": {"X Y": ""}}),
            "payload.headers.X Y: is not a valid header name",
        ),
        (
            json!({"url": url, "headers": {"X": "a\r\nY: b"}}),
            "payload.headers.X: its value contains",
        ),
        (json!({"url": url, "headers": {"X": 5}}), "payload.headers.X: invalid type"),
        (json!({"url": url, "headers": {"Host": "x"}}), "payload.headers.Host: is set by"),
        (
            json!({"url": url, "headers": {"Content-Length": "1"}}),
            "payload.headers.Content-Length:",
        ),
        (json!({"url": url, "headers": many}), "payload.headers: 101 headers of"),
        (
            json!({"url": url, "headers": {"X": "x".repeat(70_000)}}),
            "payload.headers: 1 headers of",
        ),
        (
            json!({"url": url, "timeout": "1h"}),
            "payload.timeout: 1h is too long; this worker allows at most 10m",
        ),
        (json!({"url": url, "timeout": -1}), "payload.timeout: `-1` is not a duration"),
    ];
    let http = http(&[], &Names::default());
    for (payload, expected) in cases {
        let fault = call(&http, payload).await.unwrap_err();
        assert!(fault.to_string().starts_with(expected), "{fault}");
        assert_eq!((fault.fault().kind, class(&fault)), (Some(Kind::Argument), Class::Final));
    }
}

/// The future is `Send`: a worker makes calls on any thread.
fn _can_be_spawned(http: &'static Http, call: HttpCall) -> impl Send {
    http.call(call, Some("key"))
}
