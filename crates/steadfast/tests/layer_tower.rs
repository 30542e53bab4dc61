//! The tower layer: what is tried, what is returned, what is shared (I11).

#![cfg(all(feature = "tower", feature = "http", feature = "tokio"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may panic")]

use std::error::Error;
use std::fmt;
use std::future::{self, Ready};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response};
use steadfast::drive::{Instrument, SessionEvent};
use steadfast::fault::{RetrySignal, RetrySignals};
use steadfast::guard::{Breaker, BreakerSettings, Budget, BudgetSettings};
use steadfast::layer::tower::RetryLayer;
use steadfast::policy::Draft;
use steadfast::{Attempt, Class, Fault, Kind, Policy, Reason, retry};
use tokio::time::Instant;
use tower::{Layer, Service, ServiceBuilder, ServiceExt, service_fn};

const SECOND: Duration = Duration::from_secs(1);

fn immediate() -> Draft {
    Policy::immediate()
}

/// A service that gives these answers, one after the other, and counts its calls.
#[derive(Clone)]
struct Scripted<T, E> {
    script: Arc<Vec<Result<T, E>>>,
    calls: Arc<AtomicUsize>,
}

fn scripted<T, E>(script: impl IntoIterator<Item = Result<T, E>>) -> Scripted<T, E> {
    Scripted { script: Arc::new(script.into_iter().collect()), calls: Arc::default() }
}

impl<T, E> Scripted<T, E> {
    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl<Req, T: Clone, E: Clone> Service<Req> for Scripted<T, E> {
    type Response = T;
    type Error = E;
    type Future = Ready<Result<T, E>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), E>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Req) -> Self::Future {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        future::ready(self.script[call.min(self.script.len() - 1)].clone())
    }
}

/// An error with facts of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Broken(Kind);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "broken: {}", self.0)
    }
}

impl Error for Broken {}

impl steadfast::Failure for Broken {
    fn fault(&self) -> Fault {
        Fault::of(self.0)
    }
}

const REFUSED: Broken = Broken(Kind::ConnectionRefused);
const WRONG: Broken = Broken(Kind::Argument);

fn answer(status: u16) -> Result<Response<&'static str>, Broken> {
    Ok(Response::builder().status(status).body("").unwrap())
}

/// I3, J6: responses with 5xx are retried.
#[tokio::test]
async fn recovering_service_is_retried() {
    let service = scripted([answer(503), answer(500), answer(200)]);
    let layered = RetryLayer::new(immediate().build().unwrap()).http().layer(service.clone());
    assert_eq!(layered.oneshot(Request::new(())).await.unwrap().status(), 200);
    assert_eq!(service.calls(), 3);
}

/// J6: other answers are not: 4xx is final, and the rest is no failure at all.
#[tokio::test]
async fn final_response_is_returned() {
    for status in [404, 304, 202] {
        let service = scripted([answer(status), answer(200)]);
        let policy = immediate().build().unwrap();
        let layered = RetryLayer::new(policy).http().layer(service.clone());
        assert_eq!(layered.oneshot(Request::new(())).await.unwrap().status(), status);
        assert_eq!(service.calls(), 1);
    }
}

/// J10: the policy's own rules judge answers, too, but only those that are failures.
#[tokio::test]
async fn response_matched_by_the_policy_is_retried() {
    let service = scripted([answer(404), answer(202)]);
    let policy = immediate().retry_on(["any"]).build().unwrap();
    let layered = RetryLayer::new(policy).http().layer(service.clone());
    assert_eq!(layered.oneshot(Request::new(())).await.unwrap().status(), 202);
    assert_eq!(service.calls(), 2);
}

/// I11: a session that gives up because of a response returns it complete.
#[tokio::test]
async fn failing_service_returns_the_last_result() {
    let last = Ok::<_, Broken>(Response::builder().status(502).body("why").unwrap());
    let service = scripted([answer(503), answer(503), last]);
    let layered = RetryLayer::new(immediate().build().unwrap()).http().layer(service.clone());
    let response = layered.oneshot(Request::new(())).await.unwrap();
    assert_eq!((response.status().as_u16(), *response.body()), (502, "why"));
    assert_eq!(service.calls(), 3);
}

