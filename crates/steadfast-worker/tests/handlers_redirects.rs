//! How the built-in handler `http` follows redirects (D19, K2). Where it does not follow them to
//! is in `handlers_targets.rs`.

#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

mod handlers_loopback;

use std::sync::Arc;
use std::time::Duration;

use handlers_loopback::{Reply, Server, answer, call, class, loopback, pass, redirect, timed};
use serde_json::json;
use steadfast::{Class, Failure};
use steadfast_worker::handlers::HttpCall;
use tokio::sync::Notify;

/// D19: 303 is fetched, as are 301 and 302 after a POST; 307 and 308 are the request itself.
#[tokio::test]
async fn the_method_and_the_body_follow_as_in_browsers() {
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
        let seen = &server.seen()[1];
        assert_eq!(seen.first_line(), format!("{next} /there?a=b HTTP/1.1"), "{status} {method}");
        assert_eq!(seen.body, body, "{status} {method}");
        assert_eq!(seen.header("content-type").is_some(), !body.is_empty(), "{status} {method}");
    }
}

/// O5: another host sees none of the headers that may be secret, and not where it was found.
#[tokio::test]
async fn another_host_gets_no_secrets() {
    let there = Server::start([answer(200, "", "")]).await;
    let here = Server::start([redirect(307, "/again"), redirect(307, there.url())]).await;
    let payload = json!({
        "method": "POST",
        "url": here.url(),
        "headers": {"Authorization": "Bearer t", "X-Api-Key": "k", "Accept": "text/csv"},
        "body": {},
    });
    loopback().call(HttpCall::read(&payload.to_string()).unwrap(), Some("task-key")).await.unwrap();

    let same_host = &here.seen()[1];
    assert_eq!(same_host.header("authorization"), Some("Bearer t"));
    let other_host = &there.seen()[0];
    for secret in ["authorization", "x-api-key", "referer"] {
        assert_eq!(other_host.header(secret), None);
    }
    assert_eq!(other_host.header("accept"), Some("text/csv"));
    assert_eq!(other_host.header("content-type"), Some("application/json"));
    assert_eq!(other_host.header("idempotency-key"), Some("task-key"));
}

/// K2: ten are followed, and no more.
#[tokio::test]
async fn redirects_come_to_an_end() {
    let ten = (0..10).map(|_| redirect(302, "/on"));
    let server = Server::start(ten.chain([answer(200, "", "there")])).await;
    let answer = call(&loopback(), json!({"url": server.url()})).await.unwrap();
    assert_eq!(answer.body, "there");

    let server = Server::start((0..20).map(|_| redirect(302, "/on"))).await;
    let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
    assert!(fault.to_string().contains("sent on more than 10 times"), "{fault}");
    assert_eq!(class(&fault), Class::Final);
    assert_eq!(server.seen().len(), 11);
}

/// D19: a redirect that leads nowhere is no success.
#[tokio::test]
async fn a_redirect_to_nowhere_is_final() {
    let nowhere = [redirect(302, "http://[/"), redirect(302, "\u{fffd}"), answer(302, "", "")];
    for reply in nowhere {
        let server = Server::start([reply]).await;
        let fault = call(&loopback(), json!({"url": server.url()})).await.unwrap_err();
        assert_eq!(fault.fault().http_status, Some(302), "{fault}");
        assert_eq!(class(&fault), Class::Final);
    }
}

/// J2: a POST that was answered with "see there" has taken effect, whatever is seen there.
#[tokio::test]
async fn a_failure_to_see_is_not_a_failure_to_post() {
    for (method, expected) in [("POST", Class::UnknownOutcome), ("GET", Class::Retryable)] {
        let server = Server::start([redirect(303, "/status"), answer(503, "", "")]).await;
        let payload = json!({"method": method, "url": server.url()});
        let fault = call(&loopback(), payload).await.unwrap_err();
        assert_eq!((fault.fault().http_status, class(&fault)), (Some(503), expected));
    }
}

/// K2: the time of a call is that of all its requests together.
#[tokio::test]
async fn redirects_take_their_time_from_the_same_call() {
    let go = Arc::new(Notify::new());
    let Reply::Answer(on) = redirect(302, "/on") else { unreachable!() };
    let server = Server::start([Reply::Later(go.clone(), on), Reply::Silence(Vec::new())]).await;
    let http = loopback();
    let call = call(&http, json!({"url": server.url(), "timeout": "20s"}));
    let twenty_seconds = async {
        server.asked(1).await;
        pass(Duration::from_secs(15)).await;
        go.notify_one();
        server.asked(2).await;
        pass(Duration::from_secs(5)).await;
    };
    let ((answer, took), ()) = tokio::join!(timed(call), twenty_seconds);
    assert_eq!(class(&answer.unwrap_err()), Class::UnknownOutcome);
    assert!(took < Duration::from_secs(25), "{took:?}");
}
