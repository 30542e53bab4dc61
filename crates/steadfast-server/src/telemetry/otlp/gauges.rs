//! How the store and the guards stand, told each time figures are sent.
//!
//! OpenTelemetry asks for them on a thread of its own, and keeps everybody else from counting until
//! it has its answers. So the store is looked at beside it, as often as figures are sent, and an
//! answer is what was seen last.

use std::env;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{AsyncInstrument, Meter};
use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::telemetry::metrics::gauges::{FAMILIES, Family, Seen};

/// How often figures are sent, in milliseconds, and how often they are if it is not said.
const INTERVAL: &str = "OTEL_METRIC_EXPORT_INTERVAL";
const MINUTE: Duration = Duration::from_secs(60);

type Last = Mutex<Option<Seen>>;

/// Looks, and has a meter tell what was seen, for as long as it runs.
pub(super) async fn tell(meter: &Meter, app: &App) {
    let last = Arc::<Last>::default();
    FAMILIES.into_iter().for_each(|family| told(meter, family, Arc::downgrade(&last)));
    let mut rounds = interval(every());
    rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        rounds.tick().await;
        let seen = Seen::of(app).await;
        *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
    }
}

fn every() -> Duration {
    let said = env::var(INTERVAL).ok().and_then(|said| said.trim().parse().ok());
    said.filter(|millis| *millis > 0).map_or(MINUTE, Duration::from_millis)
}

/// Whoever looks holds what was seen; without them nothing is told.
fn told(meter: &Meter, family: Family, last: Weak<Last>) {
    let gauge = meter.f64_observable_gauge(family.name).with_description(family.help);
    let gauge = gauge.with_callback(move |observer| {
        if let Some(last) = last.upgrade() {
            let last = last.lock().unwrap_or_else(PoisonError::into_inner);
            last.iter().for_each(|seen| observe(observer, family, seen));
        }
    });
    gauge.build();
}

fn observe(observer: &dyn AsyncInstrument<f64>, family: Family, seen: &Seen) {
    for series in (family.series)(seen) {
        let labels = series.labels.into_iter();
        let labels: Vec<_> = labels.map(|(name, value)| KeyValue::new(name, value)).collect();
        observer.observe(series.value, &labels);
    }
}