/// J2, J6: the wait that was asked for is waited for, as an attempt like any other.
#[tokio::test(start_paused = true)]
async fn retry_after_of_a_service_is_honoured() {
    let busy = Response::builder().status(429).header("retry-after", "120").body("").unwrap();
    let service = scripted([Ok(busy), answer(503), answer(200)]);
    let policy = Policy::fixed(SECOND).max_attempts(3).build().unwrap();
    let layered = RetryLayer::new(policy).http().layer(service.clone());
    let began = Instant::now();
    assert_eq!(layered.oneshot(Request::new(())).await.unwrap().status(), 200);
    assert_eq!(began.elapsed(), 121 * SECOND);
    assert_eq!(service.calls(), 3);
}

/// J4, J7: errors report their own facts; I4: the last one is returned unchanged.
#[tokio::test]
async fn errors_with_own_facts() {
    let service = scripted([Err(REFUSED), Err(WRONG), Ok(1)]);
    let layered = RetryLayer::new(immediate().build().unwrap()).layer(service.clone());
    let error = layered.oneshot(()).await.unwrap_err();
    assert_eq!(service.calls(), 2);
    assert_eq!(error.reason(), Reason::Final);
    let kinds: Vec<_> = error.gave_up().failures.iter().map(|failed| failed.fault.kind).collect();
    assert_eq!(kinds, [Some(REFUSED.0), Some(WRONG.0)]);
    assert_eq!(error.source().unwrap().downcast_ref::<Broken>(), Some(&WRONG));
    let error = error.downcast_source::<io::Error>().unwrap_err();
    assert_eq!(error.downcast_source::<Broken>().unwrap(), WRONG);
}

/// J1: a function extracts the facts of errors without their own.
#[tokio::test]
async fn errors_with_facts_from_a_function() {
    let service = scripted([Err("busy"), Err("busy"), Ok(1)]);
    let layer = RetryLayer::new(immediate().build().unwrap());
    let layered = layer.facts(|_: &&str| Fault::of(Kind::Busy)).layer(service.clone());
    assert_eq!(layered.oneshot(()).await.unwrap(), 1);
    assert_eq!(service.calls(), 3);
}

/// I3: any response can be found wanting.
#[tokio::test]
async fn rejected_responses_are_retried() {
    let service = scripted::<_, Broken>([Ok(1), Ok(2), Ok(3)]);
    let odd = |number: &i32| (number % 2 == 1).then(|| Fault::of(Kind::ValueRejected));
    let layer = RetryLayer::new(immediate().build().unwrap()).response_facts(odd);
    assert_eq!(layer.layer(service).oneshot(()).await.unwrap(), 2);
}

/// A service that must be asked whether it is ready, by each clone before each call, and then
/// takes a while; some of the times it says no.
#[derive(Default)]
struct Gate {
    asked: Arc<AtomicUsize>,
    refuses: usize,
    waited: bool,
    ready: bool,
}

impl Clone for Gate {
    fn clone(&self) -> Self {
        Self { asked: Arc::clone(&self.asked), refuses: self.refuses, waited: false, ready: false }
    }
}

