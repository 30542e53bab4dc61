//! Figures on their way to OpenTelemetry, each looked up once.
//!
//! Whoever counts asks for a counter each time, by its name and labels. To OpenTelemetry each such
//! question is a new instrument; here it is the one that was asked for before. What a figure means
//! is not told: OpenTelemetry takes the same name with and without a meaning for two things.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use metrics_exporter_opentelemetry::Recorder as Inner;
use opentelemetry::metrics::Meter;

/// Counts through OpenTelemetry.
pub(crate) struct Cached {
    inner: Inner,
    counters: Looked<Counter>,
    gauges: Looked<Gauge>,
    histograms: Looked<Histogram>,
}

type Looked<T> = RwLock<HashMap<Key, T>>;

impl Cached {
    pub(super) fn new(meter: Meter) -> Self {
        let inner = Inner::with_meter(meter);
        let (counters, gauges, histograms) = Default::default();
        Self { inner, counters, gauges, histograms }
    }
}

fn looked_up<T: Clone>(looked: &Looked<T>, key: &Key, make: impl FnOnce() -> T) -> T {
    if let Some(found) = looked.read().unwrap_or_else(PoisonError::into_inner).get(key) {
        return found.clone();
    }
    let mut looked = looked.write().unwrap_or_else(PoisonError::into_inner);
    looked.entry(key.clone()).or_insert_with(make).clone()
}

impl Recorder for Cached {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        looked_up(&self.counters, key, || self.inner.register_counter(key, metadata))
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        looked_up(&self.gauges, key, || self.inner.register_gauge(key, metadata))
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        looked_up(&self.histograms, key, || self.inner.register_histogram(key, metadata))
    }
}
