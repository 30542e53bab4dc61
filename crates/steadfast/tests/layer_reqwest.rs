//! The reqwest middleware, with a real client and a real server (I11).

#![cfg(feature = "reqwest-middleware")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may panic")]

mod loopback;

use std::fmt;
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use http::Extensions;
use http_body_util::Full;
use loopback::http::{Reply, Server, serve, server, status, status_with};
use loopback::{no_listener, tls};
use reqwest::{Body, Client, Method, Request, Response};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Error, Middleware, Next};
use steadfast::fault::{RetrySignal, RetrySignals};
use steadfast::guard::{Breaker, BreakerSettings, Budget, BudgetSettings};
use steadfast::judge::{self, Rules};
use steadfast::layer::reqwest::{LayerError, RetryMiddleware};
use steadfast::policy::Draft;
use steadfast::{Class, Failure, GaveUp, Kind, Policy, Reason, Report, extract, retry};
use tokio::net::TcpSocket;
use tokio::time::Instant;

const LIMIT: Duration = Duration::from_secs(30);
const KEY: &str = "idempotency-key";

/// Long enough for a connection to go back to the pool.
fn short() -> Draft {
    Policy::fixed(Duration::from_millis(10))
}

fn bare() -> Client {
    Client::builder().no_proxy().tls_backend_preconfigured(tls::client(None)).build().unwrap()
}

fn middleware(policy: Draft) -> RetryMiddleware {
    RetryMiddleware::new(policy.build().unwrap())
}

fn client(policy: Draft) -> ClientWithMiddleware {
    ClientBuilder::new(bare()).with(middleware(policy)).build()
}

fn keyed(policy: Draft) -> ClientWithMiddleware {
    let middleware = middleware(policy).idempotency_key_header(http::HeaderName::from_static(KEY));
    ClientBuilder::new(bare()).with(middleware).build()
}

fn report(response: &Response) -> &Report {
    response.extensions().get().unwrap()
}

fn gave_up(response: &Response) -> &GaveUp {
    response.extensions().get().unwrap()
}

/// The numbers of the connections that requests came over.
fn connections(server: &Server) -> Vec<usize> {
    server.seen().iter().map(|seen| seen.connection).collect()
}

fn keys(server: &Server) -> Vec<String> {
    server.seen().iter().map(|seen| seen.header(KEY).unwrap_or("-").to_owned()).collect()
}

/// J6, I5: responses with 5xx are retried; J4: over the same connection, as it is sound.
#[tokio::test]
async fn recovering_server_is_retried() {
    let server = server([status(503), status(503), status(200)]).await;
    let response = client(short()).get(server.url()).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(report(&response).attempts, 3);
    assert_eq!(connections(&server), [0, 0, 0]);
}

/// J4: a connection on which a response is still in flight is closed with the response.
#[tokio::test]
async fn endless_response_is_dropped() {
    let beginning = "HTTP/1.1 503 -\r\nContent-Length: 1000000\r\n\r\nonce upon a time";
    let server = server([Reply::Beginning(beginning.into()), status(200)]).await;
    let response = client(short()).get(server.url()).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(connections(&server), [0, 1]);
}

/// I11: a session that gives up because of a response returns it complete, with the reason.
#[tokio::test]
async fn failing_server_returns_the_last_response() {
    let last = Reply::Answer("HTTP/1.1 502 -\r\nContent-Length: 3\r\n\r\nwhy".into());
    let server = server([status(503), status(503), last]).await;
    let response = client(short()).get(server.url()).send().await.unwrap();
    assert_eq!(response.status(), 502);
    let gave_up = gave_up(&response);
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::AttemptsExhausted, 3));
    let statuses = gave_up.failures.iter().map(|failed| failed.fault.http_status.unwrap());
    assert_eq!(statuses.collect::<Vec<_>>(), [503, 503, 502]);
    assert_eq!(response.text().await.unwrap(), "why");
}

/// J6: a response that says 4xx is final, and one that says anything else is no failure.
#[tokio::test]
async fn final_response_is_returned() {
    for code in [404, 304] {
        let server = server([status(code), status(200)]).await;
        let response = client(short()).get(server.url()).send().await.unwrap();
        assert_eq!(response.status(), code);
        assert_eq!(server.seen().len(), 1);
    }
}

/// J2, J6: the wait that was asked for is waited for, as an attempt like any other.
#[tokio::test]
async fn retry_after_is_honoured() {
    let busy = status_with(429, "Retry-After: 120\r\n");
    let server = server([busy, status(503), status(200)]).await;
    let client = client(short().max_attempts(3));
    // Nothing but the session's wait depends on the time, so it may fly.
    tokio::time::pause();
    let began = Instant::now();
    let response = client.get(server.url()).send().await.unwrap();
    assert!(began.elapsed() >= Duration::from_secs(120));
    assert_eq!(response.status(), 200);
    let Report { attempts, rate_limit_waits, failures, .. } = report(&response);
    assert_eq!((*attempts, *rate_limit_waits), (3, 0));
    assert_eq!(failures[0].class, Class::RateLimited);
    assert_eq!(failures[0].delay, Some(Duration::from_secs(120)));
}