impl Service<()> for Gate {
    type Response = usize;
    type Error = Broken;
    type Future = Ready<Result<usize, Broken>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Broken>> {
        if !self.waited {
            self.waited = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.asked.fetch_add(1, Ordering::Relaxed) < self.refuses {
            return Poll::Ready(Err(REFUSED));
        }
        self.ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, (): ()) -> Self::Future {
        assert!(std::mem::take(&mut self.ready), "called before it was ready");
        let asked = self.asked.load(Ordering::Relaxed);
        future::ready(if asked < 4 { Err(REFUSED) } else { Ok(asked) })
    }
}

/// I11: every attempt waits until the service is ready, and a service that cannot be made
/// ready is retried like one that cannot be called.
#[tokio::test]
async fn each_attempt_waits_for_readiness() {
    let gate = Gate { refuses: 2, ..Gate::default() };
    let policy = immediate().max_attempts(4).build().unwrap();
    let mut layered = RetryLayer::new(policy).layer(gate);
    // Two refusals, one call that fails, one that does not.
    assert_eq!(layered.ready().await.unwrap().call(()).await.unwrap(), 4);
}

/// G1, G4: services that share a breaker share its state, and it is asked before a call.
#[tokio::test]
async fn shared_breaker_rejects_calls() {
    let settings = BreakerSettings::consecutive(2, 60 * SECOND);
    let breaker = Arc::new(Breaker::new(settings).unwrap());
    let policy = Arc::new(immediate().max_attempts(5).build().unwrap());
    let layer = RetryLayer::new(policy).http().breaker(breaker);
    let down = scripted([answer(503)]);
    let error = layer.layer(down.clone()).oneshot(Request::new(())).await.unwrap_err();
    assert_eq!(error.reason(), Reason::BreakerOpen);
    assert_eq!(error.gave_up().attempts, 2);
    assert_eq!(down.calls(), 2);

    let other = scripted([answer(200)]);
    let error = layer.layer(other.clone()).oneshot(Request::new(())).await.unwrap_err();
    assert!(error.gave_up().retry_after().is_some_and(|wait| wait > 50 * SECOND));
    assert_eq!(other.calls(), 0);
}

/// G3: services that share a budget draw from one.
#[tokio::test(start_paused = true)]
async fn shared_budget_limits_retries() {
    let settings = BudgetSettings::Rate { retries_per_second: 2.0 };
    let budget = Arc::new(Budget::new(settings).unwrap());
    let layer = RetryLayer::new(immediate().max_attempts(3).build().unwrap()).budget(budget);
    let (first, second) = (scripted::<(), _>([Err(REFUSED)]), scripted::<(), _>([Err(REFUSED)]));
    let error = layer.layer(first.clone()).oneshot(()).await.unwrap_err();
    assert_eq!((error.reason(), first.calls()), (Reason::AttemptsExhausted, 3));
    let error = layer.layer(second.clone()).oneshot(()).await.unwrap_err();
    assert_eq!((error.reason(), second.calls()), (Reason::BudgetExhausted, 1));
}

/// I11, J4: it stands in a stack, above a timeout that ends one attempt and below one that
/// ends them all.
#[tokio::test(start_paused = true)]
async fn stacked_layers_work_together() {
    let calls = Arc::new(AtomicUsize::new(0));
    let slow_at_first = {
        let calls = Arc::clone(&calls);
        service_fn(move |limit: usize| {
            let call = calls.fetch_add(1, Ordering::Relaxed);
            async move {
                if call < limit {
                    future::pending::<()>().await;
                }
                Ok::<_, io::Error>(call)
            }
        })
    };
    let policy = Policy::fixed(SECOND).max_attempts(100).build().unwrap();
    let stack = ServiceBuilder::new()
        .concurrency_limit(1)
        .timeout(60 * SECOND)
        .layer(RetryLayer::new(policy))
        .timeout(5 * SECOND)
        .service(slow_at_first);
    let began = Instant::now();
    assert_eq!(stack.clone().oneshot(2).await.unwrap(), 2);
    assert_eq!(began.elapsed(), 12 * SECOND);

    let error = stack.oneshot(usize::MAX).await.unwrap_err();
    assert!(error.is::<tower::timeout::error::Elapsed>());
}

/// I4: an attempt that its own timeout cut off leaves no error, and says so.
#[tokio::test(start_paused = true)]
async fn attempt_that_times_out() {
    let silent = service_fn(|()| future::pending::<Result<(), Broken>>());
    let policy = immediate().attempt_timeout(SECOND).max_attempts(2).build().unwrap();
    let error = RetryLayer::new(policy).layer(silent).oneshot(()).await.unwrap_err();
    assert_eq!(error.reason(), Reason::AttemptsExhausted);
    assert!(error.source().is_none());
}

/// A service that remembers its requests and loses the response of each but the third.
fn forgetful(
    seen: &Arc<Mutex<Vec<String>>>,
) -> impl Service<Request<String>, Response = (), Error = io::Error, Future: Send> + Clone + Send + use<>
{
    let seen = Arc::clone(seen);
    service_fn(move |request: Request<String>| {
        let mut seen = seen.lock().unwrap();
        let key = request.headers().get("idempotency-key").map(|key| key.to_str().unwrap());
        seen.push(format!("{} {}", key.unwrap_or("-"), request.body()));
        let lost = seen.len() < 3;
        future::ready(if lost { Err(io::ErrorKind::ConnectionReset.into()) } else { Ok(()) })
    })
}

/// What may have taken effect, by the facts of this service.
fn lost(error: &io::Error) -> Fault {
    steadfast::extract::chain(error).with_unknown_outcome()
}

/// J9: what may have taken effect is repeated only if that is safe.
#[tokio::test]
async fn unknown_outcome_is_not_repeated() {
    let seen = Arc::default();
    let policy = immediate().idempotent(false).build().unwrap();
    let layered = RetryLayer::new(policy).facts(lost).layer(forgetful(&seen));
    let error = layered.oneshot(Request::new("pay".to_owned())).await.unwrap_err();
    assert_eq!(error.reason(), Reason::NotSafeToRetry);
    assert_eq!(seen.lock().unwrap().len(), 1);
}

/// J9, I2: a request that carries the session's key is safe, and each attempt has the same one.
#[tokio::test]
async fn unknown_outcome_with_a_key_is_repeated() {
    let seen = Arc::default();
    let policy = immediate().idempotent(false).build().unwrap();
    let layer = RetryLayer::new(policy).facts(lost);
    let layer = layer.prepare(|request: &mut Request<String>, attempt: &Attempt| {
        let key = attempt.key().to_string().parse().unwrap();
        request.headers_mut().insert("idempotency-key", key);
        request.body_mut().push_str(&attempt.number().to_string());
    });
    let layered = layer.layer(forgetful(&seen));
    layered.clone().oneshot(Request::new("pay".to_owned())).await.unwrap();
    layered.oneshot(Request::new("pay".to_owned())).await.unwrap();

    let seen = seen.lock().unwrap();
    let [first, second, third, other] = &seen[..] else { panic!("{seen:?}") };
    let key = first.strip_suffix(" pay1").unwrap();
    assert!(key.len() > 1);
    assert_eq!((second, third), (&format!("{key} pay2"), &format!("{key} pay3")));
    assert!(other.ends_with(" pay1") && !other.starts_with(key));
}

/// J9: where the policy does not say, the method and `Idempotency-Key` decide; where it does, it
/// takes precedence over the method.
#[tokio::test]
async fn lost_http_request_is_repeated_only_if_safe() {
    let calls = async |draft: Draft, request: Request<()>| {
        let service = scripted::<Response<()>, _>([Err(REFUSED)]);
        let lost = |error: &Broken| Fault::of(error.0).with_unknown_outcome();
        let layer = RetryLayer::new(draft.build().unwrap()).facts(lost).http();
        let _ = layer.layer(service.clone()).oneshot(request).await;
        service.calls()
    };
    let request = |method: &str| Request::builder().method(method).body(()).unwrap();
    for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"] {
        assert_eq!(calls(immediate(), request(method)).await, 3, "{method}");
        assert_eq!(calls(immediate().idempotent(false), request(method)).await, 1, "{method}");
    }
    for method in ["POST", "PATCH"] {
        assert_eq!(calls(immediate(), request(method)).await, 1, "{method}");
        assert_eq!(calls(immediate().idempotent(true), request(method)).await, 3, "{method}");
        for draft in [immediate(), immediate().idempotent(false)] {
            let keyed = Request::builder().method(method).header("Idempotency-Key", "k");
            assert_eq!(calls(draft, keyed.body(()).unwrap()).await, 3, "{method} with a key");
        }
    }
}

