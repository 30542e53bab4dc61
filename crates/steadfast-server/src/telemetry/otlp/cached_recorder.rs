//! A metrics recorder for OpenTelemetry that caches instruments.
//!
//! The `metrics` facade registers a metric on every use, which OpenTelemetry would treat as a new
//! instrument. Help texts are not passed on: OpenTelemetry treats the same name with and without a
//! description as two metrics.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use metrics_exporter_opentelemetry::Recorder as OtelRecorder;
use opentelemetry::metrics::Meter;

pub(crate) struct CachedRecorder {
    inner: OtelRecorder,
    counters: Instruments<Counter>,
    gauges: Instruments<Gauge>,
    histograms: Instruments<Histogram>,
}

type Instruments<T> = RwLock<HashMap<Key, T>>;

impl CachedRecorder {
    pub(super) fn new(meter: Meter) -> Self {
        let inner = OtelRecorder::with_meter(meter);
        let (counters, gauges, histograms) = Default::default();
        Self { inner, counters, gauges, histograms }
    }
}

fn get_or_create<T: Clone>(cache: &Instruments<T>, key: &Key, create: impl FnOnce() -> T) -> T {
    if let Some(found) = cache.read().unwrap_or_else(PoisonError::into_inner).get(key) {
        return found.clone();
    }
    let mut cache = cache.write().unwrap_or_else(PoisonError::into_inner);
    cache.entry(key.clone()).or_insert_with(create).clone()
}

impl Recorder for CachedRecorder {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        get_or_create(&self.counters, key, || self.inner.register_counter(key, metadata))
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        get_or_create(&self.gauges, key, || self.inner.register_gauge(key, metadata))
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        get_or_create(&self.histograms, key, || self.inner.register_histogram(key, metadata))
    }
}