/// J9: every attempt of a session sends the same key, and no other session does; J2: with it,
/// a request whose response was lost is repeated though the policy is not idempotent.
#[tokio::test]
async fn session_key_is_sent() {
    let server = server([Reply::Reset, status(503), status(200), status(200)]).await;
    let client = keyed(short().idempotent(false));
    for _ in 0..2 {
        let response = client.post(server.url()).body("pay").send().await.unwrap();
        assert_eq!(response.status(), 200);
    }
    let keys = keys(&server);
    let [first, second, third, other] = &keys[..] else { panic!("{keys:?}") };
    assert_eq!((first, first), (second, third));
    assert_ne!(first, other);
    assert_ne!(first, "-");
    assert!(server.seen().iter().all(|seen| seen.body == "pay"));
}

/// J9: an `Idempotency-Key` of the caller makes a POST safe, without any setting.
#[tokio::test]
async fn standard_key_header_is_recognized() {
    let server = server([Reply::Reset, status(200)]).await;
    let request = client(short()).post(server.url()).header("Idempotency-Key", "invoice-42");
    assert_eq!(request.send().await.unwrap().status(), 200);
    assert_eq!(server.seen().len(), 2);
}

/// J9: a key that the caller chose is left alone, and does the same.
#[tokio::test]
async fn key_of_the_caller_is_kept() {
    let server = server([Reply::Reset, status(200)]).await;
    let client = keyed(short().idempotent(false));
    let response = client.post(server.url()).header(KEY, "invoice-42").send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(keys(&server), ["invoice-42", "invoice-42"]);
}

/// J9: without a key, a POST or PATCH that may have taken effect is not repeated unless the policy
/// says so, and nothing is if the policy says no.
#[tokio::test]
async fn unknown_outcome_is_not_repeated() {
    for (method, idempotent, calls) in [
        (Method::POST, None, 1),
        (Method::PATCH, None, 1),
        (Method::POST, Some(false), 1),
        (Method::GET, Some(false), 1),
        (Method::POST, Some(true), 2),
    ] {
        let server = server([Reply::Reset, status(200)]).await;
        let draft = idempotent.map_or(short(), |idempotent| short().idempotent(idempotent));
        let client = client(draft);
        let request = Request::new(method.clone(), server.url().parse().unwrap());
        let mut extensions = Extensions::new();
        let outcome = client.execute_with_extensions(request, &mut extensions).await;
        assert_eq!(server.seen().len(), calls, "{method}");
        if calls == 1 {
            assert!(outcome.unwrap_err().is_request());
            let gave_up = extensions.get::<GaveUp>().unwrap();
            assert_eq!(gave_up.reason, Reason::NotSafeToRetry);
        } else {
            assert_eq!(outcome.unwrap().status(), 200);
        }
    }
}

/// J9: a method that is idempotent by definition needs no key, where the policy does not say.
#[tokio::test]
async fn unknown_outcome_of_idempotent_request_is_repeated() {
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        let server = server([Reply::Reset, status(200)]).await;
        let client = client(short());
        let response = client.request(method, server.url()).send().await.unwrap();
        assert_eq!((response.status().as_u16(), server.seen().len()), (200, 2));
    }
}

/// I11: a stream cannot be sent twice, so whatever comes of it is returned.
#[tokio::test]
async fn streamed_body_is_sent_once() {
    let patience = status_with(429, "Retry-After: 0\r\n");
    for (reply, code) in [(status(503), 503), (patience, 429), (status(200), 200)] {
        let server = server([reply, status(200)]).await;
        let body = Body::wrap(Full::new(bytes::Bytes::from("stream")));
        let response = client(short()).put(server.url()).body(body).send().await.unwrap();
        assert_eq!(response.status(), code);
        assert_eq!(server.seen().len(), 1);
        assert!(server.seen()[0].body.contains("stream"));
    }
}

/// Runs something before each request, inside the sessions.
struct Before<F>(F);

#[async_trait]
impl<F, Fut> Middleware for Before<F>
where
    F: Fn(usize) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        let requests = extensions.get_or_insert_default::<Arc<AtomicUsize>>();
        let number = requests.fetch_add(1, Ordering::Relaxed) + 1;
        (self.0)(number).await;
        next.run(request, extensions).await
    }
}