/// I7: a response that an outer session will retry is left to it, as something that it sees.
#[tokio::test]
async fn outer_session_retries_responses() {
    let service = scripted([answer(503), answer(200)]);
    let layered = RetryLayer::new(immediate().build().unwrap()).http().layer(service.clone());
    let outer = immediate().build().unwrap();
    let (response, report) =
        retry(&outer, || layered.clone().oneshot(Request::new(()))).with_report().await.unwrap();
    assert_eq!((response.status().as_u16(), report.attempts, service.calls()), (200, 2, 2));
    assert_eq!(report.failures[0].fault.http_status, Some(503));
}

/// I6: dropping the call stops the session.
#[tokio::test(start_paused = true)]
async fn dropped_call() {
    let service = scripted::<(), _>([Err(REFUSED)]);
    let policy = Policy::fixed(SECOND).max_attempts(100).build().unwrap();
    let call = RetryLayer::new(policy).layer(service.clone()).oneshot(());
    tokio::time::timeout(SECOND * 5 / 2, call).await.unwrap_err();
    assert_eq!(service.calls(), 3);
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(service.calls(), 3);
}

/// A request that cannot be cloned, with a part that can.
struct Upload {
    name: &'static str,
    is_stream: bool,
}

fn copy(upload: &Upload) -> Option<Upload> {
    (!upload.is_stream).then_some(Upload { name: upload.name, is_stream: false })
}

