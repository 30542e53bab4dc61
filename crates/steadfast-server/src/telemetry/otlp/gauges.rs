//! Gauges of the store and the guards, exported over OTLP.
//!
//! OpenTelemetry reads gauges on its own thread and blocks other recording meanwhile. So snapshots are
//! taken separately, at the export interval, and the callback returns the last one.

use std::env;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{AsyncInstrument, Meter};
use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::lock::lock;
use crate::telemetry::metrics::gauges::{GAUGES, Gauge, GaugeSnapshot};

/// The variable with the export interval in milliseconds.
const INTERVAL_VARIABLE: &str = "OTEL_METRIC_EXPORT_INTERVAL";
const DEFAULT_INTERVAL: Duration = Duration::from_secs(60);

type Latest = Mutex<Option<GaugeSnapshot>>;

/// Takes snapshots and exports them forever.
pub(super) async fn export(meter: &Meter, app: &App) {
    let latest = Arc::<Latest>::default();
    GAUGES.into_iter().for_each(|gauge| register(meter, gauge, Arc::downgrade(&latest)));
    let mut ticks = interval(export_interval());
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let snapshot = GaugeSnapshot::take(app).await;
        *lock(&latest) = Some(snapshot);
    }
}

fn export_interval() -> Duration {
    let millis = env::var(INTERVAL_VARIABLE).ok().and_then(|value| value.trim().parse().ok());
    millis.filter(|millis| *millis > 0).map_or(DEFAULT_INTERVAL, Duration::from_millis)
}

/// Registers a gauge. It reports nothing once the snapshots have stopped.
fn register(meter: &Meter, gauge: Gauge, latest: Weak<Latest>) {
    let instrument = meter.f64_observable_gauge(gauge.name).with_description(gauge.help);
    let instrument = instrument.with_callback(move |observer| {
        if let Some(latest) = latest.upgrade() {
            lock(&latest).iter().for_each(|snapshot| observe(observer, gauge, snapshot));
        }
    });
    instrument.build();
}

fn observe(observer: &dyn AsyncInstrument<f64>, gauge: Gauge, snapshot: &GaugeSnapshot) {
    for series in (gauge.series)(snapshot) {
        let labels = series.labels.into_iter();
        let labels: Vec<_> = labels.map(|(name, value)| KeyValue::new(name, value)).collect();
        observer.observe(series.value, &labels);
    }
}