/// J4: a server that is not yet started is retried until it is.
#[tokio::test]
async fn refused_connection() {
    let (address, socket) = no_listener();
    let (socket, up) = (Mutex::new(Some(socket)), Arc::new(Mutex::new(None)));
    let started = Arc::clone(&up);
    let start_late = Before(move |number| {
        if number == 3 {
            let listener = TcpSocket::listen(socket.lock().unwrap().take().unwrap(), 1).unwrap();
            *started.lock().unwrap() = Some(serve(listener, [status(200)]));
        }
        async {}
    });
    let client = ClientBuilder::new(bare()).with(middleware(short())).with(start_late).build();
    let response = client.get(format!("http://{address}/")).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let kinds = report(&response).failures.iter().map(|failed| failed.fault.kind.unwrap());
    assert_eq!(kinds.collect::<Vec<_>>(), [Kind::ConnectionRefused; 2]);
    assert_eq!(up.lock().unwrap().as_ref().unwrap().seen().len(), 1);
}

/// I4: the last error is returned as it was.
#[tokio::test]
async fn repeatedly_refused_connection_returns_the_error() {
    let (address, _socket) = no_listener();
    let request = Request::new(Method::POST, format!("http://{address}/").parse().unwrap());
    let mut extensions = Extensions::new();
    // Nothing was sent, so it is safe to repeat.
    let client = client(short().idempotent(false));
    let outcome = client.execute_with_extensions(request, &mut extensions).await;
    assert!(outcome.unwrap_err().is_connect());
    let gave_up = extensions.get::<GaveUp>().unwrap();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::AttemptsExhausted, 3));
}

/// I11: what the middleware inside leaves in the extensions is there afterwards, even after an
/// attempt that timed out in the middle; I6: and such an attempt has ended.
#[tokio::test]
async fn attempt_that_times_out() {
    let server = server([status(200)]).await;
    let hang_once = Before(|number| async move {
        if number == 1 {
            tokio::time::pause();
            tokio::time::advance(LIMIT).await;
            pending::<()>().await;
        }
        tokio::time::resume();
    });
    let policy = Policy::immediate().attempt_timeout(LIMIT);
    let client = ClientBuilder::new(bare()).with(middleware(policy)).with(hang_once).build();
    let request = Request::new(Method::GET, server.url().parse().unwrap());
    let mut extensions = Extensions::new();
    let outcome = client.execute_with_extensions(request, &mut extensions).await;
    let response = outcome.unwrap();
    assert_eq!(report(&response).failures[0].fault.kind, Some(Kind::Timeout));
    assert_eq!(extensions.get::<Arc<AtomicUsize>>().unwrap().load(Ordering::Relaxed), 2);
    assert_eq!(server.seen().len(), 1);
}

fn given_up(error: &Error) -> &LayerError {
    let Error::Middleware(error) = error else { panic!("{error:?}") };
    error.downcast_ref().unwrap()
}

/// G1, G4: clients that share a breaker share its state, and it is asked before a request.
#[tokio::test]
async fn shared_breaker_rejects_calls() {
    let breaker = Breaker::new(BreakerSettings::consecutive(2, LIMIT)).unwrap();
    let middleware = middleware(short().max_attempts(5)).breaker(Arc::new(breaker));
    let [one, other] =
        [(); 2].map(|()| ClientBuilder::new(bare()).with(middleware.clone()).build());
    let down = server([status(503), status(503)]).await;
    let error = one.get(down.url()).send().await.unwrap_err();
    assert_eq!(given_up(&error).reason(), Reason::BreakerOpen);
    assert_eq!(down.seen().len(), 2);

    let error = other.get(down.url()).send().await.unwrap_err();
    assert_eq!((given_up(&error).reason(), down.seen().len()), (Reason::BreakerOpen, 2));
}

/// G3: clients that share a budget draw from one.
#[tokio::test]
async fn shared_budget_limits_retries() {
    let settings = BudgetSettings::Ratio { ratio: 1.0, min_per_second: 0.0, window: LIMIT };
    let middleware = middleware(short()).budget(Arc::new(Budget::new(settings).unwrap()));
    let [one, other] =
        [(); 2].map(|()| ClientBuilder::new(bare()).with(middleware.clone()).build());
    let server = server([status(200), status(503), status(503), status(503)]).await;
    one.get(server.url()).send().await.unwrap();
    // One success is one retry.
    let response = other.get(server.url()).send().await.unwrap();
    assert_eq!(gave_up(&response).reason, Reason::BudgetExhausted);
    assert_eq!(server.seen().len(), 3);
}

/// I7: a response that an outer session will retry is left to it, as something that it sees.
#[tokio::test]
async fn outer_session_retries_responses() {
    let server = server([status(503), status(200)]).await;
    let client = client(short());
    let outer = Policy::immediate().build().unwrap();
    let send = || client.get(server.url()).send();
    let (response, report) = retry(&outer, send).with_report().await.unwrap();
    assert_eq!((response.status().as_u16(), report.attempts), (200, 2));
    assert_eq!(report.failures[0].fault.http_status, Some(503));
    assert_eq!(server.seen().len(), 2);
}