/// I11: a request that is not `Clone` is copied by a function; one that cannot be copied is tried once.
#[tokio::test]
async fn request_that_cannot_be_copied_is_tried_once() {
    for (is_stream, calls) in [(false, 3), (true, 1)] {
        let service = scripted::<(), _>([Err(REFUSED)]);
        let layer = RetryLayer::new(immediate().build().unwrap()).clone_request(copy);
        let upload = Upload { name: "a", is_stream };
        let error = layer.layer(service.clone()).oneshot(upload).await.unwrap_err();
        assert_eq!((service.calls(), error.gave_up().attempts), (calls, calls as u32));
        assert_eq!(error.reason(), Reason::AttemptsExhausted);
    }
}

/// I11: a request that can be copied only at first is sent as it is, and then no more.
#[tokio::test]
async fn request_that_becomes_uncopiable_is_not_lost() {
    let copies = Arc::new(AtomicUsize::new(0));
    let once = {
        let copies = Arc::clone(&copies);
        move |upload: &Upload| {
            (copies.fetch_add(1, Ordering::Relaxed) == 0)
                .then_some(Upload { name: upload.name, is_stream: false })
        }
    };
    let service = scripted::<(), _>([Err(REFUSED)]);
    let layer = RetryLayer::new(immediate().max_attempts(5).build().unwrap()).clone_request(once);
    let upload = Upload { name: "a", is_stream: true };
    let error = layer.layer(service.clone()).oneshot(upload).await.unwrap_err();
    assert_eq!((service.calls(), error.reason()), (2, Reason::Final));
}

/// I11: an HTTP request is copied with its head; its body decides whether it can be.
#[tokio::test]
async fn body_that_is_not_clone_is_copied_by_a_function() {
    struct Body(Option<&'static str>);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let service = {
        let seen = Arc::clone(&seen);
        service_fn(move |request: Request<Body>| {
            let header = request.headers()["x-id"].to_str().unwrap().to_owned();
            seen.lock().unwrap().push(format!("{} {} {header}", request.method(), request.uri()));
            future::ready(answer(503))
        })
    };
    let layer = RetryLayer::new(immediate().build().unwrap())
        .http()
        .clone_body(|body: &Body| body.0.is_none().then_some(Body(None)));
    let request = |body| Request::put("/a?b").header("x-id", "7").body(Body(body)).unwrap();
    for (body, calls) in [(None, 3), (Some("stream"), 1)] {
        seen.lock().unwrap().clear();
        let response = layer.layer(service.clone()).oneshot(request(body)).await.unwrap();
        assert_eq!(response.status(), 503);
        assert_eq!(*seen.lock().unwrap(), vec!["PUT /a?b 7"; calls]);
    }
}

/// A service that lists a header of each request and always answers 503.
fn listing(
    header: &'static str,
    seen: &Arc<Mutex<Vec<String>>>,
) -> impl Service<Request<()>, Response = Response<&'static str>, Error = Broken, Future: Send>
+ Clone
+ Send
+ use<> {
    let seen = Arc::clone(seen);
    service_fn(move |request: Request<()>| {
        let value = request.headers().get(header).map(|value| value.to_str().unwrap());
        seen.lock().unwrap().push(value.unwrap_or("-").to_owned());
        future::ready(answer(503))
    })
}

