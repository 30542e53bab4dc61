//! The spans of HTTP attempts. The only test of its program, because `tracing` caches for the whole
//! process which spans are enabled.

#![cfg(all(feature = "reqwest-middleware", feature = "tracing"))]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod loopback;

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use loopback::http::{server, status};
use loopback::tls;
use reqwest::Client;
use reqwest_middleware::ClientBuilder;
use steadfast::Policy;
use steadfast::layer::reqwest::RetryMiddleware;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// The resend count of each span of an attempt.
#[derive(Clone, Default)]
struct ResendCounts(Arc<Mutex<Vec<Option<u64>>>>);

impl<S: tracing::Subscriber> Layer<S> for ResendCounts {
    fn on_new_span(&self, span: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        if span.metadata().name() == "http_attempt" {
            let mut count = ResendCount(None);
            span.record(&mut count);
            self.0.lock().unwrap().push(count.0);
        }
    }
}

struct ResendCount(Option<u64>);

impl Visit for ResendCount {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "http.request.resend_count" {
            self.0 = Some(value);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

/// O2: each attempt has a span, and a repeated one says how often its request was sent before.
#[tokio::test]
async fn span_of_a_repeat_has_its_resend_count() {
    let counts = ResendCounts::default();
    let subscriber = tracing_subscriber::registry().with(counts.clone());
    let _guard = tracing::subscriber::set_default(subscriber);
    let server = server([status(503), status(503), status(200)]).await;
    let client = Client::builder().no_proxy().tls_backend_preconfigured(tls::client(None));
    let policy = Policy::fixed(Duration::from_millis(1)).build().unwrap();
    let client = ClientBuilder::new(client.build().unwrap()).with(RetryMiddleware::new(policy));
    client.build().get(server.url()).send().await.unwrap();
    assert_eq!(*counts.0.lock().unwrap(), [None, Some(1), Some(2)]);
}