/// J8, J11: the middleware's error hides the link with the facts; they are found all the same.
#[tokio::test]
async fn facts_of_a_transparent_error() {
    #[derive(Debug)]
    struct Wrapper(Error);

    impl fmt::Display for Wrapper {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the lookup failed")
        }
    }

    impl std::error::Error for Wrapper {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    let (address, _socket) = no_listener();
    let client = ClientBuilder::new(bare()).build();
    let refused = || async { client.get(format!("http://{address}/")).send().await.unwrap_err() };
    let class = |fault| judge::judge(&Rules::default(), &fault).class();

    let error = refused().await;
    assert_eq!(error.fault().kind, Some(Kind::ConnectionRefused));
    assert_eq!(class(extract::chain(&Wrapper(error))), Class::Retryable);

    let other_middleware = Error::middleware(Wrapper(refused().await));
    assert_eq!(class(extract::failure(&other_middleware)), Class::Retryable);
    let wrong = Error::middleware(std::io::Error::from(std::io::ErrorKind::InvalidInput));
    assert_eq!(class(extract::failure(&wrong)), Class::Final);
}

/// I11: the attempt, its limit and its timeout are sent if that is turned on, and what `prepare` adds.
#[tokio::test]
async fn attempt_headers_are_sent_when_turned_on() {
    let server = server([status(503), status(200), status(200)]).await;
    let draft = || short().attempt_timeout(LIMIT);
    let middleware = middleware(draft()).send_attempt_headers().prepare(|request, attempt| {
        request.headers_mut().insert("traceparent", attempt.number().into());
    });
    let on = ClientBuilder::new(bare()).with(middleware).build();
    on.get(server.url()).send().await.unwrap();
    client(draft()).get(server.url()).send().await.unwrap();
    let seen = server.seen();
    let sent: Vec<_> =
        seen.iter().map(|seen| seen.header("retry-attempt").unwrap_or("-")).collect();
    assert!(sent[0].starts_with("attempt=1; max=3; timeout-ms="), "{sent:?}");
    assert!(sent[1].starts_with("attempt=2; max=3; timeout-ms="), "{sent:?}");
    assert_eq!(sent[2], "-");
    let traces = seen.iter().map(|seen| seen.header("traceparent").unwrap_or("-"));
    assert_eq!(traces.collect::<Vec<_>>(), ["1", "2", "-"]);
}

/// I9, O4: hooks see each retry with the operation's name, and code may decide the class.
#[tokio::test]
async fn builder_settings_apply_to_each_session() {
    let server = server([status(423), status(200)]).await;
    let names = Arc::new(Mutex::new(Vec::new()));
    let hook_names = Arc::clone(&names);
    let middleware = middleware(short())
        .named("search")
        .on_retry(move |event| hook_names.lock().unwrap().push(event.operation.to_owned()))
        .judge(|fault| (fault.http_status == Some(423)).then_some(Class::Retryable));
    let client = ClientBuilder::new(bare()).with(middleware).build();
    assert_eq!(client.get(server.url()).send().await.unwrap().status(), 200);
    assert_eq!(*names.lock().unwrap(), ["search"]);
}

/// J6: the other side's word against a retry is honoured, unless it is turned off.
#[tokio::test]
async fn should_retry_of_a_server_is_honoured() {
    let ignoring = RetrySignals::ALL.without(RetrySignal::XShouldRetry);
    for (signals, requests) in [(RetrySignals::ALL, 1), (ignoring, 2)] {
        let server = server([status_with(503, "X-Should-Retry: false\r\n"), status(200)]).await;
        let middleware = middleware(short()).signals(signals);
        let client = ClientBuilder::new(bare()).with(middleware).build();
        client.get(server.url()).send().await.unwrap();
        assert_eq!(server.seen().len(), requests);
    }
}

/// I11, J6: without middleware, `http()` judges the responses of a client.
#[tokio::test]
async fn plain_client_is_retried_with_http() {
    let busy = status_with(429, "Retry-After: 120\r\nRetry-After-Ms: 20\r\n");
    let server = server([busy, status(503), status(200), status(404)]).await;
    let (client, url, policy) = (bare(), server.url(), short().build().unwrap());
    let (response, report) =
        retry(&policy, || client.get(&url).send()).http().with_report().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(report.failures[0].fault.hint_source, Some(RetrySignal::RetryAfterMs));
    assert_eq!(report.failures.len(), 2);

    let error = retry(&policy, || client.get(&url).send()).http().await.unwrap_err();
    assert_eq!(error.reason(), Reason::Final);
    assert_eq!(error.into_value().unwrap().status(), 404);
}