/// I11: the attempt, its limit and its timeout are sent if that is turned on.
#[tokio::test(start_paused = true)]
async fn attempt_headers_are_sent_when_turned_on() {
    let draft = || Policy::fixed(SECOND).attempt_timeout(2 * SECOND);
    let seen = Arc::default();
    let layer = RetryLayer::new(draft().build().unwrap()).http();
    let service = listing("retry-attempt", &seen);
    layer.clone().layer(service.clone()).oneshot(Request::new(())).await.unwrap();
    layer.send_attempt_headers().layer(service).oneshot(Request::new(())).await.unwrap();
    let sent = |attempt| format!("attempt={attempt}; max=3; timeout-ms=2000");
    let off = "-".to_owned();
    let expected = [off.clone(), off.clone(), off, sent(1), sent(2), sent(3)];
    assert_eq!(*seen.lock().unwrap(), expected);
}

/// I11: a gRPC request counts its previous attempts as gRPC does.
#[tokio::test]
async fn grpc_request_sends_previous_attempts() {
    let seen = Arc::default();
    let layer = RetryLayer::new(immediate().build().unwrap()).http().send_attempt_headers();
    let request = Request::post("/").header("content-type", "application/grpc").body(()).unwrap();
    layer.layer(listing("grpc-previous-rpc-attempts", &seen)).oneshot(request).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["-", "1", "2"]);
}

/// J9: every attempt sends the same key, and a request's own key is kept.
#[tokio::test]
async fn key_header_is_sent() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let layer = RetryLayer::new(immediate().build().unwrap())
        .http()
        .idempotency_key_header(http::HeaderName::from_static("idempotency-key"));
    let service = layer.layer(listing("idempotency-key", &seen));
    service.clone().oneshot(Request::new(())).await.unwrap();
    let own = Request::post("/").header("idempotency-key", "mine").body(()).unwrap();
    service.oneshot(own).await.unwrap();
    let seen = seen.lock().unwrap();
    let [first, second, third, own @ ..] = &seen[..] else { panic!("{seen:?}") };
    assert!(first != "-" && (first, first) == (second, third), "{seen:?}");
    assert_eq!(own, ["mine", "mine", "mine"]);
}

/// I9, O4: hooks see each retry with the operation's name, code may decide the class, and every call has
/// its own clone of an instrument.
#[tokio::test]
async fn builder_settings_apply_to_each_session() {
    #[derive(Clone)]
    struct Counting(Arc<AtomicUsize>);
    impl Instrument for Counting {
        fn observes(&self) -> bool {
            true
        }
        fn observe(&mut self, _: &SessionEvent<'_>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let names = Arc::new(Mutex::new(Vec::new()));
    let events = Arc::new(AtomicUsize::new(0));
    let hook_names = Arc::clone(&names);
    let layer = RetryLayer::new(immediate().build().unwrap())
        .http()
        .named("search")
        .on_retry(move |event| {
            hook_names.lock().unwrap().push(format!("{} {}", event.operation, event.attempt));
        })
        .on_retry(|_| panic!("a hook that panics loses nothing"))
        .judge(|fault| (fault.http_status == Some(423)).then_some(Class::Retryable))
        .instrument(Counting(Arc::clone(&events)));
    let service = scripted([answer(423), answer(503), answer(200)]);
    assert_eq!(layer.layer(service).oneshot(Request::new(())).await.unwrap().status(), 200);
    assert_eq!(*names.lock().unwrap(), ["search 1", "search 2"]);
    assert_eq!(events.load(Ordering::Relaxed), 3);
}

/// J6: signals can be turned off.
#[tokio::test]
async fn ignored_signal_changes_nothing() {
    let stop =
        || Ok(Response::builder().status(503).header("x-should-retry", "false").body("").unwrap());
    let ignoring = RetrySignals::ALL.without(RetrySignal::XShouldRetry);
    for (signals, calls) in [(RetrySignals::ALL, 1), (ignoring, 2)] {
        let service = scripted([stop(), answer(200)]);
        let layer = RetryLayer::new(immediate().build().unwrap()).http_with(signals);
        layer.layer(service.clone()).oneshot(Request::new(())).await.unwrap();
        assert_eq!(service.calls(), calls);
    }
}
