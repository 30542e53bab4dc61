//! Redirects in the built-in handler `http` (D19, K2). Redirects to forbidden targets are tested
//! in `handlers_targets.rs`.

#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

mod handlers_loopback;

use std::sync::Arc;
use std::time::Duration;

use handlers_loopback::{Reply, Server, advance, answer, call, class, loopback, redirect, timed};
use serde_json::json;
use steadfast::{Class, Failure};
use steadfast_worker::handlers::HttpCall;
use tokio::sync::Notify;

/// D19: 303 becomes a GET, as do 301 and 302 after a POST; 307 and 308 repeat the request.
#[tokio::test]
async fn redirect_changes_method_and_body_as_browsers_do() {
    let cases = [
        (301, "POST", "GET", ""),
        (302, "POST", "GET", ""),
        (303, "POST", "GET", ""),
        (301, "PUT", "PUT", "{}"),
        (303, "PUT", "GET", ""),
        (303, "HEAD", "HEAD", "{}"),
        (307, "POST", "POST", "{}"),
        (308, "POST", "POST", "{}"),
    ];
    for (status, method, next, body) in cases {
        let server = Server::start([redirect(status, "/there?a=b"), answer(200, "", "")]).await;
        let payload = json!({"method": method, "url": server.url(), "body": {}});
        call(&loopback(), payload).await.unwrap();
        let request = &server.requests()[1];
        assert_eq!(
            request.first_line(),
            format!("{next} /there?a=b HTTP/1.1"),
            "{status} {method}"
        );
        assert_eq!(request.body, body, "{status} {method}");
        assert_eq!(request.header("content-type").is_some(), !body.is_empty(), "{status} {method}");
    }
}

/// O5: another host gets none of the headers that may be secret, and no `Referer`.
#[tokio::test]
async fn redirect_to_another_host_sends_no_secrets() {
    let there = Server::start([answer(200, "", "")]).await;
    let here = Server::start([redirect(307, "/again"), redirect(307, there.url())]).await;
    let payload = json!({
        "method": "POST",
        "url": here.url(),
        "headers": {"Authorization": "Bearer t", "X-Api-Key": "k", "Accept": "text/csv"},
        "body": {},
    });
    loopback()
        .call(HttpCall::parse(&payload.to_string()).unwrap(), Some("task-key"))
        .await
        .unwrap();

    let same_host = &here.requests()[1];
    assert_eq!(same_host.header("authorization"), Some("Bearer t"));
    let other_host = &there.requests()[0];
    for secret in ["authorization", "x-api-key", "referer"] {
        assert_eq!(other_host.header(secret), None);
    }
    assert_eq!(other_host.header("accept"), Some("text/csv"));
    assert_eq!(other_host.header("content-type"), Some("application/json"));
    assert_eq!(other_host.header("idempotency-key"), Some("task-key"));
}

/// K2: ten redirects are followed, and no more.
#[tokio::test]
async fn eleventh_redirect_is_rejected() {
    let ten = (0..10).map(|_| redirect(302, "/on"));
    let server = Server::start(ten.chain([answer(200, "", "there")])).await;
    let answer = call(&loopback(), json!({"url": server.url()})).await.unwrap();
    assert_eq!(answer.body, "there");

    let server = Server::start((0..20).map(|_| redirect(302, "/on"))).await;
    let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
    assert!(fault.to_string().contains("more than 10 redirects"), "{fault}");
    assert_eq!(class(&fault), Class::Final);
    assert_eq!(server.requests().len(), 11);
}

/// D19: an invalid redirect is not a success.
#[tokio::test]
async fn invalid_redirect_fails_for_good() {
    let nowhere = [redirect(302, "http://[/"), redirect(302, "\u{fffd}"), answer(302, "", "")];
    for reply in nowhere {
        let server = Server::start([reply]).await;
        let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
        assert_eq!(fault.fault().http_status, Some(302), "{fault}");
        assert_eq!(class(&fault), Class::Final);
    }
}

/// J2: a POST that was answered with 303 has taken effect, whatever the next response says.
#[tokio::test]
async fn failure_after_a_redirected_post_has_an_unknown_outcome() {
    for (method, expected) in [("POST", Class::UnknownOutcome), ("GET", Class::Retryable)] {
        let server = Server::start([redirect(303, "/status"), answer(503, "", "")]).await;
        let payload = json!({"method": method, "url": server.url()});
        let fault = call(&loopback(), payload).await.unwrap_err();
        assert_eq!((fault.fault().http_status, class(&fault)), (Some(503), expected));
    }
}

/// K2: the timeout of a call covers all its requests.
#[tokio::test]
async fn timeout_covers_all_redirects() {
    let go = Arc::new(Notify::new());
    let Reply::Answer(on) = redirect(302, "/on") else { unreachable!() };
    let server = Server::start([Reply::Later(go.clone(), on), Reply::Silence(Vec::new())]).await;
    let http = loopback();
    let call = call(&http, json!({"url": server.url(), "timeout": "20s"}));
    let twenty_seconds = async {
        server.requested(1).await;
        advance(Duration::from_secs(15)).await;
        go.notify_one();
        server.requested(2).await;
        advance(Duration::from_secs(5)).await;
    };
    let ((answer, took), ()) = tokio::join!(timed(call), twenty_seconds);
    assert_eq!(class(&answer.unwrap_err()), Class::UnknownOutcome);
    assert!(took < Duration::from_secs(25), "{took:?}");
}
