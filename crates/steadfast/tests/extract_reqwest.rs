//! Facts of `reqwest::Error`, from a real client and real peers (J2, J4 to J7, J11).

#![cfg(feature = "reqwest")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod loopback;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use loopback::{answering, no_listener, pass, peer, resetting, silent, tls};
use reqwest::{Client, ClientBuilder, Response};
use rustls::pki_types::CertificateDer;
use steadfast::fault::{Family, RetrySignal, RetrySignals};
use steadfast::judge::{self, Rules};
use steadfast::{Class, Failure, Fault, Hint, Kind, extract};
use tokio::io::AsyncReadExt;
use tokio_rustls::TlsAcceptor;

const LIMIT: Duration = Duration::from_secs(30);

fn builder(trusted: Option<CertificateDer<'static>>) -> ClientBuilder {
    // No test may hang, even if its peer misbehaves.
    Client::builder().no_proxy().timeout(2 * LIMIT).tls_backend_preconfigured(tls::client(trusted))
}

fn client() -> Client {
    builder(None).build().unwrap()
}

async fn get(address: SocketAddr) -> reqwest::Result<Response> {
    client().get(format!("http://{address}/")).send().await
}

fn class(error: &reqwest::Error) -> Class {
    class_of(&extract::chain(error))
}

fn class_of(fault: &Fault) -> Class {
    judge::judge(&Rules::default(), fault).class()
}

/// The kind of the error itself, not of its causes, and how it is judged with them.
fn facts(error: &reqwest::Error) -> (Option<Kind>, bool, Class) {
    let fault = error.fault();
    (fault.kind, fault.unknown_outcome, class(error))
}

/// J4: no process listens, and nothing was sent.
#[tokio::test]
async fn refused_connection() {
    let (address, _socket) = no_listener();
    let error = get(address).await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::ConnectionRefused), false, Class::Retryable));
}

/// J2: the request was read, and then the connection was reset.
#[tokio::test]
async fn reset_before_the_response() {
    let error = get(resetting().await).await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::ConnectionReset), true, Class::UnknownOutcome));
}

/// J2: the request was read, and then the connection was closed.
#[tokio::test]
async fn close_before_the_response() {
    let error = get(answering("").await).await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::UnexpectedEof), true, Class::UnknownOutcome));
}

/// J2: a response that began has an outcome, but not one that the caller knows.
#[tokio::test]
async fn truncated_response() {
    let address = answering("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc").await;
    let error = get(address).await.unwrap().bytes().await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::UnexpectedEof), true, Class::UnknownOutcome));
}

/// J2: a timeout after sending.
#[tokio::test]
async fn slow_response() {
    let (address, sent) = silent().await;
    let request = client().get(format!("http://{address}/")).timeout(LIMIT).send();
    let (answer, ()) = tokio::join!(request, pass(sent, LIMIT));
    let error = answer.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::Timeout), true, Class::UnknownOutcome));
}

/// J2, J4: a timeout while the connection is made: nothing was sent over it.
#[tokio::test]
async fn slow_connect() {
    let (address, greeted) = silent().await;
    let client = builder(None).connect_timeout(LIMIT).build().unwrap();
    let request = client.get(format!("https://{address}/")).send();
    let (answer, ()) = tokio::join!(request, pass(greeted, LIMIT));
    let error = answer.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::Timeout), false, Class::Retryable));
}

/// J6: the status is a fact of the error that reqwest makes of it.
#[tokio::test]
async fn error_status() {
    for (status, class) in [(503, Class::Retryable), (408, Class::Retryable), (404, Class::Final)] {
        let address = answering(format!("HTTP/1.1 {status} -\r\nContent-Length: 0\r\n\r\n")).await;
        let error = get(address).await.unwrap().error_for_status().unwrap_err();
        assert_eq!(error.fault().http_status, Some(status));
        assert_eq!(self::class(&error), class, "{status}");
    }
}

/// J6: the hint is drawn from the whole response.
#[tokio::test]
async fn retry_after_header() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    let seconds = |seconds| Some(Hint::After(Duration::from_secs(seconds)));
    let cases = [
        (429, "120", seconds(120), Class::RateLimited),
        (429, "Sun, 06 Nov 1994 08:49:47 GMT", seconds(10), Class::RateLimited),
        (503, "Sun, 06 Nov 1994 08:00:00 GMT", seconds(0), Class::RateLimited),
        (503, "soon", None, Class::Retryable),
        (404, "120", seconds(120), Class::Final),
    ];
    for (status, wish, hint, class) in cases {
        let head = format!("HTTP/1.1 {status} -\r\nRetry-After: {wish}\r\n");
        let answer = get(answering(head + "Content-Length: 0\r\n\r\n").await).await.unwrap();
        let fault = extract::http_response(answer.status(), answer.headers(), now);
        assert_eq!((fault.http_status, fault.hint), (Some(status), hint), "{status} {wish}");
        assert_eq!(class_of(&fault), class, "{status} {wish}");
    }
}

