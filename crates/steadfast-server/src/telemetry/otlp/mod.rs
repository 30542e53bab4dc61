//! Traces and figures over OTLP (O3), to whatever collector the environment names.
//!
//! It is switched on by the standard variables and by nothing else: `OTEL_EXPORTER_OTLP_ENDPOINT`,
//! or the same for traces or metrics alone, with their headers and timeouts. The protocol is
//! `http/protobuf`. What has to be sent is sent from threads of its own; a collector that is away
//! costs nothing but what it misses.

mod cached_recorder;
mod gauges;
mod http_client;

use std::env;
use std::sync::OnceLock;

use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry::trace::TracerProvider;
use opentelemetry::{InstrumentationScope, KeyValue, global};
use opentelemetry_otlp::{
    MetricExporter, Protocol, SpanExporter, WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{Aggregation, Instrument, SdkMeterProvider, Stream};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Metadata, Subscriber, warn};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use self::cached_recorder::Cached;
use self::http_client::Client;
use crate::app::App;
use crate::telemetry::logs::LogError;
use crate::telemetry::metrics::buckets;

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const METRICS_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT";
const DISABLED: &str = "OTEL_SDK_DISABLED";
/// What this program is called, unless `OTEL_SERVICE_NAME` says.
const SERVICE: &str = "steadfast";

/// Who traces what it is to send them: that would never end.
const SENDING: [&str; 5] = ["h2", "hyper", "opentelemetry", "reqwest", "rustls"];

/// The figures of this process go here, once it is known where they are sent.
static METERS: OnceLock<SdkMeterProvider> = OnceLock::new();

/// What is sent, while the program runs.
#[derive(Debug)]
pub(crate) struct Exports {
    traces: SdkTracerProvider,
    meters: SdkMeterProvider,
}

/// Begins to send, if there is where to.
pub(crate) fn start() -> Result<Option<Exports>, LogError> {
    let is_set = |name| env::var(name).is_ok_and(|value| !value.trim().is_empty());
    let is_off = env::var(DISABLED).is_ok_and(|value| value.trim().eq_ignore_ascii_case("true"));
    let (traced, measured) = match is_off {
        true => (false, false),
        false => (
            is_set(ENDPOINT) || is_set(TRACES_ENDPOINT),
            is_set(ENDPOINT) || is_set(METRICS_ENDPOINT),
        ),
    };
    if !traced && !measured {
        return Ok(None);
    }
    let wrong = |error: &dyn std::error::Error| LogError::Otlp(error.to_string());
    let client = Client::new().map_err(|error| wrong(&*error))?;
    let mut traces = SdkTracerProvider::builder().with_resource(resource());
    if traced {
        let exporter = SpanExporter::builder().with_http().with_protocol(Protocol::HttpBinary);
        let exporter = exporter.with_http_client(client.clone()).build();
        traces = traces.with_batch_exporter(exporter.map_err(|error| wrong(&error))?);
    }
    let mut meters = SdkMeterProvider::builder().with_resource(resource()).with_view(divided);
    if measured {
        let exporter = MetricExporter::builder().with_http().with_protocol(Protocol::HttpBinary);
        let exporter = exporter.with_http_client(client).build();
        meters = meters.with_periodic_exporter(exporter.map_err(|error| wrong(&error))?);
    }
    let exports = Exports { traces: traces.build(), meters: meters.build() };
    global::set_text_map_propagator(TraceContextPropagator::new());
    if measured {
        // A second start in one process sends traces of its own, and no figures.
        let _ = METERS.set(exports.meters.clone());
    }
    Ok(Some(exports))
}

/// Divides a histogram as it is for Prometheus: what is usual here is meant for milliseconds.
fn divided(instrument: &Instrument) -> Option<Stream> {
    let boundaries = buckets(instrument.name())?.to_vec();
    let histogram = Aggregation::ExplicitBucketHistogram { boundaries, record_min_max: true };
    Stream::builder().with_aggregation(histogram).build().ok()
}

fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let named = Resource::builder().with_attribute(version);
    match env::var("OTEL_SERVICE_NAME") {
        Ok(name) if !name.trim().is_empty() => named.build(),
        _ if env::var("OTEL_RESOURCE_ATTRIBUTES")
            .is_ok_and(|said| said.contains("service.name=")) =>
        {
            named.build()
        }
        _ => named.with_service_name(SERVICE).build(),
    }
}

/// Where the figures of this process go, if they are sent.
pub(crate) fn recorder() -> Option<Cached> {
    meter().map(Cached::new)
}

/// Tells how this server's store and guards stand as well, if figures are sent, for as long as it
/// runs.
pub(crate) async fn tell_of(app: &App) {
    if let Some(meter) = meter() {
        gauges::tell(&meter, app).await;
    }
}

fn meter() -> Option<Meter> {
    let scope = InstrumentationScope::builder(SERVICE).build();
    METERS.get().map(|meters| meters.meter_with_scope(scope))
}

impl Exports {
    /// Makes spans of what is traced.
    pub(crate) fn spans<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'s> LookupSpan<'s>,
    {
        let is_sent = |metadata: &Metadata<'_>| {
            !SENDING.iter().any(|sending| metadata.target().starts_with(sending))
        };
        tracing_opentelemetry::layer()
            .with_tracer(self.traces.tracer(SERVICE))
            .with_location(false)
            .with_threads(false)
            .with_filter(filter_fn(is_sent))
    }

    /// Sends what is left.
    pub(crate) async fn end(self) {
        // It waits for threads of its own, which wait for this runtime's client.
        let ended = tokio::task::spawn_blocking(move || {
            let traced = self.traces.shutdown();
            traced.and(self.meters.shutdown())
        });
        if let Ok(Err(error)) = ended.await {
            warn!(target: "steadfast", %error, "the last traces or figures could not be sent");
        }
    }
}
