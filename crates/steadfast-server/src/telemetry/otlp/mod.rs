//! Traces and metrics over OTLP (O3).
//!
//! Export is enabled by the standard variables only: `OTEL_EXPORTER_OTLP_ENDPOINT`, or its variants for
//! traces or metrics, with their headers and timeouts. The protocol is `http/protobuf`. Exports run on
//! their own threads; an unreachable collector only loses data.

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

use self::cached_recorder::CachedRecorder;
use self::http_client::Client;
use crate::app::App;
use crate::telemetry::logs::LogError;
use crate::telemetry::metrics::buckets;

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const METRICS_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT";
const DISABLED: &str = "OTEL_SDK_DISABLED";
const SERVICE_NAME: &str = "steadfast";

/// Targets of the exporters' own spans, which must not be exported in turn.
const EXPORTER_TARGETS: [&str; 5] = ["h2", "hyper", "opentelemetry", "reqwest", "rustls"];

/// The meter provider of this process, once export is configured.
static METERS: OnceLock<SdkMeterProvider> = OnceLock::new();

#[derive(Debug)]
pub(crate) struct Exports {
    traces: SdkTracerProvider,
    meters: SdkMeterProvider,
}

pub(crate) fn start() -> Result<Option<Exports>, LogError> {
    let is_set = |name| env::var(name).is_ok_and(|value| !value.trim().is_empty());
    let is_off = env::var(DISABLED).is_ok_and(|value| value.trim().eq_ignore_ascii_case("true"));
    let is_enabled = |endpoint| !is_off && (is_set(ENDPOINT) || is_set(endpoint));
    let (traces_enabled, metrics_enabled) =
        (is_enabled(TRACES_ENDPOINT), is_enabled(METRICS_ENDPOINT));
    if !traces_enabled && !metrics_enabled {
        return Ok(None);
    }
    let otlp_error = |error: &dyn std::error::Error| LogError::Otlp(error.to_string());
    let client = Client::new().map_err(|error| otlp_error(&*error))?;
    let mut traces = SdkTracerProvider::builder().with_resource(resource());
    if traces_enabled {
        let exporter = SpanExporter::builder().with_http().with_protocol(Protocol::HttpBinary);
        let exporter = exporter.with_http_client(client.clone()).build();
        traces = traces.with_batch_exporter(exporter.map_err(|error| otlp_error(&error))?);
    }
    let mut meters = SdkMeterProvider::builder().with_resource(resource()).with_view(with_buckets);
    if metrics_enabled {
        let exporter = MetricExporter::builder().with_http().with_protocol(Protocol::HttpBinary);
        let exporter = exporter.with_http_client(client).build();
        meters = meters.with_periodic_exporter(exporter.map_err(|error| otlp_error(&error))?);
    }
    let exports = Exports { traces: traces.build(), meters: meters.build() };
    global::set_text_map_propagator(TraceContextPropagator::new());
    if metrics_enabled {
        // A second start in one process exports its traces, but no metrics.
        let _ = METERS.set(exports.meters.clone());
    }
    Ok(Some(exports))
}

/// Uses the same histogram buckets as Prometheus: the SDK's defaults are meant for milliseconds.
fn with_buckets(instrument: &Instrument) -> Option<Stream> {
    let boundaries = buckets(instrument.name())?.to_vec();
    let histogram = Aggregation::ExplicitBucketHistogram { boundaries, record_min_max: true };
    Stream::builder().with_aggregation(histogram).build().ok()
}

fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_attribute(version);
    let is_named = env::var("OTEL_SERVICE_NAME").is_ok_and(|name| !name.trim().is_empty())
        || env::var("OTEL_RESOURCE_ATTRIBUTES").is_ok_and(|value| value.contains("service.name="));
    if is_named { resource.build() } else { resource.with_service_name(SERVICE_NAME).build() }
}

pub(crate) fn recorder() -> Option<CachedRecorder> {
    meter().map(CachedRecorder::new)
}

/// Exports the gauges of this server forever, if metrics are exported.
pub(crate) async fn export_gauges(app: &App) {
    if let Some(meter) = meter() {
        gauges::export(&meter, app).await;
    }
}

fn meter() -> Option<Meter> {
    let scope = InstrumentationScope::builder(SERVICE_NAME).build();
    METERS.get().map(|meters| meters.meter_with_scope(scope))
}

impl Exports {
    pub(crate) fn spans<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'s> LookupSpan<'s>,
    {
        let is_exported = |metadata: &Metadata<'_>| {
            !EXPORTER_TARGETS.iter().any(|target| metadata.target().starts_with(target))
        };
        tracing_opentelemetry::layer()
            .with_tracer(self.traces.tracer(SERVICE_NAME))
            .with_location(false)
            .with_threads(false)
            .with_filter(filter_fn(is_exported))
    }

    pub(crate) async fn shutdown(self) {
        // The shutdown blocks on threads that use this runtime's client.
        let stopped = tokio::task::spawn_blocking(move || {
            let traces = self.traces.shutdown();
            traces.and(self.meters.shutdown())
        });
        if let Ok(Err(error)) = stopped.await {
            warn!(target: "steadfast", %error, "cannot export the remaining traces and metrics");
        }
    }
}