/// J6: the other signals of a response, as they arrive; each can be turned off.
#[tokio::test]
async fn signals_of_a_response_are_read() {
    let millis = |millis| Some(Hint::After(Duration::from_millis(millis)));
    let cases = [
        (429, "Retry-After-Ms: 250", RetrySignal::RetryAfterMs, millis(250), Class::RateLimited),
        (
            500,
            "X-Amz-Retry-After: 1500",
            RetrySignal::XAmzRetryAfter,
            millis(1500),
            Class::Retryable,
        ),
        (
            503,
            "RateLimit: \"a\";r=0;t=30",
            RetrySignal::RateLimit,
            millis(30_000),
            Class::RateLimited,
        ),
        (
            429,
            "X-RateLimit-Reset: 7",
            RetrySignal::XRateLimitReset,
            millis(7_000),
            Class::RateLimited,
        ),
        (409, "X-Should-Retry: true", RetrySignal::XShouldRetry, None, Class::Retryable),
        (429, "X-Should-Retry: false", RetrySignal::XShouldRetry, None, Class::Final),
    ];
    for (status, header, signal, hint, class) in cases {
        let head = format!("HTTP/1.1 {status} -\r\n{header}\r\nContent-Length: 0\r\n\r\n");
        let answer = get(answering(head).await).await.unwrap();
        let (status, headers, now) = (answer.status(), answer.headers(), SystemTime::now());
        let fault = extract::http_response(status, headers, now);
        assert_eq!((fault.hint, class_of(&fault)), (hint, class), "{header}");
        assert_eq!(fault.hint_source, hint.map(|_| signal), "{header}");

        let signals = RetrySignals::ALL.without(signal);
        let fault = extract::http_response_with(signals, status, headers, now);
        assert_eq!(fault, Fault::http(status.as_u16()), "{header}");
    }
}

/// J7: a request that cannot be built cannot be built the next time either.
#[tokio::test]
async fn invalid_request() {
    let error = client().get("no scheme").send().await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::Argument), false, Class::Final));
}

/// J7: a response that is not what was asked for.
#[tokio::test]
async fn invalid_response() {
    let address = answering("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{!}").await;
    let error = get(address).await.unwrap().json::<String>().await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::Data), false, Class::Final));

    let error = get(answering("SSH-2.0-OpenSSH_9.2\r\n\r\n").await).await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::Data), false, Class::Final));
}

/// J7: a redirection that leads nowhere.
#[tokio::test]
async fn too_many_redirects() {
    let client = builder(None).redirect(reqwest::redirect::Policy::limited(0)).build().unwrap();
    let address =
        answering("HTTP/1.1 302 -\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n").await;
    let error = client.get(format!("http://{address}/")).send().await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::Data), false, Class::Final));
}

/// The result of a request to a real TLS server for `name`, by a client that
/// trusts its certificate or does not.
async fn over_tls(name: &str, trusted: bool) -> reqwest::Error {
    let (server, certificate) = tls::server(name);
    let address = peer(|stream| async move {
        let _ = TlsAcceptor::from(server).accept(stream).await;
    })
    .await;
    let client = builder(trusted.then_some(certificate)).resolve("localhost", address);
    client.build().unwrap().get("https://localhost/").send().await.unwrap_err()
}

/// J5: a bad certificate is no bad connection.
#[tokio::test]
async fn untrusted_certificate() {
    let error = over_tls("localhost", false).await;
    assert_eq!(class(&error), Class::Final);
    let kind = error.fault().kind.unwrap();
    assert_eq!(kind.family(), Family::Tls);
    #[cfg(feature = "rustls")]
    assert_eq!(kind, Kind::TlsCertificate);
}

/// J5: a certificate for another host.
#[tokio::test]
async fn certificate_for_another_host() {
    let error = over_tls("elsewhere.example", true).await;
    assert_eq!(class(&error), Class::Final);
    let kind = error.fault().kind.unwrap();
    assert_eq!(kind.family(), Family::Tls);
    #[cfg(feature = "rustls")]
    assert_eq!(kind, Kind::TlsHostname);
}

/// J4, J5: a handshake that the other side breaks off is a bad connection.
#[tokio::test]
async fn interrupted_handshake() {
    let address = peer(|mut stream| async move {
        let mut hello = [0; 16];
        stream.read_exact(&mut hello).await.unwrap();
        loopback::reset(stream);
    })
    .await;
    let client = builder(None).build().unwrap();
    let error = client.get(format!("https://{address}/")).send().await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::ConnectionReset), false, Class::Retryable));
}

/// J8: a boxed or shared error is the same link of the chain.
#[tokio::test]
async fn boxed_error() {
    #[derive(Debug)]
    struct Wrapper<E>(E);

    impl<E> std::fmt::Display for Wrapper<E> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the lookup failed")
        }
    }

    impl<E: std::error::Error + 'static> std::error::Error for Wrapper<E> {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    let address = answering("HTTP/1.1 503 -\r\nContent-Length: 0\r\n\r\n").await;
    let error = get(address).await.unwrap().error_for_status().unwrap_err();
    let boxed = Wrapper(Box::new(error));
    assert_eq!(class_of(&extract::chain(&boxed)), Class::Retryable);
    let shared = Wrapper(Arc::new(*boxed.0));
    assert_eq!(class_of(&extract::chain(&shared)), Class::Retryable);
}

/// J4: a failed DNS lookup, by the system's resolver or by another.
#[tokio::test]
async fn failed_lookup() {
    struct Broken;

    impl reqwest::dns::Resolve for Broken {
        fn resolve(&self, _: reqwest::dns::Name) -> reqwest::dns::Resolving {
            Box::pin(std::future::ready(Err("the resolver is broken".into())))
        }
    }

    for builder in [builder(None), builder(None).dns_resolver(Arc::new(Broken))] {
        // No resolver is asked for this name.
        let error = builder.build().unwrap().get("http://-/").send().await.unwrap_err();
        assert_eq!(facts(&error), (Some(Kind::Dns), false, Class::Retryable), "{error:?}");
    }
}
